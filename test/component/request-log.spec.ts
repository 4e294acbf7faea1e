/** The request log: new requests, filters, details, copying, saving and clearing. */
import type { Page } from '@playwright/test';
import { callsOf, expect, newestCall, test } from './fixtures.ts';
import { ASKING_TAB, openTraffic } from './resource-steps.ts';

const requests = (page: Page) =>
  page
    .getByRole('grid', { name: 'Requests' })
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell') });
const panel = (page: Page) => page.getByRole('complementary', { name: 'Request' });
async function logMenu(page: Page, item: RegExp): Promise<void> {
  await page.getByRole('button', { name: 'Request log' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

/** Notifies the window about ended requests, like the main process. */
function notify(page: Page, requests: { seq: number; status?: number }[], skipped = 0): Promise<void> {
  return page.evaluate(
    ([told, left]) => {
      const fake = globalThis as unknown as {
        fakeEvent: (channel: string, payload: unknown) => void;
        fakeRequest: (seq: number, changes: object) => unknown;
      };
      const rows = told.map(({ seq, ...changes }) => fake.fakeRequest(seq, changes));
      const connectionId = '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11';
      fake.fakeEvent('traffic:logged', { connectionId, rows, skipped: left });
    },
    [requests, skipped] as const,
  );
}

test('filters requests by operation, outcome and text, and reports that none matches', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption({ label: 'Service failed (5xx)' });
  await expect(page.getByText('5 of 60 requests')).toBeVisible();
  await expect(requests(page).first()).toContainText('503');
  await page.getByRole('textbox', { name: 'Find in requests' }).fill('nothing like this');
  await expect(page.getByText('None of the 60 requests in the log matches these filters.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await expect(page.getByText('60 requests', { exact: true })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Find in requests' })).toHaveValue('');
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('button', { name: 'Applications', exact: true }).last().click();
  await expect(page.getByRole('combobox', { name: 'Operation' })).toHaveValue('GET /v3/applications');
  await expect(requests(page).first()).toContainText('/v3/applications?limit=500');
});

test('adds new requests at the top, but not while the user is reading further down', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  await expect(requests(page).first()).toContainText('200');
  await notify(page, [{ seq: 2, status: 404 }, { seq: 1 }]);
  await expect(requests(page).first()).toContainText('404');
  await expect(page.getByText('62 requests', { exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'Pause live updates' }).click();
  await notify(page, [{ seq: 3, status: 409 }]);
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible();
  await expect(requests(page).first()).toContainText('404');
  await page.getByRole('button', { name: 'Resume live updates' }).click();
  await expect(requests(page).first()).toContainText('409');

  await page.getByRole('grid', { name: 'Requests' }).focus();
  await page.keyboard.press('ArrowDown');
  await notify(page, [{ seq: 4, status: 400 }]);
  await expect(requests(page).first()).toContainText('409');
  await page.getByRole('button', { name: '1 new' }).click();
  await expect(requests(page).first()).toContainText('400');
});

test('applies the filter to new requests, and reads a gap again', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption({ label: 'Answered (2xx, 3xx)' });
  await expect(page.getByText('50 of 60 requests')).toBeVisible();
  await notify(page, [{ seq: 2, status: 500 }, { seq: 1 }]);
  await expect(page.getByText('51 of 62 requests')).toBeVisible();
  const before = (await callsOf(page, 'traffic:get-log')).length;
  await notify(page, [{ seq: 3 }], 50);
  await expect.poll(async () => (await callsOf(page, 'traffic:get-log')).length).toBe(before + 1);
});

