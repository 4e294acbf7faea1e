/** A version of a dataset that cannot be read is named, and neither the others nor the next one are affected. */
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { decodeColumns, emptyColumns, encodeColumns } from '../../electron/core/snapshots/columns.ts';
import { SNAPSHOT_MIGRATIONS } from '../../electron/db/migrations/snapshots/index.ts';
import { createSnapshotStore } from '../../electron/db/snapshot-store.ts';
import { AppError } from '../../electron/shared/errors.ts';

const DATASET = 'a-dataset';
const item = (id: number, answer: string) =>
  JSON.stringify({ id: `i${id}`, inputs: { question: `Question ${id}` }, expected_outputs: { answer } });

function stored() {
  const db = new BetterSqlite(':memory:');
  for (const { sql } of SNAPSHOT_MIGRATIONS) db.exec(sql);
  const store = createSnapshotStore(db);
  const take = (answers: readonly string[], atMs: number) => {
    const items = answers.map((answer, id) => ({ identity: `"i${id}"`, json: item(id, answer) }));
    return store.take(DATASET, items, items.length, atMs);
  };
  take(['a', 'b'], 1);
  take(['a', 'c'], 2);
  db.pragma('ignore_check_constraints = ON');
  return { db, store, take };
}
const page = (snapshotId: number) =>
  ({ action: 'items', snapshotId, search: '', offset: 0, limit: 10 }) as const;

test.each([
  ['number', -1],
  ['taken_at_ms', 9_000_000_000_000_000],
  ['seen_at_ms', 9_000_000_000_000_000],
  ['items', -1],
  ['added', -1],
  ['types_json', '{"broken'],
])('a version with a damaged %s is named beside the others', (column, value) => {
  const { db, store, take } = stored();
  db.prepare(`UPDATE snapshot SET ${column} = ? WHERE id = 2`).run(value);

  const { snapshots, damaged } = store.list(DATASET);
  expect(snapshots.map(({ number }) => number)).toEqual([1]);
  expect(damaged).toMatchObject([{ snapshotId: 2, reason: expect.stringContaining(`(${column})`) }]);
  expect(take(['a', 'd'], 3)).toMatchObject({ number: 3, changed: 1 });
});

test.each([
  ['columns', Buffer.from('no columns')],
  ['items', 9_000_000_000_000_000],
])(
  'a version whose items cannot be read (%s) fails with its id and does not prevent the next one',
  (column, value) => {
    const { db, store, take } = stored();
    db.prepare(`UPDATE snapshot SET ${column} = ? WHERE id = 2`).run(value);

    expect(() => store.page(page(2))).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
    expect(store.page(page(1)).items).toHaveLength(2);
    expect(take(['a', 'd'], 3)).toMatchObject({ number: 3 });
    // The cleanup would remove the items that the damaged version refers to.
    for (let n = 4; n <= 12; n += 1) take([`${n}`], n);
    store.prune(DATASET, 1);
    expect(store.list(DATASET).snapshots.map(({ number }) => number)).toEqual([12]);
  },
);

test.each(['{"broken', '7', '{"id":"\\u0'])(
  'a damaged item (%s) is shown in its place and never written',
  (record) => {
    const { db, store, take } = stored();
    db.prepare('UPDATE content SET record = ? WHERE record LIKE \'%"c"%\'').run(record);

    const [first, second] = store.page(page(2)).items;
    expect(first).toMatchObject({ id: 'i0' });
    expect(second).toEqual({ damaged: 'This item cannot be read (content 3).' });
    expect(store.page({ ...page(2), search: 'question 0' }).total).toBe(1);
    const diff = store.diff({ action: 'diff', from: 1, to: 2, kind: null, offset: 0, limit: 10 });
    expect(diff.counts).toEqual({ same: 1, added: 0, changed: 1, removed: 0 });
    expect(() => [...store.items(2)]).toThrow(AppError);
    expect(take(['a', 'd'], 3)).toMatchObject({ number: 3, changed: 1 });
  },
);

test('a damaged shape of items is derived again', () => {
  const { db, take } = stored();
  db.prepare("UPDATE shape SET fields_json = '{\"broken'").run();
  expect(take(['a', 'd'], 3)).toMatchObject({ number: 3, drift: [] });
});

test('columns that end too early are refused', () => {
  const bytes = encodeColumns(emptyColumns(3));
  expect(() => decodeColumns(bytes.subarray(0, -1), 3)).toThrow(/end too early/);
});
