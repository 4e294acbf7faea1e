/** A list in all states is never blank, and always shows its age and a next step. */
import type { Page } from '@playwright/test';
import { openPlace } from '../helpers/places.ts';
import type { FakeWindow } from './fake-main/scenario.ts';
import { callsOf, expect, expectCalls, newestCall, openCatalog, test } from './fixtures.ts';

const age = /^Age of this content/;

/** Expects that exactly one refresh of a list was requested. */
async function expectOneRefresh(page: Page): Promise<void> {
  const refreshes = async () =>
    (await callsOf(page, 'library:open-list')).filter(({ argument }) => argument['isClick'] === true);
  await expect.poll(async () => (await refreshes()).length).toBe(1);
  expect(await refreshes()).toMatchObject([{ argument: { refresh: 'always' } }]);
}

test('loading: skeleton rows, no spinner over content', async ({ open }) => {
  const page = await open({ lists: 'loading' });
  await openCatalog(page);
  await expect(
    page.getByRole('row', { disabled: false }).and(page.locator('[aria-busy]')).first(),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: age })).toHaveText(/loading/);
});

test('loading: the buttons of a list stay in place when its rows arrive', async ({ open }) => {
  const places = async (lists: 'loading' | 'full') => {
    const page = await open({ lists });
    await openCatalog(page);
    if (lists === 'full') await expect(page.getByRole('gridcell').first()).toBeVisible();
    const main = page.getByRole('main');
    await expect(main.getByRole('button', { name: 'Columns' })).toBeVisible();
    const names = ['Views', 'Profiles', 'Export…', 'Columns'];
    const boxes = names.map((name) => main.getByRole('button', { name, exact: true }).boundingBox());
    return (await Promise.all(boxes)).map((box) => Math.round(box?.x ?? -1));
  };
  const before = await places('loading');
  expect(await places('full')).toEqual(before);
});

test('empty: describes the missing content', async ({ open }) => {
  const page = await open({ lists: 'empty' });
  await openCatalog(page);
  await expect(page.getByText('No entities yet.')).toBeVisible();
});

for (const place of ['Spans', 'Catalog']) {
  test(`empty: leads from ${place} without applications to the form of one`, async ({ open }) => {
    const page = await open({ applications: 'empty' });
    await openPlace(page, place);
    await page.getByRole('main').getByRole('button', { name: 'New application' }).click();
    await expect(page.getByRole('form', { name: 'New application' })).toBeVisible();
  });
}

test('failed with stored content: keeps the rows, shows the error in place, and copies its details', async ({
  open,
}) => {
  const page = await open({ lists: 'failed', network: 'unreachable' });
  await openCatalog(page);
  await expect(page.getByRole('gridcell').first()).toBeVisible();
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('Could not refresh: connection refused.');
  await expect(alert).toContainText('Check that the service is running');
  await expect(page.getByRole('button', { name: age })).toHaveText('offline · as of 07:24');
  await alert.getByText('Details', { exact: true }).click();
  await alert.getByRole('button', { name: 'Copy details' }).click();
  const copied = await newestCall(page, 'app:copy-text');
  expect(String(copied['text'])).toContain('Code: CONNECTION_REFUSED');
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expectOneRefresh(page);
});

test('failed in another order: keeps the rows, says that they are not in it, and reads them again', async ({
  open,
}) => {
  const page = await open();
  await openCatalog(page);
  const cell = page.getByRole('gridcell').first();
  const before = await cell.textContent();
  await page.evaluate(() => {
    (window as unknown as FakeWindow).isOrderUnread = true;
  });
  await page.getByRole('columnheader', { name: /^Name/ }).click();
  const alert = page.getByRole('alert');
  await expect(alert).toContainText('Some rows could not be read.');
  await expect(cell).toHaveText(before ?? '');
  await page.evaluate(() => {
    (window as unknown as FakeWindow).isOrderUnread = false;
  });
  await alert.getByRole('button', { name: 'Try again' }).click();
  await expect(alert).toHaveCount(0);
  await expect(cell).toBeVisible();
});

