/** How repeats of mirrors and exports are shown, set, changed, paused and ended. */
import { openPlace } from '../helpers/places.ts';
import { expect, expectCalls, newestCall, test } from './fixtures.ts';

const WEEKDAYS = { on: 'time', days: [1, 2, 3, 4, 5], hour: 7, minute: 0 };

test('shows when each repeat runs next, and why one is paused, with its controls in the row', async ({
  open,
}) => {
  const page = await open({ hasRepeats: true });
  await openPlace(page, 'Jobs');
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) });
  await expect(row('weekly report')).toContainText('Starts later');
  await expect(row('weekly report')).toContainText(/starts at .*, then every weekday at 07:00/);
  await expect(row('after sync')).toContainText('starts after each sync');
  await expect(row('shared drive')).toContainText('Repeat paused');
  await expect(row('shared drive')).toContainText('3 runs in a row failed');

  await expect(row('morning')).toContainText('Mirror for notebooks · every weekday at 07:00');

  await page.getByRole('button', { name: 'Pause the repeat of weekly report' }).click();
  await expect(row('weekly report')).toContainText('Repeat paused');
  await page.getByRole('button', { name: 'Resume the repeat of shared drive' }).click();
  await expect(row('shared drive')).toContainText('Starts later');
  await page.getByRole('button', { name: 'End the repeat of after sync' }).click();
  await expect(row('after sync')).toContainText('Cancelled');
  await page.getByRole('button', { name: 'More about morning' }).click();
  await page.getByRole('menuitem', { name: 'End the repeat' }).click();
  await expectCalls(page, 'jobs:repeat', [
    { kind: 'mirror', id: 'weekly report', change: { type: 'pause' } },
    { kind: 'mirror', id: 'shared drive', change: { type: 'resume' } },
    { kind: 'mirror', id: 'after sync', change: { type: 'end' } },
    { kind: 'mirror', id: 'morning', change: { type: 'end' } },
  ]);
});

test('says why a due repeat waits for the computer, and starts it anyway', async ({ open }) => {
  const page = await open({ hasRepeats: true, power: { isOnBattery: true, charge: 0.22, isMetered: null } });
  await openPlace(page, 'Jobs');
  const row = page.getByRole('row', { name: /^weekly report / });
  await expect(row).toContainText('Postponed');
  await expect(row).toContainText('postponed: 22 % charge, until the computer is plugged in');
  await page.getByRole('button', { name: 'Start weekly report now anyway' }).click();
  await expectCalls(page, 'jobs:control', [{ kind: 'mirror', id: 'weekly report', action: 'start' }]);
});

test('repeats an ended mirror from a suggested time, and changes the rule of a planned one', async ({
  open,
}) => {
  const page = await open({ hasRepeats: true });
  await openPlace(page, 'Jobs');
  await page.getByRole('button', { name: 'More about notebooks' }).click();
  await page.getByRole('menuitem', { name: 'Repeat…' }).click();
  const dialog = page.getByRole('dialog', { name: 'When notebooks repeats' });
  const often = dialog.getByRole('combobox', { name: 'Repeat' });
  await expect(often.getByRole('option')).toHaveText([
    'Every day at 07:00',
    'Every weekday at 07:00',
    'Every Thursday at 07:00',
    'After each sync',
  ]);
  await expect(often).toHaveValue('weekdays');
  await dialog.getByRole('button', { name: 'Repeat', exact: true }).click();
  await expect(dialog).toBeHidden();
  expect(await newestCall(page, 'jobs:repeat')).toMatchObject({
    ...{ kind: 'mirror', id: 'notebooks' },
    change: { type: 'set', rule: WEEKDAYS, startAtMs: Date.UTC(2026, 10, 19, 6) },
  });
  const runs = page.getByRole('row', { name: /^notebooks Mirror/ });
  await expect(runs.filter({ hasText: 'then every weekday at 07:00' })).toHaveCount(1);
  // The ended run still shows its result.
  await expect(runs.filter({ hasText: '12 tables with' })).toHaveCount(1);

  await page.getByRole('button', { name: 'Change the repeat of weekly report' }).click();
  const change = page.getByRole('dialog', { name: 'When weekly report repeats' });
  await change.getByRole('combobox', { name: 'Repeat' }).selectOption('After each sync');
  await expect(change.getByLabel('Starts at')).toBeHidden();
  await change.getByRole('button', { name: 'Repeat', exact: true }).click();
  expect(await newestCall(page, 'jobs:repeat', 2)).toMatchObject({
    change: { type: 'set', rule: { on: 'sync' }, startAtMs: null },
  });
  await expect(page.getByRole('row', { name: /^weekly report / })).toContainText('starts after each sync');
});

test('offers no rule for a job that changes data at the service', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await openPlace(page, 'Jobs');
  await page.getByRole('button', { name: 'Change the start of churn_1.csv' }).click();
  const dialog = page.getByRole('dialog', { name: 'When churn_1.csv starts' });
  await expect(dialog.getByLabel('Starts at')).toBeVisible();
  await expect(dialog.getByRole('combobox', { name: 'Repeat' })).toBeHidden();
});
