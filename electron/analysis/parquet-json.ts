/** Builds the SQL that writes Parquet rows as JSON lines without loss of digits. Pure. */

import type { ValueRule } from '../shared/value-ledger.ts';
import type { SchemaMark } from './parquet-footer.ts';
import { quoteName, quoteText } from './sql-text.ts';

/** A column with its type as the engine describes it, e.g. `STRUCT(a BIGINT, b FLOAT[])`. */
interface TypedColumn {
  name: string;
  type: SqlType;
}

/** A type, parsed as far as needed for writing. */
export type SqlType =
  | { kind: 'plain'; name: string }
  | { kind: 'list'; item: SqlType }
  | { kind: 'struct'; fields: readonly TypedColumn[] }
  | { kind: 'map'; key: SqlType; value: SqlType };

/** A column of the output: the path of its value, e.g. `user.city`, and its SQL expression. */
interface FlatColumn {
  path: string;
  value: string;
  type: SqlType;
}

/** The fields of a struct become columns, named by their path. */
export function flatColumns(columns: readonly TypedColumn[]): FlatColumn[] {
  return columns.flatMap(({ name, type }) => flat(name, quoteName(name), type));
}

function flat(path: string, value: string, type: SqlType): FlatColumn[] {
  if (type.kind !== 'struct' || type.fields.length === 0) return [{ path, value, type }];
  return type.fields.flatMap((field) =>
    flat(`${path}.${field.name}`, `struct_extract(${value}, ${quoteText(field.name)})`, field.type),
  );
}

/** The select list. `textual`: paths of byte columns whose values are all text. */
export function selectList(columns: readonly FlatColumn[], textual: ReadonlySet<string>): string {
  return columns
    .map(
      ({ path, value, type }) =>
        `${written(value, textual.has(path) ? decodedType(type) : type)} AS ${quoteName(path)}`,
    )
    .join(', ');
}

/**
 * Names for items of lists and entries of maps in expressions. They must be unusual, because a column of the same name
 * would be read instead.
 */
const ITEM = 'spandeck_item';
const ENTRY = 'spandeck_entry';

/** Needed because many programs write texts as bytes without the text type. */
export const holdsBytes = (type: SqlType): boolean => {
  switch (type.kind) {
    case 'list':
      return holdsBytes(type.item);
    case 'struct':
      return type.fields.some((field) => holdsBytes(field.type));
    case 'map':
      return holdsBytes(type.key) || holdsBytes(type.value);
    case 'plain':
      return type.name === BYTES;
  }
};

/** SQL that tells whether all bytes in this value are text; true if there are none. */
export function isTextual(value: string, type: SqlType): string {
  switch (type.kind) {
    case 'list':
      return `coalesce(list_bool_and(list_transform(${value}, lambda ${ITEM}: ${isTextual(ITEM, type.item)})), true)`;
    case 'struct': {
      const fields = type.fields.filter((field) => holdsBytes(field.type));
      return fields
        .map((field) => isTextual(`struct_extract(${value}, ${quoteText(field.name)})`, field.type))
        .join(' AND ');
    }
    case 'map': {
      const sides = [
        ['key', type.key],
        ['value', type.value],
      ] as const;
      const entry = sides
        .filter(([, inner]) => holdsBytes(inner))
        .map(([side, inner]) => isTextual(`${ENTRY}.${side}`, inner))
        .join(' AND ');
      return `coalesce(list_bool_and(list_transform(map_entries(${value}), lambda ${ENTRY}: ${entry})), true)`;
    }
    case 'plain':
      return `(${value} IS NULL OR coalesce(NOT regexp_matches(TRY(decode(${value})), ${CONTROLS}), false))`;
  }
}

/** Types of the file that the engine reads as another type. */
const UTC_NANOSECONDS = 'TIMESTAMP_NS in UTC';
const INT96_TIME = 'TIMESTAMP of INT96';
const CLOCK = 'CLOCK of nanoseconds';
const UTC_CLOCK = `${CLOCK} in UTC`;
const WIDE_INTEGER = 'HUGEINT of bytes';
const UNSIGNED_WIDE = 'UHUGEINT of bytes';
/** The SQL type for each mark of the schema. */
export const MARKED_TYPES: Readonly<Record<SchemaMark, string>> = {
  'utc-nanoseconds': UTC_NANOSECONDS,
  'clock-nanoseconds': CLOCK,
  'utc-clock-nanoseconds': UTC_CLOCK,
  int96: INT96_TIME,
  int128: WIDE_INTEGER,
  uint128: UNSIGNED_WIDE,
};

