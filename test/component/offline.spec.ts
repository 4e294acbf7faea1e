/** Offline content: its view, its dialog, and the marks of kept records. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { expect, expectCalls, newestCall, openEntities, test } from './fixtures.ts';

const go = (page: Page) => openPlace(page, 'Offline library');
const row = (page: Page, name: string | RegExp) => page.getByRole('row', { name });

test('lists everything kept with size, age, completeness and refresh, including running and incomplete entries', async ({
  open,
}) => {
  const page = await open({ kept: 'full' });
  await go(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Offline library');
  await expect(page.getByText('6 entries kept · oldest 3 days')).toBeVisible();
  const running = page.getByRole('region', { name: 'Keeping Support assistant' });
  await expect(running).toContainText('Entities of an application: 2,100 of 5,000');
  await expect(running).toContainText('7 of 12 lists · 6,290 rows');
  await expect(row(page, /spans 20 Oct to 18 Nov/)).toContainText('4,116 rows, complete');
  await expect(row(page, /spans 20 Oct/).getByRole('progressbar')).toBeHidden();
  await expect(row(page, /spans 20 Oct/)).toContainText('next at 14:24');
  await expect(row(page, /golden set/)).toContainText('At each start');
  await expect(row(page, /Traffic drops/)).toContainText('27 of 29 lists');

  const space = page.getByRole('region', { name: 'Space' });
  await expect(space).toContainText('412 MB');
  await expect(space).toContainText('Only opened 91 MB of 2 GB');
  await expect(page.getByRole('region', { name: 'Share of the rate limit' })).toContainText(
    'Free for you: 20 a second, 667 a minute',
  );

  await running.getByRole('button', { name: 'Pause' }).click();
  await row(page, /Traffic drops/)
    .getByRole('button', { name: 'Fill' })
    .click();
  await page.getByRole('button', { name: 'Refresh Bank churn' }).click();
  await expectCalls(page, 'jobs:control', [
    { kind: 'keep-offline', id: 'kept-1', action: 'pause' },
    { kind: 'keep-offline', id: 'kept-5', action: 'retry' },
    { kind: 'keep-offline', id: 'kept-4', action: 'start' },
  ]);
  await page.getByRole('button', { name: 'Refresh of Bank churn: By hand' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Every 6 h' }).click();
  await expectCalls(page, 'jobs:change', [
    { kind: 'keep-offline', id: 'kept-4', change: { refreshHours: 6 } },
  ]);
});

test('sets the share and the limit, and lists evicted content', async ({ open }) => {
  const page = await open({ kept: 'full' });
  await go(page);
  const share = page.getByRole('slider', { name: /Share of the service/ });
  await expect(share).toHaveAttribute('aria-valuetext', /10 of 30 a second, 333 of 1,000 a minute/);
  await share.fill('50');
  await expectCalls(page, 'settings:set', [{ keepShare: 0.5 }]);
  await page.getByRole('button', { name: 'Change limit' }).click();
  await page.getByRole('menuitemcheckbox', { name: '5 GB', exact: true }).click();
  await expectCalls(page, 'settings:set', [{ keepShare: 0.5 }, { mostListBytes: 5_000_000_000 }]);
  await expect(page.getByText(/3 lists removed, last at Tue 10:24/)).toBeVisible();
  await page.getByRole('button', { name: 'Show removed lists' }).click();
  await expect(page.getByRole('dialog', { name: 'Removed lists' })).toContainText('4.2 MB');
});

test('lists on deletion the deleted content and the content that another entry keeps', async ({ open }) => {
  const page = await open({ kept: 'full' });
  await go(page);
  await row(page, /spans 20 Oct/)
    .getByRole('button', { name: 'More about Support assistant' })
    .click();
  await page.getByRole('menuitem', { name: /^Drop…/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Drop Support assistant' });
  await expect(dialog).toContainText('Removes 2 lists with 21 MB');
  await expect(dialog).toContainText('12 lists stay: also kept for Support assistant.');
  await dialog.getByRole('button', { name: 'Drop' }).click();
  await expect(row(page, /spans 20 Oct/)).toBeHidden();
  await expectCalls(page, 'jobs:forget', [{ kind: 'keep-offline', id: 'kept-2' }]);
  await page.getByRole('button', { name: 'Bank churn', exact: true }).focus();
  await page.keyboard.press('Delete');
  await expect(page.getByRole('dialog', { name: 'Drop Bank churn' })).toBeVisible();
});

test('names each gap in a test, opens the view of a gap, and keeps the result over a restart', async ({
  open,
}) => {
  const page = await open({ kept: 'full' });
  await go(page);
  await page.getByRole('button', { name: 'Test offline' }).click();
  await expect(page.getByRole('region', { name: 'Last test' })).toContainText('72 of 74 open offline');
  const gaps = page.getByRole('region', { name: /2 gaps found at 10:24/ });
  await expect(gaps).toContainText('Only 2,900 of 3,318 rows are stored.');
  await gaps.getByRole('button', { name: 'Records of a rule' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Traffic drops');
  await expect.poll(async () => (await newestCall(page, 'layout:write'))['key']).toBeTruthy();
});

test('offers to keep the first application with its cost if nothing is kept', async ({ open }) => {
  const page = await open();
  await go(page);
  await page.getByRole('button', { name: 'Keep Support assistant, about 98 MB, 61 requests, 11 s' }).click();
  await expect(page.getByRole('region', { name: 'Keeping Support assistant' })).toBeVisible();
  const { plan } = await newestCall(page, 'jobs:create');
  expect(plan).toMatchObject({ keep: { kind: 'application', withValues: false }, refreshHours: null });
});

test('reports that kept content cannot be read', async ({ open }) => {
  const page = await open({ kept: 'failed' });
  await go(page);
  await expect(page.getByRole('alert').first()).toContainText('Could not load what is kept.');
});

test('reads, tests and deletes kept content while offline, but does not refresh it', async ({ open }) => {
  const page = await open({ kept: 'full', network: 'switched-off' });
  await go(page);
  await expect(page.getByRole('button', { name: 'Refresh all' })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Refresh Bank churn' })).toBeDisabled();
  await expect(page.getByRole('button', { name: 'Test offline' })).toBeEnabled();
});

test('keeps an application from its catalog with choices, cost and refresh, or only selected entities', async ({
  open,
}) => {
  const page = await open();
  await openEntities(page);
  await page.getByRole('button', { name: 'Keep offline' }).click();
  const dialog = page.getByRole('dialog', { name: 'Keep Support assistant offline' });
  const cost = dialog.getByRole('region', { name: 'What it costs' });
  await expect(cost).toContainText('about 98 MB');
  await expect(cost).toContainText('61 requests, 1,000 a minute allowed (6 %)');
  await dialog.getByRole('radio', { name: 'Values of all entities' }).check();
  await expect(cost).toContainText('5,061');
  await dialog.getByLabel('Spans').selectOption('The last 30 days');
  await dialog.getByLabel('Refresh').selectOption('Every 6 h');
  await expect(cost).toContainText('The service states no total for 1 list');
  await dialog.getByRole('button', { name: /^Keep offline, about/ }).click();
  await expect(dialog).toBeHidden();
  const { plan } = await newestCall(page, 'jobs:create');
  expect(plan).toMatchObject({ keep: { withValues: true, entities: null }, refreshHours: 6 });
  await expect(page.getByRole('button', { name: 'Keeping offline' })).toBeVisible();

  const cells = page.getByRole('gridcell', { name: /^gen_ai/ });
  await cells.first().click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByRole('button', { name: 'Keeping offline' }).click();
  await expect(dialog.getByRole('region', { name: 'Kept already' })).toContainText('all values');
  await expect(dialog.getByRole('radio', { name: 'Values of 2 selected entities' })).toBeChecked();
  await dialog.getByRole('button', { name: /^Keep offline, about/ }).click();
  const again = await newestCall(page, 'jobs:create', 2);
  expect(again['plan']).toMatchObject({ keep: { entities: [{}, {}] }, refreshHours: null });

  // The interval of the same data, kept already, is preselected until another is chosen.
  await page.getByRole('button', { name: 'Keeping offline' }).click();
  await dialog.getByRole('radio', { name: 'Values of all entities' }).check();
  await expect(dialog.getByLabel('Refresh')).toHaveValue('hand');
  await dialog.getByLabel('Spans').selectOption('The last 30 days');
  await expect(dialog.getByLabel('Refresh')).toHaveValue('6');
  await dialog.getByLabel('Refresh').selectOption('Every day');
  await dialog.getByRole('button', { name: /^Keep offline, about/ }).click();
  await expect(
    page.getByText('Support assistant was kept already and is read again, from now on: every day'),
  ).toBeVisible();
  expect((await newestCall(page, 'jobs:create', 3))['plan']).toMatchObject({ refreshHours: 24 });
});

test('shows kept marks in lists and headers, and offers any kind in the offline view', async ({ open }) => {
  const page = await open({ kept: 'full' });
  await expect(page.getByRole('row', { name: /Support assistant/ })).toContainText('Keeping');
  await page.keyboard.press('Control+Shift+K');
  await page.getByRole('button', { name: 'Keep something…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Keep something offline' });
  // No choice is wider than the space beside the cost.
  const cost = page.getByRole('dialog').getByRole('region', { name: 'What it costs' });
  const edge = (await cost.boundingBox())?.x ?? 0;
  const choices = dialog.locator('form').locator('label, input, select');
  const ends = await choices.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().right));
  expect(Math.max(...ends)).toBeLessThan(edge);
  await dialog.getByRole('radio', { name: 'Dataset' }).check();
  await dialog.getByRole('combobox', { name: 'Which dataset' }).click();
  await page.getByRole('listbox').getByRole('option').first().click();
  await expect(cost).toContainText('Items, schema, scores');
});

test('says whether another reading ends before a time, and begins it', async ({ open }) => {
  const page = await open({ kept: 'full' });
  await openPlace(page, 'Offline library');
  await page.getByRole('button', { name: 'More about Support answers, golden set' }).click();
  await page.getByRole('menuitem', { name: 'Ready by…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.getByRole('status')).toHaveText(
    /^Yes: begun now, it takes about 24 min for 240 requests \(by the limits of the service\) and ends at .*, 36 min before\.$/,
  );
  await dialog.getByLabel('Ready by').fill('2026-11-18T10:40');
  await expect(dialog.getByRole('status')).toHaveText(/^No: .* too late\.$/);
  await dialog.getByRole('button', { name: 'Read it now' }).click();
  await expect(dialog).toBeHidden();
});

test('tells of no failed refresh while the network is switched off, and again once it is on', async ({
  open,
}) => {
  const page = await open({ lists: 'failed', summary: 'failed' });
  for (const place of ['Datasets', 'Alert rules']) {
    await openPlace(page, place);
    const failure = page.getByRole('main').getByText(/Could not (refresh|load)/);
    await expect(failure).toHaveCount(1);
    await page.getByRole('switch', { name: 'Work offline' }).click();
    await expect(failure).toHaveCount(0);
    await page.getByRole('switch', { name: 'Work offline' }).click();
    await expect(failure).toHaveCount(1);
  }
});
