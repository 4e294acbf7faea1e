/** Profiles the columns of a sidecar, and finds the rows that pass filters. Runs in the analysis process. */
import type { DuckDBConnection, JS } from '@duckdb/node-api';
import type { ColumnFilter, ColumnProfile } from '../shared/analysis-model.ts';
import { edgesOf } from '../shared/axis-edges.ts';
import { exactNumber, isRawNumber } from '../shared/exact-json.ts';
import type { SqlColumn } from '../shared/sql-model.ts';
import { columnName, type SidecarColumn } from './column-scan.ts';
import { type Axis, type Basics, countsOf, profileOf } from './part-counts.ts';
import { columnsOf } from './result-columns.ts';
import { readNumbers } from './row-numbers.ts';
import {
  axisOf,
  barOf,
  hasContent,
  isOnAxis,
  partNumber,
  passes,
  passesWithin,
  placeAmong,
  textOf,
  valueColumn,
} from './sidecar-sql.ts';
import { numbered, timeTypes, viewColumns } from './view-columns.ts';

const MAX_TOPS = 10;
/** A value longer than this is not listed, but counts among the others. */
const MAX_TOP_CHARACTERS = 10_000;

/** Number of columns that are profiled with one scan of the rows. */
const COLUMNS_AT_ONCE = 25;
/** Maximum memory for cached part numbers. */
const MAX_PART_BYTES = 200_000_000;
/** Maximum number of cached sets of passing rows. Each filtered column needs one. */
const MAX_PASSING = 3;

interface Wanted {
  column: SidecarColumn;
  index: number;
}

/**
 * The rows of a table `rows`, for profiling. For each column, the part that each row belongs to is read once and
 * cached. With filters, only the numbers of the passing rows are queried, and their parts are counted here.
 */
export class ProfiledRows {
  readonly #connection: DuckDBConnection;
  readonly #columns: readonly SidecarColumn[];
  /** SQL for the index of a row in the table. */
  readonly #rowNumber: string;
  readonly #basics = new Map<number, Basics>();
  /** For each column, the part of each row; the least recently used first. */
  readonly #parts = new Map<number, Int8Array>();
  readonly #passing = new Map<string, Int32Array>();
  #withinKey: string | null = null;

  constructor(connection: DuckDBConnection, columns: readonly SidecarColumn[], rowNumber: string) {
    this.#connection = connection;
    this.#columns = columns;
    this.#rowNumber = rowNumber;
  }

