/** Lists show their usual columns without scrolling sideways, and their times in full. */
import { openPlace } from '../helpers/places.ts';
import { expect, test } from './fixtures.ts';

const USUAL = 1_280;
const SMALLEST = 1_000;

for (const [place, width] of [
  ['Baselines', USUAL],
  ['Baselines', SMALLEST],
  ['Custom metrics', USUAL],
  ['Segments', USUAL],
  ['Models', USUAL],
  ['Models', SMALLEST],
  ['Datasets', USUAL],
  ['Datasets', SMALLEST],
  ['Experiments', SMALLEST],
  ['Catalog', SMALLEST],
  ['Alert rules', USUAL],
  ['Alert rules', SMALLEST],
  ['GenAI rules', SMALLEST],
  ['Access keys', USUAL],
  ['Access keys', SMALLEST],
  ['Spans', SMALLEST],
  ['Requests', SMALLEST],
] as const) {
  test(`shows all usual columns of ${place} at a width of ${width}`, async ({ open }) => {
    const page = await open();
    await page.setViewportSize({ width, height: 640 });
    await openPlace(page, place);
    const grid = page.getByRole('main').getByRole('grid').first();
    await expect(grid.getByRole('gridcell').first()).toBeVisible();
    const hidden = () => grid.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    await expect.poll(hidden).toBe(0);
    const cutTimes = await grid
      .locator('.kind-time')
      .evaluateAll(
        (cells) => cells.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
      );
    expect(cutTimes).toBe(0);
  });
}
