/** Steps of the specs that search everything. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/** The field of the view that searches everything. */
export function searchField(page: Page): Locator {
  return page.getByRole('combobox', { name: 'Text to find' });
}

/** Opens the view that searches everything; what is typed next is in its field. */
export async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press('Control+Shift+f');
  await expect(searchField(page)).toBeFocused();
}
