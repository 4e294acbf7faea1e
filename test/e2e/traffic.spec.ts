/** Requests and their limits at a real service: shown, paused, planned, and kept over a restart. */
import * as fs from 'node:fs';
import type { Locator, Page, TestInfo } from '@playwright/test';
import { toField } from '../../renderer/lib/schedule.ts';
import { goAhead, HOUR_MS, MINUTE_MS, startedAhead } from '../helpers/clock-ahead.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, TestService, test } from '../helpers/product.ts';
import { dropFiles, jobsOf, UploadPage } from '../helpers/upload-pages.ts';

class TrafficPage {
  readonly view: Locator;
  readonly lanes: Locator;
  readonly request: Locator;
  readonly #bench: Workbench;

  constructor(page: Page) {
    this.#bench = new Workbench(page);
    this.view = this.#bench.view;
    this.lanes = this.view.getByRole('region', { name: 'Rate limits' }).getByRole('row');
    this.request = this.view.getByRole('complementary', { name: 'Request' });
  }

  rows(text: string | RegExp): Locator {
    return this.#bench.row('Requests', text);
  }

  /** Finds cells with this number in the column of attempts, as other columns contain such numbers too. */
  async attempts(count: number): Promise<Locator> {
    const column = await this.view
      .getByRole('columnheader', { name: 'Attempts' })
      .getAttribute('aria-colindex');
    return this.#bench.page.locator(`[role=gridcell][aria-colindex="${column}"]`, {
      hasText: new RegExp(`^${count}$`),
    });
  }

  button(name: string | RegExp): Locator {
    return this.view.getByRole('button', { name });
  }
}

async function connect(page: Page, service: TestService): Promise<Workbench> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  const bench = new Workbench(page);
  await expect(bench.row('Applications', 'Support assistant')).toBeVisible();
  return bench;
}

/** Requests a list from the main process like a view does, while another view is shown. */
function refresh(page: Page, operation: string): Promise<unknown> {
  return page.evaluate(async (wanted) => {
    const list = await window.spandeck?.invoke('connections:list', undefined);
    const connectionId = (list as { value: { activeId: string } }).value.activeId;
    const query = { operation: wanted, path: {}, query: {} };
    return window.spandeck?.invoke('library:open-list', {
      connectionId,
      viewId: 'test',
      query,
      refresh: 'always',
    });
  }, operation);
}

const publishes = (service: TestService): number =>
  service.now.report().operations['events.publish']?.requests ?? 0;

/** Drops a file and checks it. If a previous file had the same columns, its model is chosen automatically. */
async function checkFile(
  page: Page,
  testInfo: TestInfo,
  { name, rows, isRecalled = false }: { name: string; rows: number; isRecalled?: boolean },
): Promise<UploadPage> {
  const source = testInfo.outputPath(name);
  fs.writeFileSync(source, churnCsv(rows));
  await dropFiles(page, [source]);
  const upload = new UploadPage(page);
  await expect(upload.preview).toBeVisible();
  if (!isRecalled) await upload.checkFor('Bank churn');
  else {
    await upload.button('Next: columns').click();
    await expect(upload.model).toHaveValue('Bank churn');
    await expect(upload.result).toBeVisible();
  }
  return upload;
}

