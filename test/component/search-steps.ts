/** Steps of the search specs. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/** The text field of the search view. */
export function searchField(page: Page): Locator {
  return page.getByRole('combobox', { name: 'Text to find' });
}

/** Opens the search view and focuses its field. */
export async function openSearch(page: Page): Promise<void> {
  await page.keyboard.press('Control+Shift+f');
  await expect(searchField(page)).toBeFocused();
}
