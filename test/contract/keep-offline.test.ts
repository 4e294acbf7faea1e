/** Data that is kept offline: it is complete despite kills, changes and lost networks, and is never evicted. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { ENTITY_TYPES } from '../../electron/shared/catalog-entity.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { Kept } from '../../electron/shared/keep-model.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { entities } from '../helpers/catalog-lists.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { KeepRig, type KeepRigOptions, planFor } from '../helpers/keep-rig.ts';
import { Lives } from '../helpers/lives.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { type Script, ScriptedServer, sendJson, sendPage } from '../helpers/scripted-server.ts';

const HOUR = 3_600_000;
const lives = new Lives('keep-child.ts');
let raw: RawService;
let folder: DataFolder;
let rigs: KeepRig[] = [];

beforeEach(async () => {
  raw = await RawService.start();
  folder = new DataFolder();
});
afterEach(async () => {
  lives.killAll();
  for (const rig of rigs) await rig[Symbol.asyncDispose]();
  rigs = [];
  await raw.service.stop();
  folder[Symbol.dispose]();
});

function open(options: Partial<KeepRigOptions> = {}): KeepRig {
  const rig = new KeepRig({ baseUrl: raw.service.baseUrl, token: TOKEN, folder, ...options });
  rigs.push(rig);
  return rig;
}

async function named(operation: OperationId, name: string): Promise<string> {
  const { items } = await raw.page(raw.path(operation, {}, '?limit=1000'));
  return String(items.find((item) => item['name'] === name)?.['id']);
}

/** Every row of a list, as the service has it. */
async function atService(query: ListQuery): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (;;) {
    const asked = new URLSearchParams({ ...query.query, limit: '1000', offset: String(rows.length) });
    const page = await raw.page(raw.path(query.operation as OperationId, { ...query.path }, `?${asked}`));
    rows.push(...page.items);
    if (rows.length >= page.total || page.items.length === 0) return rows;
  }
}

const catalogOf = (id: string, query: Record<string, string> = {}): ListQuery => ({
  operation: 'catalog.list',
  path: { application_id: id },
  query,
});
const itemsOf = (id: string): ListQuery => ({
  operation: 'datasets.items',
  path: { dataset_id: id },
  query: {},
});

describe('an application of thousands of entities', () => {
  test('killed three times, resumed, then without a service: row for row what the service has', async () => {
    const id = await named('applications.list', 'Support assistant');
    const next = seededNumbers(4711);
    const before = open({ blockingError: () => new AppError('OFFLINE', 'Not yet.', { outcome: 'unsent' }) });
    const { keptId } = before.keep.start(planFor({ kind: 'application', id }), null);
    await before.keep.stop();
    const args = { url: raw.service.baseUrl, token: TOKEN, folder: folder.path, kept: keptId };
    for (let kill = 0; kill < 3; kill += 1) await lives.live(args, 5 + Math.floor(next() * 9));
    expect(await lives.live(args, null)).toBe('ended done');

    const lists = [
      catalogOf(id),
      catalogOf(id, { entity_type: 'attribute' }),
      catalogOf(id, { entity_type: 'span_name' }),
      { operation: 'attributes.list', path: {}, query: {} },
    ];
    const asked = raw.service.report().operations['catalog.list']?.requests;
    const wanted: unknown[][] = [];
    for (const query of lists) wanted.push(await atService(query));
    let pages = 0;
    for (const type of ['', ...ENTITY_TYPES]) {
      const query = catalogOf(id, type === '' ? {} : { entity_type: type });
      pages += Math.max(1, Math.ceil((await atService(query)).length / 100));
    }
    // It continued at the page at which it was killed: each process requested again at most the page in flight.
    expect(asked).toBeGreaterThanOrEqual(pages);
    expect(asked).toBeLessThanOrEqual(pages + 3);
    await raw.service.stop();
    const after = open();
    for (const [index, query] of lists.entries()) expect(await after.stored(query)).toEqual(wanted[index]);
    expect(wanted[0]).toHaveLength(3_200);
    const test = await after.keep.test(null);
    expect(test).toMatchObject({ gapCount: 0, gaps: [] });
    expect(test.rows).toBeGreaterThan(6_000);
  });
});