test('shows requests as they end, and reads the log after a restart without the service', async ({
  launch,
  service,
}) => {
  const first = await launch();
  const bench = await connect(first.page, service);
  await bench.go('Requests');
  const traffic = new TrafficPage(first.page);
  await expect(traffic.rows('/v3/applications')).toHaveCount(1);
  await traffic.button('Show all').click();
  await expect(traffic.lanes.filter({ hasText: 'GET /v3/applications' })).toContainText('published');
  service.now.setFaults([
    {
      match: { operation: 'datasets.list' },
      times: 1,
      action: { type: 'status', status: 429, retryAfterS: 1 },
    },
  ]);
  await refresh(first.page, 'datasets.list');
  // The start page may have requested the datasets too, but this request was sent twice.
  const twice = traffic.rows('/v3/evals/datasets').filter({ hasText: '200', has: await traffic.attempts(2) });
  await expect(twice).toBeVisible();
  await first.close();
  await service.stop();

  const { app, page } = await launch();
  const again = new TrafficPage(page);
  await expect(new Workbench(page).heading).toHaveText('Requests');
  // Failing requests of the start itself appear at the top and move the other rows down.
  await again.view.getByRole('textbox', { name: 'Find in requests' }).fill('evals/datasets');
  await expect(again.rows(/\/v3\/(?!evals\/datasets)/)).toHaveCount(0);
  await again
    .rows('/v3/evals/datasets')
    .filter({ hasText: '200', has: await again.attempts(2) })
    .dblclick();
  await expect(again.request).toContainText('429, rate limit reached');
  await expect(again.request).toContainText('Retry-After');
  await expect(again.request).toContainText('Sent again: Refused with 429');
  let command = '';
  // The clipboard is shared, so another program may have written to it in the meantime.
  await expect(async () => {
    await again.request.getByRole('button', { name: 'Copy as curl' }).click();
    await expect(page.getByText('curl command copied').first()).toBeVisible();
    command = await app.evaluate(({ clipboard }) => clipboard.readText());
    expect(command).toContain('/v3/evals/datasets');
  }).toPass();
  expect(command).toContain('SPANDECK_TOKEN');
  expect(command).not.toContain(service.token);
  expect(await page.content()).not.toContain(service.token);
  await service.start();
});

test("shows the service's counts and remaining limits in the lanes", async ({ shared, service }) => {
  const { page } = shared;
  const startedAt = performance.now();
  const bench = await connect(page, service);
  for (let round = 0; round < 3; round += 1) await refresh(page, 'applications.list');
  await bench.go('Requests');
  const traffic = new TrafficPage(page);
  const counted = () => service.now.report().operations['applications.list']?.requests ?? 0;
  await traffic.button('Show all').click();
  const minute = traffic.lanes
    .filter({ hasText: 'GET /v3/applications' })
    .first()
    .getByRole('progressbar', { name: 'Applications, 1,000 per minute' });
  await expect.poll(counted).toBeGreaterThan(1);
  // Another request may be in flight while the two counts are compared.
  await expect(async () => {
    // The lane counts the requests of the last minute, which on a busy computer are not all of them.
    const isWithinMinute = performance.now() - startedAt < 50_000;
    if (!isWithinMinute) await refresh(page, 'applications.list');
    const count = counted();
    const soon = { timeout: 2_000 };
    if (isWithinMinute) await expect(minute).toHaveAttribute('aria-valuenow', String(count), soon);
    const used = Number(await minute.getAttribute('aria-valuenow'));
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThanOrEqual(count);
    await expect(minute).toHaveAttribute('aria-valuetext', `${used} of 1,000 used`, soon);
    await expect(traffic.rows('/v3/applications?')).toHaveCount(count, soon);
    expect(counted()).toBe(count);
  }).toPass();
});

test('opens the request of an error notice, and the view of the request', async ({ shared, service }) => {
  const { page } = shared;
  const bench = await connect(page, service);
  service.now.setFaults([
    { match: { operation: 'evaluators.list' }, action: { type: 'status', status: 404 } },
  ]);
  await bench.go('Evaluators');
  const alert = bench.view.getByRole('alert').first();
  await alert.getByText('Details', { exact: true }).click();
  await alert.getByRole('button', { name: 'Show the request' }).click();
  const traffic = new TrafficPage(page);
  await expect(bench.heading).toHaveText('Requests');
  await expect(traffic.request).toContainText('404');
  await expect(traffic.view.getByText(/^1 of \d+ requests?$/)).toBeVisible();
  await traffic.request.getByRole('button', { name: 'View: Evaluators' }).click();
  await expect(bench.heading).toHaveText('Evaluators');
  service.now.setFaults([]);
});

test('learns a limit lowered by an administrator, shows its time, and resets it', async ({
  shared,
  service,
}) => {
  await service.stop();
  const low = new TestService({
    limits: { categories: { 'metadata-read': [{ count: 6, lengthMs: 1_000 }] } },
  });
  await low.start();
  const { page } = shared;
  const bench = await connect(page, low);
  await bench.go('Requests');
  const traffic = new TrafficPage(page);
  await traffic.button('Show all').click();
  const lane = traffic.lanes.filter({ hasText: 'GET /v3/applications' }).first();
  await expect(lane.getByRole('progressbar', { name: 'Applications, 6 per second' })).toBeVisible();
  await lane.getByRole('button', { name: 'Limits of Applications: stated by service' }).click();
  await expect(page.getByText('The service states “6 per 1 second”')).toBeVisible();
  await page.getByRole('button', { name: 'Forget what was learned' }).click();
  await expect(lane.getByRole('progressbar', { name: 'Applications, 30 per second' })).toBeVisible();
  await refresh(page, 'applications.list');
  await expect(lane.getByRole('progressbar', { name: 'Applications, 6 per second' })).toBeVisible();
  low.expectClean();
  await low.stop();
  await service.start();
});

