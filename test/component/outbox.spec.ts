/** The outbox: changes made while the service is unavailable are stored, compared, decided and sent. */

import { openPlace, sidebarLine } from '../helpers/places.ts';
import { callsOf, expect, expectCalls, test } from './fixtures.ts';
import { section } from './resource-steps.ts';

const activity = (page: Parameters<typeof section>[0]) => sidebarLine(page, 'Activity');
const entry = (page: Parameters<typeof section>[0], name: string) => page.getByRole('article', { name });

test('stores an offline change with the record as shown, and mentions it at the record', async ({ open }) => {
  const page = await open({ network: 'switched-off' });
  await section(page, 'Datasets');
  await page.getByRole('row', { name: /^Refund questions/ }).dblclick();
  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  const change = page.getByRole('form', { name: 'Change Refund questions' });
  await change.getByRole('textbox', { name: 'Description' }).fill('Made on a plane');
  await change.getByRole('button', { name: 'Put in outbox' }).click();
  await expectCalls(page, 'jobs:create', [
    {
      kind: 'outbox',
      plan: {
        request: { operation: 'datasets.update', body: { description: 'Made on a plane' } },
        base: { name: 'Refund questions' },
      },
    },
  ]);
  expect(await callsOf(page, 'resources:act')).toHaveLength(0);
  await expect(activity(page)).toHaveAccessibleName('Activity, 1 waiting');
  await expect(page.getByText('An edit of this record waits in the outbox.')).toBeVisible();
  await page.getByRole('main').getByRole('button', { name: 'Show', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Outbox');
  await expect(page.getByRole('button', { name: 'Send', exact: true })).toBeDisabled();
});

test('lists changes that need a decision first, with base, mine and theirs by field, and all options', async ({
  open,
}) => {
  const page = await open({ outbox: 'full' });
  await openPlace(page, 'Outbox');
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText([
    /^Need a decision 1/,
    /^Not sent 3/,
    /^Sent or discarded in the last 30 days 1/,
  ]);
  const conflict = entry(page, 'Change an alert rule: Drift of age');
  await conflict.getByRole('button', { name: 'Change an alert rule: Drift of age' }).click();
  const rows = conflict.getByRole('table').getByRole('row');
  await expect(rows).toHaveText([
    /Field.*When you changed it.*Yours.*At the service/,
    /critical_threshold.*0\.2.*0\.3.*0\.25/,
    /name.*Drift of age.*Drift of age, EU.*Drift of age/,
    /priority.*MEDIUM.*MEDIUM.*HIGH/,
  ]);
  // Every change by another user also changes time and author, so these are shown as a sentence.
  await expect(conflict.getByText('Changed there 09:02 by Ada Kern.')).toBeVisible();
  await conflict.getByRole('button', { name: 'Edit' }).click();
  const body = conflict.getByRole('textbox', { name: 'Body' });
  await body.fill('[]');
  await conflict.getByRole('button', { name: 'Save body' }).click();
  await expect(conflict.getByRole('alert')).toContainText('Expected a JSON object');
  await body.fill('{"critical_threshold": 0.28}');
  await conflict.getByRole('button', { name: 'Save body' }).click();
  await expectCalls(page, 'jobs:change', [
    { kind: 'outbox', id: 'outbox-3', change: { body: { critical_threshold: 0.28 } } },
  ]);
});

test('sends mine over theirs, keeps theirs, and sends all pending changes at once', async ({ open }) => {
  const page = await open({ outbox: 'full' });
  await openPlace(page, 'Outbox');
  await entry(page, 'Change an alert rule: Drift of age').getByRole('button', { name: 'Send mine' }).click();
  await expectCalls(page, 'jobs:decide', [{ kind: 'outbox', id: 'outbox-3', decision: 'resend' }]);
  await expect(page.getByRole('region', { name: /^Need a decision/ })).toBeHidden();
  const refused = entry(page, 'Create a project: Spring campaign');
  await expect(refused).toContainText('The name may hold letters and digits only.');
  await refused.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard change' }).click();
  await expectCalls(page, 'jobs:control', [{ kind: 'outbox', id: 'outbox-5', action: 'cancel' }]);
  await page.getByRole('button', { name: 'Send 1 change', exact: true }).click();
  await expectCalls(page, 'outbox:send-all', [{}]);
  await expect(page.getByRole('region', { name: /^Not sent 1/ })).toContainText('Delete a dataset');
});

test('explains the purpose of an empty outbox', async ({ open }) => {
  const page = await open();
  await openPlace(page, 'Outbox');
  await expect(page.getByText('Nothing waits here.')).toBeVisible();
  await expect(page.getByRole('button', { name: /^Send \d/ })).toBeHidden();
});

test('stores one change per record deleted offline, with the record as shown, and marks the rows', async ({
  open,
}) => {
  const page = await open({ network: 'switched-off' });
  await section(page, 'Datasets');
  const grid = page.getByRole('grid', { name: 'Datasets' });
  await grid.getByRole('row', { name: /^Refund questions/ }).click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByRole('button', { name: 'Delete 2 datasets…' }).click();
  const dialog = page.getByRole('dialog');
  await expect(dialog).toContainText('Its record is read again before it is sent');
  await dialog.getByRole('textbox').fill('2 datasets');
  await dialog.getByRole('button', { name: 'Put 2 deletions in outbox' }).click();
  await expectCalls(page, 'jobs:create', [
    {
      kind: 'outbox',
      plan: { request: { operation: 'datasets.delete' }, base: { name: 'Refund questions' } },
    },
    { kind: 'outbox', plan: { request: { operation: 'datasets.delete' } } },
  ]);
  await expect(activity(page)).toHaveAccessibleName('Activity, 2 waiting');
  await expect(grid.getByRole('columnheader', { name: 'Outbox' })).toBeVisible();
  await expect(grid.getByRole('gridcell', { name: 'Deletion', exact: true })).toHaveCount(2);
});

test('names the number of rules changed offline in the menu, the button and the notice, and stores one change per rule', async ({
  open,
}) => {
  const page = await open({ network: 'switched-off' });
  await section(page, 'Alert rules');
  const grid = page.getByRole('grid', { name: 'Alert rules' });
  await grid.getByRole('gridcell').first().click();
  await page.keyboard.press('Shift+ArrowDown');
  await page.keyboard.press('Shift+ArrowDown');
  await page.getByRole('button', { name: 'Change 3 rules' }).click();
  await page.getByRole('menuitem', { name: 'Turn notifications off' }).click();
  const dialog = page.getByRole('dialog', { name: 'Turn notifications off for 3 alert rules' });
  await expect(dialog.getByRole('list', { name: 'Rules to change' }).getByRole('listitem')).toHaveCount(3);
  await dialog.getByRole('button', { name: 'Put 3 changes in outbox' }).click();
  await expect(page.getByText('3 changes put into the outbox')).toBeVisible();
  const each = { kind: 'outbox', plan: { request: { operation: 'alert-rules.update' } } };
  await expectCalls(page, 'jobs:create', [each, each, each]);
  await expect(activity(page)).toHaveAccessibleName('Activity, 3 waiting');
  await section(page, 'Outbox');
  await expect(page.getByText('3 changes put into the outbox')).toBeHidden({ timeout: 2_000 });
});

test('mentions pending changes in the list, opens a new record by one click, and toggles automatic sending', async ({
  open,
}) => {
  const page = await open({ outbox: 'full' });
  await section(page, 'Projects');
  await page.getByRole('button', { name: '1 new project in the outbox' }).click();
  await expect(entry(page, 'Create a project: Spring campaign')).toContainText('POST /v3/projects');
  await page.getByRole('switch', { name: 'Send automatically' }).click();
  await expectCalls(page, 'settings:set', [{ outboxSends: 'when-back' }]);
});

for (const [from, count] of [
  ['Outbox', 0],
  ['Datasets', 1],
] as const) {
  test(`reports waiting changes when the service is back, seen from ${from}: ${count}`, async ({ open }) => {
    const page = await open({ network: 'switched-off', outbox: 'full' });
    await openPlace(page, from);
    await page.getByRole('switch', { name: 'Work offline' }).click();
    await expect(page.getByRole('switch', { name: 'Work offline' })).not.toBeChecked();
    // A notice stays for some seconds, even over another view.
    await openPlace(page, 'Charts');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    // Checked only once, as waiting would wait until the notice disappears.
    expect(await page.getByText(/in the outbox: not sent yet$/).count()).toBe(count);
  });
}
