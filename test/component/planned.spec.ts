/** Planned starts are shown everywhere, changed, started now, or cancelled. */
import type { Locator, Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import { NOW } from './fake-main/scenario.ts';
import { expect, expectCalls, newestCall, test } from './fixtures.ts';
import { takePictures } from './pictures.ts';
import { openBaselines } from './resource-steps.ts';

const status = (page: Page) => page.getByRole('contentinfo', { name: 'Status' });
const go = (page: Page, section: string) => openPlace(page, section);
/** 11:25 in Berlin: an hour after the time of the window, rounded up to a full minute. */
const IN_AN_HOUR = Date.UTC(2026, 10, 18, 10, 25);
const row = (page: Page, file: string) => page.getByRole('row').filter({ hasText: file });

/** Opens a running upload and returns the grid of its batches. */
async function openBatches(page: Page): Promise<Locator> {
  await go(page, 'Uploads');
  await page.getByRole('button', { name: 'churn_2.csv', exact: true }).click();
  return page.getByRole('grid', { name: 'Batches' });
}

test('counts planned starts in the status bar, and lists them in Requests with the next one first', async ({
  open,
}) => {
  const page = await open({ hasPlans: true });
  await status(page).getByRole('button', { name: '2 scheduled' }).click();
  const later = page.getByRole('region', { name: 'Starts later' }).getByRole('listitem');
  await expect(later).toHaveCount(2);
  await expect(later.first()).toContainText(/Upload of\s+churn_1\.csv starts at 18:24, in 8 h/);
  await later.first().getByRole('button', { name: 'Open churn_1.csv' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('churn_1.csv');
});

test('starts, changes and cancels planned starts in Requests', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await status(page).getByRole('button', { name: '2 scheduled' }).click();
  const later = page.getByRole('region', { name: 'Starts later' });
  await expect(later.getByRole('listitem').first()).toContainText('10 requests');
  await later.getByRole('button', { name: 'Change the start of churn_1.csv' }).click();
  const dialog = page.getByRole('dialog', { name: 'When churn_1.csv starts' });
  await expect(dialog).toContainText('10 (Publish events)');
  await dialog.getByRole('button', { name: 'In 1 hour' }).click();
  await dialog.getByRole('button', { name: 'Start then' }).click();
  await expect(later.getByRole('listitem').first()).toContainText('starts at 11:25, in 1 h');
  await later.getByRole('button', { name: 'Start churn_1.csv now' }).click();
  await expect(later.getByRole('listitem')).toHaveCount(1);
  await later.getByRole('button', { name: 'Start 3 events by id now' }).click();
  await expect(page.getByRole('dialog', { name: 'Start this now' })).toContainText('cannot undo');
  await page.getByRole('dialog').getByRole('button', { name: 'Keep' }).click();
  await later.getByRole('button', { name: 'Cancel the start of 3 events by id' }).click();
  await expect(later).toBeHidden();
  await expect(status(page).getByRole('button', { name: /scheduled/ })).toBeHidden();
  await expectCalls(page, 'jobs:control', [
    { kind: 'upload', id: 'job-1', action: 'schedule', startAtMs: IN_AN_HOUR },
    { kind: 'upload', id: 'job-1', action: 'start' },
    { kind: 'deletion', id: 'deletion-1', action: 'unschedule' },
  ]);
});

test('says when a change of several records was planned, as it has not started', async ({ open }, info) => {
  const page = await open({ hasPlans: true });
  await openBaselines(page);
  await page.getByRole('grid', { name: 'Baselines' }).press('Control+a');
  await page.getByRole('button', { name: 'Delete 4 baselines…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Start later', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Tonight 02:00' }).click();
  await dialog.getByRole('textbox', { name: /^Type / }).fill('4 baselines');
  await dialog.getByRole('button', { name: 'Delete 4 baselines' }).click();
  await expect(dialog).toHaveCount(0);
  await takePictures(page, info, 'planned-at-list');
  await go(page, 'Changes');
  const change = page.getByRole('article', { name: 'Delete 4 baselines' });
  await expect(change.getByRole('heading')).toHaveText('Delete 4 baselines planned 10:24');
  await expect(change).toContainText('It starts at 19 Nov 02:00');
  await takePictures(page, info, 'planned-changes');
  await change.getByRole('button', { name: 'Records' }).click();
  await takePictures(page, info, 'planned-change');
  await change.getByRole('button', { name: 'Change the start…' }).click();
  await expect(dialog).toBeVisible();
  await takePictures(page, info, 'planned-reschedule');
  await page.keyboard.press('Escape');
  await go(page, 'Jobs');
  const later = page.getByRole('table').filter({ hasText: 'Delete 4 baselines' });
  await expect(later.getByRole('columnheader', { name: 'Planned' })).toBeVisible();
});

test('shows the start of a planned upload, and sets another time with its cost', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await go(page, 'Uploads');
  await expect(row(page, 'churn_1.csv')).toContainText('Starts later');
  await page.getByRole('button', { name: 'churn_1.csv', exact: true }).click();
  await expect(page.getByText('This upload starts at 18:24, in 8 h, if Spandeck is open then')).toBeVisible();

  await page.getByRole('button', { name: 'Change the start…' }).click();
  const dialog = page.getByRole('dialog', { name: 'When churn_1.csv starts' });
  await expect(dialog).toContainText('10 (Publish events)');
  await dialog.getByLabel('Starts at').fill('2020-01-01T02:00');
  await expect(dialog.getByText('This time has passed.')).toBeVisible();
  await expect(dialog.getByRole('button', { name: 'Start then' })).toBeDisabled();
  await dialog.getByRole('button', { name: 'In 1 hour' }).click();
  await expect(dialog.getByText(/11:25, in 1 h/)).toBeVisible();
  await dialog.getByRole('button', { name: 'Start then' }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText('This upload starts at 11:25, in 1 h')).toBeVisible();
  const later = { kind: 'upload', id: 'job-1', action: 'schedule', startAtMs: IN_AN_HOUR };
  await expectCalls(page, 'jobs:control', [later]);

  await page.getByRole('button', { name: 'Start now' }).click();
  await expect(page.getByText('This upload starts')).toBeHidden();
  await expect(page.getByText('Sending', { exact: true })).toBeVisible();
});

test('starts a job that waits, or plans it, while offline, but not on a read-only connection', async ({
  open,
}) => {
  const page = await open({ hasPlans: true, network: 'switched-off' });
  await go(page, 'Uploads');
  const planned = row(page, 'churn_1.csv');
  await expect(planned.getByRole('button', { name: 'Start churn_1.csv now' })).toBeEnabled();
  await expect(planned.getByRole('button', { name: 'Change the start of churn_1.csv' })).toBeEnabled();

  const readOnly = await open({ hasPlans: true, isReadOnly: true });
  await go(readOnly, 'Uploads');
  const there = row(readOnly, 'churn_1.csv');
  await expect(there.getByRole('button', { name: 'Start churn_1.csv now' })).toBeDisabled();
  await expect(there.getByRole('button', { name: 'Change the start of churn_1.csv' })).toBeDisabled();
});

test('reports a late start', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await go(page, 'Uploads');
  await page.getByRole('button', { name: 'churn_3.csv', exact: true }).click();
  await expect(page.getByText(/Planned for 01:24, started at 09:24: Spandeck was closed/)).toBeVisible();
});

test('shows that the requests of an upload are paused, and resumes them', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await go(page, 'Uploads');
  await page.getByRole('button', { name: 'churn_2.csv', exact: true }).click();
  await expect(
    page.getByText('The service asked to wait. The next request can be sent at 10:34'),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Open Requests' }).click();
  await page.getByRole('button', { name: 'Pause Publish events' }).click();
  await page.getByRole('tab', { name: 'churn_2.csv' }).click();
  await expect(page.getByText('Requests of this upload are paused')).toBeVisible();
  await page.getByRole('button', { name: 'Resume' }).click();
  await expect(page.getByText('Requests of this upload are paused')).toBeHidden();
});

test('changes and cancels a planned deletion', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await go(page, 'Uploads');
  await page.getByRole('button', { name: 'Delete events…' }).click();
  const item = page.getByRole('listitem').filter({ hasText: '3 events by id' });
  await expect(item).toContainText('Starts later');
  await item.getByRole('button', { name: 'Change the start…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Tonight 02:00' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Start then' }).click();
  await expect(item).toContainText('19 Nov 02:00');
  await item.getByRole('button', { name: 'Cancel start' }).click();
  await expect(item).toContainText('Cancelled');
  await expect(status(page).getByRole('button', { name: '1 scheduled' })).toBeVisible();
});

test('updates the cost of a planned dataset from spans, cancels it, and plans it again', async ({ open }) => {
  const page = await open({ hasPlannedBuild: true });
  await status(page).getByRole('button', { name: '1 scheduled' }).click();
  const later = page.getByRole('region', { name: 'Starts later' }).getByRole('listitem');
  await expect(later).toContainText(/Dataset from spans:\s+Answers starts at 20:24, in 10 h/);
  await expect(later).toContainText('2 requests');
  await later.getByRole('button', { name: 'Open Answers' }).click();
  const plan = page.getByRole('region', { name: 'Plan' });
  await expect(plan).toContainText('It starts at 20:24, in 10 h.');
  await expect(plan).toContainText(/Requests\s*2 \(/);
  await plan.getByRole('button', { name: 'Change the start…' }).click();
  const dialog = page.getByRole('dialog', { name: 'When Answers starts' });
  await dialog.getByRole('button', { name: 'In 1 hour' }).click();
  await dialog.getByRole('button', { name: 'Start then' }).click();
  await expect(plan).toContainText('It starts at 11:25, in 1 h.');
  await plan.getByRole('button', { name: 'Cancel start' }).click();
  await expect(status(page).getByRole('button', { name: /scheduled/ })).toBeHidden();
  await page.getByText('Start later', { exact: true }).click();
  const commit = page.getByRole('button', { name: 'Create the dataset with 250 items later' });
  await expect(commit).toBeDisabled();
  await page.getByRole('button', { name: 'Tonight 02:00' }).click();
  await commit.click();
  await expect(plan).toContainText('It starts at 19 Nov 02:00');
  await expect(page.getByText('Starts later', { exact: true }).first()).toBeVisible();
  const night = { action: 'schedule', startAtMs: Date.UTC(2026, 10, 19, 1) };
  const hour = { action: 'schedule', startAtMs: IN_AN_HOUR };
  await expectCalls(page, 'jobs:control', [hour, { action: 'unschedule' }, night]);
});

test('cancels a dataset that was started by mistake before anything is sent, or starts it at once', async ({
  open,
}) => {
  const page = await open({ hasPlannedBuild: true });
  await status(page).getByRole('button', { name: '1 scheduled' }).click();
  await page.getByRole('button', { name: 'Open Answers' }).click();
  await page.getByRole('region', { name: 'Plan' }).getByRole('button', { name: 'Cancel start' }).click();
  const commit = page.getByRole('button', { name: 'Create the dataset with 250 items' });
  await commit.click();
  await expect(page.getByRole('timer')).toHaveText('Starting in 5 s');
  // The pressed button is removed, and the focus remains in the same step.
  await expect(page.getByRole('group', { name: 'Step Commit' })).toBeFocused();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await commit.click();
  await page.getByRole('button', { name: 'Start now' }).click();
  await expect(commit).toBeHidden();
  const soon = { action: 'schedule', startAtMs: NOW + 5_000 };
  const back = { action: 'unschedule' };
  await expectCalls(page, 'jobs:control', [back, soon, back, soon, { action: 'start' }]);
});

test('starts a dataset from spans that waits, or plans it, while offline, but not on a read-only connection', async ({
  open,
}) => {
  const page = await open({ hasPlannedBuild: true, network: 'switched-off' });
  await status(page).getByRole('button', { name: '1 scheduled' }).click();
  await page.getByRole('button', { name: 'Open Answers' }).click();
  const plan = page.getByRole('region', { name: 'Plan' });
  await expect(plan.getByRole('button', { name: 'Start now' })).toBeEnabled();
  await expect(plan.getByRole('button', { name: 'Change the start…' })).toBeEnabled();
  const readOnly = await open({ hasPlannedBuild: true, isReadOnly: true });
  await status(readOnly).getByRole('button', { name: '1 scheduled' }).click();
  await readOnly.getByRole('button', { name: 'Open Answers' }).click();
  const there = readOnly.getByRole('region', { name: 'Plan' });
  await expect(there.getByRole('button', { name: 'Start now' })).toBeDisabled();
  await expect(there.getByRole('button', { name: 'Change the start…' })).toBeDisabled();
  await expect(there.getByRole('button', { name: 'Cancel start' })).toBeEnabled();
});

test('reserves space for a pending plan, and shows the error of a failed one without an older plan until a retry', async ({
  open,
}) => {
  const openForm = async (page: Page) => {
    await go(page, 'Uploads');
    await page.getByRole('button', { name: 'Delete events…' }).click();
    await page.getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option').first().click();
    await page.getByRole('textbox', { name: 'Event ids' }).fill('a1');
    return page.getByRole('radiogroup', { name: 'Start', exact: true });
  };
  const bottomOf = (page: Page) =>
    page
      .getByRole('button', { name: /^Delete events/ })
      .last()
      .evaluate((button) => button.getBoundingClientRect().bottom);
  const slow = await open({ plan: 'slow' });
  await expect(await openForm(slow)).toBeVisible();

  const page = await open({ plan: 'once-failed' });
  await expect(await openForm(page)).toBeVisible();
  const alert = page.getByRole('alert').filter({ hasText: 'Could not work out the cost' });
  await expect(alert).toBeVisible();
  await expect(page.getByText('Rate limit', { exact: true })).toBeHidden();
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByText('Rate limit', { exact: true })).toBeVisible();
  await expect(alert).toBeHidden();
  await expect.poll(async () => (await bottomOf(page)) - (await bottomOf(slow))).toBe(0);
});

test('moves the focus to the row at its position when a row is cancelled by keyboard', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await status(page).getByRole('button', { name: '2 scheduled' }).click();
  const later = page.getByRole('region', { name: 'Starts later' });
  await later.getByRole('button', { name: 'Cancel the start of churn_1.csv' }).press('Enter');
  await expect(later.getByRole('listitem')).toHaveCount(1);
  await expect(later.getByRole('button', { name: 'Start 3 events by id now' })).toBeFocused();
});

test('shows the complete send time of a batch, also in the smallest window', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await page.setViewportSize({ width: 1000, height: 640 });
  const batches = await openBatches(page);
  const sent = batches.getByRole('gridcell', { name: /^\d{4}-\d\d-\d\d / });
  await expect(sent).toHaveText(/:\d\d:\d\d$/);
  const room = await sent.evaluate(({ scrollWidth, clientWidth }) => clientWidth - scrollWidth);
  expect(room).toBeGreaterThanOrEqual(0);

  const menu = page.getByRole('menu', { name: 'Row' });
  await sent.click({ button: 'right' });
  await menu.getByRole('menuitem', { name: 'Copy cell' }).click();
  const { text } = await newestCall(page, 'app:copy-text');
  expect(text).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
  await sent.click({ button: 'right' });
  await menu.getByRole('menuitem', { name: 'Copy row as', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Copy row as JSON', exact: true }).click();
  const copied = await newestCall(page, 'app:copy-text', 2);
  expect(JSON.parse(String(copied['text']))).toMatchObject({ number: 1, sent: text });

  // Filters all rows by the value of a cell. A click on the text of the filter removes it.
  const rows = batches.getByRole('row');
  const all = await rows.count();
  await sent.click({ button: 'right' });
  await menu.getByRole('menuitem', { name: /^All rows: Sent is not “/ }).click();
  await expect(rows).toHaveCount(all - 1);
  await expect(page.getByRole('status').filter({ hasText: `${all - 2} of ${all - 1} row` })).toBeVisible();
  await page.getByRole('button', { name: /^Sent is not “/ }).click();
  await expect(rows).toHaveCount(all);
});

test('opens the request of a batch by Enter, double click, and first in its menu by right click or key', async ({
  open,
}) => {
  const page = await open({ hasPlans: true });
  const batches = await openBatches(page);
  const first = page.getByRole('menu', { name: 'Row' }).getByRole('menuitem').first();
  const request = page.getByRole('complementary', { name: 'Request', exact: true });
  const back = async () => {
    await expect(request).toBeVisible();
    await page.getByRole('tab', { name: 'churn_2.csv', exact: true }).click();
    await expect(batches).toBeVisible();
  };
  await expect(batches.getByRole('row')).not.toHaveCount(1);
  await batches.focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await back();
  await batches.getByRole('gridcell').first().dblclick();
  await back();
  await batches.getByRole('gridcell').first().click({ button: 'right' });
  await expect(first).toContainText('Show request');
  await page.keyboard.press('Escape');
  await expect(batches).toBeFocused();

  // The batch has not been sent, so there is nothing to open.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Shift+F10');
  await expect(first).toContainText('All rows: File rows is “1,001–2,000”');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ControlOrMeta+C');
  expect(String((await newestCall(page, 'app:copy-text'))['text'])).toContain('1,001–2,000');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Shift+F10');
  await first.click();
  await expect(request).toBeVisible();
});

test('shows profiles of batches, and filters all rows by a clicked value', async ({ open }) => {
  const page = await open({ hasPlans: true });
  const batches = await openBatches(page);
  const rows = batches.getByRole('row');
  await expect(rows).toHaveCount(11);
  await batches.getByRole('button', { name: 'Profiles' }).click();
  const states = batches.getByRole('group', { name: 'Values of State' });
  await expect(states.getByRole('button')).toHaveCount(2);
  await states.getByRole('button', { name: /acknowledged/ }).click();
  await expect(rows).toHaveCount(2);
  await expect(page.getByRole('status').filter({ hasText: '1 of 10 rows' })).toBeVisible();
  await page.getByRole('button', { name: 'State acknowledged', exact: true }).click();
  await expect(rows).toHaveCount(11);

  // The same by keyboard: to the first summary, to its value, and back.
  await batches.focus();
  await page.keyboard.press('f');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('status').filter({ hasText: '10 of 10 rows' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('status').filter({ hasText: ' of 10 rows' })).toBeHidden();
  await batches.getByRole('button', { name: 'Profiles' }).click();
  await expect(states).toBeHidden();
});

test('shows the reason of a rejected batch in the smallest window', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await page.setViewportSize({ width: 1000, height: 640 });
  await go(page, 'Uploads');
  await page.getByRole('button', { name: 'churn_2.csv', exact: true }).click();
  const table = page.getByRole('grid', { name: 'Batches' });
  await expect(table.getByRole('row')).not.toHaveCount(1);
  const hidden = await table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  expect(hidden).toBe(0);
  const reason = await table.getByRole('columnheader', { name: 'Reason' }).boundingBox();
  expect(reason?.width).toBeGreaterThanOrEqual(140);
  await page.setViewportSize({ width: 1440, height: 900 });
  await expect(table.getByRole('columnheader', { name: 'Answer after' })).toBeVisible();
});

test('does not cover rows with the scrollbar of a wide table of batches', async ({ open }) => {
  const page = await open({ hasPlans: true });
  await page.setViewportSize({ width: 1000, height: 640 });
  await go(page, 'Uploads');
  await page.getByRole('button', { name: 'churn_2.csv', exact: true }).click();
  const table = page.getByRole('grid', { name: 'Batches' });
  await expect(table.getByRole('row')).not.toHaveCount(1);
  const size = await table.evaluate((element: HTMLElement) => {
    // The test browser draws no scrollbars, so this reserves the space of one.
    element.style.paddingBottom = '12px';
    element.style.width = '500px';
    return {
      isWide: element.scrollWidth > element.clientWidth,
      covered: element.scrollHeight - element.clientHeight,
    };
  });
  expect(size).toEqual({ isWide: true, covered: 0 });
});
