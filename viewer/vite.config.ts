// One script without imports, which graze puts into the pages it writes. A page from a file has no origin, so that
// modules and workers of their own cannot be loaded there.
import { defineConfig } from 'vite';

export default defineConfig({
  build: {
    outDir: process.env.GRAZE_VIEWER_OUT ?? 'dist',
    emptyOutDir: true,
    target: 'es2021',
    lib: { entry: 'src/main.ts', name: 'grazeReport', formats: ['iife'], fileName: () => 'viewer.js' },
    reportCompressedSize: false,
  },
  esbuild: { legalComments: 'none', charset: 'ascii' },
});
