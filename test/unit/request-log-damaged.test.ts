/** A logged request that cannot be read keeps its place, names its row, and hides no other request. */
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { harEntries } from '../../electron/core/text/har.ts';
import { LIBRARY_MIGRATIONS } from '../../electron/db/migrations/library/index.ts';
import { createRequestLogStore } from '../../electron/db/request-log-store.ts';
import { aRequest } from '../helpers/traffic.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const all = { limit: 200, beforeSeq: null };

function log() {
  const db = new BetterSqlite(':memory:');
  for (const { sql } of LIBRARY_MIGRATIONS) db.exec(sql);
  const store = createRequestLogStore(db, silentLogger);
  for (const id of ['before', 'damaged', 'after']) store.add(aRequest({ id }));
  return { db, store };
}

test.each([
  ['request_log', 'at_ms', 9_000_000_000_000_000],
  ['request_log', 'at_ms', -1],
  ['request_log', 'started_at_ms', 9_000_000_000_000_000],
  ['request_log', 'network_ms', 9_000_000_000_000_000],
  ['request_log', 'error_code', 'NO_SUCH_CODE'],
  ['request_detail', 'tries_json', '{"broken'],
  ['request_detail', 'tries_json', '[{"sentAtMs": 9e15}]'],
  ['request_detail', 'error_json', '7'],
  ['request_detail', 'body_kept', '7'],
])('a damaged %s.%s stays in its place with the other columns', (table, column, value) => {
  const { db, store } = log();
  db.pragma('ignore_check_constraints = ON');
  db.prepare(`UPDATE ${table} SET ${column} = ? WHERE seq = 2`).run(value);

  const { rows } = store.list(all);
  expect(rows.map(({ id }) => id)).toEqual(['after', 'damaged', 'before']);
  const details = store.details({ limit: 200, afterSeq: 0 });
  expect(details.map(({ errorCode }) => errorCode)).toEqual([null, 'STORE_DAMAGED', null]);
  const found = store.get('damaged');
  expect(found?.error?.message).toBe(`This request cannot be read in full (request_log 2: ${column}).`);
  expect(found?.url).toBe(aRequest({}).url);
  const entries = details.flatMap(harEntries);
  expect(entries.filter(({ _requestId }) => _requestId === 'damaged')).toMatchObject([
    { comment: found?.error?.message },
  ]);
  expect(entries.every(({ startedDateTime }) => Number.isFinite(Date.parse(startedDateTime)))).toBe(true);
});
