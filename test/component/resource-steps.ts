/** Steps shared by several specs. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import type { Scenario } from './fake-main/scenario.ts';
import { callsOf, expect } from './fixtures.ts';

export const section = (page: Page, name: string) => openPlace(page, name);

export async function openBaselines(page: Page): Promise<void> {
  await section(page, 'Baselines');
  await expect(page.getByRole('gridcell', { name: 'default_static_baseline', exact: true })).toBeVisible();
}

/** A window with the tab that sent the fake requests. */
export const ASKING_TAB: Scenario = {
  layout: { tabs: { list: [{ id: '1', kind: 'catalog', title: 'Catalog', params: {} }], activeId: '1' } },
};

export async function openTraffic(page: Page): Promise<void> {
  await section(page, 'Requests');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Requests');
}

/**
 * Returns the query of the last opened list. Poll it, as the list can be opened after the visible effect of a click.
 */
export async function lastQuery(page: Page): Promise<Record<string, string>> {
  const opened = (await callsOf(page, 'library:open-list')).at(-1)?.argument['query'];
  return (opened as { query: Record<string, string> }).query;
}

/** Returns the parsed filter of the last opened list, null if it has none. */
export async function lastFilter(page: Page): Promise<unknown> {
  return JSON.parse((await lastQuery(page))['filter'] ?? 'null');
}

/** Opens the details of the first dataset as a form. */
export async function openDatasetForm(page: Page): Promise<void> {
  await section(page, 'Datasets');
  await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
}
