/**
 * Dataset items in files with cells: CSV, Parquet and Arrow. Each key of a bucket is a column, and each cell encodes
 * its value so that it can be read back unchanged: a text that would be read as something else is written as JSON. The
 * column `spandeck_cells` marks such a file. Pure.
 */
import { BUCKETS } from './dataset-model.ts';
import { withFormula } from './delimited.ts';
import { isRawNumber, parseExact, writeExact, writeSigned } from './exact-json.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Name of the column that says how the cells of its row are encoded. */
export const CELLS_COLUMN = 'spandeck_cells';
/**
 * Marks for CSV, where every value is encoded as a cell; `exact`: without the apostrophes that protect against
 * formulas.
 */
export const CSV_CELLS = { guarded: 'csv', exact: 'csv exact' } as const;

/** If a bucket has more keys, the others share one column. */
const MAX_COLUMNS = 800;
const MAX_NAME = 400;

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: some programs that write CSV drop these characters
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f\ufeff\ufffe\uffff]/;
const MAY_BE_JSON = /^\s*["[{\d\-tfn]/;

function isJson(text: string): boolean {
  if (!MAY_BE_JSON.test(text)) return false;
  try {
    parseExact(text);
    return true;
  } catch {
    return false;
  }
}

/** An absent value is an empty cell; texts stay unchanged unless they would be read as something else. */
export function cellOf(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value !== 'string') return writeSigned(value);
  const isPlain = value !== '' && value.isWellFormed() && !HIDDEN.test(value) && !isJson(value);
  return isPlain ? value : JSON.stringify(value);
}

/** JSON of the value that `cellOf` wrote; null for an absent one. */
export function jsonOfCell(cell: string): string | null {
  if (cell === '') return null;
  if (!isJson(cell)) return JSON.stringify(cell);
  return writeSigned(parseExact(cell));
}

/** The value of this column's cell, decoded according to the mark of its row; undefined if the row has no mark. */
export function markedJson(mark: unknown, column: string, value: unknown): string | null | undefined {
  if (typeof mark !== 'string' || mark === '') return undefined;
  if (mark === CSV_CELLS.exact) return jsonOfCell(String(value ?? ''));
  if (mark === CSV_CELLS.guarded) return jsonOfCell(withFormula(String(value ?? '')));
  if (value === undefined || value === null) return null;
  return encodedIn(mark).has(column) ? jsonOfCell(String(value)) : writeSigned(value);
}

let known: { mark: string; columns: ReadonlySet<string> } | null = null;

/** Names of the columns with encoded cells in a typed file, from the mark, which is the same in every row. */
function encodedIn(mark: string): ReadonlySet<string> {
  if (known?.mark === mark) return known.columns;
  let names: unknown = null;
  try {
    names = parseExact(mark);
  } catch {
    // Another program rewrote the mark, so it is unknown which columns are encoded.
  }
  const columns = new Set(Array.isArray(names) ? names.map(String) : []);
  known = { mark, columns };
  return columns;
}

/** One value of an item and its column. */
type Placed = readonly [column: string, value: unknown];

/** First collects the columns of all items, one item at a time; then writes each item as a row. */
export class ItemTable {
  readonly #columns = new Map<string, ColumnSeen>();
  /** Names in lower case: engines treat names that differ only in case as equal. */
  readonly #taken = new Map<string, string>();

  add(item: unknown): void {
    for (const [column, value] of this.#placed(item, true)) this.#columns.get(column)?.add(value);
  }

  get names(): string[] {
    return [...this.#columns.keys()];
  }

  /** Every cell as text, in the order of `names`. */
  cells(item: unknown): string[] {
    const values = new Map(this.#placed(item, false));
    return this.names.map((name) => cellOf(values.get(name)));
  }

  /** Keys with values of a single type stay typed; all others are encoded as cells. */
  typedRow(item: unknown): Record<string, unknown> {
    const row = this.#placed(item, false).map(([name, value]): [string, unknown] => [
      name,
      this.#columns.get(name)?.isTyped === true ? value : cellOf(value),
    ]);
    return Object.fromEntries([...row, [CELLS_COLUMN, this.#mark()]]);
  }

  #mark(): string {
    return writeExact(this.names.filter((name) => this.#columns.get(name)?.isTyped !== true));
  }

  #placed(item: unknown, isNew: boolean): Placed[] {
    if (!isObject(item)) return [];
    const placed: Placed[] = [];
    for (const [name, value] of Object.entries(item)) {
      const bucket = BUCKETS.find((each) => each === name);
      if (bucket === undefined || !isObject(value)) {
        if (bucket === undefined) placed.push([this.#column(name, isNew), value]);
        continue;
      }
      const others: [string, unknown][] = [];
      for (const [key, each] of Object.entries(value)) {
        const column = isName(key) ? this.#column(`${bucket}.${key}`, isNew) : '';
        if (column === '') others.push([key, each]);
        else placed.push([column, each]);
      }
      if (others.length > 0) placed.push([this.#column(bucket, isNew, true), Object.fromEntries(others)]);
    }
    return placed.filter(([column]) => column !== '');
  }

  /** Column name for a key; empty for a key that cannot have its own column. */
  #column(name: string, isNew: boolean, isForced = false): string {
    if (this.#columns.has(name)) return name;
    if (!isNew || name === CELLS_COLUMN) return '';
    const small = name.toLowerCase();
    if (!isForced && (this.#taken.has(small) || this.#columns.size >= MAX_COLUMNS)) return '';
    this.#taken.set(small, name);
    this.#columns.set(name, new ColumnSeen());
    return name;
  }
}

/** Whether a key can be used as a column name; values of other keys are placed in the column of their bucket. */
const isName = (key: string): boolean =>
  key !== '' &&
  key === key.trim() &&
  key.length <= MAX_NAME &&
  key.isWellFormed() &&
  !/[\p{Cc}\ufeff]/u.test(key);

class ColumnSeen {
  #kind: string | null = null;
  #isMixed = false;

  add(value: unknown): void {
    if (value === undefined) return;
    const isTyped = typeof value === 'boolean' || typeof value === 'number' || isPlainText(value);
    if (!isTyped || (this.#kind !== null && this.#kind !== typeof value)) this.#isMixed = true;
    this.#kind = typeof value;
  }

  get isTyped(): boolean {
    return !this.#isMixed;
  }
}

/** Whether a value is a text that typed formats can hold unchanged. */
const isPlainText = (value: unknown): boolean =>
  typeof value === 'string' && value.isWellFormed() && !/[\0\ufeff]/.test(value);
