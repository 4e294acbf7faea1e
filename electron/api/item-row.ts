/** Converts an item of an answer to a row of the store. Pure. */
import { cutText } from '../shared/cut-text.ts';
import { isRawNumber, writeExact } from '../shared/exact-json.ts';
import { AND_ALSO, NOT_KEPT, NOT_TEXT } from '../shared/item-row.ts';
import { isLong, partOf } from '../shared/record-parts.ts';
import { shownTextOf } from '../shared/text-filter.ts';

/**
 * For an identity field that is not unique alone, the field that makes it unique. Entities of two types may share a
 * name, but the time each was first seen does not change. The id of a span is unique only within its trace.
 */
const COMPANIONS: Readonly<Record<string, string>> = {
  name: 'first_seen',
  value: 'first_seen',
  span_id: 'trace_id',
};

/** Maximum length of an identity, because it is looked up for each row. */
const MAX_IDENTITY_CHARS = 10_000;

function identityOf(item: Readonly<Record<string, unknown>>, field: string | null): string | null {
  const identity = wholeIdentityOf(item, field);
  return identity === null || identity.length > MAX_IDENTITY_CHARS ? null : identity;
}

/** Null if the item has no value in the field, or one that is too long. */
function wholeIdentityOf(item: Readonly<Record<string, unknown>>, field: string | null): string | null {
  if (field === null) return null;
  const value = item[field];
  const companion = item[COMPANIONS[field] ?? ''];
  if (typeof value === 'string')
    return typeof companion === 'string' ? `${value}${AND_ALSO}${companion}` : value;
  if (typeof value === 'number' || typeof value === 'boolean') return `${NOT_TEXT}${value}`;
  if (isRawNumber(value)) return `${NOT_TEXT}${value.digits}`;
  return null;
}

/** Maximum length of a displayed text that is stored. Longer ones are generated from the record when needed. */
const MAX_KEPT_TEXT = 1_000;

/** A part as stored. Bytes can be transferred between threads without copying. */
export interface TextPart {
  /** The text as UTF-8. */
  bytes: Uint8Array<ArrayBuffer>;
  characters: number;
}

/** An item of an answer, ready to be stored. */
export interface ItemRow {
  /** Null if items of the operation have no identity. */
  identity: string | null;
  /** The displayed text; null if it is too long to be stored in addition to the record. */
  shownText: string | null;
  /** JSON of the item. For a long item only its beginning, which is enough for sorting. */
  record: string;
  /** JSON of a long item, split into parts. */
  parts: readonly TextPart[] | null;
}

export function toItemRow(item: unknown, identityField: string | null): ItemRow {
  const record = toRecord(item);
  const identity = identityOf(record, identityField);
  const json = writeExact(record);
  if (isLong(json)) {
    return {
      identity,
      shownText: null,
      record: writeExact(headOf(record, identityField)),
      parts: partsOf(json),
    };
  }
  const shownText = shownTextOf(record);
  return {
    identity,
    shownText: shownText.length > MAX_KEPT_TEXT ? null : shownText,
    record: json,
    parts: null,
  };
}

/**
 * The row for an item larger than `most`, the maximum size of a stored record: its beginning, and a note of what is
 * missing.
 */
export function toMarkedRow(item: unknown, identityField: string | null, most: string): ItemRow {
  const record = toRecord(item);
  const size = writeExact(record).length / 1_048_576;
  const note = `This item is ${size.toFixed(1)} MB. At most ${most} of one item are kept, so its long values were cut off and not stored. To read it whole, use the command line: "request" prints an answer of up to 64 MB.`;
  const marked = toItemRow({ ...headOf(record, identityField), [NOT_KEPT]: note }, null);
  return { ...marked, identity: identityOf(record, identityField) };
}

/** An item that is not an object is shown in a single column. */
function toRecord(item: unknown): Record<string, unknown> {
  return typeof item === 'object' && item !== null && !isRawNumber(item) ? { ...item } : { value: item };
}

/** Maximum number of characters of a shortened record, and of one value in it. */
const HEAD_CHARS = 20_000;
const HEAD_VALUE_CHARS = 1_000;

/** The same fields as long as they fit, always including the identity. Long values are shortened. */
function headOf(
  record: Readonly<Record<string, unknown>>,
  identityField: string | null,
): Record<string, unknown> {
  const fields: [string, unknown][] = [];
  let room = HEAD_CHARS;
  for (const [name, value] of Object.entries(record)) {
    if (room <= 0 && name !== identityField) continue;
    const json = writeExact(value);
    const isCut = json.length > HEAD_VALUE_CHARS;
    room -= name.length + Math.min(json.length, HEAD_VALUE_CHARS);
    if (room > 0 || name === identityField) fields.push([name, isCut ? cutValue(value, json) : value]);
  }
  return Object.fromEntries(fields);
}

/** The shortened value sorts like the complete one: a text among texts, another value among other values. */
function cutValue(value: unknown, json: string): unknown {
  if (typeof value === 'string') return cutText(value, HEAD_VALUE_CHARS);
  if (isRawNumber(value)) return Number(value.digits);
  return [cutText(json, HEAD_VALUE_CHARS)];
}

/** All parts of well-formed text, in order. */
function partsOf(json: string): TextPart[] {
  const encoder = new TextEncoder();
  const parts: TextPart[] = [];
  for (let from = 0; from < json.length; ) {
    const part = partOf(json, from);
    parts.push({ bytes: encoder.encode(part), characters: part.length });
    from += part.length;
  }
  return parts;
}
