/** The homes of applications and projects, and the spans beside each application in lists. */
import type { Page } from '@playwright/test';
import { expect, test } from './fixtures.ts';
import { section } from './resource-steps.ts';

const home = (page: Page) => page.getByRole('region', { name: 'Overview of Support assistant' });

async function openHome(page: Page): Promise<void> {
  await section(page, 'Applications');
  await page
    .getByRole('row', { name: /^Support assistant/ })
    .first()
    .dblclick();
  await expect(home(page)).toBeVisible();
}

test('shows the spans of each application in the lists of applications and of the catalog', async ({
  open,
}) => {
  const page = await open();
  for (const place of ['Applications', 'Catalog']) {
    await section(page, place);
    const grid = page.getByRole('grid', { name: 'Applications' });
    await expect(grid.getByRole('columnheader', { name: 'Spans, 7 days' })).toBeVisible();
    await expect(grid.getByRole('row').nth(1).getByRole('gridcell').nth(1)).toHaveText('1,000');
  }
});

test('opens an application with the types of its spans, and leads to its parts', async ({ open }) => {
  const page = await open();
  await openHome(page);
  await expect(home(page).getByRole('region', { name: 'Span types' }).getByRole('listitem')).toHaveCount(8);
  await expect(home(page).getByRole('region', { name: 'Evaluator rules' })).toContainText(/\d/);
  await home(page).getByRole('button', { name: 'All datasets' }).click();
  await expect(page.getByRole('tab', { name: 'Datasets', exact: true, selected: true })).toBeVisible();
  await page.getByRole('tab', { name: 'Overview' }).click();
  await home(page)
    .getByRole('button', { name: /spans in 7 days/ })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Spans');
});

test('opens a project with what it holds', async ({ open }) => {
  const page = await open();
  await section(page, 'Projects');
  await page.getByRole('grid', { name: 'Projects' }).getByRole('row').nth(1).dblclick();
  await expect(page.getByRole('tab', { name: 'Models', exact: true, selected: true })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Events a day, 30 days' })).toBeVisible();
  await page.getByRole('tab', { name: 'Details' }).click();
  await expect(page.getByRole('region', { name: /^Details of / })).toBeVisible();
});
