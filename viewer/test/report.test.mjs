// Clicks through a report as a reader does, in a headless Chromium, from the file and without any network.
//
//   GRAZE_REPORT=report.html GRAZE_SHAPES_REPORT=of-a-changing-model.html GRAZE_LONE_REPORT=of-one-point.html \
//     node --test viewer/test/report.test.mjs
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { colorsOf, launch, settled as settledOn, shoot as shootOn, stateOf } from './browser.mjs';

let browser;
let page;

before(async () => {
  browser = await launch();
  page = await browser.open('GRAZE_REPORT');
});
after(() => browser?.close());

const state = () => stateOf(page);
const settled = () => settledOn(page);
const shoot = (name) => shootOn(page, name);
/// How many different colours the 3-D view shows: one if it is empty.
const colours = async () => new Set(await colorsOf(page)).size;

test('shows the verdict, the diagram and the worst place first', async () => {
  await page.waitForFunction(() => window.graze !== undefined);
  assert.match(await page.locator('.verdict b').innerText(), /Does not fit|Fits, narrowly|Clear/);
  assert.ok(await page.locator('#profile-figure .uplot').isVisible());
  await settled();
  const s = await state();
  assert.equal(s.choice.cluster, 0);
  assert.ok(s.shown > 1000, `only ${s.shown} points are drawn`);
  assert.ok((await colours()) > 20, 'the 3-D view is empty');
  assert.ok(s.sectionPoints > 20, `only ${s.sectionPoints} points in the section`);
  await shoot('1-top');
});

test('lists places by clearance, and a click goes there', async () => {
  const rows = page.locator('tr[data-cluster]');
  const count = await rows.count();
  assert.ok(count > 1, 'the scene should have several places');
  const clearances = await rows.evaluateAll((all) =>
    all.map((r) => Number(r.children[3].textContent.replace('\u2212', '-').replace(' m', ''))),
  );
  assert.deepEqual(clearances, [...clearances].sort((a, b) => a - b));
  const before = await state();
  await rows.nth(1).click();
  await settled();
  const now = await state();
  assert.equal(now.choice.cluster, 1);
  assert.notDeepEqual(now.camera, before.camera);
  assert.match(await page.locator('#caption').innerText(), /^Place 2 of/);
  assert.ok(await rows.nth(1).evaluate((r) => r.classList.contains('chosen')));
  await page.waitForTimeout(700); // the page scrolls to the view
  await shoot('2-place');
});

test('turns to every view', async () => {
  for (const view of ['behind', 'above', 'all', 'gap']) {
    await page.locator(`[data-view=${view}]`).click();
    await settled();
    assert.equal((await state()).view, view);
    assert.ok((await colours()) > 10, `nothing is seen ${view}`);
    await shoot(`3-${view}`);
  }
});

test('steps through the places and drives along the way', async () => {
  await page.locator('#previous').click();
  await settled();
  assert.equal((await state()).choice.cluster, 0);
  await page.locator('#next').click();
  await settled();
  assert.equal((await state()).choice.cluster, 1);
  await page.locator('#drive').evaluate((slider) => {
    slider.value = String(Number(slider.max) / 2);
    slider.dispatchEvent(new Event('input'));
  });
  await settled();
  const s = await state();
  assert.equal(s.choice.place, null);
  assert.match(await page.locator('#caption').innerText(), /vehicle at chainage/);
  await shoot('4-drive');
});

test('goes to where the diagram is clicked, and zooms where it is dragged', async () => {
  const over = page.locator('.u-over');
  await over.scrollIntoViewIfNeeded();
  const box = await over.boundingBox();
  await page.mouse.click(box.x + 0.31 * box.width, box.y + 0.5 * box.height);
  await settled();
  const s = await state();
  assert.ok(s.choice.cluster === -1);
  await page.mouse.move(box.x + 0.2 * box.width, box.y + 100);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 100, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(300);
  await shoot('5-zoomed');
  const after = await state();
  assert.deepEqual(after.choice, s.choice, 'a drag must not choose a place');
  await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 100);
});

test('takes the whole keyboard way too', async () => {
  const row = page.locator('tr[data-cluster]').first();
  await row.focus();
  await page.keyboard.press('Enter');
  await settled();
  assert.equal((await state()).choice.cluster, 0);
});

test('is one file: asks for nothing and has no errors', async () => {
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  await shoot('6-end');
  browser.expectQuiet();
});

test('shows a model that changes its shape as it is at the place', async () => {
  page = await browser.open('GRAZE_SHAPES_REPORT');
  await page.waitForFunction(() => window.graze !== undefined);
  await settled();
  const at = async (share) => {
    await page.locator('#drive').evaluate((slider, f) => {
      slider.value = String(Number(slider.max) * f);
      slider.dispatchEvent(new Event('input'));
    }, share);
    await settled();
    await shoot(`7-shape-${share}`);
    return (await state()).shapes;
  };
  assert.ok((await state()).shapes.length >= 2, 'between two poses it counts as both');
  assert.deepEqual(await at(0), [0]);
  assert.deepEqual(await at(1), [2]);
  assert.ok((await colours()) > 3, 'the 3-D view is empty');
  browser.expectQuiet();
});

/// How many pixels of the diagram have about this colour, between two shares of its width and of its height.
const pixels = (colour, x0, x1, y0, y1) =>
  page.evaluate(
    ([[r, g, b], from, to, top, bottom]) => {
      const canvas = document.querySelector('#profile-figure canvas');
      const over = document.querySelector('#profile-figure .u-over').getBoundingClientRect();
      const all = canvas.getBoundingClientRect();
      const scale = canvas.width / all.width;
      const left = (over.left - all.left + from * over.width) * scale;
      const up = (over.top - all.top + top * over.height) * scale;
      const bytes = canvas
        .getContext('2d')
        .getImageData(left, up, (to - from) * over.width * scale, (bottom - top) * over.height * scale).data;
      let count = 0;
      for (let i = 0; i < bytes.length; i += 4) {
        if (Math.abs(bytes[i] - r) + Math.abs(bytes[i + 1] - g) + Math.abs(bytes[i + 2] - b) < 60) count++;
      }
      return count;
    },
    [colour, x0, x1, y0, y1],
  );

test('draws a bin that stands alone, and what was not scanned', async () => {
  page = await browser.open('GRAZE_LONE_REPORT');
  await page.waitForFunction(() => window.graze !== undefined);
  await settled();
  await page.evaluate(() => window.scrollTo(0, 0));
  await shoot('8-lone');
  const left = [31, 119, 180];
  // Above the bars of coverage, about chainage 30 of 0 to 100.
  assert.ok((await pixels(left, 0.25, 0.37, 0, 0.85)) >= 9, 'the only bin that fails is not drawn');
  assert.equal(await pixels(left, 0.45, 1, 0, 0.85), 0);
  // The bar of the left side, and its end.
  assert.ok((await pixels(left, 0.1, 0.5, 0.85, 1)) > 100, 'the bar of what was seen is missing');
  assert.equal(await pixels(left, 0.65, 1, 0.85, 1), 0);
  assert.match(await page.locator('#coverage').innerText(), /Scanned: 6\d of 102 m/);
  browser.expectQuiet();
});