test('opens, browses and copies a request by keyboard alone', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  await expect(requests(page).first()).toContainText('200');
  await page.getByRole('grid', { name: 'Requests' }).focus();
  for (let step = 0; step < 4; step += 1) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(panel(page).getByRole('heading', { level: 2 })).toHaveText('Catalog');
  await expect(panel(page)).toContainText('429, rate limit reached');
  await expect(panel(page)).toContainText('Sent again: Refused with 429: asked to wait.');
  await expect(panel(page)).toContainText('X-RateLimit-Remaining');
  await expect(panel(page)).toContainText('This request has no body.');
  await page.keyboard.press('ArrowDown');
  await expect(panel(page)).toContainText('offset=2500');
  await panel(page).getByRole('button', { name: 'Copy as curl' }).press('Enter');
  await expect(page.getByText('curl command copied')).toBeVisible();
  const [copied] = await callsOf(page, 'app:copy-text');
  expect(copied?.argument['text']).toContain('Bearer $SPANDECK_TOKEN');
  await page.keyboard.press('Escape');
  await expect(panel(page)).toBeHidden();
  await expect(page.getByRole('grid', { name: 'Requests' })).toBeFocused();
});

test('shows for a request without a response whether it may have been carried out', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  await page.getByRole('gridcell', { name: 'no answer in time' }).first().dblclick();
  await expect(panel(page)).toContainText('no answer in time; it may have been carried out');
  await expect(panel(page)).toContainText('Expected an answer within 100 s.');
});

test('saves the requests that match the filter as HAR', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption({ label: 'No answer' });
  await logMenu(page, /^Save as HAR…/);
  await expect(page.getByText('Saved requests.har')).toBeVisible();
  const [saved] = await callsOf(page, 'traffic:save-har');
  expect(saved?.argument).toMatchObject({ statusClass: 'failed', operation: null });
});

test('reads a long log only as far as it is shown', async ({ open }) => {
  const page = await open({ requests: 1_000 });
  await openTraffic(page);
  await expect(page.getByText('1,000 requests', { exact: true })).toBeVisible();
  await expect(page.locator('[aria-rowindex="2"]')).toBeVisible();
  await page.getByRole('grid', { name: 'Requests' }).press('Control+End');
  // Moves from the last column back to the first.
  await page.keyboard.press('Home');
  await expect(page.locator('[aria-rowindex="1001"]')).toContainText('offset=499500');
  expect(await callsOf(page, 'traffic:get-log')).toHaveLength(5);
});

test('finds failures by one click, by method and by origin', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  await page.getByRole('button', { name: 'Failed only' }).click();
  await expect(page.getByText('10 of 60 requests')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Outcome' })).toHaveValue('problems');
  await notify(page, [{ seq: 1 }, { seq: 2, status: 500 }]);
  await expect(page.getByText('11 of 62 requests')).toBeVisible();
  await page.getByRole('button', { name: 'Failed only' }).click();
  await page
    .getByRole('combobox', { name: 'Outcome' })
    .selectOption({ label: 'Rate limited (429), also before a retry' });
  await expect(requests(page).first()).toContainText('200, after 1 refusal');
  await page.getByRole('combobox', { name: 'Outcome' }).selectOption('any');
  await page.getByRole('combobox', { name: 'Operation' }).selectOption('Only POST');
  await expect(page.getByText('None of the 60 requests in the log matches these filters.')).toBeVisible();
  await page.getByRole('combobox', { name: 'Operation' }).selectOption('Only GET');
  await page.getByRole('button', { name: 'Request log' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Only those for: ahead' }).click();
  await expect(page.getByText('12 of 60 requests')).toBeVisible();
  await page.getByRole('button', { name: 'Remove For ahead' }).click();
  await expect(page.getByText('60 of 60 requests')).toBeVisible();
});

test('sorts the log by duration, and holds new requests back meanwhile', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  const head = page.getByRole('columnheader', { name: 'Network, ms' });
  await head.click();
  await head.click();
  await expect(head).toHaveAttribute('aria-sort', 'descending');
  await expect(requests(page).first()).toContainText('217');
  await notify(page, [{ seq: 1 }]);
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible();
  await expect(requests(page).first()).toContainText('217');
  await page.getByRole('button', { name: 'Newest first' }).click();
  await expect(page.getByRole('button', { name: 'Newest first' })).toHaveCount(0);
  await expect(head).not.toHaveAttribute('aria-sort', 'descending');
});

test('shows the heads of numeric columns completely at their default width', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  for (const name of ['Waited, ms', 'Network, ms']) {
    const head = page.getByRole('columnheader', { name });
    await head.click();
    await expect(head).toHaveAttribute('aria-sort', 'ascending');
    const isCut = () =>
      head.evaluate((element) =>
        [...element.querySelectorAll('*')].some(
          ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1,
        ),
      );
    await expect.poll(isCut, name).toBe(false);
  }
});

