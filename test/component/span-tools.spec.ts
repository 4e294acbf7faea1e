/** The tool row of spans: nothing is pushed out of the window, whatever the time range is called. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { openSpans } from './span-steps.ts';

const tools = (page: Page) => page.locator('main .toolbar').first();

/** Controls of the row that end outside of it, by name. */
const outside = (page: Page): Promise<string[]> =>
  tools(page).evaluate((row) => {
    const { left, right } = row.getBoundingClientRect();
    return [...row.querySelectorAll('button, input')].flatMap((part) => {
      const box = part.getBoundingClientRect();
      const isOut = box.left < left - 1 || box.right > right + 1;
      return isOut ? [part.getAttribute('aria-label') ?? part.textContent ?? ''] : [];
    });
  });

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
    const age = tools(page).getByRole('button', { name: /^Age of this content/ });
    const said = age.locator('.said');
    expect(await said.evaluate((text) => text.scrollWidth - text.clientWidth)).toBeLessThanOrEqual(0);
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
  // The button is as wide as the icons beside it.
  expect(await filter.evaluate((button) => button.getBoundingClientRect().width)).toBe(28);
  expect(await tools(page).evaluate((row) => row.clientHeight)).toBeLessThan(50);
});
