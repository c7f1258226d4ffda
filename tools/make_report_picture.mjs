// Takes the picture of a clearance report that opens the README, in a headless Chromium.
//
//   GRAZE_NODE_MODULES=build/release/apps/graze/viewer node tools/make_report_picture.mjs REPORT.html PICTURE.jpg
//
// The page without its tiles and hints and with a lower view, so that verdict, diagram and 3-D view fit into a small picture.
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(path.resolve(process.env.GRAZE_NODE_MODULES ?? 'viewer', 'package.json'));
const { chromium } = require('playwright-core');
const [report, picture] = process.argv.slice(2);
if (!picture) throw new Error('expected a report and a picture');
const WIDTH = 1000;
const PATIENCE = 240_000;

const browser = await chromium.launch({
  executablePath: process.env.GRAZE_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-quic', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const page = await browser.newPage({ viewport: { width: WIDTH, height: 1400 }, deviceScaleFactor: 0.72 });
page.setDefaultTimeout(PATIENCE);
await page.goto(pathToFileURL(path.resolve(report)).href);
await page.waitForFunction(() => window.graze !== undefined);
await page.addStyleTag({
  content: '.tiles, .u-legend, h2 ~ p { display: none !important } #stage, #section { height: 400px !important }',
});
await page.evaluate(() => window.dispatchEvent(new Event('resize')));
await page.waitForFunction(() => window.graze.state().settled, null, { polling: 200 });
const bottom = await page.evaluate(() => document.querySelector('#stage').getBoundingClientRect().bottom);
const clip = { x: 0, y: 0, width: WIDTH, height: Math.ceil(bottom) + 8 };
await page.screenshot({ path: picture, type: 'jpeg', quality: 82, clip });
await browser.close();
