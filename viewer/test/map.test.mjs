// Looks at the page of a map as a reader does, in a headless Chromium, from the file and without any network.
//
//   GRAZE_MAP=map.html node --test viewer/test/map.test.mjs
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';

// The packages lie in the build tree, not beside this file.
const require = createRequire(path.join(process.env.GRAZE_NODE_MODULES ?? path.resolve('viewer'), 'package.json'));
const { chromium } = require('playwright-core');

const map = process.env.GRAZE_MAP;
const shots = process.env.GRAZE_SCREENSHOTS;
const PATIENCE = Number(process.env.GRAZE_PATIENCE ?? 60_000);

let browser;
let page;
const errors = [];
const requests = [];

before(async () => {
  assert.ok(map && existsSync(map), 'GRAZE_MAP must name the page of a map');
  browser = await chromium.launch({
    executablePath: process.env.GRAZE_CHROMIUM ?? '/usr/bin/chromium',
    timeout: PATIENCE,
    args: [
      '--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      '--ignore-gpu-blocklist',
    ],
  });
  page = await browser.newPage({ viewport: { width: 1360, height: 980 } });
  page.setDefaultTimeout(PATIENCE);
  page.on('pageerror', (e) => errors.push(String(e)));
  page.on('console', (m) => m.type() === 'error' && errors.push(m.text()));
  page.on('request', (r) => requests.push(r.url()));
  await page.goto(pathToFileURL(path.resolve(map)).href);
  if (shots) mkdirSync(shots, { recursive: true });
});

after(async () => {
  await browser?.close();
});

const state = () => page.evaluate(() => window.graze.state());
const settled = () => page.waitForFunction(() => window.graze.state().settled, null, { polling: 100 });
/// The share of the 3-D view that is not background.
const drawn = async () => {
  await settled();
  return page.evaluate(() => {
    const from = document.querySelector('#stage canvas');
    const to = document.createElement('canvas');
    [to.width, to.height] = [200, 120];
    const g = to.getContext('2d');
    g.drawImage(from, 0, 0, to.width, to.height);
    const pixels = g.getImageData(0, 0, to.width, to.height).data;
    let other = 0;
    for (let i = 0; i < pixels.length; i += 4) {
      if (Math.abs(pixels[i] - 0x11) + Math.abs(pixels[i + 1] - 0x18) + Math.abs(pixels[i + 2] - 0x1e) > 24) other++;
    }
    return other / (pixels.length / 4);
  });
};
const shoot = async (name) => {
  if (shots) await page.screenshot({ path: path.join(shots, name + '.png') });
};

test('cells of all three kinds are drawn', async () => {
  const { shown } = await state();
  assert.ok(shown.occupied > 100 && shown.free > 100 && shown.unknown > 100, JSON.stringify(shown));
  assert.match(await page.textContent('#caption'), /occupied, .* free, .* unknown/);
  assert.ok((await drawn()) > 0.05);
  await shoot('map-all');
});

test('kinds can be left out', async () => {
  const all = await drawn();
  await page.uncheck('#show-free');
  await page.uncheck('#show-unknown');
  const { shown } = await state();
  assert.equal(shown.free + shown.unknown, 0);
  const some = await drawn();
  assert.ok(some > 0 && some < all, `${some} of ${all}`);
  await shoot('map-occupied');
});

test('the threshold decides what is occupied', async () => {
  const before = (await state()).shown.occupied;
  await page.fill('#threshold', '0.99');
  assert.equal((await state()).shown.occupied, 0);
  assert.ok((await drawn()) < 0.001);
  await page.fill('#threshold', '0.5');
  assert.equal((await state()).shown.occupied, before);
});

test('colours by height, and a view from above', async () => {
  await page.selectOption('#colour', 'height');
  assert.equal((await state()).byHeight, true);
  assert.equal(await page.isHidden('#key-probability'), true);
  await page.click('[data-view=above]');
  await settled();
  const [x, y, z] = (await state()).camera;
  assert.ok(z > 20 * Math.hypot(x, y));
  assert.ok((await drawn()) > 0.01);
  await shoot('map-above');
});

test('nothing is fetched and nothing fails', () => {
  assert.deepEqual(errors, []);
  assert.deepEqual(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:') && !url.startsWith('blob:')), []);
});
