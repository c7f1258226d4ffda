// Looks at the pages of a scene and of a motion as a reader does.
//
//   GRAZE_SCENE=of-check.html GRAZE_SMALL_SCENE=without-collision.html GRAZE_MOTION=of-sweep.html \
//     node --test viewer/test/scene.test.mjs
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { drawnOver, launch, settled, shoot, stateOf } from './browser.mjs';

const BACKGROUND = 0xe9edef;

let browser;
let page;

before(async () => {
  browser = await launch({ viewport: { width: 1360, height: 1000 } });
  page = await browser.open('GRAZE_SCENE');
});
after(() => browser?.close());

test('draws every object, with its name', async () => {
  await settled(page);
  const { shown, labels } = await stateOf(page);
  assert.equal(shown.length, 10);
  assert.equal(labels, 9, 'all but the plane');
  assert.ok((await drawnOver(page, BACKGROUND)) > 0.05);
  assert.equal(await page.locator('#objects label').count(), 10);
  assert.equal(await page.isHidden('#to-gap'), true);
  await shoot(page, 'scene-all');
});

test('objects, names and contacts can be left out', async () => {
  await page.uncheck('#show-names');
  assert.equal((await stateOf(page)).marks, true);
  await page.uncheck('#show-contacts');
  await settled(page);
  const { labels, marks } = await stateOf(page);
  assert.equal(labels, 0);
  assert.equal(marks, false);
  const all = await drawnOver(page, BACKGROUND);
  for (const box of await page.locator('#objects input').all()) await box.uncheck();
  assert.deepEqual((await stateOf(page)).shown, []);
  assert.ok((await drawnOver(page, BACKGROUND)) < 0.001);
  for (const box of await page.locator('#objects input').all()) await box.check();
  assert.equal(await drawnOver(page, BACKGROUND), all);
  await page.check('#see-through');
  await shoot(page, 'scene-see-through');
  await page.uncheck('#see-through');
  await page.check('#show-contacts');
  await page.check('#show-names');
});

test('a row of the table leads to its contact, and so do the buttons', async () => {
  await page.locator('tr[data-contact]').first().click();
  await settled(page);
  const first = await stateOf(page);
  assert.equal(first.contact, 0);
  assert.ok(Math.hypot(...first.target) > 0.01);
  assert.match(await page.textContent('#chosen'), /^Contact 1 of \d/);
  await shoot(page, 'scene-contact');
  await page.click('#next');
  await settled(page);
  assert.equal((await stateOf(page)).contact, 1);
  await page.click('#previous');
  await settled(page);
  assert.equal((await stateOf(page)).contact, 0);
  assert.ok(await page.locator('tr[data-contact]').first().evaluate((r) => r.classList.contains('chosen')));
});

test('looks from everywhere, and says what is clicked', async () => {
  for (const view of ['above', 'front', 'all']) {
    await page.click(`[data-view=${view}]`);
    await settled(page);
    assert.ok((await drawnOver(page, BACKGROUND)) > 0.02, view);
  }
  await page.click('[data-view=above]');
  await settled(page);
  const { camera } = await stateOf(page);
  assert.ok(camera[2] > 20 * Math.hypot(camera[0], camera[1]));
  const box = await page.locator('#stage canvas').boundingBox();
  await page.mouse.click(box.x + 2, box.y + 2);
  const nothing = await page.textContent('#chosen');
  assert.ok(/Nothing is there|wall: plane/.test(nothing), nothing);
  const label = await page.locator('.label', { hasText: 'bench' }).boundingBox();
  await page.mouse.click(label.x + label.width / 2, label.y + 1.5 * label.height);
  assert.match(await page.textContent('#chosen'), /^(bench: box|post: cylinder), collides/);
});

test('shows the nearest points of a small scene far away', async () => {
  page = await browser.open('GRAZE_SMALL_SCENE');
  await settled(page);
  assert.ok((await drawnOver(page, BACKGROUND)) > 0.004);
  assert.equal(await page.isHidden('#contact-steps'), true);
  await page.click('#to-gap');
  await settled(page);
  assert.equal(await page.textContent('.label.gap'), '0.799 mm');
  assert.ok((await drawnOver(page, BACKGROUND)) > 0.01);
  await shoot(page, 'scene-gap');
});

test('plays a motion up to the first contact', async () => {
  page = await browser.open('GRAZE_MOTION');
  assert.equal((await stateOf(page)).playing, true);
  await settled(page);
  const end = await stateOf(page);
  assert.ok(end.time > 0.5 && end.time < 1, `the motion ended at ${end.time}`);
  assert.equal(end.marks, true);
  assert.match(await page.textContent('#time-value'), /, first contact$/);
  await shoot(page, 'motion-contact');
  await page.fill('#time', '0.25');
  await settled(page);
  const quarter = await stateOf(page);
  assert.equal(quarter.marks, false);
  await page.fill('#time', '0');
  const start = await stateOf(page);
  const step = [0, 1, 2].map((k) => quarter.places[0][k] - start.places[0][k]);
  assert.ok(Math.hypot(step[0] - 1, step[1] - 1, step[2]) < 0.01, 'half of the way from the first pose to the second');
  assert.deepEqual(quarter.places[1], end.places[1]);
  await page.click('#first-contact');
  await settled(page);
  assert.deepEqual((await stateOf(page)).places, end.places);
});

test('nothing is fetched and nothing fails', () => browser.expectQuiet());
