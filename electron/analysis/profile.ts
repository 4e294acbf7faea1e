/** Profiles of the columns of a sidecar, and which rows pass filters. Runs in the analysis process. */
import type { DuckDBConnection, JS } from '@duckdb/node-api';
import type { ColumnFilter, ColumnProfile, Tally } from '../shared/analysis-model.ts';
import { edgesOf } from '../shared/axis-edges.ts';
import type { SqlColumn } from '../shared/sql-model.ts';
import type { SidecarColumn } from './column-scan.ts';
import { columnsOf } from './result-columns.ts';
import {
  axisOf,
  barOf,
  hasContent,
  isOnAxis,
  partNumber,
  partOf,
  passes,
  placeAmong,
  textOf,
  valueColumn,
} from './sidecar-sql.ts';
import { numbered, timeTypes, viewColumns } from './view-columns.ts';

const MOST_TOPS = 10;
/** A longer value is not listed: it counts among the others. */
const MOST_TOP_CHARACTERS = 10_000;

interface Counts {
  rows: number;
  absent: number;
  nulls: number;
  empty: number;
  /** Of each bar or top, in their order. */
  parts: number[];
}

/** Of all rows, whatever the filters: counted once. */
interface Basics extends Counts {
  distinct: number;
  /** Of the axis; empty where there is none, or nothing stands on it. */
  edges: number[];
  /** Most frequent first; empty where there are edges. */
  values: string[];
}

/** One sidecar, or the sample of one, as it is asked. */
export class ProfiledRows {
  readonly #connection: DuckDBConnection;
  readonly #columns: readonly SidecarColumn[];
  readonly #basics = new Map<number, Promise<Basics>>();
  #withinKey: string | null = null;

  constructor(connection: DuckDBConnection, columns: readonly SidecarColumn[]) {
    this.#connection = connection;
    this.#columns = columns;
  }

