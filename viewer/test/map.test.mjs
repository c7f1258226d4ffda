// Looks at the page of a map as a reader does, in a headless Chromium, from the file and without any network.
//
//   GRAZE_MAP=map.html node --test viewer/test/map.test.mjs
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { drawnOver, launch, settled as settledOn, shoot as shootOn, stateOf } from './browser.mjs';

let browser;
let page;

before(async () => {
  browser = await launch({ viewport: { width: 1360, height: 980 } });
  page = await browser.open('GRAZE_MAP');
});
after(() => browser?.close());

const state = () => stateOf(page);
const settled = () => settledOn(page);
const drawn = () => drawnOver(page, 0x11181e);
const shoot = (name) => shootOn(page, name);

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

test('nothing is fetched and nothing fails', () => browser.expectQuiet());
