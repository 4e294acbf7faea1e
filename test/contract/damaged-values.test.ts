/** An unreadable value in a stored row, in any column of any store, does not make a whole list fail. */
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppError } from '../../electron/shared/errors.ts';
import { DATASET, FAR, LaterRig, leave } from '../helpers/later-rig.ts';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { runInTurn } from '../helpers/run-in-turn.ts';
import { runs } from '../helpers/runs.ts';
import { TOKEN } from '../helpers/sample-service.ts';

let rig: LaterRig;
let dataset: string;
/** Made once. Each round damages a copy. */
beforeAll(async () => {
  rig = await LaterRig.start();
  const ids = await rig.datasetIds();
  const { items } = await rig.raw.page(rig.raw.path('datasets.list'));
  dataset = String(items.find(({ name }) => name === DATASET)?.['id']);
  const planned = [rig.upload(), rig.deletion(), await rig.fromSpans(), rig.scores(), rig.change(ids)];
  for (const command of planned) await rig.here([...command, ...FAR], leave);
  await rig.here([...rig.upload(20), '--save-preset', 'Churn']);
  await rig.here(await rig.fromSpans());
  for (const resource of ['applications', 'datasets']) await rig.here(['ls', resource, '--all']);
  await rig.here(['keep', 'dataset', DATASET]);
  await rig.here(['export', 'datasets', '--output', join(rig.folder.path, 'datasets.csv')]);
  await rig.here(['search', 'claims', '--offline']);
  review();
});
afterAll(async () => {
  await rig.end();
});

/** Reviews can only be made in the window. */
function review(): void {
  const file = storesIn(rig.folder.path).find((each) => each.endsWith('datasets.db')) ?? '';
  const db = new BetterSqlite(join(rig.folder.path, file));
  const build = db.prepare("SELECT job_id FROM job WHERE kind = 'build' LIMIT 1").pluck().get();
  const event = (position: number) => ({ type: 'mark', position, patch: { verdict: 'accepted' }, atMs: 1 });
  for (const position of [0, 1, 2])
    db.prepare('INSERT INTO review_event (build_id, seq, event_json) VALUES (?, ?, ?)').run(
      ...[build, position, JSON.stringify(event(position))],
    );
  db.close();
}

/** Values that the strict tables of the engine accept. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  INTEGER: [9_000_000_000_000_000n, -1n, null],
  REAL: [9e15, -1, null],
  TEXT: ['{"broken', '7', null],
};

const storesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.db'));

interface Table {
  file: string;
  name: string;
  key: string;
  /** Keys of the rows that are damaged, one column each. */
  rows: unknown[];
  columns: { name: string; type: string }[];
}

/**
 * Every table that has rows, except those inside the full-text index, which only SQLite reads, and the list of
 * migrations: a store with another one is rejected as a whole.
 */
function tablesOf(file: string): Table[] {
  const db = new BetterSqlite(join(rig.folder.path, file), { readonly: true });
  const tables = db
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%STRICT%' AND name <> 'migration'",
    )
    .pluck()
    .all()
    .map(String)
    .flatMap((name) => {
      const columns = db.pragma(`table_info("${name}")`) as { name: string; type: string; pk: number }[];
      const keys = columns.filter(({ pk }) => pk > 0).map((column) => `"${column.name}"`);
      const key = keys.length === 0 ? 'rowid' : keys.join(" || '/' || ");
      const plain = columns.filter(({ pk, type }) => pk === 0 && VALUES[type] !== undefined);
      const found = db
        .prepare(`SELECT ${key} FROM "${name}" LIMIT ?`)
        .pluck()
        .all(plain.length + 1);
      // One row stays intact, so that data that depends on it is read too.
      const rows = found.slice(0, Math.max(1, found.length - 1));
      return found.length === 0 || plain.length === 0 ? [] : [{ file, name, key, rows, columns: plain }];
    });
  db.close();
  return tables;
}

/** Damages one column in each row, so that in every round as many columns of a table are affected as it has rows. */
function poison(folder: string, tables: readonly Table[], round: number): string[] {
  const poisoned: string[] = [];
  for (const { file, name, key, rows, columns } of tables) {
    const db = new BetterSqlite(join(folder, file));
    db.pragma('ignore_check_constraints = ON');
    db.pragma('foreign_keys = OFF');
    const parts = Math.ceil(columns.length / rows.length);
    const [turn, part] = [round % 3, Math.floor(round / 3) % parts];
    rows.forEach((id, index) => {
      const column = columns[part * rows.length + index];
      if (column === undefined) return;
      try {
        db.prepare(`UPDATE "${name}" SET "${column.name}" = ? WHERE ${key} = ?`).run(
          ...[VALUES[column.type]?.[turn] ?? null, id],
        );
        poisoned.push(`${name}.${column.name}`);
      } catch (refused) {
        expect(String(refused)).toMatch(/constraint|malformed JSON/);
      }
    });
    db.close();
  }
  return poisoned;
}

function commandsIn(folder: string): string[][] {
  return [
    ...[['jobs'], ['uploads'], ['planned'], ['changes'], ['outbox'], ['damaged'], ['models']],
    ...[['builds'], ['scores'], ['review'], ['presets'], ['kept'], ['kept', 'test'], ['budget', '--all']],
    ...[
      ['settings', 'list'],
      ['snapshots', dataset],
      ['diff', dataset, dataset],
      ['items', dataset],
    ],
    ...[['traffic'], ['traffic', '--har', join(folder, 'log.har')], ['search', 'claims']],
    ...[['sql', '--views'], OF_A_LIST],
    ['export', 'requests', '--output', join(folder, 'requests.csv')],
  ];
}

/** If the row of the list itself is damaged, the table does not exist. */
const OF_A_LIST = ['sql', 'select (select count(*) from datasets), (select count(*) from requests)'];

/** A damaged list counts as not stored, and no request is sent for it. */
const SAID_IN_WORDS = new Set(['NOT_STORED', 'OFFLINE', 'NOT_FOUND']);

const isSaid = (command: string, error: AppError | null): boolean =>
  error === null ||
  SAID_IN_WORDS.has(error.code) ||
  // A comparison needs all items of both versions.
  (command.startsWith('diff ') && error.code === 'STORE_DAMAGED') ||
  (command === OF_A_LIST.join(' ') && error.code === 'INVALID_ARGUMENT');

test('no list fails as a whole', async () => {
  const tables = storesIn(rig.folder.path).flatMap(tablesOf);
  const all = 3 * Math.max(...tables.map(({ rows, columns }) => Math.ceil(columns.length / rows.length)));
  const every = Math.max(1, Math.floor(all / runs(6, all)));
  // Not a multiple of 3, so that each value is used at some time.
  const step = every % 3 === 0 ? every + 1 : every;
  const failed: string[] = [];
  for (let round = 0; round < all; round += step) {
    const copy = temporaryFolder('damaged');
    cpSync(rig.folder.path, copy.path, { recursive: true });
    const poisoned = poison(copy.path, tables, round);
    const common = ['--offline', '--data-dir', copy.path, '--base-url', rig.raw.service.baseUrl];
    for (const { command, text, error } of await runInTurn(commandsIn(copy.path), common, TOKEN)) {
      if (isSaid(command, error) && !text.includes('INTERNAL')) continue;
      failed.push(
        `${round} ${command}: ${error?.code} ${error?.message ?? text.slice(0, 300)} (${poisoned.join(' ')})`,
      );
    }
    copy.remove();
  }
  expect(failed).toEqual([]);
}, 900_000);