/** Lists of many lengths: 240 entities, each with its own values. */
const answers: Script = (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://x');
  if (pathname.endsWith('/catalog')) return sendPage(response, entities(240), request);
  const name = searchParams.get('name');
  if (name !== null) {
    const rows = 5 + (Number(name.slice(-3)) % 40);
    return sendPage(
      response,
      entities(rows, 0, `value of ${name}`).map((each) => ({ value: each['name'] })),
      request,
    );
  }
  if (pathname.endsWith('/metrics') || /applications\/[^/]+$/.test(pathname))
    return sendJson(response, 200, {
      api_version: '3.0',
      kind: 'NORMAL',
      data: { id: 'a', name: 'A', metrics: [] },
    });
  return sendPage(
    response,
    entities(30).map((each, index) => ({ ...each, id: `id ${index}` })),
    request,
  );
};

describe('the cost of keeping data', () => {
  test('is predicted within a tenth, for stored and missing data', async () => {
    await using server = await ScriptedServer.start(answers);
    const plan = planFor({ kind: 'application', id: 'a', withValues: true });
    const rig = open({ baseUrl: server.baseUrl });
    const estimate = await rig.keep.estimate(plan);
    const looked = server.received.length;
    expect(looked).toBeLessThan(35);
    const { counts, state } = await rig.kept(plan);
    expect({ state, failed: counts.failed }).toEqual({ state: 'done', failed: 0 });
    expect(within(estimate.requests, server.received.length)).toBeLessThan(0.1);
    expect(estimate.questions).toBe(counts.questions);
    expect(within(estimate.sizeBytes, counts.sizeBytes)).toBeLessThan(0.1);
    // By now all totals are stored, so no request is sent.
    const asked = server.received.length;
    const again = await rig.keep.estimate(plan);
    expect(server.received).toHaveLength(asked);
    expect(within(again.sizeBytes, counts.sizeBytes)).toBeLessThan(0.1);
  });

  const within = (guess: number, truth: number) => Math.abs(guess - truth) / truth;
});

