// Opens pages that graze wrote in a headless Chromium, from the file and without any network.
//
// GRAZE_NODE_MODULES names the folder of the packages, GRAZE_CHROMIUM the browser, GRAZE_SCREENSHOTS a folder for
// pictures of every step, GRAZE_PATIENCE the milliseconds after which a step has failed.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// The packages lie in the build tree, not beside this file.
const require = createRequire(path.join(process.env.GRAZE_NODE_MODULES ?? path.resolve('viewer'), 'package.json'));
const { chromium } = require('playwright-core');

const shots = process.env.GRAZE_SCREENSHOTS;
const PATIENCE = Number(process.env.GRAZE_PATIENCE ?? 60_000);

/// A browser; `options` are those of its pages.
export async function launch(options = { viewport: { width: 1360, height: 900 } }) {
  const browser = await chromium.launch({
    executablePath: process.env.GRAZE_CHROMIUM ?? '/usr/bin/chromium',
    timeout: PATIENCE,
    args: [
      '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
    ],
  });
  const errors = [];
  const requests = [];
  const files = [];
  if (shots) mkdirSync(shots, { recursive: true });
  return {
    close: () => browser.close(),
    /// The page that the environment variable `name` names.
    async open(name) {
      const file = process.env[name];
      assert.ok(file && existsSync(file), `${name} must name a page`);
      const page = await browser.newPage(options);
      page.setDefaultTimeout(PATIENCE);
      page.on('pageerror', (e) => errors.push(String(e)));
      page.on('console', (m) => m.type() === 'error' && errors.push(m.text()));
      page.on('request', (r) => requests.push(r.url()));
      files.push(pathToFileURL(path.resolve(file)).href);
      await page.goto(files.at(-1));
      return page;
    },
    /// Nothing failed so far, and nothing was fetched but the pages themselves.
    expectQuiet() {
      assert.deepEqual(errors, []);
      assert.deepEqual(requests.filter((url) => !/^(data|blob):/.test(url)), files);
    },
  };
}

export const stateOf = (page) => page.evaluate(() => window.graze.state());
export const settled = (page) => page.waitForFunction(() => window.graze.state().settled, null, { polling: 100 });
export const shoot = async (page, name) => {
  if (shots) await page.screenshot({ path: path.join(shots, name + '.png') });
};

/// The colours of 200 × 120 places of the 3-D view, as numbers 0xRRGGBB.
export const colorsOf = (page) =>
  page.evaluate(() => {
    const from = document.querySelector('#stage canvas');
    const to = document.createElement('canvas');
    [to.width, to.height] = [200, 120];
    const g = to.getContext('2d');
    g.drawImage(from, 0, 0, to.width, to.height);
    const bytes = g.getImageData(0, 0, to.width, to.height).data;
    const colors = [];
    for (let i = 0; i < bytes.length; i += 4) colors.push((bytes[i] << 16) | (bytes[i + 1] << 8) | bytes[i + 2]);
    return colors;
  });
/// The share of those that differ from a background.
export const drawnOver = async (page, background) => {
  await settled(page);
  const apart = (a, b) => [16, 8, 0].reduce((sum, at) => sum + Math.abs(((a >> at) & 255) - ((b >> at) & 255)), 0);
  const colors = await colorsOf(page);
  return colors.filter((c) => apart(c, background) > 24).length / colors.length;
};
