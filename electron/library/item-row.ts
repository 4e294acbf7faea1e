/** From an item of an answer to a row of the store. Pure. */
import type { NewRow } from '../db/library-rows.ts';
import { isRawNumber } from '../shared/exact-json.ts';
import { shownTextOf } from '../shared/narrowing.ts';

/** Stands before the identity of what is not a text, so that 1 and "1" stay two. */
const NOT_TEXT = '\u0000';
/** Divides a name from what tells two of one name apart. */
const AND_ALSO = '\u0001';

/**
 * What tells two of one identity apart: entities of two types may share a name, and when each was first seen does not
 * change with the next page; the id of a span is its own only within its trace.
 */
const COMPANIONS: Readonly<Record<string, string>> = {
  name: 'first_seen',
  value: 'first_seen',
  span_id: 'trace_id',
};

/** Null where the item has no value in the field, or one that identifies nothing. */
function identityOf(item: Readonly<Record<string, unknown>>, field: string | null): string | null {
  if (field === null) return null;
  const value = item[field];
  const companion = item[COMPANIONS[field] ?? ''];
  if (typeof value === 'string')
    return typeof companion === 'string' ? `${value}${AND_ALSO}${companion}` : value;
  if (typeof value === 'number' || typeof value === 'boolean') return `${NOT_TEXT}${value}`;
  if (isRawNumber(value)) return `${NOT_TEXT}${value.digits}`;
  return null;
}

/** The identity as a person sees it. */
export function textOfIdentity(identity: string): string {
  const text = identity.split(AND_ALSO, 1)[0] ?? '';
  return text.startsWith(NOT_TEXT) ? text.slice(NOT_TEXT.length) : text;
}

/** Longer texts are made again from the record when they are needed. */
const MAX_KEPT_TEXT = 1_000;

export function toNewRow(item: Readonly<Record<string, unknown>>, identityField: string | null): NewRow {
  const shownText = shownTextOf(item);
  return {
    identity: identityOf(item, identityField),
    shownText: shownText.length > MAX_KEPT_TEXT ? null : shownText,
    record: JSON.stringify(item),
  };
}
