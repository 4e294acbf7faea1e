import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { LIBRARY_MIGRATIONS } from '../../electron/db/migrations/library/index.ts';
import {
  createRequestLogStore,
  type LogBounds,
  type LoggedRequest,
} from '../../electron/db/request-log-store.ts';
import {
  LOG_SORTS,
  type LogSort,
  type RequestAttempt,
  STATUS_CLASSES,
} from '../../electron/shared/traffic-model.ts';
import { matchesFilter, NO_FILTER } from '../../renderer/lib/request-log.ts';
import { aRequest } from '../helpers/traffic.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const row = (n: number, changes: Partial<LoggedRequest> = {}) => aRequest({ id: `r${n}`, ...changes });
const all = { limit: 200, beforeSeq: null };

function log(bounds?: LogBounds) {
  const db = new BetterSqlite(':memory:');
  for (const { sql } of LIBRARY_MIGRATIONS) db.exec(sql);
  return { db, store: createRequestLogStore(db, silentLogger, bounds) };
}

test('rows are newest first, page by page, without repeats or gaps', () => {
  const { store } = log();
  // The order does not depend on times, as a clock that was set back must not hide rows.
  for (const [n, atMs] of [10, 20, 20, 20, 5, 40].entries()) store.add(row(n, { atMs }));
  const seen: string[] = [];
  let beforeSeq: number | null = null;
  for (;;) {
    const { rows, matchingRows, storedRows } = store.list({ limit: 2, beforeSeq });
    expect({ matchingRows, storedRows }).toEqual({ matchingRows: 6, storedRows: 6 });
    if (rows.length === 0) break;
    seen.push(...rows.map(({ id }) => id));
    beforeSeq = rows.at(-1)?.seq ?? 0;
  }
  expect(seen).toEqual(['r5', 'r4', 'r3', 'r2', 'r1', 'r0']);
});

test('a request is read back as written, with every attempt', () => {
  const { store } = log();
  const refused: RequestAttempt = {
    sentAtMs: 970,
    networkMs: 12,
    status: 429,
    errorCode: null,
    outcome: 'answered',
    sentBytes: 17,
    receivedBytes: 120,
    contentType: 'application/json',
    rate: { limit: '30 per 1 second', remaining: '0', reset: '1700000000', retryAfter: '2', date: null },
    headers: { 'content-type': 'application/json', 'x-request-id': '7' },
    retriedFor: 'Refused with 429: asked to wait.',
  };
  const request = row(1, {
    tries: [refused, { ...refused, sentAtMs: 3_000, status: 200, retriedFor: null }],
    attempts: 2,
    body: '{"project_id":1}',
    bodyKept: 'whole',
    sentBytes: 17,
    priority: 'upload',
    group: 'upload 1',
  });
  const listed = store.add(request);
  expect(store.get('r1')).toEqual({ ...request, seq: 1 });
  expect(listed).toEqual(store.list(all).rows[0]);
  expect(listed).not.toHaveProperty('tries');
  expect(store.get('r2')).toBeNull();
});

test('rows are found by operation, by kind of status and by their content', () => {
  const { store } = log();
  store.add(row(1));
  store.add(row(2, { status: 429, errorCode: 'RATE_LIMITED' }));
  store.add(row(3, { status: 404, errorCode: 'NOT_FOUND', url: '/v3/models/My%20Model' }));
  store.add(row(4, { status: 503, errorCode: 'SERVICE_UNAVAILABLE', operation: 'POST /v3/events' }));
  store.add(row(5, { status: null, errorCode: 'TIMEOUT', group: 'upload 7' }));
  const find = (filter: Parameters<typeof store.list>[0] | object) => {
    const page = store.list({ ...all, ...filter });
    expect(page.matchingRows).toBe(page.rows.length);
    return page.rows.map(({ id }) => id).join(' ');
  };
  expect(find({ statusClass: 'answered' })).toBe('r1');
  expect(find({ statusClass: 'refused' })).toBe('r2');
  expect(find({ statusClass: 'client-error' })).toBe('r3');
  expect(find({ statusClass: 'server-error' })).toBe('r4');
  expect(find({ statusClass: 'failed' })).toBe('r5');
  expect(find({ operation: 'POST /v3/events' })).toBe('r4');
  expect(find({ text: 'my model' })).toBe('r3');
  expect(find({ text: 'UPLOAD 7' })).toBe('r5');
  expect(find({ text: 'timeout' })).toBe('r5');
  expect(find({ text: '%' })).toBe('r3');
  expect(find({ text: '503', statusClass: 'failed' })).toBe('');
  expect(find({ text: '' })).toBe('r5 r4 r3 r2 r1');
  expect(store.list(all).operations).toEqual(['GET /v3/applications', 'POST /v3/events']);
});

