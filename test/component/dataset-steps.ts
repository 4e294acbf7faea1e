/** Steps of the dataset specs. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { expect } from './fixtures.ts';

/** Opens the first dataset from the list. */
export async function openDataset(page: Page): Promise<void> {
  await openPlace(page, 'Datasets');
  const datasets = page.getByRole('grid', { name: 'Datasets' });
  await expect(datasets.getByRole('gridcell').first()).toBeVisible();
  await datasets.press('Enter');
}
