/** Nothing is pushed out of the row of tools of the spans view, however long the name of the time range is. */
import type { Locator, Page } from '@playwright/test';
import { violations } from './accessibility.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { expect, test } from './fixtures.ts';
import { openSpans } from './span-steps.ts';

const tools = (page: Page) => page.locator('main .toolbar').first();

/** Names of the controls in this row that extend beyond the window. */
const outside = (page: Page): Promise<string[]> =>
  tools(page).evaluate((row) => {
    const { left, right } = row.getBoundingClientRect();
    return [...row.querySelectorAll('button, input')].flatMap((part) => {
      if (!part.checkVisibility()) return [];
      const box = part.getBoundingClientRect();
      const isOut = box.left < left - 1 || box.right > right + 1;
      return isOut ? [part.getAttribute('aria-label') ?? part.textContent ?? ''] : [];
    });
  });

/** Width in pixels of the part of a text that is cut off. */
const hiddenPart = (of: Locator) => of.evaluate((text) => text.scrollWidth - text.clientWidth);
/** Whether a text ends with an ellipsis, also if only a fraction of a pixel is missing. Runs in the window. */
function isTruncated(text: Element): boolean {
  const range = document.createRange();
  range.selectNodeContents(text);
  return range.getBoundingClientRect().width > text.getBoundingClientRect().width + 0.01;
}
const heightOf = (page: Page) => tools(page).evaluate((row) => row.clientHeight);
const age = (page: Page) => tools(page).getByRole('button', { name: /^Age of this content/ });

async function chooseTimes(page: Page, from: string, to: string): Promise<void> {
  await page.getByRole('button', { name: /^Time range/ }).click();
  await page.getByLabel('From').fill(from);
  await page.getByLabel('Up to, not included').fill(to);
  await page.getByRole('button', { name: 'Use these times' }).click();
}

for (const width of [1280, 1100, 1000]) {
  test(`keeps every tool in the window and the age readable, ${width} pixels wide`, async ({ open }) => {
    const page = await open();
    await page.setViewportSize({ width, height: 800 });
    await openSpans(page);
    await chooseTimes(page, '2026-03-12 09:20', '2026-03-14 10:40');
    await expect(page.getByRole('button', { name: 'More tools' })).toBeVisible();
    expect(await outside(page)).toEqual([]);
    const said = age(page).locator('.said');
    expect(await hiddenPart(said)).toBeLessThanOrEqual(0);
    expect(await heightOf(page)).toBeLessThan(50);
    // For example, the name of the time range contains the days that are shown if the times do not fit.
    expect(await violations(page, { within: 'main .toolbar' })).toEqual([]);
  });

  test(`shows the typed filter and the count beside a long time range, ${width} pixels wide`, async ({
    open,
  }) => {
    const page = await open();
    await page.setViewportSize({ width, height: 800 });
    const grid = await openSpans(page);
    await chooseTimes(page, '2026-03-12 09:20', '2026-03-14 10:40');
    await expect(grid.getByRole('gridcell', { name: 'handle_request' }).first()).toBeVisible();
    const box = page.getByLabel('Filter the loaded spans');
    const count = tools(page).getByRole('status').filter({ hasText: /\d/ });
    await box.fill('handle_request');
    await expect(count).toHaveText(/^[\d,]+(?: of |\/)/);
    expect(await hiddenPart(box)).toBeLessThanOrEqual(0);
    expect(await hiddenPart(count)).toBeLessThanOrEqual(0);
    await expect(count).toHaveAttribute('title', /^[\d,]+ of .* spans$/);
    await box.press('ArrowDown');
    await expect(grid).toBeFocused();
    expect(await box.evaluate((field) => field.clientWidth)).toBeGreaterThan(80);
    expect(await hiddenPart(count)).toBeLessThanOrEqual(0);
    expect(await outside(page)).toEqual([]);
    const days = page.getByRole('button', { name: /^Time range/ }).locator('.days');
    expect(await days.evaluate(isTruncated)).toBe(false);
    expect(await heightOf(page)).toBeLessThan(50);
  });
}

test('shows the whole name of an application in one row of tools, 1280 pixels wide', async ({ open }) => {
  const page = await open();
  await page.setViewportSize({ width: 1_280, height: 800 });
  await openSpans(page);
  const name = page.getByRole('combobox', { name: 'Application' });
  await expect(name).toHaveValue('Support assistant');
  expect(await name.evaluate((box) => box.scrollWidth - box.clientWidth)).toBeLessThanOrEqual(0);
  const filter = tools(page).getByRole('button', { name: 'Filter', exact: true });
  // The button is as wide as the icon buttons beside it.
  expect(await filter.evaluate((button) => button.getBoundingClientRect().width)).toBe(28);
  expect(await heightOf(page)).toBeLessThan(50);
});

const STATES: readonly [string, Scenario, string][] = [
  ['online', {}, 'live'],
  ['offline', { network: 'switched-off' }, 'offline · 3 h'],
  ['with a failed refresh', { lists: 'failed' }, 'failed · 3 h'],
];
for (const [state, scenario, words] of STATES) {
  test(`shows the tools of spans in one row, with the whole age, ${state}`, async ({ open }) => {
    const page = await open(scenario);
    await openSpans(page);
    for (const size of [
      { width: 1_280, height: 800 },
      { width: 1_100, height: 800 },
      { width: 1_000, height: 640 },
    ]) {
      await page.setViewportSize(size);
      for (const part of ['Traces', 'Sessions', 'Spans']) {
        await page.getByRole('main').getByRole('tab', { name: part }).click();
        await expect(age(page)).toHaveText(words);
        const { title, said } = await age(page).evaluate((chip) => ({
          title: chip.getAttribute('title'),
          said: [...chip.querySelectorAll('.said')].map((text) => text.scrollWidth - text.clientWidth),
        }));
        expect(title).toContain(words.split(' ')[0]);
        expect(said).toEqual([0]);
        expect(await heightOf(page), `${part}, ${size.width} px`).toBeLessThan(50);
        expect(await outside(page)).toEqual([]);
      }
    }
  });
}

test('has the saved views, the export and the columns in the popup of a narrow row', async ({ open }) => {
  const page = await open();
  await page.setViewportSize({ width: 1_000, height: 640 });
  await openSpans(page);
  await expect(tools(page).getByRole('button', { name: 'Columns' })).toBeHidden();
  const more = page.getByRole('dialog', { name: 'More tools' });
  await page.getByRole('button', { name: 'More tools' }).click();
  await more.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('dialog', { name: 'Columns' }).getByRole('checkbox', { name: 'Duration' }).click();
  await expect(page.getByRole('columnheader', { name: 'Duration' })).toBeHidden();
  await page.keyboard.press('Escape');
  await more.getByRole('button', { name: 'Views' }).click();
  await page.getByRole('menuitem', { name: 'Save this view…' }).click();
  await page.getByRole('dialog', { name: 'Save this view' }).getByRole('button', { name: 'Cancel' }).click();
  await more.getByRole('button', { name: 'Export…' }).click();
  await expect(more).toBeHidden();
  await expect(page.getByRole('dialog', { name: /^Export/ })).toBeVisible();
});