test('clears the log after a confirmation with the number of requests', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  await expect(page.getByText('60 requests', { exact: true })).toBeVisible();
  await logMenu(page, /^Clear the log…/);
  await expect(page.getByRole('dialog')).toContainText('60 requests of this connection are removed');
  await expect(page.getByRole('dialog')).toContainText('about the newest 10,000 are kept');
  await page.getByRole('button', { name: 'Clear the log' }).click();
  await expect(page.getByText('No requests sent on this connection yet.')).toBeVisible();
});

test('shows the headers of a request, copies its address, and opens its view', async ({ open }) => {
  const page = await open(ASKING_TAB);
  await openTraffic(page);
  await expect(requests(page).first()).toContainText('200');
  await page.getByRole('grid', { name: 'Requests' }).focus();
  await page.keyboard.press('Enter');
  await panel(page).getByText('Headers', { exact: true }).click();
  await expect(panel(page)).toContainText('Bearer [token]');
  await expect(panel(page)).toContainText('gunicorn');
  await panel(page).getByRole('button', { name: 'Copy from this request' }).click();
  await page.getByRole('menuitem', { name: 'Copy the address' }).click();
  const copied = await newestCall(page, 'app:copy-text');
  expect(copied['text']).toMatch(/^https:\/\/monitor\.example\.com\/v3\/applications\//);
  await panel(page).getByRole('button', { name: 'Copy from this request' }).click();
  await page.getByRole('menuitem', { name: 'Copy as curl for PowerShell' }).click();
  expect((await newestCall(page, 'traffic:copy-curl'))['shell']).toBe('powershell');
  await panel(page).getByRole('button', { name: 'View: Catalog' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Catalog');

  // The row menu offers the same, and opens the log filtered by the operation.
  await page.getByRole('tab', { name: 'Requests', exact: true }).click();
  await panel(page).getByRole('button', { name: 'Close the request' }).click();
  const acts = page.getByRole('menu', { name: 'Row' }).getByRole('menuitem');
  await requests(page).first().getByRole('gridcell').first().click({ button: 'right' });
  await expect(acts.first()).toContainText('Open request');
  await acts.filter({ hasText: 'Filter: Operation is “' }).click();
  await expect(page.getByRole('combobox', { name: 'Operation' })).not.toHaveValue('');
  await requests(page).first().getByRole('gridcell').first().click({ button: 'right' });
  await acts.filter({ hasText: 'Go to what requested it' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Catalog');
});

test('shows a request without a response above the log until it ends', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  const hear = (operation: string | null) =>
    page.evaluate((asked) => {
      const fake = globalThis as unknown as { fakeEvent: (channel: string, payload: unknown) => void };
      const connectionId = '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11';
      const silence = asked === null ? null : { operation: asked, sentAtMs: Date.now() - 75_000 };
      const state = { connectionId, state: 'online', sinceMs: 0, error: null, lastAnswerMs: null };
      fake.fakeEvent('connections:network-changed', { ...state, silence });
    }, operation);
  const log = page.getByRole('region', { name: 'Requests' });
  await expect(requests(page).first()).toContainText('200');
  await expect(log).not.toContainText('is waiting for an answer');
  await hear('GET /v3/applications');
  await expect(log).toContainText('GET /v3/applications is waiting for an answer. Sent 1 min ago.');
  await hear(null);
  await expect(log).not.toContainText('is waiting for an answer');
});
