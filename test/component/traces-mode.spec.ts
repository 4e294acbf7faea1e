/** The list of spans in the mode that shows one row for each trace: selection, filters, and a restart. */
import type { Locator, Page } from '@playwright/test';
import { expect, layoutOf, test } from './fixtures.ts';
import { bar, openSpans, showBaskets } from './span-steps.ts';

const part = (page: Page, name: string): Locator =>
  page.getByRole('tablist', { name: 'Parts of the spans' }).getByRole('tab', { name });

async function openTraces(page: Page): Promise<void> {
  await openSpans(page);
  await part(page, 'Traces').click();
  await expect(part(page, 'Traces')).toHaveAttribute('aria-selected', 'true');
}

test('sorts by the longest duration at the first press, with its arrow in sight under the pointer', async ({
  open,
}) => {
  const page = await open();
  await openTraces(page);
  const head = page.getByRole('columnheader', { name: 'Duration', exact: true });
  await head.click();
  await expect(head).toHaveAttribute('aria-sort', 'descending');
  const arrow = await head.locator('.name svg').boundingBox();
  const menu = await head.getByRole('button', { name: 'Menu of column Duration' }).boundingBox();
  expect((menu?.x ?? 0) + (menu?.width ?? 0)).toBeLessThanOrEqual(arrow?.x ?? 0);
  await head.click();
  await expect(head).toHaveAttribute('aria-sort', 'ascending');
});

test('selects traces by their name and number, and spans where spans are shown', async ({ open }) => {
  const page = await open();
  await openTraces(page);
  await showBaskets(page);
  const all = bar(page).getByRole('button', { name: /^Select all/ });
  await expect(all).toHaveText('Select all 1,000 traces');
  await all.click();
  await expect(bar(page)).toContainText('1,000 selected');
  await part(page, 'Spans').click();
  await expect(all).toHaveText('Select all 1,000 spans');
});

test('shows only by its tab that rows are traces, and other filters in one line with those of the service', async ({
  open,
}) => {
  const page = await open();
  await openTraces(page);
  const removals = page.getByRole('button', { name: /^Remove / });
  await expect(removals).toHaveCount(0);
  await page.getByRole('gridcell', { name: 'handle_request' }).first().click({ button: 'right' });
  await page.getByRole('menuitem', { name: /^Filter: Name is/ }).click();
  await expect(removals).toHaveCount(1);
  await page.getByRole('gridcell', { name: 'handle_request' }).first().click({ button: 'right' });
  await page
    .getByRole('menuitem', { name: /loaded rows/i })
    .first()
    .click();
  await expect(removals).toHaveCount(2);
  const [service, loaded] = await removals.evaluateAll((all) =>
    all.map((each) => Math.round(each.getBoundingClientRect().top)),
  );
  expect(loaded).toBe(service);
  await page.getByRole('button', { name: 'Clear', exact: true }).click();
  await expect(removals).toHaveCount(1);
  await expect(part(page, 'Traces')).toHaveAttribute('aria-selected', 'true');
});

test('shows traces again after a restart, and in another application', async ({ open }) => {
  const page = await open();
  await openTraces(page);
  const next = await open({ layout: await layoutOf(page) });
  await expect(part(next, 'Traces')).toHaveAttribute('aria-selected', 'true');
  await next.getByRole('combobox', { name: 'Application' }).click();
  await next.getByRole('option', { name: 'Claims triage' }).click();
  await expect(next.getByRole('grid', { name: 'Spans of Claims triage' })).toBeVisible();
  await expect(part(next, 'Traces')).toHaveAttribute('aria-selected', 'true');
});
