import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { LIBRARY_MIGRATIONS } from '../../electron/db/migrations/library/index.ts';
import { createRequestLogStore } from '../../electron/db/request-log-store.ts';
import type { RequestLogRow } from '../../electron/shared/model.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const row = (n: number, atMs: number): RequestLogRow => ({
  id: `r${n}`,
  atMs,
  operation: 'GET /v3/applications',
  url: '/v3/applications?limit=10',
  status: 200,
  errorCode: null,
  attempts: 1,
  queuedMs: 3,
  networkMs: 40,
  sizeBytes: 1_000,
  priority: 'view',
});

function log(keptRows?: number) {
  const db = new BetterSqlite(':memory:');
  for (const { sql } of LIBRARY_MIGRATIONS) db.exec(sql);
  return { db, log: createRequestLogStore(db, silentLogger, keptRows) };
}

test('rows come newest first, page by page, none twice and none left out', () => {
  const { log: store } = log();
  const times = [10, 20, 20, 20, 30, 40];
  for (const [n, atMs] of times.entries()) store.add(row(n, atMs));
  const seen: string[] = [];
  let beforeMs: number | null = null;
  for (;;) {
    const page: RequestLogRow[] = store.list({ limit: 2, beforeMs });
    if (page.length === 0) break;
    seen.push(...page.map(({ id }) => id));
    beforeMs = page.at(-1)?.atMs ?? 0;
  }
  expect(seen).toEqual(['r5', 'r4', 'r3', 'r2', 'r1', 'r0']);
  expect(store.list({ limit: 1, beforeMs: null })[0]).toEqual(row(5, 40));
});

test('the log stays within its bound', () => {
  const { db, log: store } = log(500);
  for (let n = 0; n < 1_000; n += 1) store.add(row(n, n));
  const count = Number(db.prepare('SELECT count(*) FROM request_log').pluck().get());
  expect(count).toBeLessThanOrEqual(600);
  expect(store.list({ limit: 1, beforeMs: null })[0]?.id).toBe('r999');
});

test('a log that cannot be written does not fail the call it describes', () => {
  const { db, log: store } = log();
  db.close();
  expect(() => store.add(row(1, 1))).not.toThrow();
});
