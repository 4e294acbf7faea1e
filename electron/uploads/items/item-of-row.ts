/** A row of a file to a dataset item: every column in its place, or the first fault named. Pure. */
import { flattened, isObject } from '../../core/items/flattened.ts';
import { BUCKETS, type Bucket } from '../../shared/dataset-model.ts';
import { parseExact, writeExact } from '../../shared/exact-json.ts';
import { CELLS_COLUMN, markedJson } from '../../shared/item-cells.ts';
import type { ItemColumn, ItemReading } from '../../shared/items-model.ts';
import type { BadRow } from '../../shared/upload-model.ts';
import { excerptOf, type SourceRow } from '../readers/row-source.ts';
import { type Converter, createConverter, isBad } from '../validate/values.ts';

/** JSON texts by key. */
type Fields = Map<string, string>;

interface Column extends ItemColumn {
  /** Among the cells; -1 in JSON files. */
  index: number;
  converter: Converter;
}

interface Read {
  json: string;
  /** Keys that the item holds, as `bucket.key`. */
  keys: string[];
}

interface Fault {
  column: string;
  value: unknown;
  reason: string;
}

export class ItemReader {
  readonly #columns: Column[];
  readonly #flattens: boolean;
  /** Of the column that marks a file of items, among the cells; -1 where there is none. */
  readonly #markIndex: number;

  constructor({ dialect, columns, flattens }: ItemReading, header: readonly string[] | null) {
    this.#flattens = flattens;
    this.#markIndex = header?.indexOf(CELLS_COLUMN) ?? -1;
    this.#columns = columns.flatMap((column) => {
      if (column.place === null) return [];
      const index = header === null ? -1 : header.indexOf(column.source);
      if (header !== null && index < 0) return [];
      const converter = createConverter({
        type: column.type,
        nullWords: dialect.nullWords,
        reading: column.reading,
        ...{ categories: null, dimensions: null, timeFormat: null },
      });
      return [{ ...column, index, converter }];
    });
  }

  /** `id`: of the item that it becomes. */
  read(row: SourceRow, id: string): Read | { bad: BadRow } {
    if (row.problem !== null)
      return { bad: { ...placeOf(row), column: null, value: row.excerpt, reason: row.problem } };
    const buckets = new Map<Bucket, Fields>(BUCKETS.map((bucket) => [bucket, new Map()]));
    const origin: Fields = new Map();
    for (const column of this.#columns) {
      const fault = this.#take(column, row, buckets, origin);
      if (fault !== null) return { bad: badRow(row, fault) };
    }
    const keys = [...buckets].flatMap(([bucket, fields]) =>
      [...fields.keys()].map((key) => `${bucket}.${key}`),
    );
    if (keys.length === 0)
      return {
        bad: badRow(row, { column: '', value: '', reason: 'Expected at least one value, got none.' }),
      };
    const texts = [...buckets].map(([bucket, fields]): [string, string] => [bucket, objectText(fields)]);
    return { json: objectText(new Map([['id', JSON.stringify(id)], ...texts, ...origin])), keys };
  }

  #take(column: Column, row: SourceRow, buckets: ReadonlyMap<Bucket, Fields>, origin: Fields): Fault | null {
    const { source, index, converter, place } = column;
    const fault = (value: unknown, reason: string): Fault => ({ column: source, value, reason });
    if (place === null || (row.record !== null && !Object.hasOwn(row.record, source))) return null;
    const raw = row.record === null ? (row.cells?.[index] ?? '') : row.record[source];
    const mark = row.record === null ? row.cells?.[this.#markIndex] : row.record[CELLS_COLUMN];
    const marked = markedJson(mark, source, raw);
    if (marked === null) return null;
    if (marked !== undefined)
      return this.#place(column, marked, { buckets, origin }, (reason) => fault(raw, reason));
    const json = row.record === null ? converter.fromText(String(raw)) : converter.fromJson(raw);
    if (isBad(json)) return fault(raw, json.reason);
    // An empty cell is no value; a null that a JSON file states is one.
    if (json === 'null' && row.record === null) return null;
    return this.#place(column, json, { buckets, origin }, (reason) => fault(raw, reason));
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
      const found = put(key, writeExact(each));
      if (found !== null) return found;
    }
    return null;
  }
}

function objectText(fields: ReadonlyMap<string, string>): string {
  return `{${[...fields].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

const placeOf = ({ row, line }: SourceRow) => ({ row, line });

function badRow(row: SourceRow, { column, value, reason }: Fault): BadRow {
  const text = typeof value === 'string' ? value : writeExact(value);
  return { ...placeOf(row), column: column === '' ? null : column, value: excerptOf(text), reason };
}
