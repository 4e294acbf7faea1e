/** A row of a file to a dataset item: every column in its place, or the first fault named. Pure. */
import { flattened, isObject } from '../../core/items/flattened.ts';
import { BUCKETS, type Bucket } from '../../shared/dataset-model.ts';
import { parseExact, writeExact } from '../../shared/exact-json.ts';
import { CELLS_COLUMN, markedJson } from '../../shared/item-cells.ts';
import type { ItemColumn, ItemReading } from '../../shared/items-model.ts';
import type { BadRow } from '../../shared/upload-model.ts';
import { LedgerCounts, type ValueLedger } from '../../shared/value-ledger.ts';
import { excerptOf, type SourceRow } from '../readers/row-source.ts';
import { ColumnEvidence, type Settled } from '../validate/column-evidence.ts';
import { FileKeys } from '../validate/file-keys.ts';
import { type Converter, createConverter, isBad } from '../validate/values.ts';

/** JSON texts by key. */
type Fields = Map<string, string>;

interface Column extends ItemColumn {
  evidence: ColumnEvidence;
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
  readonly #counts = new LedgerCounts();
  readonly #keys: FileKeys;

  constructor({ dialect, columns, flattens }: ItemReading, header: readonly string[] | null) {
    this.#flattens = flattens;
    this.#markIndex = header?.indexOf(CELLS_COLUMN) ?? -1;
    const own = columns.filter(({ source }) => source !== CELLS_COLUMN);
    const sent = own.map(({ source, place }) => ({ source, target: place }));
    // What it says of the cells of its row is used, not left out.
    this.#keys = new FileKeys([...sent, { source: CELLS_COLUMN, target: CELLS_COLUMN }], header, null);
    this.#columns = columns.flatMap((column) => {
      if (column.place === null) return [];
      const index = header === null ? -1 : header.indexOf(column.source);
      if (header !== null && index < 0) return [];
      // Values of JSON have their types; only what a person says of a column changes them.
      const type = header === null && isPlain(column) ? 'json' : column.type;
      const converter = createConverter({
        type,
        nullWords: dialect.nullWords,
        reading: column.reading,
        ...{ categories: null, dimensions: null, timeFormat: null },
      });
      return [{ ...column, type, index, converter, evidence: new ColumnEvidence(type) }];
    });
  }

  /** `id`: of the item that it becomes. */
  read(row: SourceRow, id: string): Read | { bad: BadRow } {
    if (row.problem !== null)
      return { bad: { ...placeOf(row), column: null, value: row.excerpt, reason: row.problem } };
    this.#counts.beginRow();
    this.#keys.add(row);
    const buckets = new Map<Bucket, Fields>(BUCKETS.map((bucket) => [bucket, new Map()]));
    const origin: Fields = new Map();
    for (const column of this.#columns) {
      const fault = this.#take(column, row, buckets, origin);
      if (fault !== null) return { bad: this.#bad(row, fault) };
    }
    const keys = [...buckets].flatMap(([bucket, fields]) =>
      [...fields.keys()].map((key) => `${bucket}.${key}`),
    );
    if (keys.length === 0)
      return {
        bad: this.#bad(row, { column: '', value: '', reason: 'Expected at least one value, got none.' }),
      };
    const texts = [...buckets].map(([bucket, fields]): [string, string] => [bucket, objectText(fields)]);
    return { json: objectText(new Map([['id', JSON.stringify(id)], ...texts, ...origin])), keys };
  }

  #bad(row: SourceRow, fault: Fault): BadRow {
    this.#counts.undoRow(row.line);
    this.#badRows += 1;
    return badRow(row, fault);
  }

  #badRows = 0;

  /** How the rows that were read want a column to be read, where a person said nothing of it; null where it is left out. */
  settled({ source, reading = {} }: ItemColumn): Settled | null {
    const column = this.#columns.find((each) => each.source === source);
    return column?.evidence.settle(source, reading) ?? null;
  }

  /** Keys of rows that are in no column. */
  get newKeys(): readonly string[] {
    return this.#keys.extra;
  }

  /** What became of the values of the rows that were read; `decisions` are those of the whole file. */
  ledger(): ValueLedger {
    const bad: ValueLedger['leftOut'] =
      this.#badRows === 0
        ? []
        : [
            {
              ...{ kind: 'row', name: '', count: this.#badRows, line: null },
              reason: 'they cannot be added as they are',
            },
          ];
    return { changes: this.#counts.list(), leftOut: [...bad, ...this.#keys.leftOut()], decisions: [] };
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
    if (typeof raw === 'string') column.evidence.look(raw, row.line);
    const json = row.record === null ? converter.fromText(String(raw)) : converter.fromJson(raw);
    if (isBad(json)) return fault(raw, json.reason);
    for (const rule of converter.applied) {
      const text = typeof raw === 'string' ? raw : writeExact(raw);
      this.#counts.add(this.#counts.of(rule, source), row.line, text, json);
      if (rule === 'null-word') column.evidence.nulls.add(text.trim());
    }
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

/** Nothing was said of its values but null words that were found among others. */
function isPlain({ reading }: ItemColumn): boolean {
  return Object.keys(reading ?? {}).every((part) => part === 'nulls');
}

function objectText(fields: ReadonlyMap<string, string>): string {
  return `{${[...fields].map(([key, text]) => `${JSON.stringify(key)}:${text}`).join(',')}}`;
}

const placeOf = ({ row, line }: SourceRow) => ({ row, line });

function badRow(row: SourceRow, { column, value, reason }: Fault): BadRow {
  const text = typeof value === 'string' ? value : writeExact(value);
  return { ...placeOf(row), column: column === '' ? null : column, value: excerptOf(text), reason };
}