test('the log and the window match the same rows for any filter', () => {
  const { store } = log();
  const statuses = [200, 204, 302, 404, 422, 429, 500, 503, null];
  const codes = [null, 'TIMEOUT', 'CANCELLED', 'ANSWER_INVALID', 'RATE_LIMITED'] as const;
  let n = 0;
  for (const status of statuses) {
    for (const errorCode of codes) {
      n += 1;
      const operation = n % 3 === 0 ? 'POST /v3/events' : 'GET /v3/applications';
      const priority = n % 2 === 0 ? 'upload' : 'view';
      store.add(row(n, { status, errorCode, operation, priority, attempts: 1 + (n % 2), refusals: n % 2 }));
    }
  }
  const everything = store.list(all).rows;
  expect(everything).toHaveLength(45);
  for (const statusClass of [null, ...STATUS_CLASSES]) {
    for (const method of [null, 'GET', 'POST', 'DELETE']) {
      for (const priority of [null, 'view', 'upload'] as const) {
        const filter = { ...NO_FILTER, statusClass, method, priority };
        const found = store.list({ ...all, ...filter }).rows;
        expect(found, JSON.stringify(filter)).toEqual(
          everything.filter((each) => matchesFilter(each, filter)),
        );
      }
    }
  }
  expect(
    store.list({ ...all, statusClass: 'problems' }).rows.map(({ errorCode }) => errorCode),
  ).not.toContain('CANCELLED');
});

test('an intermediate rejection is found although the request succeeded in the end', () => {
  const { store } = log();
  store.add(row(1));
  store.add(row(2, { status: 200, attempts: 2, refusals: 1 }));
  expect(store.list({ ...all, statusClass: 'refused' }).rows.map(({ id }) => id)).toEqual(['r2']);
});

test('sorted, every row is returned once, page by page, the newest of equals first', () => {
  const { store } = log();
  const durations = [40, 900, 40, 7, 350, 40, 12_000];
  for (const [n, networkMs] of durations.entries()) {
    store.add(
      row(n, { networkMs, startedAtMs: 1_000, atMs: 1_000 + networkMs, status: n === 3 ? null : 200 }),
    );
  }
  const walk = (sort: LogSort, filter = {}) => {
    const seen: string[] = [];
    for (let beforeSeq: number | null = null; ; ) {
      const { rows } = store.list({ ...filter, sort, limit: 2, beforeSeq });
      if (rows.length === 0) return seen.join(' ');
      seen.push(...rows.map(({ id }) => id));
      beforeSeq = rows.at(-1)?.seq ?? 0;
    }
  };
  expect(walk({ field: 'networkMs', isDescending: true })).toBe('r6 r1 r4 r5 r2 r0 r3');
  expect(walk({ field: 'totalMs', isDescending: false })).toBe('r3 r5 r2 r0 r4 r1 r6');
  expect(walk({ field: 'networkMs', isDescending: false }, { statusClass: 'answered' })).toBe(
    'r5 r2 r0 r4 r1 r6',
  );
  for (const field of LOG_SORTS) expect(walk({ field, isDescending: true }).split(' ')).toHaveLength(7);
  // The last row of a page was deleted, and still no row is shown twice.
  const sort = { field: 'networkMs', isDescending: true } as const;
  expect(store.list({ sort, limit: 2, beforeSeq: 999 }).rows).toEqual([]);
});

test('the log is deleted, with details, and continues with higher numbers', () => {
  const { db, store } = log();
  for (let n = 0; n < 5; n += 1) store.add(row(n, { body: '{}', bodyKept: 'whole' }));
  expect(store.clear()).toBe(5);
  expect(store.list(all)).toMatchObject({ rows: [], matchingRows: 0, storedRows: 0, operations: [] });
  expect(db.prepare('SELECT count(*) FROM request_detail').pluck().get()).toBe(0);
  expect(store.add(row(6))?.seq).toBe(6);
  expect(store.list(all).keptRows).toBe(10_000);
});

test('details of matching rows are read oldest first, in steps', () => {
  const { store } = log();
  for (let n = 1; n <= 7; n += 1) store.add(row(n, { status: n % 2 === 0 ? 404 : 200 }));
  const first = store.details({ statusClass: 'answered', limit: 3, afterSeq: 0 });
  expect(first.map(({ id }) => id)).toEqual(['r1', 'r3', 'r5']);
  const rest = store.details({ statusClass: 'answered', limit: 3, afterSeq: first.at(-1)?.seq ?? 0 });
  expect(rest.map(({ id }) => id)).toEqual(['r7']);
});

test('the log stays within its bounds, and bodies within their own', () => {
  const { db, store } = log({ rows: 500, bodies: 50 });
  for (let n = 0; n < 1_000; n += 1) store.add(row(n, { body: '{"a":1}', bodyKept: 'whole' }));
  const count = (table: string, where = '1') =>
    Number(db.prepare(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get());
  expect(count('request_log')).toBeLessThanOrEqual(600);
  expect(count('request_detail')).toBe(count('request_log'));
  expect(count('request_detail', 'body IS NOT NULL')).toBeLessThanOrEqual(150);
  expect(store.list({ ...all, limit: 1 }).rows[0]?.id).toBe('r999');
  expect(store.get('r999')).toMatchObject({ body: '{"a":1}', bodyKept: 'whole' });
  expect(store.get('r700')).toMatchObject({ body: null, bodyKept: 'pruned' });
});

test('a log that cannot be written does not fail the logged call', () => {
  const { db, store } = log();
  db.close();
  expect(store.add(row(1))).toBeNull();
});

test('its extent differs from that of a later log with the same numbers', () => {
  const [before, after] = [log().store, log().store];
  expect(before.extent()).toBeNull();
  for (const atMs of [10, 20]) before.add(row(atMs, { atMs }));
  for (const atMs of [10, 30]) after.add(row(atMs, { atMs }));
  expect(before.extent()).toEqual({ rows: 2, firstSeq: 1, lastSeq: 2, oldestMs: 10, newestMs: 20 });
  expect(after.extent()).toEqual({ rows: 2, firstSeq: 1, lastSeq: 2, oldestMs: 10, newestMs: 30 });
});
