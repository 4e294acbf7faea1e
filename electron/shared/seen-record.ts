/**
 * Marks of records as a person saw them. A mark is much shorter than its record, so that a change of many records can
 * later be compared with each of them. Pure.
 */
import { canonicalJson } from './exact-json.ts';
import { GONE_FIELD } from './gone-field.ts';
import { bodyProblem } from './json-body.ts';

export const MAX_SEEN_FIELDS = 200;

type Fields = Readonly<Record<string, unknown>>;

/** The same mark means the same values in these fields. A missing field differs from one that is null. */
export function seenMark(record: Fields, fields: readonly string[]): string {
  const values = fields.map((field) => (Object.hasOwn(record, field) ? [record[field]] : []));
  return hashOf(canonicalJson(values));
}

interface Marked<R> {
  /** Absent if there is nothing to compare. */
  seenFields?: string[];
  records: (R & { seen?: string })[];
}

/**
 * Adds marks to the records of a change. `shown`: the same records as a person sees them, in the same order; null for
 * one that they do not see. `body`: the new values of a change; null for a deletion, which refers to all fields.
 */
export function withMarks<R extends object>(
  records: readonly R[],
  shown: readonly (Fields | null)[],
  body: Fields | null,
): Marked<R> {
  const known = new Set(shown.flatMap((record) => Object.keys(record ?? {})));
  // Not a field of the service.
  known.delete(GONE_FIELD);
  const seenFields = body === null ? [...known] : Object.keys(body).filter((field) => known.has(field));
  if (seenFields.length === 0 || seenFields.length > MAX_SEEN_FIELDS) return { records: [...records] };
  const marked = records.map((record, at) => {
    const seen = shown[at] ?? null;
    if (seen === null || bodyProblem(seen) !== null) return record;
    return { ...record, seen: seenMark(seen, seenFields) };
  });
  return { seenFields, records: marked };
}

/** 64 bits as 16 hexadecimal digits, from two different multiplicative hashes. */
function hashOf(text: string): string {
  let [high, low] = [0x85eb_ca77, 0xc2b2_ae3d];
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 0x0100_0193);
    low = Math.imul(low ^ unit, 0x9e37_79b1);
  }
  return hex(high ^ (low >>> 15)) + hex(low ^ (high >>> 13));
}

const hex = (bits: number): string => (bits >>> 0).toString(16).padStart(8, '0');
