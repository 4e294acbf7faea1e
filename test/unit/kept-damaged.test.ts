/** An unreadable list or record of offline content is named in its place, and the others are still read and tested. */
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createDamagedRows } from '../../electron/db/damaged-rows.ts';
import { createKeptStore } from '../../electron/db/kept-store.ts';
import { LIBRARY_MIGRATIONS } from '../../electron/db/migrations/library/index.ts';
import { parseRow } from '../../electron/db/open.ts';
import { plannedRow } from '../../electron/db/row-parts.ts';
import type { ListQuery } from '../../electron/shared/model.ts';

const query: ListQuery = { operation: 'models.list', path: {}, query: {} };

function stored() {
  const db = new BetterSqlite(':memory:');
  for (const { sql } of LIBRARY_MIGRATIONS) db.exec(sql);
  db.pragma('foreign_keys = OFF');
  const store = createKeptStore(db);
  const keys = ['models.list:a', 'models.list:b', 'models.list:c'];
  store.add(
    'job',
    keys.map((key) => ({ key, query, form: 'list', leadsTo: null })),
  );
  db.pragma('ignore_check_constraints = ON');
  return { db, store };
}

test.each([
  ['query', '{"broken'],
  ['form', '7'],
  ['leads_to', '7'],
  ['read_at_ms', 9_000_000_000_000_000],
  ['error_json', '{"broken'],
])('a damaged %s of a kept list', (column, value) => {
  const { db, store } = stored();
  db.prepare(`UPDATE kept_question SET ${column} = ? WHERE position = 1`).run(value);

  const page = store.page('job', -1, 10);
  expect(page.map(({ position, damage }) => [position, damage === null])).toEqual([
    [0, true],
    [1, false],
    [2, true],
  ]);
  expect(page[1]?.damage?.message).toContain('kept_question job/1');
  expect(store.counts('job').questions).toBe(3);
  expect(store.nextWaiting('job', 0)?.position).toBe(2);
  expect(store.counts('job')).toMatchObject({ failed: 1, read: 0 });
  expect(store.nextWaiting('job', -1)?.position).toBe(0);
});

test('a damaged row with a time beyond bounds is listed without it', () => {
  const damaged = createDamagedRows(
    [
      {
        kind: 'upload',
        rows: () => [{ id: 'a', name: 'churn.csv', startAtMs: 9e15 }],
        read: (row) => parseRow(plannedRow, row, 'upload'),
        columns: { id: 'id', title: 'name', atMs: 'startAtMs' },
        remove: () => undefined,
      },
    ],
    (work) => work(),
  );
  expect(damaged.list()).toMatchObject([{ id: 'a', title: 'churn.csv', atMs: null }]);
});