  /** Rows that may pass at all: those at these positions. Null: all. */
  async limitTo(within: { key: string; positions: Int32Array } | null): Promise<void> {
    if ((within?.key ?? null) === this.#withinKey) return;
    this.#withinKey = null;
    await this.#connection.run('CREATE OR REPLACE TEMP TABLE within (position BIGINT)');
    if (within === null) return;
    const appender = await this.#connection.createAppender('within');
    for (const position of within.positions) {
      appender.appendBigInt(BigInt(position));
      appender.endRow();
    }
    appender.flushSync();
    appender.closeSync();
    this.#withinKey = within.key;
  }

  /** Profiles of these columns (null: of all), those that are not there left out: what a head counts passes all filters but its own. */
  async profiles(
    fields: readonly string[] | null,
    filters: readonly ColumnFilter[],
  ): Promise<ColumnProfile[]> {
    const found: ColumnProfile[] = [];
    const wanted = fields?.map((field) => this.#indexOf(field)) ?? this.#columns.keys();
    for (const index of wanted) {
      const column = this.#columns[index];
      if (column === undefined) continue;
      const others = filters.filter((filter) => this.#indexOf(filter.field) !== index);
      found.push(await this.#profile(column, index, this.#condition(others)));
    }
    return found;
  }

  /** Positions of the rows that pass all filters, growing. */
  async positions(filters: readonly ColumnFilter[]): Promise<Int32Array> {
    const sql = `SELECT CAST(position AS INTEGER) FROM rows WHERE ${this.conditionOf(filters)} ORDER BY position`;
    const result = await this.#connection.stream(sql);
    const chunks: Int32Array[] = [];
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    )
      chunks.push(Int32Array.from(chunk.getColumnValues(0) as number[]));
    const all = new Int32Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
    let at = 0;
    for (const chunk of chunks) {
      all.set(chunk, at);
      at += chunk.length;
    }
    return all;
  }

  /** The columns as SQL names them. */
  async viewColumns(): Promise<SqlColumn[]> {
    const all = numbered(this.#columns);
    const selected = viewColumns(all, await timeTypes(this.#connection, all, 'rows'));
    const sql = `SELECT ${selected.length === 0 ? 'position' : selected.join(', ')} FROM rows LIMIT 0`;
    return columnsOf(await this.#connection.runAndReadAll(sql));
  }

  /** A condition on `rows` that is true for the rows that pass all filters. */
  conditionOf(filters: readonly ColumnFilter[]): string {
    return this.#condition(filters) ?? 'true';
  }

  #indexOf(field: string): number {
    return this.#columns.findIndex(({ path }) => path.join('.') === field);
  }

  /** Null where every row passes. A filter of a column that no row has lets only its absence pass. */
  #condition(filters: readonly ColumnFilter[]): string | null {
    const parts = filters.map((filter) => {
      const index = this.#indexOf(filter.field);
      const column = this.#columns[index];
      if (column !== undefined) return passes(filter, column, index);
      const isAbsence =
        (filter.kind === 'emptiness' && filter.is === 'absent') ||
        (filter.kind !== 'emptiness' && filter.excludes === true);
      return isAbsence ? 'true' : 'false';
    });
    if (this.#withinKey !== null) parts.push('position IN (SELECT position FROM within)');
    return parts.length === 0 ? null : parts.map((part) => `(${part})`).join(' AND ');
  }

  async #profile(column: SidecarColumn, index: number, condition: string | null): Promise<ColumnProfile> {
    const all = await this.#basicsOf(column, index);
    const passed = condition === null ? all : await this.#count(column, index, all, condition);
    const both = (total: number, count: number): Tally => ({ total, count });
    const tallies = all.parts.map((total, part) => both(total, passed.parts[part] ?? 0));
    const bars = tallies.slice(0, Math.max(0, all.edges.length - 1)).map((tally, bar, { length }) => ({
      ...{ from: all.edges[bar] ?? 0, to: all.edges[bar + 1] ?? 0, includesTo: bar === length - 1 },
      ...tally,
    }));
    const tops = all.values.map((value, at) => ({ value, ...(tallies[at] ?? both(0, 0)) }));
    const shown = [...bars, ...tops].reduce(
      (sum, { total, count }) => both(sum.total + total, sum.count + count),
      both(0, 0),
    );
    const missing = (of: { absent: number; nulls: number; empty: number }) => of.absent + of.nulls + of.empty;
    return {
      field: column.path.join('.'),
      kind: column.kind,
      rows: both(all.rows, passed.rows),
      absent: both(all.absent, passed.absent),
      nulls: both(all.nulls, passed.nulls),
      empty: both(all.empty, passed.empty),
      others: both(all.rows - missing(all) - shown.total, passed.rows - missing(passed) - shown.count),
      distinct: all.distinct,
      bars,
      tops,
    };
  }

  #basicsOf(column: SidecarColumn, index: number): Promise<Basics> {
    let known = this.#basics.get(index);
    if (known === undefined) {
      known = this.#countAll(column, index);
      known.catch(() => this.#basics.delete(index));
      this.#basics.set(index, known);
    }
    return known;
  }

  async #countAll(column: SidecarColumn, index: number): Promise<Basics> {
    const content = hasContent(column, index);
    const axis = axisOf(column, index);
    const hasAxis = isOnAxis(column.kind);
    const value = valueColumn(index);
    const isNumber = hasAxis && column.kind !== 'time' && column.kind !== 'numeric-text';
    // Of a number what is missing is null; a text may also be empty.
    const counted = isNumber ? value : `CASE WHEN ${content} THEN ${value} END`;
    const [row = []] = await this.#read(
      `SELECT approx_count_distinct(${counted}) ${hasAxis ? `, min(${axis}), max(${axis})` : ''} FROM rows`,
    );
    const [distinct = 0, min, max] = row.map((value) => (value === null ? undefined : Number(value)));
    const isDrawn = min !== undefined && max !== undefined && Number.isFinite(min) && Number.isFinite(max);
    const edges = isDrawn ? edgesOf(min, max, column.kind) : [];
    const tops = isDrawn
      ? []
      : await this.#read(`SELECT ${textOf(index)} AS value, count(*) AS total FROM rows
          WHERE ${content} GROUP BY value HAVING length(value) <= ${MOST_TOP_CHARACTERS}
          ORDER BY total DESC, value LIMIT ${MOST_TOPS}`);
    const values = tops.map(([value]) => String(value));
    const counts = await this.#count(column, index, { edges, values }, null);
    return { ...counts, distinct, edges, values };
  }

  /** One look at the rows for all parts of a column. */
  async #count(
    column: SidecarColumn,
    index: number,
    { edges, values }: Pick<Basics, 'edges' | 'values'>,
    condition: string | null,
  ): Promise<Counts> {
    const shown = edges.length > 0 ? barOf(axisOf(column, index), edges) : placeAmong(values, index);
    const rows = await this.#read(
      `SELECT ${partNumber(column, index, shown)} AS part, count(*) FROM rows
        ${condition === null ? '' : `WHERE ${condition}`} GROUP BY part`,
    );
    const counts = new Map(rows.map(([part, count]) => [Number(part), Number(count)]));
    const of = (part: number): number => counts.get(part) ?? 0;
    const shownParts = edges.length > 0 ? edges.length - 1 : values.length;
    return {
      rows: [...counts.values()].reduce((sum, count) => sum + count, 0),
      absent: of(partOf('absent')),
      nulls: of(partOf('null')),
      empty: of(partOf('empty')),
      parts: Array.from({ length: shownParts }, (_, part) => of(part)),
    };
  }

  async #read(sql: string): Promise<JS[][]> {
    return (await this.#connection.runAndReadAll(sql)).getRowsJS();
  }
}
