/** The home pages of applications and projects, and the number of spans beside each application in lists. */
import type { Page } from '@playwright/test';
import type { Scenario } from './fake-main/scenario.ts';
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
    await expect(grid.getByRole('columnheader', { name: /^Spans since \d+ [A-Z][a-z]+$/ })).toBeVisible();
    const count = grid.getByRole('row').nth(1).getByRole('gridcell').nth(1);
    await expect(count).toHaveText('1,000');
    // Numbers are right-aligned, so that their digits can be compared.
    await expect(count).toHaveCSS('text-align', 'right');
  }
});

test('opens an application with the types of its spans, and links to its parts', async ({ open }) => {
  const page = await open();
  await openHome(page);
  await expect(home(page).getByRole('region', { name: 'Span types' }).getByRole('listitem')).toHaveCount(8);
  await expect(home(page).getByRole('region', { name: 'Evaluator rules' })).toContainText(/\d/);
  await home(page).getByRole('button', { name: 'All datasets' }).click();
  await expect(page.getByRole('tab', { name: 'Datasets', exact: true, selected: true })).toBeVisible();
  await page.getByRole('tab', { name: 'Overview' }).click();
  await home(page)
    .getByRole('button', { name: /spans since \d+ [A-Z][a-z]+$/ })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Spans');
});

test('shows when the last span arrived, even if its type is rare', async ({ open }) => {
  const page = await open();
  await openHome(page);
  const times = await home(page)
    .getByRole('region', { name: 'Span types' })
    .getByRole('listitem')
    .allInnerTexts();
  expect(times.join()).not.toContain('10:23');
  await expect(home(page)).toContainText('last span 10:23');
});

test('counts no rules as none if the list is longer than the rows that were read', async ({ open }) => {
  const page = await open({ rulesOfOthers: 240 });
  await openHome(page);
  const rules = home(page).getByRole('region', { name: 'Evaluator rules' });
  await expect(rules.getByRole('status')).toHaveText('None among the first 100 of 240 evaluator rules.');
  await expect(rules).not.toContainText('at least 0');
});

test('says that there are no rules if all rules belong to other applications', async ({ open }) => {
  const page = await open({ rulesOfOthers: 3 });
  await openHome(page);
  const rules = home(page).getByRole('region', { name: 'Evaluator rules' });
  await expect(rules.getByRole('status')).toHaveText('No evaluator rules.');
});

test('opens a project with its content', async ({ open }) => {
  const page = await open();
  await section(page, 'Projects');
  await page.getByRole('grid', { name: 'Projects' }).getByRole('row').nth(1).dblclick();
  await expect(page.getByRole('tab', { name: 'Models', exact: true, selected: true })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Events a day, 30 days' })).toBeVisible();
  await page.getByRole('tab', { name: 'Details' }).click();
  await expect(page.getByRole('region', { name: /^Details of / })).toBeVisible();
});

for (const [name, scenario, says] of [
  ['failed', { lists: 'broken' }, 'nothing listens there'],
  ['are not stored', { lists: 'not-stored', network: 'switched-off' }, 'Not available offline.'],
] as const satisfies readonly (readonly [string, Scenario, string])[]) {
  test(`says of no application that it has no spans if their types ${name}`, async ({ open }) => {
    const page = await open(scenario);
    await openHome(page);
    const types = home(page).getByRole('region', { name: 'Span types' });
    await expect(types.getByRole('status')).toContainText(says);
    await expect(types).not.toContainText('No spans yet');
  });
}
