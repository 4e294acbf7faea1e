/** A time range is drawn in the histogram above the spans, and Escape closes the reading pane. */
import type { Locator, Page } from '@playwright/test';
import { violationsInBothThemes } from './accessibility.ts';
import { expect, newestCall, test } from './fixtures.ts';
import { openPane, openSpans } from './span-steps.ts';

const histogram = (page: Page): Locator => page.getByRole('group', { name: /^Histogram of Start/ });
const bars = (page: Page): Locator =>
  page.getByRole('group', { name: 'Values of Start' }).getByRole('button');
const toolRow = (page: Page): Locator =>
  page.locator('.toolbar').filter({ has: page.getByRole('tab', { name: 'Traces' }) });
const removal = (page: Page): Locator => toolRow(page).getByRole('button', { name: /^Remove Start/ });
const filtersOf = async (page: Page) =>
  ((await newestCall(page, 'library:read-rows'))['window'] as { filters?: unknown[] }).filters ?? [];

test('draws a time range with the pointer, shown in the tool row until it is removed', async ({ open }) => {
  const page = await open();
  await openSpans(page);
  await bars(page).nth(10).hover();
  await page.mouse.down();
  await bars(page).nth(20).hover();
  await page.mouse.up();
  await expect(removal(page)).toBeVisible();
  await expect.poll(() => filtersOf(page)).toMatchObject([{ kind: 'range', field: 'start_time' }]);
  await expect(bars(page).nth(15)).toHaveAttribute('aria-pressed', 'true');
  await removal(page).focus();
  await page.keyboard.press('Enter');
  await expect(removal(page)).toHaveCount(0);
  await expect(bars(page).nth(15)).toHaveAttribute('aria-pressed', 'false');
});

test('draws a time range with the keys, and reads only that time on request', async ({ open }) => {
  const page = await open();
  await openSpans(page);
  await expect(bars(page).first()).toBeVisible();
  await histogram(page).focus();
  await page.keyboard.press('Home');
  for (let step = 0; step < 5; step += 1) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Enter');
  await expect(removal(page)).toBeVisible();
  await expect(bars(page).nth(5)).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Escape');
  await expect(removal(page)).toHaveCount(0);
  await expect(histogram(page)).toBeFocused();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  const [filter] = (await filtersOf(page)) as { from: number; to: number }[];
  await toolRow(page).getByRole('button', { name: 'Zoom in' }).click();
  await expect(removal(page)).toHaveCount(0);
  const { query } = await newestCall(page, 'library:open-list');
  const { body } = query as { body: { start_time: string; end_time: string } };
  expect([Date.parse(body.start_time), Date.parse(body.end_time)]).toEqual([filter?.from, filter?.to]);
});

test('Escape in the histogram clears its range, then its cursor, then leaves the key to the view', async ({
  open,
}) => {
  const page = await open();
  await openSpans(page);
  await expect(bars(page).first()).toBeVisible();
  await histogram(page).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Escape');
  await expect(histogram(page)).not.toHaveAttribute('aria-activedescendant');
  const isHandled = page.evaluate(
    () =>
      new Promise((resolve) =>
        document.addEventListener('keydown', (event) => resolve(event.defaultPrevented), { once: true }),
      ),
  );
  // Evaluations run in order, so the listener has been added when this one is answered.
  await page.evaluate(() => null);
  await page.keyboard.press('Escape');
  expect(await isHandled).toBe(false);
});

test('Escape closes the reading pane, and its row has the focus', async ({ open }) => {
  const page = await open();
  const grid = await openSpans(page);
  const pane = page.getByRole('complementary', { name: 'Inspector' });
  await grid.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Space');
  await expect(pane).toBeVisible();
  const row = await grid.getAttribute('aria-activedescendant');
  await pane.getByRole('button', { name: 'Open trace' }).focus();
  await page.keyboard.press('Escape');
  await expect(pane).toHaveCount(0);
  await expect(grid).toBeFocused();
  await expect(grid).toHaveAttribute('aria-activedescendant', row ?? '');
  // Escape works in the list of rows as well.
  await openPane(page);
  await grid.focus();
  await page.keyboard.press('Escape');
  await expect(pane).toHaveCount(0);
});

test('passes the accessibility checker with a drawn range', async ({ open }) => {
  const page = await open({ theme: 'light' });
  await openSpans(page);
  await bars(page).nth(10).click();
  await expect(removal(page)).toBeVisible();
  expect(await violationsInBothThemes(page, { within: 'main' })).toEqual([]);
});