describe('data kept for several reasons', () => {
  test('removing an entry never removes data that another needs; the last one removes it', async () => {
    const [one = '', other = ''] = await datasetIds();
    const rig = open();
    const kept = await rig.kept(planFor({ kind: 'dataset', id: one }));
    const second = await rig.kept(planFor({ kind: 'dataset', id: other }));
    const all = await rig.stored(DATASETS);
    expect(all.length).toBeGreaterThan(1);
    rig.keep.drop(kept.keptId);
    await expect.poll(() => rig.stored(itemsOf(one))).toEqual([]);
    expect(await rig.stored(DATASETS)).toEqual(all);
    expect((await rig.stored(itemsOf(other))).length).toBeGreaterThan(0);
    expect(await rig.keep.test(null)).toMatchObject({ gapCount: 0, questions: 4 });
    rig.keep.drop(second.keptId);
    await expect.poll(() => rig.stored(DATASETS)).toEqual([]);
    expect(rig.keep.list()).toEqual([]);
  });

  test('a removal in a window can be undone for ten minutes, completely and without the service', async () => {
    const [one = '', other = ''] = await datasetIds();
    const waits: (() => void)[] = [];
    const setTimer: KeepRigOptions['setTimer'] = (callback, delayMs) => {
      if (delayMs < 600_000) return systemClock.setTimer(callback, delayMs);
      waits.push(callback);
      return () => void waits.splice(waits.indexOf(callback), 1);
    };
    const rig = open({ setTimer });
    const { keptId } = await rig.kept(planFor({ kind: 'dataset', id: one }));
    const second = await rig.kept(planFor({ kind: 'dataset', id: other }));
    const rows = await rig.stored(itemsOf(one));
    const before = rig.keep.get(keptId);
    const { keptBytes } = rig.keep.space();
    await raw.service.stop();
    rig.keep.softDelete(keptId);
    expect(rig.keep.list().map((each) => each.keptId)).toEqual([second.keptId]);
    expect(rig.keep.space().keptBytes).toBeLessThan(keptBytes);
    expect(rig.keep.restore(keptId)).toEqual(before);
    expect(waits).toEqual([]);
    expect(await rig.stored(itemsOf(one))).toEqual(rows);
    expect(await rig.keep.test(keptId)).toMatchObject({ gapCount: 0, questions: before.counts.questions });

    rig.keep.softDelete(keptId);
    // The command line, which removes unneeded entries at once, does not remove this one.
    const beside = open();
    beside.keep.recover(false);
    beside.keep.drop(second.keptId);
    await expect.poll(() => beside.stored(itemsOf(other))).toEqual([]);
    expect(await beside.stored(itemsOf(one))).toEqual(rows);
    waits[0]?.();
    await expect.poll(() => rig.stored(itemsOf(one))).toEqual([]);
    expect(() => rig.keep.restore(keptId)).toThrow('dropped too long ago');
  });

  test('removed data is deleted at the next start of a window', async () => {
    const [one = ''] = await datasetIds();
    const rig = open();
    const { keptId } = await rig.kept(planFor({ kind: 'dataset', id: one }));
    rig.keep.softDelete(keptId);
    await rig[Symbol.asyncDispose]();
    rigs = [];
    const next = open();
    next.keep.recover(true);
    await expect.poll(() => next.stored(itemsOf(one))).toEqual([]);
    expect(() => next.keep.restore(keptId)).toThrow('dropped too long ago');
  });

  test('a tab that shows a removed list keeps it', async () => {
    const [one = ''] = await datasetIds();
    const rig = open();
    const { keptId } = await rig.kept(planFor({ kind: 'dataset', id: one }));
    rig.library.openTabIds = ['t1'];
    await rig.library.read(itemsOf(one), 'never', 'tab-t1.items');
    rig.keep.drop(keptId);
    await expect.poll(() => rig.stored(DATASETS)).toEqual([]);
    expect((await rig.stored(itemsOf(one))).length).toBeGreaterThan(0);
  });

  test('kept data is not evicted in favour of viewed data', async () => {
    const [one = '', other = ''] = await datasetIds();
    const rig = open();
    await rig.kept(planFor({ kind: 'dataset', id: one }));
    rig.library.settings.mostListBytes = 1;
    rig.library.aheadMs += 60_000;
    await rig.library.read(itemsOf(other), 'always', 'view');
    await rig.library.read(
      catalogOf(await named('applications.list', 'Claims triage agent')),
      'always',
      'view',
    );
    expect(await rig.stored(itemsOf(other))).toEqual([]);
    expect(await rig.keep.test(null)).toMatchObject({ gapCount: 0 });
    const { keptBytes, limitBytes } = rig.keep.space();
    expect(keptBytes).toBeGreaterThan(limitBytes);
  });
});

