/** Unfinished jobs of every kind after a part of their store was lost. */
import BetterSqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../electron/db/migrate.ts';
import { DATASET_MIGRATIONS } from '../../electron/db/migrations/datasets/index.ts';
import { LIBRARY_MIGRATIONS } from '../../electron/db/migrations/library/index.ts';
import { UPLOAD_MIGRATIONS } from '../../electron/db/migrations/uploads/index.ts';
import type { Database } from '../../electron/db/open.ts';
import { settleRescued, settleRestored } from '../../electron/db/rescued-rules.ts';
import { settleMove } from '../../electron/db/service-of-store.ts';
import type { RescuedTable } from '../../electron/shared/health-model.ts';
import { silentLogger as logger } from '../helpers/virtual-world.ts';

type Job = readonly [kind: string, state: string, startAtMs?: number];
type After = readonly [kind: string, before: string, after: string];

const MIGRATIONS = { uploads: UPLOAD_MIGRATIONS, datasets: DATASET_MIGRATIONS, library: LIBRARY_MIGRATIONS };

function storeOf(store: keyof typeof MIGRATIONS, jobs: readonly Job[]): Database {
  const db = new BetterSqlite(':memory:');
  onTestFinished(() => void db.close());
  const migrations = MIGRATIONS[store];
  migrate(db, { file: `${store}.db`, migrations, clock: { nowMs: () => 1 }, logger });
  const add = db.prepare(
    `INSERT INTO job (job_id, kind, title, plan_json, facts_json, state, reason, error_json, start_at_ms, revision, is_hidden, created_at_ms)
     VALUES (?, ?, 'a job', '{}', '{}', ?, 'Before.', '{"code":"UNAUTHORIZED"}', ?, 0, 0, 1)`,
  );
  for (const [kind, state, startAtMs = null] of jobs) add.run(`${kind} ${state}`, kind, state, startAtMs);
  return db;
}

const statesOf = (db: Database) => db.prepare('SELECT job_id, state FROM job').raw().all();
const lost = (table: string): RescuedTable => ({ table, rows: 1, gaps: 1, dropped: 0 });

const OF_UPLOADS: readonly After[] = [
  ['upload', 'running', 'failed'],
  ['upload', 'needs-decision', 'failed'],
  ['upload', 'done', 'done'],
  ['file', 'publishing', 'failed'],
  ['file', 'interrupted', 'failed'],
  ['deletion', 'scheduled', 'cancelled'],
  ['deletion', 'paused', 'cancelled'],
  ['deletion', 'sending', 'unknown'],
  ['deletion', 'PENDING', 'PENDING'],
  ['bulk', 'waiting', 'stopped'],
  ['bulk', 'done', 'done'],
  ['outbox', 'ready', 'paused'],
  ['outbox', 'running', 'paused'],
  ['outbox', 'failed', 'failed'],
  ['outbox', 'cancelled', 'cancelled'],
];
const OF_DATASETS: readonly After[] = [
  ['build', 'editing', 'editing'],
  ['build', 'committing', 'cancelled'],
  ['build', 'paused', 'cancelled'],
  ['build', 'stopped', 'cancelled'],
  ['items', 'running', 'cancelled'],
  ['items', 'failed', 'cancelled'],
  ['score', 'reading', 'paused'],
  ['score', 'paused', 'paused'],
  ['score', 'done', 'done'],
];

test.each([
  ['uploads', OF_UPLOADS],
  ['datasets', OF_DATASETS],
] as const)('no job of a repaired %s store with lost changes sends anything by itself', (store, expected) => {
  const db = storeOf(
    store,
    expected.map(([kind, before]) => [kind, before, 5]),
  );
  const changed = settleRescued(db, store, { tables: [], isLogLost: true }, 7);
  expect(changed).toBe(expected.filter(([, before, after]) => before !== after).length);
  expect(statesOf(db)).toEqual(expected.map(([kind, before, after]) => [`${kind} ${before}`, after]));
  const planned = db.prepare('SELECT count(*) FROM job WHERE start_at_ms IS NOT NULL').pluck();
  expect(planned.get()).toBe(0);
  // A new token would resume the jobs that were paused because of a rejected token.
  const held = `SELECT count(*) FROM job WHERE state = 'paused' AND error_json ->> 'code' = 'UNAUTHORIZED'`;
  expect(db.prepare(held).pluck().get()).toBe(0);
  const reasons = db
    .prepare("SELECT DISTINCT reason FROM job WHERE state IN ('paused', 'cancelled')")
    .pluck();
  for (const reason of reasons
    .all()
    .map(String)
    .filter((text) => text !== 'Before.'))
    expect(reason).toContain('Compare before you send again');
});

test.each(['part', 'receipt', 'span', 'span_receipt'])('lost rows of %s settle the builds', (table) => {
  const db = storeOf('datasets', [['build', 'committing']]);
  expect(settleRescued(db, 'datasets', { tables: [lost(table)], isLogLost: false }, 7)).toBe(1);
});

test('lost rows of tables without requests, or of other stores, change no job', () => {
  const db = storeOf('datasets', [['build', 'committing']]);
  expect(settleRescued(db, 'datasets', { tables: [lost('preset')], isLogLost: false }, 7)).toBe(0);
  expect(settleRestored(db, 'snapshots', 7)).toBe(0);
  expect(statesOf(db)).toEqual([['build committing', 'committing']]);
});

