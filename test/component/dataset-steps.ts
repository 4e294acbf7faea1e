/** Steps of the dataset specs. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

/** Opens the first dataset from the list. */
export async function openDataset(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Datasets' }).click();
  const datasets = page.getByRole('grid', { name: 'Datasets' });
  await expect(datasets.getByRole('gridcell').first()).toBeVisible();
  await datasets.press('Enter');
}
