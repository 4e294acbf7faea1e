/** Steps of the specs of spans and of datasets made from them. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

export const bar = (page: Page): Locator => page.getByRole('region', { name: 'Picked spans' });

export async function openSpans(page: Page): Promise<Locator> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Spans' }).click();
  const grid = page.getByRole('grid', { name: 'Spans of Support assistant' });
  await expect(grid.getByRole('gridcell', { name: 'handle_request' }).first()).toBeVisible();
  return grid;
}

/** Picks every span and goes to the mapping of them. */
export async function openMapping(page: Page): Promise<void> {
  await openSpans(page);
  await bar(page).getByRole('button', { name: 'Pick all 1,000' }).click();
  await expect(bar(page)).toContainText('1,000 picked');
  await bar(page).getByRole('button', { name: 'Create dataset…' }).click();
  await expect(page.getByRole('listbox', { name: 'Attribute keys' })).toBeVisible();
}
