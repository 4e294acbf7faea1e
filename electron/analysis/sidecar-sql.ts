/** Builds the SQL for sidecars: a table of typed columns for the rows of a list, their profiles and filters. Pure. */
import type { ColumnFilter, ColumnKind, Emptiness } from '../shared/analysis-model.ts';
import { constantConditions } from '../shared/constant-sql.ts';
import type { SidecarColumn } from './column-scan.ts';
import { quoteText } from './sql-text.ts';

const list = (parts: readonly string[]): string => `[${parts.join(', ')}]`;

/** A JSON pointer (RFC 6901) that works for any key. */
export function pointer(path: readonly string[]): string {
  return path.map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

const HAS_VALUE = 0;
const IS_NULL = 1;
const IS_ABSENT = 2;
/** Name of the state of an empty text in a column of another type. */
const IS_EMPTY = 3;

/**
 * Columns of the table `rows` that represent the column at `index`: its value, the state of the value, and its position
 * on an axis.
 */
export const valueColumn = (index: number): string => `v${index}`;
export const stateColumn = (index: number): string => `s${index}`;
export const placeColumn = (index: number): string => `p${index}`;

/** SQL for the state of an engine value, which cannot be absent. */
export const stateOf = (value: string): string =>
  `CAST(CASE WHEN ${value} IS NULL THEN ${IS_NULL} ELSE ${HAS_VALUE} END AS UTINYINT)`;

const isKeptAsJson = ({ kind }: SidecarColumn): boolean => kind === 'json';
/** Kinds whose values have a position on an axis. */
export const isOnAxis = (kind: ColumnKind): boolean =>
  kind !== 'text' && kind !== 'json' && kind !== 'boolean';

/**
 * Fills `rows` from the table `raw (position, record)`. Each record is parsed at most three times, however many columns
 * there are. `parts`: `values` leaves out states and axis positions, which only profiles and filters need.
 */
export function fillRows(columns: readonly SidecarColumn[], parts: 'all' | 'values' = 'all'): string {
  if (columns.length === 0) return 'CREATE TABLE rows AS SELECT position FROM raw';
  /** Values read by one engine function, as a list for the columns that need it. */
  const reading = (sql: string, name: string, needs: (column: SidecarColumn) => boolean) => {
    const wanted = columns.filter(needs);
    const pointers = wanted.map(({ path }) => quoteText(pointer(path)));
    return {
      of: (column: SidecarColumn): string => `${name}[${wanted.indexOf(column) + 1}]`,
      sql: wanted.length === 0 ? [] : [`${sql}(record, ${list(pointers)}) AS ${name}`],
    };
  };
  const texts = reading('json_extract_string', 'x', (column) => !isKeptAsJson(column));
  const jsons = reading('json_extract', 'j', isKeptAsJson);
  // If no record has null, a value without text is absent, and its type need not be read.
  const types = reading('json_type', 't', ({ hasNulls }) => hasNulls === true);
  const selected = columns.flatMap((column, index) => {
    const text = isKeptAsJson(column) ? `CAST(${jsons.of(column)} AS VARCHAR)` : texts.of(column);
    const isAbsent = `${column.hasNulls === true ? types.of(column) : text} IS NULL`;
    const nullState = column.hasNulls === true ? `WHEN ${types.of(column)} = 'NULL' THEN ${IS_NULL}` : '';
    const holdsTexts = isText(column.kind) || isKeptAsJson(column);
    const emptyState = holdsTexts ? '' : `WHEN ${text} = '' THEN ${IS_EMPTY}`;
    const state = `CASE WHEN ${isAbsent} THEN ${IS_ABSENT} ${nullState} ${emptyState} ELSE ${HAS_VALUE} END`;
    const content = typed(column, holdsTexts ? text : `nullif(${text}, '')`);
    const value =
      column.hasNulls === true
        ? `CASE WHEN coalesce(${types.of(column)}, 'NULL') <> 'NULL' THEN ${content} END`
        : content;
    if (parts === 'values') return [`${value} AS ${valueColumn(index)}`];
    return [
      `${value} AS ${valueColumn(index)}`,
      `CAST(${state} AS UTINYINT) AS ${stateColumn(index)}`,
      ...(column.kind === 'time' || column.kind === 'numeric-text'
        ? [`${place(column.kind, text)} AS ${placeColumn(index)}`]
        : []),
    ];
  });
  return `CREATE TABLE rows AS SELECT position, ${selected.join(', ')} FROM (
    SELECT ${['position', ...texts.sql, ...jsons.sql, ...types.sql].join(', ')} FROM raw)`;
}

function typed({ kind, precision }: SidecarColumn, text: string): string {
  switch (kind) {
    case 'boolean':
      return `CAST(${text} AS BOOLEAN)`;
    case 'integer':
      return `CAST(${text} AS BIGINT)`;
    case 'decimal':
      return `CAST(${text} AS DECIMAL(${precision?.width ?? 38}, ${precision?.scale ?? 0}))`;
    case 'number':
      return `CAST(${text} AS DOUBLE)`;
    default:
      return text;
  }
}

function place(kind: 'time' | 'numeric-text', text: string): string {
  return kind === 'time'
    ? `epoch_us(TRY_CAST(${text} AS TIMESTAMPTZ)) / 1000.0`
    : `TRY_CAST(${text} AS DOUBLE)`;
}

/** The axis position of a value as a double; null if it has none. */
export function axisOf({ kind }: SidecarColumn, index: number): string {
  return kind === 'time' || kind === 'numeric-text'
    ? placeColumn(index)
    : `CAST(${valueColumn(index)} AS DOUBLE)`;
}

/** SQL for the text of a value, for profiles and filters. */
export const textOf = (index: number): string => `CAST(${valueColumn(index)} AS VARCHAR)`;

const EMPTY_JSON = `('""', '[]', '{}')`;

/** SQL condition for rows in which the column is absent, null or empty. */
function isEmptyAs(column: SidecarColumn, index: number, is: Emptiness): string {
  switch (is) {
    case 'absent':
      return `${stateColumn(index)} = ${IS_ABSENT}`;
    case 'null':
      return `${stateColumn(index)} = ${IS_NULL}`;
    case 'missing':
      return `NOT ${hasContent(column, index)}`;
    case 'empty':
      if (column.kind === 'json')
        return `(${stateColumn(index)} = ${HAS_VALUE} AND ${valueColumn(index)} IN ${EMPTY_JSON})`;
      return isText(column.kind)
        ? `(${stateColumn(index)} = ${HAS_VALUE} AND ${valueColumn(index)} = '')`
        : `${stateColumn(index)} = ${IS_EMPTY}`;
  }
}

const isText = (kind: ColumnKind): boolean => kind === 'text' || kind === 'time' || kind === 'numeric-text';

/** SQL condition for rows with a value that is not empty. */
export function hasContent(column: SidecarColumn, index: number): string {
  return `(${stateColumn(index)} = ${HAS_VALUE} AND NOT ${isEmptyAs(column, index, 'empty')})`;
}

/** SQL for the texts of a column that can be constants; null if none can. */
function constantOf({ kind }: SidecarColumn, index: number): string | null {
  if (kind === 'json') return `trim(${textOf(index)}, '"')`;
  return kind === 'text' || kind === 'boolean' ? textOf(index) : null;
}

/** SQL condition that is true for rows that pass this filter. */
export function passes(filter: ColumnFilter, column: SidecarColumn, index: number): string {
  switch (filter.kind) {
    case 'emptiness':
      return isEmptyAs(column, index, filter.is);
    case 'values': {
      const values = filter.values.map(quoteText).join(', ');
      const isOne = `coalesce(${textOf(index)} IN (${values}), false)`;
      return filter.excludes ? `NOT ${isOne}` : isOne;
    }
    case 'contains': {
      const constant = constantOf(column, index);
      const isFound = [
        `contains(lower(${textOf(index)}), lower(${quoteText(filter.text)}))`,
        ...(constant === null ? [] : constantConditions(constant, filter, quoteText)),
      ];
      const occurs = `(${hasContent(column, index)} AND (${isFound.join(' OR ')}))`;
      return filter.excludes ? `NOT ${occurs}` : occurs;
    }
    case 'range': {
      const bounds = boundsOf(filter, column, index);
      const isInside = [...bounds, `${axisOf(column, index)} IS NOT NULL`].join(' AND ');
      return filter.excludes === true ? `NOT coalesce(${isInside}, false)` : isInside;
    }
  }
}

/** Maximum number of dots in a field name for which all ways to divide it into keys are tried. */
const MAX_DOTS = 5;

/** The ways to divide a dotted name into keys, because keys may contain dots. */
function keysOf(name: string): string[][] {
  const parts = name.split('.');
  if (parts.length > MAX_DOTS + 1) return [[name], parts];
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return [[first]];
  return keysOf(rest.join('.')).flatMap(([next = '', ...others]) => [
    [`${first}.${next}`, ...others],
    [first, next, ...others],
  ]);
}

/**
 * SQL condition that is true for rows in which a field in the JSON column at `index` passes this filter. `field`: its
 * name within that column. `free`: index of a column that does not exist.
 */
export function passesWithin(filter: ColumnFilter, index: number, field: string, free: number): string {
  const pointers = list(keysOf(field).map((keys) => quoteText(pointer(keys))));
  const held = `list_filter(json_extract(${valueColumn(index)}, ${pointers}), lambda each: each IS NOT NULL)[1]`;
  const text = `json_extract_string(held, '$')`;
  const kind = filter.kind === 'range' ? 'numeric-text' : 'text';
  const state = `CASE WHEN held IS NULL THEN ${IS_ABSENT} WHEN json_type(held) = 'NULL' THEN ${IS_NULL} ELSE ${HAS_VALUE} END`;
  const axis = `coalesce(${place('numeric-text', text)}, ${place('time', text)})`;
  return `position IN (
    SELECT position FROM (
      SELECT position, ${text} AS ${valueColumn(free)}, ${state} AS ${stateColumn(free)}, ${axis} AS ${placeColumn(free)}
      FROM (SELECT position, ${held} AS held FROM rows))
    WHERE ${passes(filter, { path: [field], kind }, free)})`;
}

type RangeFilter = Extract<ColumnFilter, { kind: 'range' }>;

/** For integers, compares the value itself, because the engine can then skip groups of rows outside the range. */
function boundsOf(
  { from, to, includesTo, excludesFrom }: RangeFilter,
  column: SidecarColumn,
  index: number,
): string[] {
  const isAfter = excludesFrom === true ? '>' : '>=';
  const bounds = [from, to].filter((bound) => bound !== null);
  if (column.kind === 'integer' && bounds.every((bound) => Math.abs(bound) <= Number.MAX_SAFE_INTEGER)) {
    const value = valueColumn(index);
    return [
      ...(from === null
        ? []
        : [Number.isInteger(from) ? `${value} ${isAfter} ${from}` : `${value} >= ${Math.ceil(from)}`]),
      ...(to === null ? [] : [includesTo ? `${value} <= ${Math.floor(to)}` : `${value} < ${Math.ceil(to)}`]),
    ];
  }
  const axis = axisOf(column, index);
  return [
    ...(from === null ? [] : [`${axis} ${isAfter} ${double(from)}`]),
    ...(to === null ? [] : [`${axis} ${includesTo ? '<=' : '<'} ${double(to)}`]),
  ];
}

/** SQL for the exact double, independent of how SQL literals are parsed. */
const double = (value: number): string => `CAST('${value}' AS DOUBLE)`;

/** SQL for the number of a value's bar. It compares the value with the edges, as a range filter does. */
export function barOf(axis: string, edges: readonly number[]): string {
  const between = (first: number, end: number): string => {
    if (end - first === 1) return String(first);
    const middle = (first + end) >> 1;
    return `CASE WHEN ${axis} < ${double(edges[middle] ?? 0)} THEN ${between(first, middle)} ELSE ${between(middle, end)} END`;
  };
  return `CASE WHEN ${axis} IS NOT NULL THEN ${between(0, edges.length - 1)} END`;
}

const PART_OF = { absent: -1, null: -2, empty: -3 } as const;
const OTHERS = -4;
export const partOf = (is: keyof typeof PART_OF): number => PART_OF[is];

/**
 * SQL for the number of the part that a row belongs to: its bar or value (`shown`), a kind of missing value, or the
 * other values.
 */
export function partNumber(column: SidecarColumn, index: number, shown: string): string {
  const missing = (Object.keys(PART_OF) as (keyof typeof PART_OF)[])
    .map((is) => `WHEN ${isEmptyAs(column, index, is)} THEN ${PART_OF[is]}`)
    .join(' ');
  return `CAST(CASE ${missing} ELSE coalesce(${shown}, ${OTHERS}) END AS TINYINT)`;
}

/** SQL for the index of a value among these; null if it is not among them. */
export function placeAmong(values: readonly string[], index: number): string {
  const places = values.map((value, at) => `WHEN ${quoteText(value)} THEN ${at}`).join(' ');
  return values.length === 0 ? 'NULL' : `CASE ${textOf(index)} ${places} END`;
}