describe('the page of an entry', () => {
  test('removing: the data to delete, and the data that stays with the entry that needs it', async () => {
    const [one = '', other = ''] = await datasetIds();
    const rig = open();
    const { keptId, counts } = await rig.kept(planFor({ kind: 'dataset', id: one, name: 'One' }));
    // A record counts too.
    expect(rig.keep.space().keptBytes).toBe(counts.sizeBytes);
    const goesBytes = counts.sizeBytes;
    expect(rig.keep.planDrop(keptId)).toEqual({ goes: 4, goesBytes, stays: 0, others: [] });
    await rig.kept(planFor({ kind: 'dataset', id: other, name: 'Other' }));
    expect(rig.keep.planDrop(keptId)).toMatchObject({ goes: 3, stays: 1, others: ['Other'] });
  });

  test('space by kind, remaining requests, and the share of each limit', async () => {
    const [one = '', other = ''] = await datasetIds();
    const windows = [{ count: 30, lengthMs: 1_000 }];
    const rig = open({ windows });
    rig.keepShare = 1 / 3;
    await rig.kept(planFor({ kind: 'dataset', id: one }));
    rig.library.settings.mostListBytes = 1;
    await rig.library.read(itemsOf(other), 'always', 'view');
    await rig.library.read(
      catalogOf(await named('applications.list', 'Claims triage agent')),
      'always',
      'view',
    );
    const { kinds, keptBytes, left, leftCount, shares } = rig.keep.space();
    expect(kinds.items).toBeGreaterThan(0);
    expect(kinds.catalog).toBe(0);
    expect(kinds.items + kinds.rest).toBe(keptBytes);
    expect(leftCount).toBe(left.length);
    expect(left.map(({ query }) => query)).toContainEqual(itemsOf(other));
    expect(left.every(({ sizeBytes }) => sizeBytes > 0)).toBe(true);
    expect(shares).toContainEqual({ operation: 'catalog.list', ...windows[0], allowed: 10 });
  });

  test('values of chosen entities alone', async () => {
    const id = await named('applications.list', 'Support assistant');
    const { items } = await raw.page(raw.path('catalog.list', { application_id: id }, '?limit=2'));
    const chosen = items.map((item) => ({ name: String(item['name']), type: 'attribute' }));
    const rig = open();
    const plan = planFor({ kind: 'application', id, withValues: true, entities: chosen });
    const { counts } = await rig.kept(plan);
    const without = await rig.kept(planFor({ kind: 'application', id }));
    expect(counts.questions - without.counts.questions).toBe(chosen.length);
    expect(counts.failed).toBe(0);
  });
});

