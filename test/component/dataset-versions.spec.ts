/** Versions of a dataset: the list, a comparison of two versions, and the words that differ. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { violationsInBothThemes } from './accessibility.ts';
import { openDataset } from './dataset-steps.ts';
import { uuid } from './fake-main/scenario.ts';
import { callsOf, expect, newestCall, test } from './fixtures.ts';
import { takePicture } from './pictures.ts';

async function openVersions(page: Page): Promise<void> {
  await openDataset(page);
  await page.getByRole('tab', { name: /^Versions/ }).click();
}

test('compares two versions item by item, and marks differing words', async ({ open }) => {
  const page = await open({ theme: 'light' });
  await openVersions(page);
  const changes = page.getByRole('region', { name: 'Changes' });
  await expect(changes.getByRole('heading', { name: 'v2 → v3' })).toBeVisible();
  await expect(changes).toContainText('metadata.order went from number to string');
  await changes.getByRole('button', { name: /149/ }).click();
  await expect(changes.locator('del')).toHaveText('All 149 €');
  await expect(changes.locator('ins').first()).toHaveText('89 €');
  // An object that was added is displayed like any other value.
  await expect(changes.getByRole('group', { name: 'metadata.policy', exact: true })).toContainText(
    /section\s*4/,
  );
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 1_000, height: 640 });
  // Compares another version with the newest one.
  await page
    .getByRole('region', { name: 'Versions' })
    .getByRole('button', { name: /^v1 / })
    .click({ modifiers: ['Shift'] });
  await expect(changes.getByRole('heading', { name: 'v1 → v3' })).toBeVisible();
  expect((await callsOf(page, 'snapshots:ask')).at(-1)?.argument).toMatchObject({
    from: 1,
    to: 3,
    kind: null,
  });
  // Creates a new dataset from the earlier state, after the consequences were shown.
  await page.getByRole('button', { name: 'Create dataset from v1…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a dataset from a version' });
  await expect(dialog).toContainText('The service cannot change or delete single items');
  await expect(dialog).toContainText('Every item gets a new id');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await dialog.getByRole('combobox', { name: 'Version' }).selectOption('2');
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Refund questions of May');
  await dialog.getByRole('button', { name: 'Create dataset' }).click();
  const made = page.getByRole('region', { name: 'Copy of this dataset' });
  await expect(made).toContainText('Refund questions of May 5 items · 1 changed');
  expect((await callsOf(page, 'snapshots:ask')).at(-1)?.argument).toMatchObject({
    ...{ action: 'recreate', snapshotId: 2, number: 2, name: 'Refund questions of May', edits: null },
    ...{ applicationId: expect.any(String), of: { id: expect.any(String), name: 'Refund questions' } },
  });
  // The comparison with the newest version of another dataset shows the common items.
  await page.getByRole('combobox', { name: 'Compare with another dataset' }).click();
  await page.getByRole('listbox').getByRole('option').nth(2).click();
  // The other dataset was created later, so this one is the base of the comparison.
  await expect(changes.getByRole('heading', { name: /^Refund questions v3 → .+ v3$/ })).toBeVisible();
  await expect(changes).toContainText('346 unchanged · 1 changed');
  await expect(changes.getByText(/unchanged/)).toHaveCount(1);
  await changes.getByRole('button', { name: 'Swap the sides of the comparison' }).click();
  await expect(changes.getByRole('heading', { name: /^.+ v3 → Refund questions v3$/ })).toBeVisible();
  await changes.getByRole('button', { name: 'Swap the sides of the comparison' }).click();
  // Leakage: the same or similar inputs in both datasets can be excluded from a new dataset.
  await changes.getByText('Leakage', { exact: true }).click();
  await expect(changes).toContainText('2 of 410 items here have an input that');
  await changes.getByRole('button', { name: /gift card/ }).click();
  await expect(changes.locator('del')).toHaveText('All 149 €');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await changes.getByRole('combobox', { name: 'Minimum similarity' }).selectOption('0.7');
  await expect(changes).toContainText('2 nearly (70 % of the words or more)');
  await changes.getByRole('combobox', { name: 'Near-duplicates shown' }).selectOption('same');
  await changes.getByRole('button', { name: 'Leave out 1 item…' }).click();
  const edits = page.getByRole('region', { name: 'Changes of the items' });
  await expect(edits).toContainText('1 left out');
});

test('opens the comparison of a copy with its original, from the original to the copy', async ({
  open,
}, info) => {
  const page = await open();
  await openVersions(page);
  await page.getByRole('button', { name: /^Create dataset from v/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Create a dataset from a version' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Refund questions, edited');
  await dialog.getByRole('button', { name: 'Create dataset' }).click();
  const made = page.getByRole('region', { name: 'Copy of this dataset' });
  await takePicture(page, info, 'copy-made');
  await made.getByRole('button', { name: 'Compare with Refund questions' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Refund questions, edited');
  const changes = page.getByRole('region', { name: 'Changes' });
  await expect(
    changes.getByRole('heading', { name: 'Refund questions v3 → Refund questions, edited v3' }),
  ).toBeVisible();
  await takePicture(page, info, 'copy-compared');
});

test('shows, searches and exports the items of an earlier version', async ({ open }) => {
  const page = await open({ theme: 'light' });
  await openVersions(page);
  await page.getByRole('region', { name: 'Versions' }).getByRole('button', { name: /^v2 / }).click();
  const part = page.getByRole('region', { name: 'Changes' });
  await part.getByText('Items of v2', { exact: true }).click();
  const grid = part.getByRole('grid', { name: 'Items of version 2' });
  await expect(grid.getByRole('gridcell', { name: 'When do I get my 40 € back?' })).toBeVisible();
  await expect(part.getByRole('status')).toHaveText('120 items');
  // A long item is read completely for the inspector.
  const inspector = page.getByRole('complementary', { name: 'Inspector' });
  await expect(inspector).toContainText('All of it goes to your card within two working days.');
  expect(await violationsInBothThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 1_000, height: 640 });
  await part.getByRole('textbox', { name: 'Search the items of version 2' }).fill('no such item');
  await expect(part.getByText('No item of this version contains “no such item”.')).toBeVisible();
  await expect(inspector).not.toContainText('All of it goes to your card');
  await part.getByRole('textbox', { name: 'Search the items of version 2' }).fill('gift card');
  await expect(part.getByText('No item of this version')).toBeHidden();
  await expect(part.getByRole('status')).toHaveText('1 of 400 items');
  await expect(inspector).toContainText('q-0007');
  await part.getByRole('button', { name: 'Export version 2…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Export Refund questions v2' });
  await expect(dialog).toContainText('All 400 items of the version, each as it was then.');
  await dialog.getByRole('button', { name: 'Export to…' }).click();
  await expect
    .poll(() => newestCall(page, 'jobs:create'))
    .toMatchObject({ kind: 'export', plan: { table: { form: 'version', snapshotId: 2 } } });
  // Any two versions can be compared by keyboard alone.
  await part.getByText('Changes', { exact: true }).click();
  await page.getByRole('region', { name: 'Versions' }).getByRole('button', { name: /^v3 / }).press('Enter');
  await part.getByRole('combobox', { name: 'Version before' }).selectOption('1');
  await expect(part.getByRole('heading', { name: 'v1 → v3' })).toBeVisible();
  await expect(inspector).toBeHidden();
});

const STATES = [
  { name: 'none', scenario: { versions: 'none' }, says: 'No versions yet.' },
  { name: 'one', scenario: { versions: 'one', theme: 'dark' }, says: 'Only one version so far.' },
  { name: 'failed', scenario: { versions: 'failed' }, says: 'The local store cannot be read' },
  {
    name: 'lost-diff',
    scenario: { versions: 'lost-diff', theme: 'dark' },
    says: 'The local store cannot be read',
  },
  { name: 'offline', scenario: { network: 'switched-off' }, says: 'v2 → v3' },
] as const;

for (const { name, scenario, says } of STATES) {
  test(`shows the state of the versions: ${name}`, async ({ open }) => {
    const page = await open(scenario);
    await openVersions(page);
    await expect(page.getByText(says).first()).toBeVisible();
  });
}

test('shows the error of unreadable items of a version, and reads them again', async ({ open }) => {
  const page = await open({ versions: 'lost-diff', theme: 'dark' });
  await openVersions(page);
  const part = page.getByRole('region', { name: 'Changes' });
  await part.getByText('Items of v3', { exact: true }).click();
  const alert = part.getByRole('alert').filter({ hasText: 'The local store cannot be read' });
  const asked = async () =>
    (await callsOf(page, 'snapshots:ask')).filter(
      ({ argument }) => (argument as { action: string }).action === 'items',
    ).length;
  const before = await asked();
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(asked).toBeGreaterThan(before);
});

test('marks schema changes since the last view once', async ({ open }) => {
  const page = await open({ layout: { [`schema.seen.${uuid(100)}`]: 2 } });
  await openPlace(page, 'Datasets');
  await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
  await page.getByRole('tab', { name: /^Schema/ }).click();
  const note = page.getByRole('note');
  await expect(note).toHaveText(
    'Since you looked last: metadata.policy is new in 41 items; metadata.order went from number to string.',
  );
  await page.getByRole('tab', { name: /^Items/ }).click();
  await page.getByRole('tab', { name: /^Schema/ }).click();
  await expect(page.getByRole('region', { name: 'Schema' })).toBeVisible();
  await expect(note).toBeHidden();
});
