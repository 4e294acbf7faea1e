/** Determines the columns of a list and the types of their values, row by row. Pure. */
import type { ColumnKind } from '../shared/analysis-model.ts';
import { isRawNumber } from '../shared/exact-json.ts';
import type { ColumnSummary } from '../shared/mirror-model.ts';

export interface SidecarColumn {
  /** Keys that lead from the record to the value, e.g. `['span_attributes', 'gen_ai.request.model']`. */
  path: readonly string[];
  kind: ColumnKind;
  /** Total number of digits, and number of decimals; only for decimals. */
  precision?: { width: number; scale: number } | undefined;
  /** True if some record has null here, so that a missing value may be null instead of absent. */
  hasNulls?: boolean | undefined;
}

/** Depth to which objects are flattened. Deeper values stay JSON. */
const MAX_LEVELS = 6;
/**
 * Maximum number of columns of nested fields, and of others. An object with further fields gets a column for its JSON;
 * the record itself gets one too if it has further fields.
 */
const MAX_COLUMNS = 1_000;
const MAX_DECIMAL_DIGITS = 38;
const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;
const NUMERIC = /^-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,2})?$/;

type Fields = Readonly<Record<string, unknown>>;

class Column {
  readonly path: readonly string[];
  nulls = 0;
  booleans = 0;
  integers = 0;
  /** Number of values with a fraction or an exponent that a double represents exactly. */
  doubles = 0;
  /** Number of values that a double cannot represent. */
  exact = 0;
  /** Magnitude of the largest integer whose digits were counted. Smaller integers have no more digits. */
  largest = -1;
  wholeDigits = 1;
  fractionDigits = 0;
  /** True if an exact number cannot be written as a decimal. */
  isBeyondDecimals = false;
  times = 0;
  numericTexts = 0;
  texts = 0;
  lists = 0;
  objects = 0;
  readonly children = new Map<string, Column>();
  /** True if these objects have a field without a column. */
  hasFurtherFields = false;

  constructor(path: readonly string[]) {
    this.path = path;
  }

  summary(): ColumnSummary {
    const { nulls, booleans, integers, doubles, exact, largest, wholeDigits, fractionDigits } = this;
    const { times, numericTexts, texts, lists, objects } = this;
    const children = this.childSummaries();
    return {
      key: this.path.at(-1) ?? '',
      counts: [
        ...[nulls, booleans, integers, doubles, exact, largest, wholeDigits, fractionDigits],
        ...[Number(this.isBeyondDecimals), times, numericTexts, texts, lists, objects],
      ],
      ...(children.length === 0 ? {} : { children }),
    };
  }

  /** An entry without counts states that there are further fields. */
  childSummaries(): ColumnSummary[] {
    const children = [...this.children.values()].map((column) => column.summary());
    return this.hasFurtherFields ? [...children, { key: '', counts: [] }] : children;
  }

  /** Adds the counts of `summary`, without those of its children. */
  absorb({ counts }: ColumnSummary): void {
    const [nulls = 0, booleans = 0, integers = 0, doubles = 0, exact = 0, ...more] = counts;
    const [largest = -1, wholeDigits = 1, fractionDigits = 0, isBeyondDecimals = 0, ...further] = more;
    const [times = 0, numericTexts = 0, texts = 0, lists = 0, objects = 0] = further;
    this.nulls += nulls;
    this.booleans += booleans;
    this.integers += integers;
    this.doubles += doubles;
    this.exact += exact;
    this.largest = Math.max(this.largest, largest);
    this.wholeDigits = Math.max(this.wholeDigits, wholeDigits);
    this.fractionDigits = Math.max(this.fractionDigits, fractionDigits);
    this.isBeyondDecimals ||= isBeyondDecimals === 1;
    this.times += times;
    this.numericTexts += numericTexts;
    this.texts += texts;
    this.lists += lists;
    this.objects += objects;
  }

  kind(): Pick<SidecarColumn, 'kind' | 'precision'> {
    const numbers = this.integers + this.doubles + this.exact;
    const texts = this.times + this.numericTexts + this.texts;
    const kinds = [this.booleans, numbers, texts, this.lists + this.objects].filter((count) => count > 0);
    if (kinds.length > 1 || this.lists + this.objects > 0) return { kind: 'json' };
    if (this.booleans > 0) return { kind: 'boolean' };
    if (numbers > 0) return this.#numberKind();
    if (texts > 0 && texts === this.times) return { kind: 'time' };
    if (texts > 0 && texts === this.numericTexts) return { kind: 'numeric-text' };
    return { kind: 'text' };
  }

  #numberKind(): Pick<SidecarColumn, 'kind' | 'precision'> {
    if (this.exact === 0) return { kind: this.doubles === 0 ? 'integer' : 'number' };
    const width = this.wholeDigits + this.fractionDigits;
    // Doubles among exact numbers are written in their shortest form, which also fits a decimal with this scale.
    if (this.isBeyondDecimals || width > MAX_DECIMAL_DIGITS) return { kind: 'json' };
    return { kind: 'decimal', precision: { width, scale: this.fractionDigits } };
  }
}

const WHOLE = /^-?\d+$/;
const PLAIN_NUMBER = /^-?(\d+)(?:\.(\d+))?$/;