const BYTES = 'BLOB';
/** Type of bytes that are text, as in a text column without the text type. */
const TEXT_BYTES = 'BLOB of text';
/** Characters that occur in no text. Bytes that contain them are numbers or keys, even if they are valid UTF-8. */
const CONTROLS = String.raw`'[\x00-\x08\x0b\x0c\x0e-\x1f]'`;

function decodedType(type: SqlType): SqlType {
  switch (type.kind) {
    case 'list':
      return { kind: 'list', item: decodedType(type.item) };
    case 'struct':
      return {
        kind: 'struct',
        fields: type.fields.map(({ name, type: inner }) => ({ name, type: decodedType(inner) })),
      };
    case 'map':
      return { kind: 'map', key: decodedType(type.key), value: decodedType(type.value) };
    case 'plain':
      return type.name === BYTES ? { kind: 'plain', name: TEXT_BYTES } : type;
  }
}

const TEXT_TYPES = /^(INTERVAL|TIME WITH TIME ZONE|BIT|UUID|ENUM)/;

/** An expression whose JSON preserves the value: numbers stay exact, and points in time have their zone. */
function written(value: string, type: SqlType): string {
  switch (type.kind) {
    case 'list':
      return isPlainEnough(type.item)
        ? value
        : `list_transform(${value}, lambda ${ITEM}: ${written(ITEM, type.item)})`;
    case 'struct':
      if (type.fields.every((field) => isPlainEnough(field.type))) return value;
      return `CASE WHEN ${value} IS NULL THEN NULL ELSE struct_pack(${type.fields
        .map(
          ({ name, type: inner }) =>
            `${quoteName(name)} := ${written(`struct_extract(${value}, ${quoteText(name)})`, inner)}`,
        )
        .join(', ')}) END`;
    case 'map': {
      if (isPlainEnough(type.value) && isPlainEnough(type.key)) return value;
      const entry = `struct_pack(k := ${writtenKey(`${ENTRY}.key`, type.key)}, v := ${written(`${ENTRY}.value`, type.value)})`;
      return `map_from_entries(list_transform(map_entries(${value}), lambda ${ENTRY}: ${entry}))`;
    }
    case 'plain':
      return plain(value, type.name);
  }
}

/** Keys in JSON are texts, so numbers that are no valid JSON values can be keys. */
const writtenKey = (value: string, type: SqlType): string =>
  isDouble(type) ? `CAST(${value} AS VARCHAR)` : written(value, type);
const isDouble = (type: SqlType): boolean => type.kind === 'plain' && /^(DOUBLE|FLOAT)$/.test(type.name);

/**
 * Usually a year has four digits. Other years, and those before year 1, are written with a sign and at least six
 * digits, as ISO 8601 requires.
 */
function isoTime(value: string, usual: string, hasClock: boolean): string {
  const year = `format('{:06d}', CAST(abs(year(${value})) AS BIGINT))`;
  const fraction = `regexp_extract(CAST(${value} AS VARCHAR), '\\.\\d+')`;
  const day = hasClock
    ? `strftime(${value}, '-%m-%dT%H:%M:%S') || ${fraction}`
    : `strftime(${value}, '-%m-%d')`;
  const long = `CASE WHEN year(${value}) < 0 THEN '-' ELSE '+' END || ${year} || ${day}`;
  return `CASE WHEN year(${value}) BETWEEN 1 AND 9999 OR NOT isfinite(${value}) THEN ${usual} ELSE ${long} END`;
}

/** Nanoseconds of a day as text, with as many decimals as needed. May be negative or exceed a day. */
function clockText(value: string): string {
  const size = `abs(CAST(${value} AS HUGEINT))`;
  const parts = [`${size} // 3600000000000`, `${size} // 60000000000 % 60`, `${size} // 1000000000 % 60`];
  const text = `format('{:02d}:{:02d}:{:02d}.{:09d}', ${[...parts, `${size} % 1000000000`].map((part) => `CAST(${part} AS BIGINT)`).join(', ')})`;
  return `CASE WHEN ${value} < 0 THEN '-' ELSE '' END || rtrim(rtrim(${text}, '0'), '.')`;
}

/** The number of 16 bytes, lowest first. */
function wideInteger(bytes: string, isSigned: boolean): string {
  const digits = `regexp_replace(reverse(hex(${bytes})), '(.)(.)', '\\2\\1', 'g')`;
  const half = (part: string) => `CAST(CAST('0x' || ${part}(${digits}, 16) AS UBIGINT) AS UHUGEINT)`;
  const number = `(${half('left')} * ${2n ** 64n}::UHUGEINT + ${half('right')})`;
  if (!isSigned) return number;
  const below = `CAST(${2n ** 128n - 1n}::UHUGEINT - ${number} AS HUGEINT)`;
  return `CASE WHEN ${digits} >= '8' THEN -${below} - 1 ELSE CAST(${number} AS HUGEINT) END`;
}

