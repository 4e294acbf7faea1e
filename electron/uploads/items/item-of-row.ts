/** Turns a row of a file into a dataset item, with every column in its place, or names the first fault. Pure. */

import { flattened, isObject } from '../../core/items/flattened.ts';
import { badRowsOmission } from '../../shared/bad-row-text.ts';
import { BUCKETS, type Bucket } from '../../shared/dataset-model.ts';
import { parseExact, writeExact, writeSigned } from '../../shared/exact-json.ts';
import { CELLS_COLUMN, markedJson } from '../../shared/item-cells.ts';
import type { ItemColumn, ItemReading } from '../../shared/items-model.ts';
import type { BadRow, ColumnPlan, ProblemGroup } from '../../shared/upload-model.ts';
import type { ValueLedger } from '../../shared/value-ledger.ts';
import { excerptOf, type SourceRow } from '../readers/row-source.ts';
import type { Settled } from '../validate/column-evidence.ts';
import { type Field, FieldValues, rawOf } from '../validate/field-values.ts';
import { FileKeys } from '../validate/file-keys.ts';
import type { ReadAt } from '../validate/reading-plan.ts';
import type { Replaced } from '../validate/replacements.ts';
import { idText } from '../validate/validate.ts';
import { isBad } from '../validate/values.ts';

/** JSON texts by key. */
type Fields = Map<string, string>;

interface Column extends ItemColumn {
  values: Field;
}

interface Read {
  json: string;
  /** Keys that the item holds, as `bucket.key`. */
  keys: string[];
  /** True if a value of the row was replaced or repaired. */
  isRepaired: boolean;
  /** Null if the row has none. */
  sourceId: string | null;
}

interface Fault {
  column: string;
  value: unknown;
  reason: string;
}

export class ItemReader {
  readonly #columns: Column[];
  readonly #flattens: boolean;
  /** Index of the column that marks a file of items; -1 if there is none. */
  readonly #markIndex: number;
  readonly #values: FieldValues;
  readonly #keys: FileKeys;
  #badRows = 0;
  #firstBad: BadRow | null = null;
  #repairedRows = 0;