test("reports only once that a record's list was not refreshed", async ({ open }) => {
  const page = await open({ lists: 'failed', network: 'unreachable' });
  await openPlace(page, 'Models');
  await page.getByRole('gridcell').first().dblclick();
  await expect(page.getByRole('alert')).toHaveText(/Not (refreshed|loaded)/);
  await page.getByRole('tab', { name: /^Baselines/ }).click();
  await expect(page.getByRole('alert')).toHaveText(/^\s*Could not refresh/);
});

test('shows a long error above content in two lines in a narrow window, with its full text in the details', async ({
  open,
}) => {
  const page = await open({ lists: 'failed', network: 'unreachable' });
  await page.setViewportSize({ width: 480, height: 640 });
  await openCatalog(page);
  const alert = page.getByRole('alert');
  await expect(alert).toBeVisible();
  const words = alert.getByText('Could not refresh').locator('..');
  const lines = () =>
    words.evaluate((each) => Math.round(each.clientHeight / parseFloat(getComputedStyle(each).lineHeight)));
  await expect.poll(lines).toBe(2);
  await alert.getByText('Details', { exact: true }).click();
  await expect.poll(lines).toBeGreaterThan(2);
});

test('failed with nothing stored: the error and a retry', async ({ open }) => {
  const page = await open({ lists: 'broken', network: 'unreachable' });
  await openCatalog(page);
  await expect(page.getByRole('alert')).toContainText('Connection refused');
  await expect(page.getByRole('grid')).toBeHidden();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expectOneRefresh(page);
});

for (const lists of ['broken', 'failed'] as const) {
  test(`names a stopped sample service if a list is ${lists}, and starts it there`, async ({ open }) => {
    const page = await open({ lists, network: 'unreachable', isSampleStopped: true });
    await openCatalog(page);
    const alert = page.getByRole('alert');
    await expect(alert).toContainText(/the sample service is stopped/i);
    await expect(alert.getByRole('button', { name: 'Try again' })).toBeHidden();
    await expect(page.getByRole('contentinfo', { name: 'Status' })).toContainText('sample service stopped');
    await alert.getByRole('button', { name: 'Start the sample service' }).click();
    await expectCalls(page, 'connections:set-sample-running', [{ isRunning: true }]);
    await expectOneRefresh(page);
  });
}

test('offline and not stored: explains it, and goes online in one click', async ({ open }) => {
  const page = await open({ lists: 'not-stored', network: 'switched-off' });
  await openCatalog(page);
  await expect(page.getByText('These entities are not available offline')).toBeVisible();
  await page.getByRole('button', { name: 'Go online' }).click();
  await expect(page.getByRole('switch', { name: 'Work offline' })).toHaveAttribute('aria-checked', 'false');
});

test('offline with stored content: shows it in the age chip without an error, with time and completeness in its details', async ({
  open,
}) => {
  const page = await open({ network: 'switched-off' });
  await openCatalog(page);
  await expect(page.getByRole('alert')).toBeHidden();
  await page.getByRole('button', { name: age }).click();
  const receipt = page.getByRole('dialog', { name: 'Receipt' });
  await expect(receipt).toContainText('All 5,000.');
  await expect(receipt).toContainText('Working offline');
  await expect(receipt).toContainText('4b1f7c2a-93de-4a55-8c1b-2f90ab3c7d10');
  // One click opens the request.
  await receipt.getByRole('button', { name: 'Show request' }).click();
  await expect(receipt).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Requests');
  await expect(
    page
      .getByRole('searchbox')
      .or(page.getByRole('textbox', { name: /search|find|filter/i }))
      .first(),
  ).toHaveValue('4b1f7c2a-93de-4a55-8c1b-2f90ab3c7d10');
});

test('goes offline and back by the switch and its key', async ({ open }) => {
  const page = await open();
  const network = page.getByRole('switch', { name: 'Work offline' });
  await network.click();
  await expect(network).toHaveAttribute('aria-checked', 'true');
  await expect(page.getByRole('contentinfo', { name: 'Status' })).toContainText('offline');
  await page.keyboard.press('Control+Shift+O');
  await expect(network).toHaveAttribute('aria-checked', 'false');
});

