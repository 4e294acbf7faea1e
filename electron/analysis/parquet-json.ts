/** The SQL that writes Parquet rows as JSON lines, digit for digit. Pure. */

import { quoteName, quoteText } from './sql-text.ts';

/** A column as the engine describes it, e.g. `STRUCT(a BIGINT, b FLOAT[])`. */
interface TypedColumn {
  name: string;
  type: SqlType;
}

/** A type, taken apart as far as writing it needs. */
export type SqlType =
  | { kind: 'plain'; name: string }
  | { kind: 'list'; item: SqlType }
  | { kind: 'struct'; fields: readonly TypedColumn[] }
  | { kind: 'map'; key: SqlType; value: SqlType };

/** Columns of a struct stand beside the others, under their path: `user.city`. */
export function selectList(columns: readonly TypedColumn[]): string {
  return columns.flatMap(({ name, type }) => flat(name, quoteName(name), type)).join(', ');
}

function flat(path: string, value: string, type: SqlType): string[] {
  if (type.kind !== 'struct' || type.fields.length === 0)
    return [`${written(value, type)} AS ${quoteName(path)}`];
  return type.fields.flatMap((field) =>
    flat(`${path}.${field.name}`, `struct_extract(${value}, ${quoteText(field.name)})`, field.type),
  );
}

const TEXT_TYPES = /^(INTERVAL|TIME WITH TIME ZONE|BIT|UUID|ENUM)/;

/** An expression whose JSON is what the value is: no number becomes another one, instants carry their zone. */
function written(value: string, type: SqlType): string {
  switch (type.kind) {
    case 'list':
      return isPlainEnough(type.item)
        ? value
        : `list_transform(${value}, lambda v: ${written('v', type.item)})`;
    case 'struct':
      if (type.fields.every((field) => isPlainEnough(field.type))) return value;
      return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${type.fields
        .map(
          ({ name, type: inner }) =>
            `${quoteName(name)} := ${written(`struct_extract(${value}, ${quoteText(name)})`, inner)}`,
        )
        .join(', ')}) END`;
    case 'map': {
      if (isPlainEnough(type.value)) return value;
      const entry = `struct_pack(k := e.key, v := ${written('e.value', type.value)})`;
      return `map_from_entries(list_transform(map_entries(${value}), lambda e: ${entry}))`;
    }
    case 'plain':
      return plain(value, type.name);
  }
}

function plain(value: string, name: string): string {
  // What is no number is none; infinities stay visible, as text, so that a check names them.
  if (name === 'DOUBLE' || name === 'FLOAT') {
    const shortest = name === 'FLOAT' ? `CAST(CAST(${value} AS VARCHAR) AS DOUBLE)` : value;
    return `CASE WHEN ${value} IS NULL OR isnan(${value}) THEN NULL WHEN isinf(${value}) THEN to_json(CAST(${value} AS VARCHAR)) ELSE to_json(${shortest}) END`;
  }
  if (name === 'TIMESTAMP WITH TIME ZONE')
    return `replace(CAST(CAST(${value} AS TIMESTAMP) AS VARCHAR), ' ', 'T') || 'Z'`;
  if (name.startsWith('TIMESTAMP')) return `replace(CAST(${value} AS VARCHAR), ' ', 'T')`;
  if (name === 'BLOB') return `base64(${value})`;
  if (TEXT_TYPES.test(name)) return `CAST(${value} AS VARCHAR)`;
  return value;
}

function isPlainEnough(type: SqlType): boolean {
  if (type.kind === 'list') return isPlainEnough(type.item);
  if (type.kind === 'struct') return type.fields.every((field) => isPlainEnough(field.type));
  if (type.kind === 'map') return isPlainEnough(type.value);
  return type.kind === 'plain' && plain('v', type.name) === 'v';
}