  constructor(plan: ItemReading & ReadAt, header: readonly string[] | null) {
    const { columns, flattens } = plan;
    this.#flattens = flattens;
    this.#values = new FieldValues(plan, () => false);
    this.#markIndex = header?.indexOf(CELLS_COLUMN) ?? -1;
    const own = columns.filter(({ source }) => source !== CELLS_COLUMN);
    const sent = own.map(({ source, place }) => ({ source, target: place }));
    // The marker column is used for the cells of its row, so it does not count as left out.
    this.#keys = new FileKeys([...sent, { source: CELLS_COLUMN, target: CELLS_COLUMN }], header, null);
    this.#columns = columns.flatMap((column) => {
      if (column.place === null) return [];
      const index = header === null ? -1 : header.indexOf(column.source);
      if (header !== null && index < 0) return [];
      // JSON values have types already. Only a reading that a person set changes them.
      const type = header === null && isPlain(column) ? 'json' : column.type;
      const values = this.#values.add({
        ...{ column: asPlan(column, type), target: column.source, index, facts: null, time: null },
        replacedAs: column.type,
      });
      return [{ ...column, type, values }];
    });
  }

  /** `id`: the id of the resulting item. */
  read(row: SourceRow, id: string): Read | { bad: BadRow } {
    if (row.problem !== null)
      return {
        bad: this.#count({ ...placeOf(row), column: null, value: row.excerpt, reason: row.problem }),
      };
    this.#values.counts.beginRow();
    this.#values.countOddities(row);
    this.#keys.add(row);
    let isRepaired = false;
    const buckets = new Map<Bucket, Fields>(BUCKETS.map((bucket) => [bucket, new Map()]));
    const origin: Fields = new Map();
    for (const column of this.#columns) {
      const taken = this.#take(column, row, buckets, origin);
      if (taken.fault !== null) return { bad: this.#bad(row, taken.fault) };
      if (taken.isRepaired) isRepaired = true;
    }
    const keys = [...buckets].flatMap(([bucket, fields]) =>
      [...fields.keys()].map((key) => `${bucket}.${key}`),
    );
    if (keys.length === 0)
      return {
        bad: this.#bad(row, { column: '', value: '', reason: NO_VALUE }),
      };
    const texts = [...buckets].map(([bucket, fields]): [string, string] => [bucket, objectText(fields)]);
    if (isRepaired) this.#repairedRows += 1;
    const json = objectText(new Map([['id', JSON.stringify(id)], ...texts, ...origin]));
    const sourceId = origin.get('source_id');
    return { json, keys, isRepaired, sourceId: sourceId === undefined ? null : idText(sourceId) };
  }

  #bad(row: SourceRow, fault: Fault): BadRow {
    this.#values.counts.undoRow(row.line);
    return this.#count(badRow(row, fault));
  }

  #count(bad: BadRow): BadRow {
    this.#badRows += 1;
    this.#firstBad ??= bad;
    return bad;
  }

  /** Values that do not fit, by column and kind of problem. */
  problems(): ProblemGroup[] {
    return this.#values.problems();
  }

  /** The replacements of values of this row, by column. */
  replacedIn(row: SourceRow): Map<string, Replaced> {
    return this.#values.replacedIn(row);
  }

  /** Rows with a value that was replaced or repaired. */
  get repairedRows(): number {
    return this.#repairedRows;
  }

  /** Sentences about replacements and repairs that changed no value. */
  notes(): string[] {
    return this.#values.notes();
  }

  /** The reason why a replacement cannot be sent, as a sentence; null if all can be sent. */
  get replacementProblem(): string | null {
    return this.#values.replacementProblem;
  }

  /**
   * Returns the reading of a column: the one that a person set, otherwise the one derived from the rows. Returns null
   * if the column is left out.
   */
  settled({ source, reading = {} }: ItemColumn): Settled | null {
    const column = this.#columns.find((each) => each.source === source);
    return column?.values.evidence.settle(source, reading) ?? null;
  }

  /** Keys of JSON rows that have no column. */
  get newKeys(): readonly string[] {
    return this.#keys.extra;
  }

  /** The changes made to the values of the rows read. `decisions` are decisions about the whole file. */
  ledger(): ValueLedger {
    const bad = this.#badRows === 0 ? [] : [badRowsOmission(this.#badRows, this.#firstBad)];
    return { changes: this.#values.counts.list(), leftOut: [...bad, ...this.#keys.leftOut()], decisions: [] };
  }

  #take(
    column: Column,
    row: SourceRow,
    buckets: ReadonlyMap<Bucket, Fields>,
    origin: Fields,
  ): { fault: Fault | null; isRepaired: boolean } {
    const { source, values, place } = column;
    const nothing = { fault: null, isRepaired: false };
    const fault = (value: unknown, reason: string): Fault => ({ column: source, value, reason });
    if (place === null || (row.record !== null && !Object.hasOwn(row.record, source))) return nothing;
    const raw = rawOf(values, row);
    const mark = row.record === null ? row.cells?.[this.#markIndex] : row.record[CELLS_COLUMN];
    const marked = markedJson(mark, source, raw);
    if (marked === null) return nothing;
    const put = (json: string) =>
      this.#place(column, json, { buckets, origin }, (reason) => fault(raw, reason));
    if (marked !== undefined) return { fault: put(marked), isRepaired: false };
    const { json, isRepaired } = this.#values.convert(values, row, raw, row.record === null);
    if (isBad(json)) return { fault: fault(raw, json.reason), isRepaired: false };
    // An empty cell is not a value, but an explicit null in a JSON file is one.
    if (json === 'null' && row.record === null) return { fault: null, isRepaired };
    return { fault: put(json), isRepaired };
  }

  #place(
    column: Column,
    json: string,
    { buckets, origin }: { buckets: ReadonlyMap<Bucket, Fields>; origin: Fields },
    fault: (reason: string) => Fault,
  ): Fault | null {
    const { place } = column;
    if (place === null) return null;
    if (place !== 'source_name' && place !== 'source_id')
      return this.#put(column, json, buckets.get(place) ?? new Map(), fault);
    if (json !== 'null') origin.set(place, json.startsWith('"') ? json : JSON.stringify(json));
    return null;
  }

  #put({ field }: Column, json: string, into: Fields, fault: (reason: string) => Fault): Fault | null {
    const put = (key: string, text: string): Fault | null => {
      if (key === '') return fault('Expected a name for every key, got an empty one.');
      if (into.has(key)) return fault(`Expected one value for “${excerptOf(key)}”, got two.`);
      into.set(key, text);
      return null;
    };
    const isSpread = field === '';
    if (isSpread && json === 'null') return null;
    if (!isSpread && !(this.#flattens && json.startsWith('{'))) return put(field, json);
    const value: unknown = parseExact(json);
    if (!isObject(value)) return fault('Expected an object whose keys become those of the bucket.');
    const pairs = this.#flattens
      ? flattened(value, isSpread ? [] : [field])
      : Object.entries(value).map(([key, each]): [string, unknown] => [key, each]);
    for (const [key, each] of pairs) {
      const found = put(key, writeSigned(each));
      if (found !== null) return found;
    }
    return null;
  }
}

/** The column in the form that the plan of an event upload uses. */
const asPlan = ({ source, reading }: ItemColumn, type: ItemColumn['type']): ColumnPlan => ({
  ...{ source, target: source, type },
  ...(reading === undefined ? {} : { reading }),
});

/** True if a person set nothing for the column's values, or only its null words. */
export function isPlain({ reading }: ItemColumn): boolean {
  return Object.keys(reading ?? {}).every((part) => part === 'nulls');
}

function objectText(fields: ReadonlyMap<string, string>): string {
  return `{${[...fields].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

const NO_VALUE = 'Expected at least one value in the columns that are sent, got none.';

const placeOf = ({ row, line, byteStart: byteOffset }: SourceRow) => ({ row, line, byteOffset });

function badRow(row: SourceRow, { column, value, reason }: Fault): BadRow {
  const text = typeof value === 'string' ? value : writeExact(value);
  return { ...placeOf(row), column: column === '' ? null : column, value: excerptOf(text), reason };
}

/**
 * The reason why a text cannot replace a value of a column, as a sentence; null if it can. `text`: null for no value.
 */
export function replacementProblem(
  { dialect, columns, flattens }: ItemReading,
  { source, text }: { source: string; text: string | null },
): string | null {
  const replacements = [{ source, value: 'a value', with: text }];
  const own = columns.filter((column) => column.source === source);
  const header = dialect.format === 'csv' ? [source] : null;
  return new ItemReader({ dialect, flattens, columns: own, replacements }, header).replacementProblem;
}
