/** Fields that this application adds to the rows of stored lists. Pure. */

/** Prefix of identities that are not texts, so that 1 and "1" stay different. */
export const NOT_TEXT = '\u0000';
/** Separates a name from the suffix that makes it unique. */
export const AND_ALSO = '\u0001';

/** The identity for display. */
export function textOfIdentity(identity: string): string {
  const text = identity.split(AND_ALSO, 1)[0] ?? '';
  return text.startsWith(NOT_TEXT) ? text.slice(NOT_TEXT.length) : text;
}

/** Field of a row that says why the rest of the item is missing. */
export const NOT_KEPT = 'not_kept';

/** Field of a record with the names of its values that the service wrote as NaN or Infinity, which are read as null. */
export const NOT_FINITE = 'not_finite';

/** The missing part of a stored item and the reason; null if it is complete. */
export function notKept(record: Readonly<Record<string, unknown>>): string | null {
  const note = record[NOT_KEPT];
  return typeof note === 'string' ? note : null;
}