test('calls in flight and their spans have an unknown outcome, and a change of the outbox reads its target first', () => {
  const datasets = storeOf('datasets', [['build', 'committing']]);
  datasets.exec(`
    INSERT INTO part (job_id, part, root, weight, ends_at, facts_json, state, attempts, split_requests)
      VALUES ('build committing', 0, 0, 1, 1, '{}', 'sending', 1, 0);
    INSERT INTO span (build_id, position, trace_id, span_id, state, batch) VALUES ('build committing', 0, 't', 's', 'sending', 0);`);
  settleRescued(datasets, 'datasets', { tables: [], isLogLost: true }, 7);
  expect(datasets.prepare('SELECT state FROM part UNION ALL SELECT state FROM span').pluck().all()).toEqual([
    'unknown',
    'unknown',
  ]);
  expect(datasets.prepare('SELECT state, spans FROM span_count WHERE spans > 0').raw().all()).toEqual([
    ['unknown', 1],
  ]);
  const uploads = storeOf('uploads', [['outbox', 'ready']]);
  settleRescued(uploads, 'uploads', { tables: [], isLogLost: true }, 7);
  expect(uploads.prepare("SELECT facts_json ->> 'sentAtMs' FROM job").pluck().get()).toBe(7);
});

const MOVED_UPLOADS: readonly After[] = [
  ['upload', 'ready', 'paused'],
  ['upload', 'scheduled', 'paused'],
  ['upload', 'running', 'paused'],
  ['upload', 'needs-decision', 'needs-decision'],
  ['upload', 'done', 'done'],
  ['file', 'scheduled', 'interrupted'],
  ['file', 'sending', 'interrupted'],
  ['file', 'publishing', 'unknown'],
  ['file', 'following', 'unknown'],
  ['deletion', 'scheduled', 'not-sent'],
  ['deletion', 'paused', 'not-sent'],
  ['deletion', 'sending', 'unknown'],
  ['deletion', 'PENDING', 'accepted'],
  ['deletion', 'SUCCESS', 'SUCCESS'],
  ['bulk', 'scheduled', 'paused'],
  ['bulk', 'stopped', 'stopped'],
  ['outbox', 'ready', 'paused'],
  ['outbox', 'failed', 'failed'],
];
const MOVED_DATASETS: readonly After[] = [
  ['build', 'editing', 'editing'],
  ['build', 'waiting', 'paused'],
  ['build', 'stopped', 'stopped'],
  ['items', 'ready', 'paused'],
  ['score', 'reading', 'paused'],
  ['score', 'done', 'done'],
];
const MOVED_LIBRARY: readonly After[] = [
  ['keep-offline', 'waiting', 'paused'],
  ['keep-offline', 'done', 'paused'],
  ['export', 'ready', 'paused'],
  ['mirror', 'running', 'paused'],
  ['mirror', 'done', 'done'],
];
const MADE_FOR = 'Made for https://a.example; this connection now leads to https://b.example.';

test.each([
  ['uploads', MOVED_UPLOADS],
  ['datasets', MOVED_DATASETS],
  ['library', MOVED_LIBRARY],
] as const)(
  'no job of a %s store continues at another service by itself, and each names both',
  (store, expected) => {
    const db = storeOf(
      store,
      expected.map(([kind, before]) => [kind, before, 5]),
    );
    db.exec(
      `UPDATE job SET facts_json = '{"refreshHours":24,"repeat":{"isPaused":false,"nextId":null,"amount":1.50}}' WHERE kind IN ('keep-offline', 'export', 'mirror')`,
    );
    const moves: string[] = [];
    const open = (address: string, formerAddress: string | null = null) =>
      settleMove(db, { address, formerAddress, onMoved: (former) => moves.push(former) }, 7);
    open('https://a.example');
    open('https://a.example', 'https://older.example');
    expect([moves, db.prepare('SELECT max(revision) FROM job').pluck().get()]).toEqual([[], 0]);
    open('https://b.example');
    open('https://b.example');
    expect(moves).toEqual(['https://a.example']);
    expect(statesOf(db)).toEqual(expected.map(([kind, before, after]) => [`${kind} ${before}`, after]));
    expect(db.prepare('SELECT count(*) FROM job WHERE start_at_ms IS NOT NULL').pluck().get()).toBe(0);
    const resumable = ['paused', 'interrupted', 'not-sent', 'needs-decision', 'unknown', 'editing'];
    const shown = db.prepare('SELECT state, reason, error_json FROM job').raw().all() as [
      string,
      string,
      string,
    ][];
    for (const [state, reason] of shown.filter(([each]) => resumable.includes(each)))
      expect(reason, state).toContain(MADE_FOR);
    expect(shown.filter(([state, , error]) => state === 'paused' && error?.includes('UNAUTHORIZED'))).toEqual(
      [],
    );
    const repeats = db
      .prepare(
        "SELECT facts_json ->> '$.repeat.isPaused', instr(facts_json, '1.50') > 0 FROM job WHERE kind IN ('export', 'mirror') AND state <> 'done'",
      )
      .raw();
    for (const repeat of repeats.all()) expect(repeat).toEqual([1, 1]);
  },
);

test('a store of an older version, which names no service, takes the address from before the change', () => {
  const db = storeOf('uploads', [['upload', 'running']]);
  const moves: string[] = [];
  const service = { address: 'https://b.example', formerAddress: 'https://a.example' };
  settleMove(db, { ...service, onMoved: (former) => moves.push(former) }, 7);
  expect(moves).toEqual(['https://a.example']);
  expect(statesOf(db)).toEqual([['upload running', 'paused']]);
});

test('a move that cannot be stored leaves the store closed, so that no job continues', () => {
  const db = storeOf('uploads', [['upload', 'running']]);
  db.exec("INSERT INTO service VALUES (1, 'https://a.example'); PRAGMA query_only = ON");
  const service = { address: 'https://b.example', formerAddress: null, onMoved: () => undefined };
  expect(() => settleMove(db, service, 7)).toThrow(/readonly/);
  expect(db.open).toBe(false);
});
