/**
 * Reads rows from a JSON object that is a table: columns as lists or as objects by row number, rows by number, or names
 * next to lists of cells, as written by pandas, Weights & Biases, MLflow and ragas. Pure.
 */
import { isObject } from '../../core/items/flattened.ts';
import { counted } from '../../shared/count-text.ts';
import { exactNumber, isRawNumber } from '../../shared/exact-json.ts';
import type { LedgerOmission } from '../../shared/value-ledger.ts';
import { resultTable } from './json-results.ts';

/** The choice of reading the document as a table. */
export const TABLE_DOCUMENT = 'the table';

type Fields = Readonly<Record<string, unknown>>;

interface DocumentTable {
  /** The rows, each with the columns in order. */
  rows: Iterable<Fields>;
  notes: string[];
  leftOut: LedgerOmission[];
}

interface Table {
  form: string;
  /** The labels of the rows; null if the table has none. */
  index: readonly unknown[] | null;
  rows: readonly Fields[];
  /** Other keys of the document, which only describe the table. */
  beside: readonly string[];
  /** True if the answer has more pages. */
  isPart?: boolean;
}

/** Fields that only describe a table of names and cells. */
const DESCRIPTIONS = new Set(
  'index,index_names,column_names,ncols,nrows,column_types,log_mode,_type'.split(','),
);
const INDEX = 'index';
/** Minimum number of texts per column for them to be rows. Fewer may be parts of one record, such as its contexts. */
const SURE_ROWS = 10;

/**
 * The rows of a table. Null if only a person can decide whether the object is a table, for example if keys are
 * repeated. `keys`, `inner`: the number of keys of the object, and of the objects in it, counting repetitions. `isChosen`:
 * whether a person said that the object is a table, so that its rows may have any keys.
 */
export function tableOf(
  value: unknown,
  { keys, inner, isChosen }: { keys: number; inner: ReadonlyMap<string, number>; isChosen: boolean },
): DocumentTable | null {
  if (!isObject(value) || Object.keys(value).length !== keys) return null;
  const isRepeated = ([name, part]: [string, unknown]) =>
    isObject(part) && inner.has(name) && inner.get(name) !== Object.keys(part).length;
  if (Object.entries(value).some(isRepeated)) return null;
  const found =
    ofCells(value) ?? ofResult(value) ?? ofLists(value) ?? ofColumns(value) ?? ofRows(value, isChosen);
  if (found === null) return null;
  const { form, index, rows, beside, isPart = false } = found;
  const isCount = index === null || index.every((label, at) => String(label) === String(at));
  const isTaken = rows.some((row) => Object.hasOwn(row, INDEX));
  const isKept = !isCount && !isTaken;
  const left = [...beside, ...(isCount || isKept ? [] : [INDEX])];
  return {
    rows: isKept ? rows.map((row, at) => ({ [INDEX]: index[at], ...row })) : rows,
    notes: [
      `JSON: one object that is a table, ${form}: ${counted(rows.length, 'row')}.`,
      ...(index === null || isKept || !isCount ? [] : ['The numbers of its rows are skipped.']),
      ...(isPart ? ['The answer names a next page, whose rows are not in this file.'] : []),
    ],
    leftOut: left.map((name) => ({
      ...{ kind: 'key', name, count: null, line: null },
      reason: 'it stands beside the table',
    })),
  };
}

function ofCells(value: Fields): Table | null {
  const { columns, data, index } = value;
  const beside = Object.keys(value).filter((key) => key !== 'columns' && key !== 'data');
  if (!Array.isArray(columns) || !Array.isArray(data) || data.length === 0) return null;
  if (!beside.every((key) => DESCRIPTIONS.has(key))) return null;
  const names = columns.filter(isLabel).map(String);
  const isTable =
    names.length === columns.length &&
    new Set(names).size === names.length &&
    data.every((row) => Array.isArray(row) && row.length === names.length);
  if (!isTable) return null;
  const labels = Array.isArray(index) && index.length === data.length ? index : null;
  return {
    form: 'names beside lists of cells',
    rows: data.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at]]))),
    index: labels,
    beside: beside.filter((key) => key !== INDEX || labels === null),
  };
}

function ofResult(value: Fields): Table | null {
  const found = resultTable(value);
  return found === null
    ? null
    : { form: 'an answer with names beside lists of cells', index: null, ...found };
}

const isScalar = (value: unknown): boolean =>
  typeof value === 'number' || typeof value === 'boolean' || isRawNumber(value);
const isLabel = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || isRawNumber(value);

function ofLists(value: Fields): Table | null {
  const columns = Object.entries(value);
  const [, first] = columns[0] ?? [];
  const rows = Array.isArray(first) ? first.length : 0;
  const lists = columns.flatMap(([name, list]): [string, readonly unknown[]][] =>
    Array.isArray(list) && list.length === rows && !list.some(isObject) ? [[name, list]] : [],
  );
  if (rows < 2 || columns.length < 2 || lists.length < columns.length) return null;
  const isSure = rows >= SURE_ROWS || lists.some(([, list]) => list.some(isScalar));
  if (!isSure) return null;
  return {
    form: 'a list of values for each column',
    rows: Array.from({ length: rows }, (_, at) =>
      Object.fromEntries(lists.map(([name, list]) => [name, list[at]])),
    ),
    index: null,
    beside: [],
  };
}

function ofColumns(value: Fields): Table | null {
  const columns = Object.entries(value);
  const [, first] = columns[0] ?? [];
  const labels = isObject(first) ? Object.keys(first) : [];
  const isTable =
    columns.length > 1 &&
    labels.length > 0 &&
    labels.every(isNumber) &&
    columns.every(([, column]) => isObject(column) && Object.keys(column).join() === labels.join());
  if (!isTable) return null;
  return {
    form: 'an object by row number for each column',
    rows: labels.map((label) =>
      Object.fromEntries(
        columns.map(([name, column]) => [name, isObject(column) ? column[label] : undefined]),
      ),
    ),
    index: labels.map((label) => exactNumber(label) ?? label),
    beside: [],
  };
}

function ofRows(value: Fields, isAnyLabel: boolean): Table | null {
  const rows = Object.entries(value).flatMap(([label, row]): [string, Fields][] =>
    (isAnyLabel || isNumber(label)) && isObject(row) && Object.keys(row).length > 0 ? [[label, row]] : [],
  );
  if (rows.length < 2 || rows.length < Object.keys(value).length) return null;
  return {
    form: rows.every(([label]) => isNumber(label)) ? 'a row for each number' : 'a row for each key',
    rows: rows.map(([, row]) => row),
    index: rows.map(([label]) => exactNumber(label) ?? label),
    beside: [],
  };
}

export const isNumber = (text: string): boolean => /^\d+$/.test(text);