test('filters unmapped attributes by one click, and shows active filters as removable chips', async ({
  open,
}) => {
  const page = await open();
  await openCatalog(page);
  await page.getByRole('button', { name: 'Unmapped attributes' }).click();
  await expect(page.getByText('1,667 entities')).toBeVisible();
  const box = page.getByRole('textbox', { name: 'Filter the loaded entities' });
  await box.fill('tool');
  await box.press('Enter');
  await expect(page.getByRole('button', { name: 'Remove search tool' })).toBeVisible();
  await expect(box).toHaveValue('');
  await expect(box).toBeFocused();
  // The key moves the search back to the box, so that it can be changed.
  await box.press('Backspace');
  await expect(box).toHaveValue('tool');
  await expect(page.getByRole('button', { name: 'Remove search tool' })).toBeHidden();
  await box.press('Enter');
  await page.getByRole('button', { name: 'Remove search tool' }).click();
  await expect(page.getByRole('button', { name: 'Remove search tool' })).toBeHidden();
  // Rows that are not stored may match, so the service is asked.
  await box.fill('no loaded name');
  await page.getByRole('button', { name: 'Search at the service' }).click();
  await expect(page.getByRole('button', { name: 'Remove search no loaded name' })).toBeVisible();
  // A regular expression filters only stored rows.
  await box.fill('/agent/');
  await box.press('Enter');
  await expect(box).toHaveValue('/agent/');
  await expect(page.getByRole('button', { name: 'Remove search no loaded name' })).toBeVisible();
  // A single slash starts a path and not a regular expression, so this is plain text.
  await box.fill('/agent');
  await box.press('Enter');
  await expect(page.getByRole('button', { name: 'Remove search /agent' })).toBeVisible();
  await box.fill('agent');
  await box.press('Enter');
  await expect(page.getByRole('button', { name: 'Remove search agent' })).toBeVisible();
  await page.getByRole('button', { name: 'Data type' }).last().click();
  await page.getByRole('button', { name: 'Clear all' }).click({ force: true });
  const last = (await callsOf(page, 'library:open-list')).at(-1);
  expect(last?.argument['query']).toMatchObject({ operation: 'catalog.list' });
});

test('copies the details of the error in a window that cannot start', async ({ open }) => {
  const page = await open({ hasNoStart: true });
  const alert = page.getByRole('alert');
  await alert.getByText('Details', { exact: true }).click();
  await alert.getByRole('button', { name: 'Copy details' }).click();
  const copied = await newestCall(page, 'app:copy-text');
  expect(String(copied['text'])).toContain('Code: CONNECTION_REFUSED');
});

test('reports an aborted previous run, with its error', async ({ open }) => {
  const page = await open({ brokenRun: { startedAtMs: null, failure: 'The disk is gone.' } });
  await expect(page.getByText('The last run was not closed')).toBeVisible();
  await expect(page.getByText('The disk is gone. Stored data is kept, and jobs continue.')).toBeVisible();
});

test('reports problems with stored data until the user dismisses them, also before a connection exists', async ({
  open,
}) => {
  const page = await open({
    notice: 'spandeck.db is damaged. Connections that could be read: 1.',
    isFirstRun: true,
  });
  await expect(page.getByText('About your stored data')).toBeVisible();
  await expect(page.getByText(/^spandeck\.db is damaged\./)).toBeVisible();
});

test('explains a reload after a crash until the user dismisses it', async ({ open }) => {
  const page = await open({ crash: { atMs: 0, reason: 'out of memory' } });
  const words = page.getByText('The window crashed (out of memory) and was opened again');
  await expect(words).toBeVisible();
  await expect(page.getByText(/^Tabs and drafts were restored/)).toBeVisible();
  await page.getByRole('button', { name: 'Close toast' }).click();
  await expect(words).toBeHidden();
});