describe('keeping data offline', () => {
  test('two programs that begin to keep one dataset at once keep it once; the second gets a conflict', async () => {
    const id = await named('datasets.list', 'Claims triage, edge cases');
    const plan = planFor({ kind: 'dataset', id });
    const first = open();
    const begin = { first: (): void => undefined };
    const second = open({
      random: {
        ...systemRandom,
        uuid: () => {
          begin.first();
          return systemRandom.uuid();
        },
      },
    });
    // The first program begins at the last moment before the second does.
    begin.first = () => {
      begin.first = () => undefined;
      first.keep.start(plan, 24);
    };
    expect(() => second.keep.start(plan, null)).toThrow(
      expect.objectContaining({ code: 'CONFLICT', message: expect.stringContaining('Another Spandeck') }),
    );
    expect(second.keep.list()).toMatchObject([{ refreshHours: 24 }]);
    const [kept] = first.keep.list();
    expect(await first.keep.whenIdle(kept?.keptId ?? '')).toMatchObject({
      state: 'done',
      counts: { failed: 0 },
    });
    expect(await second.stored(itemsOf(id))).toEqual(await atService(itemsOf(id)));
    // Later, it is one entry that the second program may refresh.
    expect(await second.kept(plan)).toMatchObject({ keptId: kept?.keptId, state: 'done' });
  });

  test('offline and back: it waits, says why, and continues', async () => {
    const [id = ''] = await datasetIds();
    let isAway = true;
    const blockingError = () => (isAway ? new AppError('OFFLINE', 'No way.', { outcome: 'unsent' }) : null);
    const rig = open({ blockingError });
    const { keptId } = rig.keep.start(planFor({ kind: 'dataset', id }), null);
    await expect.poll(() => rig.keep.get(keptId)).toMatchObject({ state: 'waiting', reason: 'No way.' });
    isAway = false;
    rig.keep.wake();
    expect(await rig.keep.whenIdle(keptId)).toMatchObject({ state: 'done', counts: { read: 4, failed: 0 } });
  });

  test('paused in the middle of a list it continues at the next page', async () => {
    const id = await named('applications.list', 'Claims triage agent');
    let pages = 0;
    let pause: () => void = () => undefined;
    const rig = open({
      wrapClient: (client) => ({
        ...client,
        rows: async (...asked) => {
          const answer = await client.rows(...asked);
          if (asked[1] === 'catalog.list') pages += 1;
          if (pages === 3) pause();
          return answer;
        },
      }),
    });
    const { keptId } = rig.keep.start(planFor({ kind: 'application', id }), null);
    pause = () => {
      pause = () => undefined;
      rig.keep.control(keptId, 'pause');
    };
    expect(await rig.keep.whenIdle(keptId)).toMatchObject({ state: 'paused' });
    expect(pages).toBe(3);
    rig.keep.control(keptId, 'resume');
    expect(await rig.keep.whenIdle(keptId)).toMatchObject({ state: 'done' });
    expect(await rig.stored(catalogOf(id))).toEqual(await atService(catalogOf(id)));
  });

  test('a list that changes while it is read ends as the service has it', async () => {
    const [id = ''] = await datasetIds();
    let isMoved = false;
    const rig = open({
      wrapClient: (client) => ({
        ...client,
        rows: async (...asked) => {
          const answer = await client.rows(...asked);
          if (asked[1] === 'datasets.items' && !isMoved) {
            isMoved = true;
            const body = { items: [{ inputs: { question: 'New' }, expected_outputs: { answer: 'Yes' } }] };
            expect(
              (await raw.raw('POST', raw.path('datasets.add-items', { dataset_id: id }), { body })).status,
            ).toBe(201);
          }
          return answer;
        },
      }),
    });
    rig.library.settings.pageRows = 20;
    expect(await rig.kept(planFor({ kind: 'dataset', id }))).toMatchObject({ state: 'done' });
    expect(await rig.stored(itemsOf(id))).toEqual(await atService(itemsOf(id)));
  });

  test('kept data stays complete while it is refreshed, even if that fails', async () => {
    const [id = ''] = await datasetIds();
    const rig = open();
    const { keptId } = await rig.kept(planFor({ kind: 'dataset', id }));
    const rows = await rig.stored(itemsOf(id));
    rig.library.aheadMs += 60_000;
    raw.service.setFaults([
      { match: { operation: 'datasets.items' }, action: { type: 'status', status: 500 } },
    ]);
    rig.keep.control(keptId, 'refresh');
    expect(await rig.keep.whenIdle(keptId)).toMatchObject({ state: 'done', counts: { read: 3, failed: 1 } });
    expect(await rig.stored(itemsOf(id))).toEqual(rows);
    raw.service.setFaults([]);
    rig.keep.control(keptId, 'retry');
    expect(await rig.keep.whenIdle(keptId)).toMatchObject({ state: 'done', counts: { read: 4, failed: 0 } });
  });

  test('refreshed automatically after its interval', async () => {
    const [id = ''] = await datasetIds();
    const rig = open();
    const { keptId } = rig.keep.start(planFor({ kind: 'dataset', id }), 6);
    const { startAtMs, endedAtMs } = await rig.keep.whenIdle(keptId);
    // The interval begins when the next run is planned, which is just after the last one ended.
    const aheadMs = (startAtMs ?? 0) - (endedAtMs ?? 0);
    expect(Math.round(aheadMs / 60_000)).toBe(6 * 60);
    expect(rig.keep.setRefresh(keptId, null)).toMatchObject({ startAtMs: null, refreshHours: null });
  });

  test('keeping the same data again sets a chosen interval, also while it is read, and no other', async () => {
    const [id = ''] = await datasetIds();
    const plan = planFor({ kind: 'dataset', id });
    const rig = open();
    const { keptId } = await rig.kept(plan);
    expect(rig.keep.start(plan, 6)).toMatchObject({ keptId, state: 'running', refreshHours: 6 });
    expect(rig.keep.start(plan, 24)).toMatchObject({ keptId, state: 'running', refreshHours: 24 });
    const { startAtMs, endedAtMs } = await rig.keep.whenIdle(keptId);
    expect(Math.round(((startAtMs ?? 0) - (endedAtMs ?? 0)) / 60_000)).toBe(24 * 60);
    expect(rig.keep.start(plan, undefined)).toMatchObject({ keptId, refreshHours: 24 });
    expect(await rig.keep.whenIdle(keptId)).toMatchObject({ startAtMs: expect.any(Number) });
    expect(rig.keep.start(plan, null)).toMatchObject({ keptId, refreshHours: null });
    expect(await rig.keep.whenIdle(keptId)).toMatchObject({ startAtMs: null });
    expect(rig.keep.list()).toHaveLength(1);
  });

  test.each([
    { name: 'once its hours are over', hours: 6, aheadMs: 6 * HOUR + 60_000, isRead: true },
    { name: 'not before', hours: 6, aheadMs: HOUR, isRead: false },
    { name: 'at each start', hours: 0, aheadMs: 60_000, isRead: true },
    { name: 'by hand alone', hours: null, aheadMs: 24 * HOUR, isRead: false },
  ])('a program that starts refreshes it: $name', async ({ hours, aheadMs, isRead }) => {
    const [id = ''] = await datasetIds();
    const before = open();
    const { keptId } = before.keep.start(planFor({ kind: 'dataset', id }), hours);
    const { endedAtMs } = await before.keep.whenIdle(keptId);
    await before.keep.stop();

    const after = open();
    after.library.aheadMs = aheadMs;
    after.keep.recover(true);
    const hasEndedAgain = () => (after.keep.get(keptId).endedAtMs ?? 0) > (endedAtMs ?? 0);
    if (isRead) await expect.poll(hasEndedAgain, { timeout: 20_000 }).toBe(true);
    const ended = await after.keep.whenIdle(keptId);
    expect(ended).toMatchObject({ state: 'done', counts: { failed: 0 } });
    expect(hasEndedAgain()).toBe(isRead);
    expect(await after.stored(itemsOf(id))).toEqual(await atService(itemsOf(id)));
  });
});