export class ColumnScan {
  /** Stands for the record itself. */
  readonly #root = new Column([]);
  /** Number of columns of nested fields. */
  #nested = 0;

  /** Processes one row. A row that is not an object counts as a row without fields. */
  add(record: unknown): void {
    if (isPlainObject(record)) this.#addFields(this.#root, record);
  }

  #addFields(parent: Column, record: Fields): void {
    for (const key in record) {
      if (!Object.hasOwn(record, key)) continue;
      const column = isUnnamed(key) ? this.#refused(parent) : this.#child(parent, key);
      if (column !== null) this.#addValue(column, record[key]);
    }
  }

  /** Null if there are too many columns. */
  #child(parent: Column, key: string): Column | null {
    const known = parent.children.get(key);
    if (known !== undefined) return known;
    const isNested = parent !== this.#root;
    if ((isNested ? this.#nested : parent.children.size) >= MAX_COLUMNS) return this.#refused(parent);
    if (isNested) this.#nested += 1;
    const column = new Column([...parent.path, key]);
    parent.children.set(key, column);
    return column;
  }

  #refused(parent: Column): null {
    parent.hasFurtherFields = true;
    return null;
  }

  /** The counts of all rows so far, which `absorb` can add to those of other rows. */
  summary(): ColumnSummary[] {
    return this.#root.childSummaries();
  }

  /** Processes the rows that were counted in a summary. */
  absorb(summary: readonly ColumnSummary[]): void {
    this.#absorbAll(this.#root, summary);
  }

  #absorbAll(parent: Column, summary: readonly ColumnSummary[]): void {
    for (const each of summary) {
      const column = each.counts.length === 0 ? this.#refused(parent) : this.#child(parent, each.key);
      if (column === null) continue;
      column.absorb(each);
      if (each.children !== undefined) this.#absorbAll(column, each.children);
    }
  }

  #addValue(column: Column, value: unknown): void {
    if (value === null) column.nulls += 1;
    if (value === null || value === undefined) return;
    if (typeof value === 'string') {
      // An empty text counts as empty, whatever the type of the other values is.
      if (value === '') return;
      if (TIME.test(value)) column.times += 1;
      else if (NUMERIC.test(value)) column.numericTexts += 1;
      else column.texts += 1;
    } else if (typeof value === 'boolean') column.booleans += 1;
    else if (typeof value === 'number') noteNumber(column, value);
    else if (isRawNumber(value)) noteExact(column, value.digits);
    else if (Array.isArray(value) || (isPlainObject(value) && hasUnnamed(value))) column.lists += 1;
    else if (isPlainObject(value)) {
      column.objects += 1;
      if (column.path.length < MAX_LEVELS) this.#addFields(column, value);
    }
  }

  /**
   * The columns in order of first appearance. An object whose fields all have columns has none itself. The column of an
   * object with further fields follows those of its fields.
   */
  columns(): SidecarColumn[] {
    return listed(this.#root);
  }
}

function listed(parent: Column): SidecarColumn[] {
  const columns = [...parent.children.values()].flatMap((column) => {
    const others =
      column.booleans +
      column.integers +
      column.doubles +
      column.exact +
      column.times +
      column.numericTexts +
      column.texts +
      column.lists;
    const isTakenApart = column.objects > 0 && others === 0 && column.children.size > 0;
    if (isTakenApart) return listed(column);
    return [{ path: column.path, ...column.kind(), ...nullsOf(column) }];
  });
  if (!parent.hasFurtherFields) return columns;
  return [...columns, { path: parent.path, kind: 'json', ...nullsOf(parent) }];
}

const nullsOf = ({ nulls }: Column): Pick<SidecarColumn, 'hasNulls'> => (nulls > 0 ? { hasNulls: true } : {});

/** The name of a column in results. The record itself has one if it has more fields than columns. */
export const columnName = (path: readonly string[]): string =>
  path.length === 0 ? 'whole record' : path.join('.');

function noteNumber(column: Column, value: number): void {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 2 ** 63) {
    column.integers += 1;
    if (size <= column.largest) return;
    column.largest = size;
  } else column.doubles += 1;
  noteDigits(column, String(value));
}

function noteExact(column: Column, digits: string): void {
  if (WHOLE.test(digits) && digits.length <= 20 && BigInt.asIntN(64, BigInt(digits)) === BigInt(digits)) {
    column.integers += 1;
    noteDigits(column, digits);
    return;
  }
  column.exact += 1;
  if (!noteDigits(column, digits)) column.isBeyondDecimals = true;
}

function noteDigits(column: Column, digits: string): boolean {
  const parts = PLAIN_NUMBER.exec(digits);
  if (parts === null) return false;
  column.wholeDigits = Math.max(column.wholeDigits, parts[1]?.length ?? 0);
  column.fractionDigits = Math.max(column.fractionDigits, parts[2]?.length ?? 0);
  return true;
}

/** True for a key that the engine does not support. The object with this key stays JSON. */
const isUnnamed = (key: string): boolean => key.includes('\u0000') || !key.isWellFormed();

function hasUnnamed(record: Fields): boolean {
  for (const key in record) if (isUnnamed(key)) return true;
  return false;
}

function isPlainObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
