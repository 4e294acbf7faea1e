/** What a list shows when it is not simply there: never blank, always with its age and a way on. */
import type { Page } from '@playwright/test';
import { callsOf, expect, expectCalls, newestCall, openCatalog, test } from './fixtures.ts';

const age = /^Age of this content/;

/** A list was asked for anew, once. */
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

test('empty: says what would be here', async ({ open }) => {
  const page = await open({ lists: 'empty' });
  await openCatalog(page);
  await expect(page.getByText('No entities yet.')).toBeVisible();
});

test('failed with stored content: rows stay, the failure is in place, details can be copied', async ({
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

test('a list of a record says once that it was not refreshed', async ({ open }) => {
  const page = await open({ lists: 'failed', network: 'unreachable' });
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Models' }).click();
  await page.getByRole('gridcell').first().dblclick();
  await expect(page.getByRole('alert')).toHaveText(/Not (refreshed|loaded)/);
  await page.getByRole('tab', { name: /^Baselines/ }).click();
  await expect(page.getByRole('alert')).toHaveText(/^\s*Could not refresh/);
});

test('a long failure above content takes two lines in a narrow window; its details have the whole', async ({
  open,
}) => {
  const page = await open({ lists: 'failed', network: 'unreachable' });
  await page.setViewportSize({ width: 700, height: 640 });
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
  test(`a stopped sample service is named where a list is ${lists}, and started from there`, async ({
    open,
  }) => {
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

test('offline and not stored: says so, and goes online in one click', async ({ open }) => {
  const page = await open({ lists: 'not-stored', network: 'switched-off' });
  await openCatalog(page);
  await expect(page.getByText('None of these entities are stored on this computer')).toBeVisible();
  await page.getByRole('button', { name: 'Go online' }).click();
  await expect(page.getByRole('switch', { name: 'Work offline' })).toHaveAttribute('aria-checked', 'false');
});

test('offline with stored content: the age chip says it, no error; its receipt tells when and how complete', async ({
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
  // The request itself is one press away.
  await receipt.getByRole('button', { name: 'Show request' }).click();
  await expect(receipt).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Traffic');
  await expect(
    page
      .getByRole('searchbox')
      .or(page.getByRole('textbox', { name: /search|find|filter/i }))
      .first(),
  ).toHaveValue('4b1f7c2a-93de-4a55-8c1b-2f90ab3c7d10');
});

test('the switch and its key go offline and back', async ({ open }) => {
  const page = await open();
  const network = page.getByRole('switch', { name: 'Work offline' });
  await network.click();
  await expect(network).toHaveAttribute('aria-checked', 'true');
  await expect(page.getByRole('contentinfo', { name: 'Status' })).toContainText('offline');
  await page.keyboard.press('Control+Shift+O');
  await expect(network).toHaveAttribute('aria-checked', 'false');
});

test('unmapped attributes are one click; filters at work are chips that can be taken away', async ({
  open,
}) => {
  const page = await open();
  await openCatalog(page);
  await page.getByRole('button', { name: 'Unmapped attributes' }).click();
  await expect(page.getByText('1,667 entities')).toBeVisible();
  await page.getByRole('textbox', { name: 'Search names' }).fill('tool');
  await expect(page.getByRole('button', { name: 'Remove search tool' })).toBeVisible();
  await page.getByRole('button', { name: 'Remove search tool' }).click();
  await expect(page.getByRole('textbox', { name: 'Search names' })).toHaveValue('');
  await page.getByRole('textbox', { name: 'Search names' }).fill('agent');
  await expect(page.getByRole('button', { name: 'Remove search agent' })).toBeVisible();
  await page.getByRole('button', { name: 'Data type' }).last().click();
  await page.getByRole('button', { name: 'Clear all' }).click({ force: true });
  const last = (await callsOf(page, 'library:open-list')).at(-1);
  expect(last?.argument['query']).toMatchObject({ operation: 'catalog.list' });
});

test('a window that cannot start: the details of why can be copied there too', async ({ open }) => {
  const page = await open({ hasNoStart: true });
  const alert = page.getByRole('alert');
  await alert.getByText('Details', { exact: true }).click();
  await alert.getByRole('button', { name: 'Copy details' }).click();
  const copied = await newestCall(page, 'app:copy-text');
  expect(String(copied['text'])).toContain('Code: CONNECTION_REFUSED');
});

test('a run before that broke off is said, with what failed', async ({ open }) => {
  const page = await open({ brokenRun: { startedAtMs: null, failure: 'The disk is gone.' } });
  await expect(page.getByText('The last run was not closed')).toBeVisible();
  await expect(page.getByText('The disk is gone. Stored data is kept, and jobs continue.')).toBeVisible();
});

test('what was wrong with the stored data is said until a person closes it, before there is a connection too', async ({
  open,
}) => {
  const page = await open({
    notice: 'spandeck.db is damaged. Connections that could be read: 1.',
    isFirstRun: true,
  });
  await expect(page.getByText('About your stored data')).toBeVisible();
  await expect(page.getByText(/^spandeck\.db is damaged\./)).toBeVisible();
});

test('a window that was loaded again after a crash says why, until a person closes it', async ({ open }) => {
  const page = await open({ crash: { atMs: 0, reason: 'out of memory' } });
  const words = page.getByText('The window crashed (out of memory) and was opened again');
  await expect(words).toBeVisible();
  await expect(page.getByText(/^Tabs and drafts were restored/)).toBeVisible();
  await page.getByRole('button', { name: 'Close toast' }).click();
  await expect(words).toBeHidden();
});
