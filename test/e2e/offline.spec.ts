/** What is kept offline, in the window: through three kills, and then without the service as the service had it. */
import type { Page } from '@playwright/test';
import type { KeepEstimate, Kept } from '../../electron/shared/keep-model.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { expect, type TestService, test } from '../helpers/product.ts';

const OFFLINE = /^Age of this content: offline · as of/;
/** Rows of one message between the processes. */
const WINDOW = 200;
const SEARCHED = 'language';

async function connect(page: Page, service: TestService): Promise<Workbench> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  return new Workbench(page);
}

/** Calls a channel as the window does; fails where it answers with an error. */
async function ask<T>(page: Page, channel: string, argument: Record<string, unknown>): Promise<T> {
  const answer = await page.evaluate(
    async ([name, given]) => {
      const invoke = window.spandeck?.invoke as (channel: string, argument: unknown) => Promise<unknown>;
      const list = (await invoke('connections:list', undefined)) as { value: { activeId: string } };
      return await invoke(name, { connectionId: list.value.activeId, ...given });
    },
    [channel, argument] as const,
  );
  expect(answer).toMatchObject({ ok: true });
  return (answer as { value: T }).value;
}

/** Every row of a list as the window reads it, without the service. */
async function storedRows(page: Page, query: ListQuery): Promise<unknown[]> {
  await ask(page, 'library:open-list', { viewId: 'crawler', query, refresh: 'never' });
  const rows: unknown[] = [];
  for (;;) {
    const window = { offset: rows.length, limit: WINDOW, sort: null, narrow: null };
    const found = await ask<{ rows: { record: unknown }[] }>(page, 'library:read-rows', { query, window });
    if (found.rows.length === 0) return rows;
    rows.push(...found.rows.map(({ record }) => record));
  }
}

/** Every row of a list as the service has it. */
async function serviceRows(service: TestService, path: string, query: Record<string, string>) {
  const rows: unknown[] = [];
  for (;;) {
    const asked = new URLSearchParams({ ...query, limit: '100', offset: String(rows.length) });
    const answer = await fetch(`${service.baseUrl}${path}?${asked}`, {
      headers: { authorization: `Bearer ${service.token}` },
    });
    // Within its limits, which the application may have used up.
    if (answer.status === 429) {
      const waitMs = Number(answer.headers.get('retry-after') ?? 1) * 1_000;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      continue;
    }
    const { data } = (await answer.json()) as { data: { items: unknown[]; total: number } };
    rows.push(...data.items);
    if (rows.length >= data.total || data.items.length === 0) return rows;
  }
}

const keptOf = async (page: Page): Promise<Kept[]> => {
  const all = { kinds: ['keep-offline'], states: null, search: null, offset: 0, limit: 100 };
  return (await ask<{ jobs: { own: Kept }[] }>(page, 'jobs:list', all)).jobs.map(({ own }) => own);
};

const goOffline = (page: Page) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Offline' }).click();

/** Keeps what a page shows, as it is proposed; answers what that was estimated to cost. */
async function keepShown(page: Page, name: string): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Keep offline' }).click();
  const dialog = page.getByRole('dialog', { name: `Keep ${name} offline` });
  await dialog.getByRole('button', { name: /^Keep offline, about/ }).click();
  await expect(dialog).toBeHidden();
}

const within = (guess: number, truth: number): number => Math.abs(guess - truth) / truth;