function plain(value: string, name: string): string {
  // JSON has no non-finite numbers.
  if (name === 'DOUBLE' || name === 'FLOAT') {
    const shortest = name === 'FLOAT' ? `CAST(CAST(${value} AS VARCHAR) AS DOUBLE)` : value;
    return `CASE WHEN ${value} IS NULL OR isnan(${value}) OR isinf(${value}) THEN NULL ELSE to_json(${shortest}) END`;
  }
  if (name === UTC_NANOSECONDS)
    return `${plain(value, 'TIMESTAMP_NS')} || CASE WHEN isfinite(${value}) THEN 'Z' ELSE '' END`;
  if (name === WIDE_INTEGER || name === UNSIGNED_WIDE) return wideInteger(value, name === WIDE_INTEGER);
  if (name === INT96_TIME) return plain(value, 'TIMESTAMP');
  if (name.startsWith(CLOCK)) return `${clockText(value)}${name === UTC_CLOCK ? " || '+00'" : ''}`;
  if (name === 'TIMESTAMP WITH TIME ZONE')
    return `${plain(`CAST(${value} AS TIMESTAMP)`, 'TIMESTAMP')} || CASE WHEN isfinite(${value}) THEN 'Z' ELSE '' END`;
  if (name.startsWith('TIMESTAMP')) {
    const usual = `replace(CAST(${value} AS VARCHAR), ' ', 'T')`;
    // The range of years that nanoseconds can express.
    return name === 'TIMESTAMP_NS' ? usual : `(${isoTime(value, usual, true)})`;
  }
  if (name === 'DATE') return isoTime(value, `CAST(${value} AS VARCHAR)`, false);
  // Some programs write durations with this type, so values may be negative or exceed a day.
  if (name === 'TIME') return `CAST(to_microseconds(epoch_us(${value})) AS VARCHAR)`;
  if (name === BYTES) return `base64(${value})`;
  if (name === TEXT_BYTES) return `decode(${value})`;
  if (name === 'VARIANT') return `CAST(${value} AS JSON)`;
  if (TEXT_TYPES.test(name)) return `CAST(${value} AS VARCHAR)`;
  return value;
}

function isPlainEnough(type: SqlType): boolean {
  if (type.kind === 'list') return isPlainEnough(type.item);
  if (type.kind === 'struct') return type.fields.every((field) => isPlainEnough(field.type));
  if (type.kind === 'map') return isPlainEnough(type.key) && isPlainEnough(type.value);
  return type.kind === 'plain' && plain('v', type.name) === 'v';
}

type CopyRule = Extract<
  ValueRule,
  | 'time-of-day'
  | 'time-microseconds'
  | 'typed-text'
  | 'duration'
  | 'duration-number'
  | 'period-number'
  | 'variant'
  | 'not-finite'
  | 'binary-text'
  | 'base64'
>;

/** Numbers that the file describes as durations or as pandas periods since 1970, with their unit. */
export const countedType = (unit: string): string => `BIGINT of ${unit}`;
const COUNTED = /^BIGINT of ([\s\S]+)$/;
const PERIOD = /^BIGINT of periods /;

/** Types without a JSON form, with the rule by which they are written. */
const RULES: readonly [type: RegExp, rule: CopyRule][] = [
  [/^(TIME( WITH TIME ZONE|_NS)?$|CLOCK of )/, 'time-of-day'],
  [/ of INT96$/, 'time-microseconds'],
  [/^(TIMESTAMP|DATE|GEOMETRY)/, 'typed-text'],
  [/^INTERVAL$/, 'duration'],
  [PERIOD, 'period-number'],
  [COUNTED, 'duration-number'],
  [/^VARIANT$/, 'variant'],
  [/^(DOUBLE|FLOAT)$/, 'not-finite'],
  [/^BLOB$/, 'base64'],
  [/^BLOB of text$/, 'binary-text'],
];
const ruleOf = (name: string): CopyRule | null => RULES.find(([type]) => type.test(name))?.[1] ?? null;

/** The values of a column that a rule changes. Values in lists and maps are counted separately. */
interface RuledValues {
  rule: CopyRule;
  /** SQL for the number of changed values. */
  count: string;
  /** SQL for a list of the changes in a row, each with the text before and after; null or empty if there are none. */
  found: string;
}