test('a gap is named: a partly read list, a deleted one, one that the service rejected', async () => {
  const [id = ''] = await datasetIds();
  raw.service.setFaults([
    { match: { operation: 'datasets.schema' }, action: { type: 'status', status: 403 } },
  ]);
  const rig = open();
  const ended: Kept = await rig.kept(planFor({ kind: 'dataset', id }));
  expect(ended.counts).toMatchObject({ read: 3, failed: 1 });
  const { lists } = rig.library.store;
  const shown = lists.find(rig.library.library.keyOf(DATASETS))?.shown;
  lists.discard(shown?.id ?? 0);
  const partial = lists.begin(shown?.listId ?? 0, false);
  lists.show(partial.id);
  const { gaps, gapCount } = await rig.keep.test(null);
  expect(gapCount).toBe(2);
  expect(gaps.map(({ query }) => query?.operation).toSorted()).toEqual(['datasets.list', 'datasets.schema']);
});

const DATASETS: ListQuery = { operation: 'datasets.list', path: {}, query: {} };

async function datasetIds(): Promise<string[]> {
  const { items } = await raw.page(raw.path('datasets.list', {}, '?limit=1000'));
  const ids = items.map((item) => String(item['id']));
  const sized = await Promise.all(
    ids.map(async (id) => ({
      id,
      rows: (await raw.page(raw.path('datasets.items', { dataset_id: id }, '?limit=1'))).total,
    })),
  );
  return sized
    .filter(({ rows }) => rows > 0)
    .toSorted((a, b) => b.rows - a.rows)
    .map(({ id }) => id);
}
