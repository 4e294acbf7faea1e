/** Offline content survives three kills, and without the service it is then the same as at the service. */
import type { Page } from '@playwright/test';
import type { KeepEstimate, Kept } from '../../electron/shared/keep-model.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { ConnectionPage, WelcomePage, Workbench } from '../helpers/pages.ts';
import { openPlace } from '../helpers/places.ts';
import { expect, type TestService, test } from '../helpers/product.ts';
import { killRepeatedly } from '../helpers/repeated-kills.ts';

const OFFLINE = /^Age of this content: offline · as of/;
/** Number of rows in one message between the processes. */
const WINDOW = 200;
const SEARCHED = 'language';

async function connect(page: Page, service: TestService): Promise<Workbench> {
  await new WelcomePage(page).connect.click();
  await new ConnectionPage(page).connectTo(service);
  return new Workbench(page);
}

/** Sends a request on a channel, like the window. Throws if the answer is an error. */
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

/** Returns all rows of a list as the window reads them, without the service. */
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

/** Returns all rows of a list from the service. */
async function serviceRows(service: TestService, path: string, query: Record<string, string>) {
  const rows: unknown[] = [];
  for (;;) {
    const asked = new URLSearchParams({ ...query, limit: '100', offset: String(rows.length) });
    const answer = await fetch(`${service.baseUrl}${path}?${asked}`, {
      headers: { authorization: `Bearer ${service.token}` },
    });
    // The request must stay within the limits of the service, which the application may have used up.
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

const goOffline = (page: Page) => openPlace(page, 'Offline library');

const within = (guess: number, truth: number): number => Math.abs(guess - truth) / truth;

test("browses, searches and filters a kept application without the service after three kills, with the service's data", async ({
  launch,
  service,
}) => {
  test.slow();
  const first = await launch();
  const browsed = await connect(first.page, service);
  await browsed.row('Applications', 'Support assistant').dblclick();
  await first.page.getByRole('main').getByRole('button', { name: 'Keep offline' }).click();
  const dialog = first.page.getByRole('dialog', { name: 'Keep Support assistant offline' });
  const act = dialog.getByRole('button', { name: /^Keep offline, about/ });
  await expect(act).toBeEnabled();
  // The view itself has no more requests, so the faults affect only the offline content.
  await browsed.expectQuiet();
  // Since the previous start, at most one list has been read to its end.
  const hangs = Array.from({ length: 3 }, () => ({ after: 2 }));
  let { app, page } = await killRepeatedly(first, {
    ...{ launch, service, operation: 'catalog.list', hangs },
    begin: () => act.click(),
    isHalfWay: async (window) => (await keptOf(window)).length === 1,
  });
  await goOffline(page);
  const row = page.getByRole('row', { name: /Support assistant/ });
  await expect(row).toContainText('rows, complete', { timeout: 90_000 });
  await page.getByRole('button', { name: 'Test offline' }).click();
  await expect(page.getByRole('region', { name: 'Last test' })).toContainText('no gaps');

  const [kept] = await keptOf(page);
  if (kept === undefined) throw new Error('Expected one entry.');
  const estimate = await ask<KeepEstimate>(page, 'jobs:plan', { kind: 'keep-offline', plan: kept.plan });
  expect(estimate.questions).toBe(kept.counts.questions);
  expect(within(estimate.sizeBytes, kept.counts.sizeBytes)).toBeLessThan(0.1);

  const path = { application_id: kept.plan.id };
  const filters = [{}, { entity_type: 'attribute' }, { search: SEARCHED }, { data_type: 'numeric' }];
  const wanted: unknown[][] = [];
  service.expectClean();
  for (const query of filters)
    wanted.push(await serviceRows(service, `/v3/applications/${kept.plan.id}/catalog`, query));
  // The requests of the test itself did not respect the limits.
  service.now.clearReport();
  await app.close();
  await service.stop();

  ({ app, page } = await launch());
  const bench = new Workbench(page);
  await bench.tab('Support assistant').click();
  await page.keyboard.press('Control+r');
  await expect(bench.age).toHaveAccessibleName(OFFLINE);
  for (const [index, query] of filters.entries())
    expect(await storedRows(page, { operation: 'catalog.list', path, query })).toEqual(wanted[index]);
  const { view } = bench;
  const box = view.getByRole('textbox', { name: 'Filter the loaded entities' });
  await box.fill(SEARCHED);
  await box.press('Enter');
  await expect(view.getByText(`${wanted[2]?.length ?? 0} entities`, { exact: true })).toBeVisible();
  await expect(bench.rowAt(/^Entities of/, 1)).toContainText(SEARCHED);
  await goOffline(page);
  await page.getByRole('button', { name: 'Test offline' }).click();
  await expect(page.getByRole('region', { name: 'Last test' })).toContainText('no gaps');
  await service.start();
});