/** `isText`: whether all bytes of the column are text. */
export function ruledValues({ value, type: given }: FlatColumn, isText: boolean): RuledValues[] {
  const type = isText ? decodedType(given) : given;
  return [...rulesIn(type)].map((rule) => {
    const found = foundIn(value, type, rule);
    const count =
      type.kind === 'plain'
        ? `count(*) FILTER (${isChanged(value, type.name, rule)})`
        : `coalesce(sum(len(${found})), 0)`;
    return { rule, count, found };
  });
}

function rulesIn(type: SqlType): Set<CopyRule> {
  switch (type.kind) {
    case 'list':
      return rulesIn(type.item);
    case 'struct':
      return new Set(type.fields.flatMap((field) => [...rulesIn(field.type)]));
    case 'map':
      return new Set([...rulesOfKey(type.key), ...rulesIn(type.value)]);
    case 'plain': {
      const rule = ruleOf(type.name);
      return new Set(rule === null ? [] : [rule]);
    }
  }
}

const rulesOfKey = (type: SqlType): Set<CopyRule> => (isDouble(type) ? new Set() : rulesIn(type));

function isChanged(value: string, name: string, rule: CopyRule): string {
  if (rule === 'not-finite') return `isnan(${value}) OR isinf(${value})`;
  // Times are written in JSON's usual form, except infinite ones.
  return rule === 'typed-text' && isTime(name) ? `NOT isfinite(${value})` : `${value} IS NOT NULL`;
}

const isTime = (name: string): boolean => /^(TIMESTAMP|DATE)/.test(name);

function foundIn(value: string, type: SqlType, rule: CopyRule, level = 0): string {
  const all = (lists: readonly string[]) =>
    lists.length === 1 ? lists.join('') : `list_concat(${lists.join(', ')})`;
  const each = `${ENTRY}_${level}`;
  switch (type.kind) {
    case 'list':
      return `flatten(list_transform(${value}, lambda ${each}: ${foundIn(each, type.item, rule, level + 1)}))`;
    case 'struct':
      return all(
        type.fields
          .filter((field) => rulesIn(field.type).has(rule))
          .map(({ name, type: inner }) =>
            foundIn(`struct_extract(${value}, ${quoteText(name)})`, inner, rule, level),
          ),
      );
    case 'map': {
      const sides = [
        ['key', type.key],
        ['value', type.value],
      ] as const;
      const inside = sides
        .filter(([side, inner]) => (side === 'key' ? rulesOfKey(inner) : rulesIn(inner)).has(rule))
        .map(([side, inner]) => foundIn(`${each}.${side}`, inner, rule, level + 1));
      return `flatten(list_transform(map_entries(${value}), lambda ${each}: ${all(inside)}))`;
    }
    case 'plain': {
      const [before, after] = [beforeText(value, type.name, rule), afterText(value, type.name, rule)];
      const example = `[struct_pack(b := ${before}, a := ${after})]`;
      return `CASE WHEN ${isChanged(value, type.name, rule)} THEN ${example} ELSE ${example}[2:] END`;
    }
  }
}

/** Maximum length of a text in an example; longer texts are shortened. */
const MAX_EXAMPLE_CHARS = 100;
const shortened = (text: string): string => `left(CAST(${text} AS VARCHAR), ${MAX_EXAMPLE_CHARS})`;

function beforeText(value: string, name: string, rule: CopyRule): string {
  const unit = COUNTED.exec(name)?.[1];
  if (unit !== undefined) {
    const one = quoteText(` ${unit.replace(/^(\w+)s\b/, '$1')}`);
    return `CAST(${value} AS VARCHAR) || CASE WHEN ${value} IN (1, -1) THEN ${one} ELSE ${quoteText(` ${unit}`)} END`;
  }
  if (rule === 'typed-text' && isTime(name))
    return `CASE WHEN CAST(${value} AS VARCHAR) LIKE '-%' THEN 'before all dates' ELSE 'after all dates' END`;
  if (rule === 'time-of-day') return shortened(plain(value, name));
  if (rule === 'not-finite')
    return `CASE WHEN isnan(${value}) THEN 'NaN' WHEN ${value} > 0 THEN 'Infinity' ELSE '-Infinity' END`;
  if (rule !== 'base64' && rule !== 'binary-text') return shortened(value);
  const size = `octet_length(${value})`;
  return `CASE WHEN ${size} = 1 THEN '1 byte' ELSE ${size} || ' bytes' END`;
}

const afterText = (value: string, name: string, rule: CopyRule): string =>
  rule === 'not-finite' ? 'CAST(NULL AS VARCHAR)' : shortened(plain(value, name));
