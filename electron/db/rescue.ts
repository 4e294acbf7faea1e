/**
 * Copies the readable rows of a damaged store one by one, so that a broken page costs only the rows in it, not those
 * before and after. Reads the damaged file and never writes it. Runs in a thread, because it may take long.
 */
import type { RescuedTable } from '../shared/health-model.ts';
import * as z from '../shared/zod.ts';
import type { Database } from './open.ts';

/** Rows written in one transaction. */
const BATCH_ROWS = 2_000;
const LAST_ROWID = 9_223_372_036_854_775_807n;

const tableRow = z.object({ name: z.string(), wr: z.coerce.number() });
const columnRow = z.object({ name: z.string(), pk: z.coerce.number() });
const columnRows = z.array(columnRow);
const foreignKeyRow = z.object({
  id: z.coerce.number(),
  table: z.string(),
  from: z.string(),
  to: z.string(),
  on_delete: z.string(),
});

type Row = readonly unknown[];

/**
 * Copies rows to `target`, a new store; values without a column there are dropped. Returns the result for each table.
 */
export function rescueRows(source: Database, target: Database): RescuedTable[] {
  target.pragma('foreign_keys = OFF');
  const found = tablesOf(target).map(({ name, wr }) => rescueTable(source, target, name, wr === 1));
  const orphans = dropOrphans(target);
  return found.map((table) => {
    const dropped = orphans.get(table.table) ?? 0;
    return { ...table, rows: table.rows - dropped, dropped: table.dropped + dropped };
  });
}

function tablesOf(db: Database) {
  return z
    .array(tableRow)
    .parse(db.pragma('table_list'))
    .filter(({ name }) => !name.startsWith('sqlite_') && name !== 'migration');
}

function columnsOf(db: Database, table: string) {
  return columnRows.parse(db.pragma(`table_info(${quoted(table)})`));
}

function rescueTable(
  source: Database,
  target: Database,
  table: string,
  isWithoutRowid: boolean,
): RescuedTable {
  const own = columnsOf(target, table);
  const known = readOr(() => columnsOf(source, table), []).map(({ name }) => name);
  const columns = own.map(({ name }) => name).filter((name) => known.includes(name));
  const result = { table, rows: 0, gaps: 0, dropped: 0 };
  if (columns.length === 0) return { ...result, gaps: 1 };
  const names = columns.map(quoted).join(', ');
  const marks = columns.map(() => '?').join(', ');
  const insert = target.prepare(`INSERT OR IGNORE INTO ${quoted(table)} (${names}) VALUES (${marks})`);
  const waiting: Row[] = [];
  const flush = target.transaction(() => {
    for (const row of waiting) {
      const isStored = readOr(() => insert.run(...row).changes > 0, null);
      if (isStored === null) result.dropped += 1;
      else if (isStored) result.rows += 1;
    }
    waiting.length = 0;
  });
  const take = (row: Row) => {
    // Drops rows with NUL characters, which no stored text contains: zeroed pages after a long value are read as such.
    if (row.some((value) => typeof value === 'string' && value.includes('\0'))) {
      result.dropped += 1;
      return;
    }
    waiting.push(row);
    if (waiting.length === BATCH_ROWS) flush();
  };
  result.gaps = isWithoutRowid
    ? readForwardAndBackward(
        source,
        table,
        names,
        own.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk),
        take,
      )
    : readByRowid(source, table, names, take);
  flush();
  return result;
}

/** Reads each row once, in order; returns the number of unreadable ranges. */
function readByRowid(source: Database, table: string, names: string, take: (row: Row) => void): number {
  const after = readOr(
    () =>
      source
        .prepare(`SELECT rowid, ${names} FROM ${quoted(table)} WHERE rowid > ? ORDER BY rowid`)
        .raw()
        .safeIntegers(),
    null,
  );
  if (after === null) return 1;
  let gaps = 0;
  let last = -LAST_ROWID;
  for (;;) {
    try {
      for (const row of after.iterate(last)) {
        const [rowid, ...values] = rowOf(row);
        last = BigInt(String(rowid));
        take(values);
      }
      return gaps;
    } catch (problem) {
      rethrowUnlessDamage(problem);
      gaps += 1;
    }
    const next = firstReadable(last, (rowid) => after.get(rowid) !== undefined);
    if (next === null) return gaps;
    last = next;
  }
}