  /** Restricts all queries to the rows at these positions; null for all. */
  async limitTo(within: { key: string; positions: Int32Array } | null): Promise<void> {
    if ((within?.key ?? null) === this.#withinKey) return;
    this.#withinKey = null;
    this.#passing.clear();
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

  /**
   * Profiles of these columns (null for all). Columns that do not exist are skipped. The counts of a column apply all
   * filters except its own.
   */
  async profiles(
    fields: readonly string[] | null,
    filters: readonly ColumnFilter[],
  ): Promise<ColumnProfile[]> {
    const indexes = fields?.map((field) => this.#indexOf(field)) ?? [...this.#columns.keys()];
    const wanted = indexes.flatMap((index): Wanted[] => {
      const column = this.#columns[index];
      return column === undefined ? [] : [{ column, index }];
    });
    const found: ColumnProfile[] = [];
    for (let from = 0; from < wanted.length; from += COLUMNS_AT_ONCE)
      found.push(...(await this.#profilesOf(wanted.slice(from, from + COLUMNS_AT_ONCE), filters)));
    return found;
  }

  async #profilesOf(wanted: readonly Wanted[], filters: readonly ColumnFilter[]): Promise<ColumnProfile[]> {
    await this.#prepare(wanted);
    const found: ColumnProfile[] = [];
    for (const { column, index } of wanted) {
      const others = filters.filter((filter) => this.#indexOf(filter.field) !== index);
      const passing = await this.#passingRows(this.#condition(others));
      const all = this.#known(this.#basics, index);
      const passed = passing === null ? all : countsOf(this.#partsOf(index), passing, all);
      found.push(profileOf(column, all, passed));
    }
    this.#forgetParts();
    return found;
  }

  /** Positions of the rows that pass all filters, ascending. */
  async positions(filters: readonly ColumnFilter[]): Promise<Int32Array<ArrayBuffer>> {
    const sql = `SELECT CAST(position AS INTEGER) FROM rows WHERE ${this.conditionOf(filters)} ORDER BY position`;
    const [positions = new Int32Array()] = await readNumbers(this.#connection, sql, [Int32Array]);
    return positions;
  }

  /** The columns with their names in SQL. */
  async viewColumns(): Promise<{ columns: SqlColumn[]; rows: number }> {
    const all = numbered(this.#columns);
    const selected = viewColumns(all, await timeTypes(this.#connection, all, 'rows'));
    const sql = `SELECT ${selected.length === 0 ? 'position' : selected.join(', ')} FROM rows LIMIT 0`;
    const [count] = (await this.#connection.runAndReadAll('SELECT count(*) FROM rows')).getRowsJson();
    return { columns: columnsOf(await this.#connection.runAndReadAll(sql)), rows: Number(count?.[0] ?? 0) };
  }

  /** A condition on `rows` that is true for rows that pass all filters. */
  conditionOf(filters: readonly ColumnFilter[]): string {
    return this.#condition(filters) ?? 'true';
  }

  #indexOf(field: string): number {
    return this.#columns.findIndex(({ path }) => columnName(path) === field);
  }

  /**
   * Null if every row passes. A field without a column is read from the JSON of the object that holds it. If there is no
   * such object, a filter on it passes rows only if it selects absent values.
   */
  #condition(filters: readonly ColumnFilter[]): string | null {
    const parts = filters.map((filter) => {
      const index = this.#indexOf(filter.field);
      const column = this.#columns[index];
      if (column !== undefined) return passes(filter, column, index);
      const within = this.#within(filter);
      if (within !== null) return within;
      const isAbsence =
        (filter.kind === 'emptiness' && (filter.is === 'absent' || filter.is === 'missing')) ||
        (filter.kind !== 'emptiness' && filter.excludes === true);
      return isAbsence ? 'true' : 'false';
    });
    if (this.#withinKey !== null) parts.push('position IN (SELECT position FROM within)');
    return parts.length === 0 ? null : parts.map((part) => `(${part})`).join(' AND ');
  }

  /** A condition for a field in a column of JSON; null if no such column can hold it. */
  #within(filter: ColumnFilter): string | null {
    const holders = this.#columns.flatMap(({ path, kind }, index) => {
      const start = path.length === 0 ? '' : `${path.join('.')}.`;
      return kind === 'json' && filter.field.startsWith(start) ? [{ index, start }] : [];
    });
    const [holder] = holders.toSorted((one, other) => other.start.length - one.start.length);
    return holder === undefined
      ? null
      : passesWithin(filter, holder.index, filter.field.slice(holder.start.length), this.#columns.length);
  }

  #known<T>(values: ReadonlyMap<number, T>, index: number): T {
    const known = values.get(index);
    if (known === undefined) throw new Error(`Column ${index} was not looked at.`);
    return known;
  }

  /** Reads the data of these columns that is not cached yet. */
  async #prepare(wanted: readonly Wanted[]): Promise<void> {
    const isNew = ({ index }: Wanted): boolean => !this.#basics.has(index);
    const axes = await this.#axesOf(wanted.filter(isNew));
    const axisAt = (index: number): Axis => axes.get(index) ?? this.#known(this.#basics, index);
    const missing = wanted.filter(({ index }) => !this.#parts.has(index));
    for (const { index } of wanted) this.#use(index);
    if (missing.length === 0) return;
    const numbers = missing.map(({ column, index }) => {
      const { edges, values } = axisAt(index);
      const shown = edges.length > 0 ? barOf(axisOf(column, index), edges) : placeAmong(values, index);
      return partNumber(column, index, shown);
    });
    const read = await readNumbers(
      this.#connection,
      `SELECT ${numbers.join(', ')} FROM rows`,
      missing.map(() => Int8Array),
    );
    for (const [at, { index }] of missing.entries()) {
      const parts = read[at] ?? new Int8Array();
      this.#parts.set(index, parts);
      const axis = axisAt(index);
      this.#basics.set(index, { ...axis, ...countsOf(parts, null, axis) });
    }
  }

  #partsOf(index: number): Int8Array {
    return this.#known(this.#parts, index);
  }

  #use(index: number): void {
    const parts = this.#parts.get(index);
    if (parts === undefined) return;
    this.#parts.delete(index);
    this.#parts.set(index, parts);
  }

  #forgetParts(): void {
    let bytes = [...this.#parts.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
    for (const [index, { byteLength }] of this.#parts) {
      if (bytes <= MAX_PART_BYTES) return;
      this.#parts.delete(index);
      bytes -= byteLength;
    }
  }

  /** Numbers of the rows for which the condition is true; null for all. */
  async #passingRows(condition: string | null): Promise<Int32Array | null> {
    if (condition === null) return null;
    const known = this.#passing.get(condition);
    if (known !== undefined) return known;
    const sql = `SELECT CAST(${this.#rowNumber} AS INTEGER) FROM rows WHERE ${condition}`;
    const [passing = new Int32Array()] = await readNumbers(this.#connection, sql, [Int32Array]);
    this.#passing.set(condition, passing);
    for (const oldest of this.#passing.keys()) {
      if (this.#passing.size <= MAX_PASSING) break;
      this.#passing.delete(oldest);
    }
    return passing;
  }

  async #axesOf(wanted: readonly Wanted[]): Promise<Map<number, Axis>> {
    const axes = new Map<number, Axis>();
    if (wanted.length === 0) return axes;
    const asked = wanted.map(({ column, index }) => {
      const value = valueColumn(index);
      const axis = axisOf(column, index);
      const hasAxis = isOnAxis(column.kind);
      const isNumber = hasAxis && column.kind !== 'time' && column.kind !== 'numeric-text';
      // Numbers are missing only if they are null; texts also if they are empty.
      const counted = isNumber ? value : `CASE WHEN ${hasContent(column, index)} THEN ${value} END`;
      // Limited, because the estimate may exceed the number of values.
      const distinct = `least(approx_count_distinct(${counted}), count(${counted}))`;
      const ends = hasAxis ? `min(${axis}), max(${axis})` : 'NULL, NULL';
      return `${distinct}, ${ends}, ${isNumber ? `${asText(`min(${value})`)}, ${asText(`max(${value})`)}` : 'NULL, NULL'}`;
    });
    const [row = []] = await this.#read(`SELECT ${asked.join(', ')} FROM rows`);
    for (const [at, { column, index }] of wanted.entries()) {
      const own = row.slice(at * FIGURES, (at + 1) * FIGURES);
      const [distinct = 0, min, max] = own.map((value) => (value === null ? undefined : Number(value)));
      const range = rangeOf(own[3], own[4]);
      const isDrawn = min !== undefined && max !== undefined && Number.isFinite(min) && Number.isFinite(max);
      const edges = isDrawn ? edgesOf(min, max, column.kind) : [];
      const values = isDrawn ? [] : await this.#topsOf(column, index);
      axes.set(index, { distinct, edges, values, ...(range === null ? {} : { range }) });
    }
    return axes;
  }

  async #topsOf(column: SidecarColumn, index: number): Promise<string[]> {
    const tops = await this.#read(`SELECT ${textOf(index)} AS value, count(*) AS total FROM rows
      WHERE ${hasContent(column, index)} GROUP BY value HAVING length(value) <= ${MAX_TOP_CHARACTERS}
      ORDER BY total DESC, value LIMIT ${MAX_TOPS}`);
    return tops.map(([value]) => String(value));
  }

  async #read(sql: string): Promise<JS[][]> {
    return (await this.#connection.runAndReadAll(sql)).getRowsJS();
  }
}

/** Number of figures read for the axis of a column. */
const FIGURES = 5;
const asText = (value: string): string => `CAST(${value} AS VARCHAR)`;

/** The smallest and largest integer or decimal; null if doubles can hold them. */
function rangeOf(min: JS | undefined, max: JS | undefined): NonNullable<Axis['range']> | null {
  if (typeof min !== 'string' || typeof max !== 'string') return null;
  const isHeld = [min, max].every((text) => !isRawNumber(exactNumber(text)));
  return isHeld ? null : { min, max };
}
