/** Profiles of the columns of a sidecar, and which rows pass filters. Runs in the analysis process. */
import type { DuckDBConnection, JS } from '@duckdb/node-api';
import type { ColumnFilter, ColumnProfile, Tally } from '../shared/analysis-model.ts';
import type { SqlColumn } from '../shared/sql-model.ts';
import type { SidecarColumn } from './column-scan.ts';
import { columnsOf } from './result-columns.ts';
import { axisOf, barOf, edgesOf, hasContent, isEmptyAs, isOnAxis, passes, textOf } from './sidecar-sql.ts';
import { quoteText } from './sql-text.ts';
import { numbered, timeTypes, viewColumns } from './view-columns.ts';

const MOST_TOPS = 10;
/** A longer value is not listed: it counts among the others. */
const MOST_TOP_CHARACTERS = 10_000;

/** Of all rows, whatever the filters: counted once. */
interface Basics {
  rows: number;
  absent: number;
  nulls: number;
  empty: number;
  distinct: number;
  /** Of the axis; empty where there is none, or nothing stands on it. */
  edges: number[];
  bars: number[];
  tops: { value: string; total: number }[];
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
        (filter.kind === 'values' && filter.excludes);
      return isAbsence ? 'true' : 'false';
    });
    if (this.#withinKey !== null) parts.push('position IN (SELECT position FROM within)');
    return parts.length === 0 ? null : parts.map((part) => `(${part})`).join(' AND ');
  }

  async #profile(column: SidecarColumn, index: number, condition: string | null): Promise<ColumnProfile> {
    const all = await this.#basicsOf(column, index);
    const passed =
      condition === null ? countedAll(all) : await this.#countPassed(column, index, all, condition);
    const both = (total: number, count: number): Tally => ({ total, count });
    const bars = all.bars.map((total, bar) => ({
      from: all.edges[bar] ?? 0,
      to: all.edges[bar + 1] ?? 0,
      includesTo: bar === all.bars.length - 1,
      ...both(total, passed.bars[bar] ?? 0),
    }));
    const tops = all.tops.map(({ value, total }) => ({ value, ...both(total, passed.tops.get(value) ?? 0) }));
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
    const [row = []] = await this.#read(`SELECT count(*), ${this.#missing(column, index)},
      approx_count_distinct(CASE WHEN ${content} THEN ${textOf(index)} END)
      ${hasAxis ? `, min(CASE WHEN ${content} THEN ${axis} END), max(CASE WHEN ${content} THEN ${axis} END)` : ''} FROM rows`);
    const [rows = 0, absent = 0, nulls = 0, empty = 0, distinct = 0, min, max] = row.map((value) =>
      value === null ? undefined : Number(value),
    );
    const basics = { rows, absent, nulls, empty, distinct };
    if (hasAxis && min !== undefined && max !== undefined && Number.isFinite(min) && Number.isFinite(max)) {
      const edges = edgesOf(min, max, column.kind === 'integer');
      return { ...basics, edges, bars: await this.#countBars(column, index, edges, content), tops: [] };
    }
    const tops = await this.#read(`SELECT ${textOf(index)} AS value, count(*) AS total FROM rows
      WHERE ${content} GROUP BY value HAVING length(value) <= ${MOST_TOP_CHARACTERS}
      ORDER BY total DESC, value LIMIT ${MOST_TOPS}`);
    return {
      ...basics,
      edges: [],
      bars: [],
      tops: tops.map(([value, total]) => ({ value: String(value), total: Number(total) })),
    };
  }

  #missing(column: SidecarColumn, index: number): string {
    return (['absent', 'null', 'empty'] as const)
      .map((is) => `count(*) FILTER (WHERE ${isEmptyAs(column, index, is)})`)
      .join(', ');
  }

  async #countBars(
    column: SidecarColumn,
    index: number,
    edges: readonly number[],
    condition: string,
  ): Promise<number[]> {
    const axis = axisOf(column, index);
    const rows = await this.#read(`SELECT ${barOf(axis, edges)} AS bar, count(*) FROM rows
      WHERE ${condition} AND ${axis} IS NOT NULL GROUP BY bar`);
    const counts = new Array<number>(edges.length - 1).fill(0);
    for (const [bar, count] of rows) counts[Number(bar)] = Number(count);
    return counts;
  }

  async #countPassed(
    column: SidecarColumn,
    index: number,
    all: Basics,
    condition: string,
  ): Promise<PassedCounts> {
    const [row = []] = await this.#read(
      `SELECT count(*), ${this.#missing(column, index)} FROM rows WHERE ${condition}`,
    );
    const [rows = 0, absent = 0, nulls = 0, empty = 0] = row.map(Number);
    const content = `${hasContent(column, index)} AND ${condition}`;
    const bars = all.bars.length === 0 ? [] : await this.#countBars(column, index, all.edges, content);
    const values = all.tops.map(({ value }) => quoteText(value)).join(', ');
    const tops =
      all.tops.length === 0
        ? []
        : await this.#read(`SELECT ${textOf(index)} AS value, count(*) FROM rows
            WHERE ${content} AND ${textOf(index)} IN (${values}) GROUP BY value`);
    return {
      ...{ rows, absent, nulls, empty, bars },
      tops: new Map(tops.map(([value, count]) => [String(value), Number(count)])),
    };
  }

  async #read(sql: string): Promise<JS[][]> {
    return (await this.#connection.runAndReadAll(sql)).getRowsJS();
  }
}

type PassedCounts = Pick<Basics, 'rows' | 'absent' | 'nulls' | 'empty' | 'bars'> & {
  tops: ReadonlyMap<string, number>;
};

function countedAll({ rows, absent, nulls, empty, bars, tops }: Basics): PassedCounts {
  return {
    ...{ rows, absent, nulls, empty, bars },
    tops: new Map(tops.map(({ value, total }) => [value, total])),
  };
}
