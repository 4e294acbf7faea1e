/** Steps of the specs of spans, and of datasets made from spans. */
import type { Locator, Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { expect } from './fixtures.ts';

export const bar = (page: Page): Locator =>
  page.getByRole('region', { name: 'Selected spans', includeHidden: true });

export async function openSpans(page: Page): Promise<Locator> {
  await openPlace(page, 'Spans');
  const grid = page.getByRole('grid', { name: 'Spans of Support assistant' });
  await expect(grid.getByRole('gridcell', { name: 'handle_request' }).first()).toBeVisible();
  return grid;
}

/** Opens the panel with the record at the cursor, which is closed by default in lists of spans. */
export async function openPane(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Reading pane' });
  if ((await button.getAttribute('aria-pressed')) === 'false') await button.click();
}

/** A window that shows the spans of a trace or session, opened from the span `fromSpan` if given. */
export function ofScope(
  kind: 'trace' | 'session',
  scopeId: string,
  scenario: Scenario = {},
  fromSpan: Record<string, string> = {},
): Scenario {
  const params = {
    scope: kind,
    scope_id: scopeId,
    application_id: 'a',
    application_name: 'Support assistant',
    ordering: 'start_time',
    range: 'fixed',
    start: '2026-03-12T00:00:00.000Z',
    end: '2026-03-13T00:00:00.000Z',
    ...fromSpan,
  };
  const tab = {
    id: '1',
    kind: 'trace',
    title: `${kind === 'trace' ? 'Trace' : 'Session'} ${scopeId}`,
    params,
  };
  return { ...scenario, layout: { tabs: { list: [tab], activeId: '1' } } };
}

/** Shows the bar with the baskets even if nothing is selected. */
export async function showBaskets(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More tools' }).click();
  await page.getByRole('button', { name: 'Show the drafts' }).click();
  await page.keyboard.press('Escape');
}

/**
 * Picks all matching spans with the tools of the view, as the bar of the selection is hidden while nothing is selected.
 */
export async function pickAll(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'More tools' }).click();
  await page.getByRole('dialog', { name: 'More tools' }).getByRole('button', { name }).click();
  await page.keyboard.press('Escape');
}

/** Picks every span and opens the mapping. */
export async function openMapping(page: Page): Promise<void> {
  await openSpans(page);
  await pickAll(page, 'Select all 1,000');
  await expect(bar(page)).toContainText('1,000 selected');
  await bar(page).getByRole('button', { name: 'Create dataset…' }).click();
  await expect(page.getByRole('listbox', { name: 'Attribute keys' })).toBeVisible();
}

/** Opens the mapping of spans to items of the first dataset. */
export async function openMappingFor(page: Page): Promise<void> {
  await openMapping(page);
  await page.getByRole('button', { name: 'Dataset', exact: true }).click();
  await page.getByText('Existing dataset', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Dataset' }).click();
  await page.getByRole('listbox').getByRole('option').first().click();
  await page.getByRole('button', { name: 'Next: commit' }).click();
  await page.getByRole('button', { name: 'Mapping', exact: true }).click();
}

/** Opens the review of the picked spans, and waits until it has the focus. */
export async function openReview(page: Page): Promise<Locator> {
  await openMapping(page);
  await page.getByRole('button', { name: 'Spans', exact: true }).and(page.locator('main button')).click();
  await page.getByRole('main').getByRole('button', { name: 'Review', exact: true }).click();
  const review = page.getByRole('group', { name: 'Review' });
  await expect(review).toBeFocused();
  return review;
}

/** How many spans of a review are decided. */
export const decided = (page: Page) => page.getByRole('progressbar', { name: 'Decided' });