test('an application kept through three kills is browsed, searched and filtered without the service as the service had it', async ({
  launch,
  service,
}) => {
  test.slow();
  let { app, page } = await launch();
  let bench = await connect(page, service);
  await bench.row('Applications', 'Support assistant').dblclick();
  await page.getByRole('main').getByRole('button', { name: 'Keep offline' }).click();
  const dialog = page.getByRole('dialog', { name: 'Keep Support assistant offline' });
  const act = dialog.getByRole('button', { name: /^Keep offline, about/ });
  await expect(act).toBeEnabled();
  for (const kill of [0, 1, 2]) {
    service.now.setFaults([
      { match: { operation: 'catalog.list' }, after: 2, times: 1, action: { type: 'hang' } },
    ]);
    service.now.clearReport();
    if (kill === 0) await act.click();
    else ({ app, page } = await launch());
    await expect.poll(() => service.now.report().faults, { timeout: 60_000 }).toBe(1);
    const ended = app.waitForEvent('close');
    app.process().kill('SIGKILL');
    await ended;
    service.expectClean();
  }
  service.now.setFaults([]);
  ({ app, page } = await launch());
  bench = new Workbench(page);
  await goOffline(page);
  const row = page.getByRole('row', { name: /Support assistant/ });
  await expect(row).toContainText('rows, complete', { timeout: 90_000 });
  await page.getByRole('button', { name: 'Test it' }).click();
  await expect(page.getByRole('region', { name: 'Last test' })).toContainText('no gaps');

  const [kept] = await keptOf(page);
  if (kept === undefined) throw new Error('Expected one entry.');
  const estimate = await ask<KeepEstimate>(page, 'keep:estimate', { plan: kept.plan });
  expect(estimate.questions).toBe(kept.counts.questions);
  expect(within(estimate.sizeBytes, kept.counts.sizeBytes)).toBeLessThan(0.1);

  const path = { application_id: kept.plan.id };
  const filters = [{}, { entity_type: 'attribute' }, { search: SEARCHED }, { data_type: 'numeric' }];
  const wanted: unknown[][] = [];
  for (const query of filters)
    wanted.push(await serviceRows(service, `/v3/applications/${kept.plan.id}/catalog`, query));
  await app.close();
  await service.stop();

  ({ app, page } = await launch());
  bench = new Workbench(page);
  await bench.tab('Support assistant').click();
  await expect(bench.age).toHaveAccessibleName(OFFLINE, { timeout: 60_000 });
  for (const [index, query] of filters.entries())
    expect(await storedRows(page, { operation: 'catalog.list', path, query })).toEqual(wanted[index]);
  const { view } = bench;
  await view.getByRole('textbox', { name: 'Search names' }).fill(SEARCHED);
  await expect(view.getByText(`${wanted[2]?.length ?? 0} entities`, { exact: true })).toBeVisible();
  await expect(bench.rows(/^Entities of/).first()).toContainText(SEARCHED);
  await goOffline(page);
  await page.getByRole('button', { name: 'Test it' }).click();
  await expect(page.getByRole('region', { name: 'Last test' })).toContainText('no gaps');
  await service.start();
});

test('every view of a dataset, a model and an alert rule that are kept opens without the service', async ({
  launch,
  service,
}) => {
  test.slow();
  let { app, page } = await launch();
  let bench = await connect(page, service);
  await bench.go('Datasets');
  await bench.row('Datasets', 'Support answers, golden set').dblclick();
  await keepShown(page, 'Support answers, golden set');
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('button', { name: 'Models' }).click();
  await bench.row('Models', 'Bank churn').first().dblclick();
  await keepShown(page, 'Bank churn');
  await bench.go('Alert rules');
  const rule = bench.rows('Alert rules').first();
  const name = await rule.getByRole('gridcell').first().innerText();
  await rule.getByRole('gridcell').first().dblclick();
  await expect(bench.heading).toHaveText(name);
  await keepShown(page, name);
  await goOffline(page);
  await expect(page.getByText('rows, complete')).toHaveCount(3, { timeout: 60_000 });
  for (const tab of await page.getByRole('tablist', { name: 'Open tabs' }).getByRole('tab').all())
    expect(await tab.innerText()).not.toBe('');
  await app.close();
  await service.stop();

  ({ app, page } = await launch());
  bench = new Workbench(page);
  const pages = [
    { title: 'Support answers, golden set', parts: /^(Items|Schema|Details)/ },
    {
      title: 'Bank churn',
      parts: /^(Details|Environments|Baselines|Custom metrics|Metrics|Schema|Alert rules)/,
    },
    { title: name, parts: /^(Timeline|Records|Fields)/ },
  ];
  for (const { title, parts } of pages) {
    await goOffline(page);
    await page.getByRole('main').getByRole('button', { name: title, exact: true }).click();
    await expect(bench.heading).toHaveText(title);
    const list = bench.view.getByRole('tablist').getByRole('tab', { name: parts });
    for (const part of await list.all()) {
      await part.click();
      await expect(bench.view.getByText(/not stored/)).toHaveCount(0);
      await expect(bench.view.locator('[aria-busy="true"]')).toHaveCount(0);
    }
  }
  await service.start();
});