test('shows that an upload waits for its paused lane, and continues when it is resumed', async ({
  shared,
  service,
}, testInfo) => {
  const { page } = shared;
  const bench = await connect(page, service);
  await (await checkFile(page, testInfo, { name: 'first.csv', rows: 300 })).send(300);
  await new UploadPage(page).expectDone();
  const before = publishes(service);

  await bench.go('Requests');
  const traffic = new TrafficPage(page);
  await traffic.button('Show all').click();
  await traffic.button('Pause Publish events').click();
  await expect(traffic.view.getByText('Publish events is paused.')).toBeVisible();
  const upload = await checkFile(page, testInfo, { name: 'second.csv', rows: 400, isRecalled: true });
  await upload.send(400);
  await expect(upload.view.getByText('Requests of this upload are paused')).toBeVisible();
  await expect(bench.status.getByRole('button', { name: 'Publish events is paused' })).toBeVisible();
  await bench.status.getByRole('button', { name: 'Publish events is paused' }).click();
  await expect(traffic.lanes.filter({ hasText: 'POST /v3/events' })).toContainText(
    'Paused: 1 request will be sent when you resume it.',
  );
  expect(publishes(service)).toBe(before);

  await bench.tab('second.csv').click();
  await upload.button('Resume').click();
  await upload.expectDone();
  await expect(bench.status).not.toContainText('paused');
  expect(publishes(service)).toBe(before + 1);
});

test('starts a planned upload when it is due, in the open window or at the next start', async ({
  launch,
  service,
}, testInfo) => {
  const first = await launch(startedAhead(0));
  let { page } = first;
  const bench = await connect(page, service);
  const plan = async (
    file: { name: string; rows: number; isRecalled?: boolean },
    hours: number,
  ): Promise<UploadPage> => {
    const upload = await checkFile(page, testInfo, file);
    await upload.button('Next: send').click();
    await upload.view.getByText('Start later', { exact: true }).click();
    await upload.view.getByLabel('Starts at').fill(toField(Date.now() + hours * HOUR_MS));
    await expect(upload.view.getByText('1 (Publish events)')).toBeVisible();
    await upload.button(`Send ${file.rows} rows later`).click();
    await expect(upload.view.getByText(/^This upload starts at/)).toBeVisible();
    return upload;
  };
  const startOf = async (name: string): Promise<number> =>
    (await jobsOf(page)).find(({ fileName }) => fileName === name)?.startAtMs ?? 0;

  const upload = await plan({ name: 'due.csv', rows: 300 }, 1);
  await expect(bench.status.getByRole('button', { name: '1 scheduled' })).toBeVisible();
  await plan({ name: 'missed.csv', rows: 400, isRecalled: true }, 3);
  await expect(bench.status.getByRole('button', { name: '2 scheduled' })).toBeVisible();
  expect(await startOf('due.csv')).toBeGreaterThan(Date.now());
  expect(publishes(service)).toBe(0);

  await bench.tab('due.csv').click();
  await goAhead(first.app, HOUR_MS + MINUTE_MS);
  await upload.expectDone();
  await expect(bench.status.getByRole('button', { name: '1 scheduled' })).toBeVisible();
  expect(publishes(service)).toBe(1);
  await bench.tab('missed.csv').click();
  await expect(upload.view.getByText(/^This upload starts at/)).toBeVisible();
  await first.close();
  expect(publishes(service)).toBe(1);

  ({ page } = await launch(startedAhead(3 * HOUR_MS + MINUTE_MS)));
  const again = new UploadPage(page);
  await again.expectDone();
  const stored = service.now.events((await jobsOf(page))[0]?.plan.modelId ?? '');
  expect(stored.count).toBe(700);
});
