/**
 * Converts the typed values of JSON exports of databases to plain values: MongoDB's Extended JSON (`{"$numberLong":
 * "5"}`) and the items of a DynamoDB export (`{"Item": {"n": {"N": "5"}}}`). Pure.
 */
import { exactNumber, isRawNumber, writeExact } from '../../shared/exact-json.ts';
import type { JsonOddity } from '../../shared/lenient-json.ts';
import type { SourceRow } from './row-source.ts';

type Fields = Readonly<Record<string, unknown>>;
interface Typed {
  record: Record<string, unknown>;
  oddities: JsonOddity[];
}
/** Returns undefined for a value that is not of the type. */
type Reader = (value: unknown, inner: (value: unknown) => unknown) => unknown;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);

const text: Reader = (value) => (typeof value === 'string' ? value : undefined);
const NOT_FINITE = /^-?(?:NaN|Infinity)$/;
const number: Reader = (value) => {
  if (typeof value !== 'string') return undefined;
  return NOT_FINITE.test(value) ? Number(value) : (exactNumber(value) ?? undefined);
};

const MAX_TIME_MS = 8_640_000_000_000_000;

const longOf = (value: unknown): unknown =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : undefined;

const date: Reader = (value) => {
  if (typeof value === 'string') return value;
  const since = isFields(value) && Object.keys(value).length === 1 ? longOf(value['$numberLong']) : value;
  if (typeof since !== 'number' || !Number.isInteger(since) || Math.abs(since) > MAX_TIME_MS)
    return undefined;
  return new Date(since).toISOString();
};

const MONGO: ReadonlyMap<string, Reader> = new Map([
  ['$oid', text],
  ['$uuid', text],
  ['$symbol', text],
  ['$date', date],
  ['$numberInt', number],
  ['$numberLong', number],
  ['$numberDouble', number],
  ['$numberDecimal', number],
  ['$undefined', (value) => (value === true ? null : undefined)],
  ['$binary', (value) => (isFields(value) ? text(value['base64'], String) : undefined)],
]);

const list: Reader = (value, inner) => (Array.isArray(value) ? value.map(inner) : undefined);
const texts: Reader = (value) =>
  Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : undefined;

const DYNAMO: ReadonlyMap<string, Reader> = new Map([
  ['S', text],
  ['B', text],
  ['N', number],
  ['BOOL', (value) => (typeof value === 'boolean' ? value : undefined)],
  ['NULL', (value) => (value === true ? null : undefined)],
  [
    'M',
    (value, inner) =>
      isFields(value)
        ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inner(each)]))
        : undefined,
  ],
  ['L', list],
  ['SS', texts],
  ['BS', texts],
  [
    'NS',
    (value, inner) => (Array.isArray(value) ? value.map((each) => number(each, inner) ?? each) : undefined),
  ],
]);

const MAY_BE_TYPED = /"\$(?:oid|uuid|symbol|date|number|undefined|binary)|^\s*\{\s*"Item"\s*:/;

/** Whether the text of a row can hold typed values; a cheap test that is true for few other rows. */
export const mayBeTyped = (given: string): boolean => MAY_BE_TYPED.test(given);

/**
 * Returns null for a row without typed values. `isDeep`: also converts values nested inside a row of MongoDB; otherwise
 * these stay, as they can be a stored query.
 */
export function withoutTypes(record: Fields, isDeep: boolean): Typed | null {
  const item = record['Item'];
  const isItem =
    isFields(item) && Object.keys(record).length === 1 && Object.values(item).every((each) => isTyped(each));
  const readers = isItem ? DYNAMO : MONGO;
  const hasDeep = isItem || isDeep;
  const oddities: JsonOddity[] = [];
  const read = (value: unknown, path: readonly string[]): unknown => {
    if (Array.isArray(value)) return hasDeep ? value.map((each) => read(each, path)) : value;
    if (!isFields(value)) return value;
    const [name, ...others] = Object.keys(value);
    const reader = name !== undefined && others.length === 0 ? readers.get(name) : undefined;
    const found = reader?.(value[name ?? ''], (each) => read(each, path));
    if (found === undefined) {
      if (!hasDeep) return value;
      return Object.fromEntries(
        Object.entries(value).map(([key, each]) => [key, read(each, [...path, key])]),
      );
    }
    const [column = ''] = path;
    oddities.push({
      ...{ kind: 'typed-json', key: path.join('.'), column },
      ...{ before: writeExact(value), after: shown(found) },
    });
    return found;
  };
  const entries = Object.entries(isItem ? item : record);
  const found = Object.fromEntries(entries.map(([key, value]) => [key, read(value, [key])]));
  return oddities.length === 0 ? null : { record: found, oddities };
}

/**
 * True for a row of a MongoDB export, known by an `_id` or a typed value. The row must have been read without nested
 * values.
 */
export const isDocument = ({ record, oddities = [] }: Pick<SourceRow, 'record' | 'oddities'>): boolean =>
  record !== null && ('_id' in record || oddities.some(({ kind }) => kind === 'typed-json'));

/** True for an item of a DynamoDB table, without the enclosing `Item`. */
export const isItemOfDynamo = (value: unknown): boolean =>
  isFields(value) && withoutTypes({ Item: value }, false) !== null;

/** True for an attribute of DynamoDB. */
function isTyped(value: unknown): boolean {
  const [name, ...others] = isFields(value) ? Object.keys(value) : [];
  return name !== undefined && others.length === 0 && DYNAMO.has(name);
}

const shown = (value: unknown): string | null =>
  value === null ? null : typeof value === 'string' ? value : String(writeExact(value));
