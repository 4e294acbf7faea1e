/** The Requests view: lanes with their reasons, waiting groups, and their controls. */
import type { Page } from '@playwright/test';
import { expect, expectCalls, test } from './fixtures.ts';
import { ASKING_TAB, openTraffic } from './resource-steps.ts';

const lane = (page: Page, title: string) =>
  page.getByRole('region', { name: 'Rate limits' }).getByRole('row').filter({ hasText: title });
const status = (page: Page) => page.getByRole('contentinfo', { name: 'Status' });

test('shows use, waiting requests and reason of a lane', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  const catalog = lane(page, 'GET /v3/applications/{application_id}/catalog');
  await expect(catalog).toContainText('12 waiting (2 on screen, 10 ahead), longest 1.6 s · 4 in progress');
  await expect(catalog).toContainText('All 30 requests of a second are used');
  const second = catalog.getByRole('progressbar', { name: 'Catalog, 30 per second' });
  await expect(second).toHaveAttribute('aria-valuenow', '30');
  await expect(second).toHaveAttribute(
    'aria-valuetext',
    '30 of 30 used, 4 by another program with this token',
  );
  await expect(lane(page, 'POST /v3/events')).toContainText(
    'The service asked to wait. The next request can be sent at 10:34.',
  );
  await expect(lane(page, 'POST /v3/events')).toContainText('adapting, 2 at once');
  await expect(lane(page, 'DELETE /v3/events')).toBeHidden();
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(lane(page, 'POST /v3/spans/query')).toContainText('stated by service');
  await expect(lane(page, 'DELETE /v3/events')).toBeVisible();
  await expect(catalog).toBeVisible();
});

test('pauses and resumes one lane, and mentions it in the status bar', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  await page.getByRole('button', { name: 'Pause Catalog' }).press('Enter');
  await expect(lane(page, 'GET /v3/applications/{application_id}/catalog')).toContainText(
    'Paused: 12 requests will be sent when you resume it.',
  );
  await expect(page.getByText('Catalog is paused.')).toBeVisible();
  await page.getByRole('tab', { name: 'Catalog' }).click();
  await status(page).getByRole('button', { name: 'Catalog is paused' }).click();
  await page.getByRole('button', { name: 'Resume Catalog' }).press('Enter');
  await expect(page.getByText('Catalog is paused')).toHaveCount(0);
  const catalog = { operation: 'GET /v3/applications/{application_id}/catalog' };
  await expectCalls(page, 'traffic:control', [
    { action: 'pause', ...catalog },
    { action: 'resume', ...catalog },
  ]);
});

test('pauses all lanes by one button, with a banner until they are resumed', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  await page.getByRole('button', { name: 'Pause all' }).click();
  await expect(page.getByText('All requests are paused.')).toBeVisible();
  await expect(page.getByText('15 requests wait for it to end.')).toBeVisible();
  await expect(status(page)).toContainText('All requests are paused');
  // The button keeps the focus.
  await page.keyboard.press('Enter');
  await expect(page.getByText('All requests are paused')).toHaveCount(0);
});

test('lists waiting groups, opens their views, and moves them before or after others', async ({ open }) => {
  const page = await open(ASKING_TAB);
  await openTraffic(page);
  const upload = page.getByRole('list', { name: 'Waiting for Publish events' });
  await expect(upload).toContainText('3 waiting for 1 min');
  const choice = upload.getByRole('combobox', { name: /^Priority of/ });
  await choice.selectOption({ label: 'Before uploads' });
  await expect(choice).toHaveValue('outbox');
  await choice.selectOption({ label: 'Default' });
  await expect(choice).toHaveValue('own');
  await expectCalls(page, 'traffic:control', [
    { action: 'choose-priority', priority: 'outbox' },
    { action: 'choose-priority', priority: null },
  ]);
  const catalog = page.getByRole('list', { name: 'Waiting for Catalog' });
  await expect(catalog).toContainText('Preloading');
  await expect(catalog).toContainText('2 ahead of them');
  await catalog.getByRole('button', { name: 'View: Catalog' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Catalog');
});

test('shows the age of learned limits, and resets them on request', async ({ open }) => {
  const page = await open();
  await openTraffic(page);
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('button', { name: 'Limits of Spans: stated by service' }).click();
  await expect(page.getByText('The service states “20 per 1 second”')).toBeVisible();
  await expect(page.getByText(/^Last changed by an answer at 08:24/)).toBeVisible();
  await page.getByRole('button', { name: 'Forget what was learned' }).click();
  await expect(page.getByRole('button', { name: 'Limits of Spans: published' })).toBeVisible();
  await page.getByRole('button', { name: 'Limits of Applications: published' }).click();
  await expect(page.getByRole('button', { name: 'Forget what was learned' })).toHaveCount(0);
});

test('reports once why the service does not answer, with no lane at work', async ({ open }) => {
  const page = await open({ network: 'unreachable', traffic: 'cut-off' });
  await openTraffic(page);
  const view = page.getByRole('main');
  await expect(view.getByText('nothing waiting', { exact: true })).toBeVisible();
  await expect(view.getByText('1 of 5 kinds of requests in use or near a limit')).toBeVisible();
  await expect(view.getByText('The service did not answer. One request will try again in 30 s.')).toHaveCount(
    1,
  );
});

test('reports in place that nothing was sent yet or cannot be read', async ({ open }) => {
  const empty = await open({ traffic: 'empty' });
  await openTraffic(empty);
  await expect(empty.getByText('No requests sent on this connection yet.')).toBeVisible();
  const failed = await open({ traffic: 'failed' });
  await openTraffic(failed);
  await expect(failed.getByRole('alert').filter({ hasText: 'Could not load the rate limits' })).toBeVisible();
  await expect(failed.getByRole('alert').filter({ hasText: 'Could not load the request log' })).toBeVisible();
});