/**
 * One less than the smallest row number above `last` that can be read. It is found by doubling the step until a read
 * succeeds, followed by a binary search. Null if nothing more can be read.
 */
function firstReadable(last: bigint, hasRow: (after: bigint) => boolean): bigint | null {
  const isReadable = (after: bigint) => readOr(() => hasRow(after), null);
  let step = 1n;
  let bad = last;
  let good: bigint | null = null;
  while (good === null) {
    const tried = (last < 0n ? 0n : last) + step;
    if (tried >= LAST_ROWID) return null;
    const found = isReadable(tried);
    if (found === false) {
      good = tried;
    } else if (found === true) good = tried;
    else bad = tried;
    step *= 2n;
  }
  while (good - bad > 1n) {
    const middle: bigint = (good + bad) / 2n;
    if (isReadable(middle) === null) bad = middle;
    else good = middle;
  }
  return good;
}

/**
 * Reads a table without rowid, in which unreadable rows cannot be skipped: from both ends up to the first unreadable
 * place.
 */
function readForwardAndBackward(
  source: Database,
  table: string,
  names: string,
  key: readonly { name: string }[],
  take: (row: Row) => void,
): number {
  const walk = (direction: 'ASC' | 'DESC'): boolean => {
    const order = key.map(({ name }) => `${quoted(name)} ${direction}`).join(', ');
    try {
      const rows = source
        .prepare(`SELECT ${names} FROM ${quoted(table)} ORDER BY ${order}`)
        .raw()
        .safeIntegers();
      for (const row of rows.iterate()) take(rowOf(row));
      return true;
    } catch (problem) {
      rethrowUnlessDamage(problem);
      return false;
    }
  };
  if (walk('ASC')) return 0;
  walk('DESC');
  return 1;
}

/**
 * Deletes rows whose parent is lost, or clears their reference, according to the schema. Returns the number of deleted
 * rows by table.
 */
function dropOrphans(target: Database): Map<string, number> {
  const dropped = new Map<string, number>();
  const tables = tablesOf(target).map(({ name }) => name);
  for (let isChanged = true; isChanged; ) {
    isChanged = false;
    for (const table of tables) {
      const rows = z.array(foreignKeyRow).parse(target.pragma(`foreign_key_list(${quoted(table)})`));
      for (const columns of Map.groupBy(rows, ({ id }) => id).values()) {
        const [first] = columns;
        if (first === undefined) continue;
        const on = columns
          .map(({ from, to }) => `p.${quoted(to)} = ${quoted(table)}.${quoted(from)}`)
          .join(' AND ');
        const isSet = columns.map(({ from }) => `${quoted(from)} IS NOT NULL`).join(' AND ');
        const where = `WHERE ${isSet} AND NOT EXISTS (SELECT 1 FROM ${quoted(first.table)} p WHERE ${on})`;
        const isKept = first.on_delete === 'SET NULL';
        const unset = columns.map(({ from }) => `${quoted(from)} = NULL`).join(', ');
        const sql = isKept
          ? `UPDATE ${quoted(table)} SET ${unset} ${where}`
          : `DELETE FROM ${quoted(table)} ${where}`;
        const { changes } = target.prepare(sql).run();
        if (changes === 0) continue;
        isChanged = true;
        if (!isKept) dropped.set(table, (dropped.get(table) ?? 0) + changes);
      }
    }
  }
  return dropped;
}

function rowOf(row: unknown): unknown[] {
  return Array.isArray(row) ? row : [];
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The result of `read`, or `otherwise` if the file is damaged in that place or the new store rejects the row. */
function readOr<T, O>(read: () => T, otherwise: O): T | O {
  try {
    return read();
  } catch (problem) {
    rethrowUnlessDamage(problem);
    return otherwise;
  }
}

/** Ends the rescue if the disk is full, or for any error that is not damage. */
function rethrowUnlessDamage(problem: unknown): void {
  const code = problem instanceof Error && 'code' in problem ? String(problem.code) : '';
  const isDamage = [
    'SQLITE_CORRUPT',
    'SQLITE_NOTADB',
    'SQLITE_CONSTRAINT',
    'SQLITE_ERROR',
    'SQLITE_IOERR_SHORT_READ',
  ];
  if (!isDamage.some((each) => code.startsWith(each))) throw problem;
}
