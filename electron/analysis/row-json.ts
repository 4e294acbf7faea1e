/** Converts values of the engine to JSON. Numbers inside lists, objects and maps stay numbers. Pure. */
import * as duckdb from '@duckdb/node-api';
import { exactNumber, isRawNumber, signedZeros } from '../shared/exact-json.ts';

type Converter = duckdb.DuckDBValueConverter<unknown>;

/**
 * Numbers that a double cannot hold become RawNumber in lists, objects and maps, and texts elsewhere. -0 becomes
 * RawNumber everywhere.
 */
export const toExactJson: Converter = (value, type) => signedZeros(converted(value, type, inside));

/** Like `toExactJson`, for messages between processes, which cannot carry RawNumber: such a number becomes a text. */
export const toMessageJson: Converter = (value, type) =>
  converted(value, type, (inner, of) => {
    const found = inside(inner, of);
    return isRawNumber(found) ? found.digits : found;
  });

type Part = (value: duckdb.DuckDBValue, type: duckdb.DuckDBType) => unknown;

function converted(value: duckdb.DuckDBValue, type: duckdb.DuckDBType, part: Part): unknown {
  const of: Part = (inner, innerType) =>
    isNested(innerType) ? converted(inner, innerType, part) : part(inner, innerType);
  if (type instanceof duckdb.DuckDBListType || type instanceof duckdb.DuckDBArrayType)
    return value instanceof duckdb.DuckDBListValue || value instanceof duckdb.DuckDBArrayValue
      ? value.items.map((item) => of(item, type.valueType))
      : null;
  if (type instanceof duckdb.DuckDBStructType)
    return value instanceof duckdb.DuckDBStructValue
      ? Object.fromEntries(
          type.entryNames.map((name, at) => {
            const inner = type.entryTypes[at];
            return [name, inner === undefined ? null : of(value.entries[name] ?? null, inner)];
          }),
        )
      : null;
  if (type instanceof duckdb.DuckDBMapType)
    return value instanceof duckdb.DuckDBMapValue
      ? value.entries.map(({ key, value: inner }) => ({
          key: of(key, type.keyType),
          value: of(inner, type.valueType),
        }))
      : null;
  return plain(value, type);
}

const isNested = (type: duckdb.DuckDBType): boolean =>
  type instanceof duckdb.DuckDBListType ||
  type instanceof duckdb.DuckDBArrayType ||
  type instanceof duckdb.DuckDBStructType ||
  type instanceof duckdb.DuckDBMapType;

const plain: Part = (value, type) =>
  value instanceof duckdb.DuckDBIntervalValue
    ? value.toString()
    : duckdb.JsonDuckDBValueConverter(value, type, duckdb.JsonDuckDBValueConverter);

/** Integers and decimals in a list, an object or a map. */
const inside: Part = (value, type) =>
  typeof value === 'bigint' || value instanceof duckdb.DuckDBDecimalValue
    ? exactNumber(value.toString())
    : plain(value, type);
