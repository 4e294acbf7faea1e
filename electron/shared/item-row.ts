/** What the rows of stored lists say besides the fields of their items. Pure. */

/** Stands before the identity of what is not a text, so that 1 and "1" stay two. */
export const NOT_TEXT = '\u0000';
/** Divides a name from what tells two of one name apart. */
export const AND_ALSO = '\u0001';

/** The identity as a person sees it. */
export function textOfIdentity(identity: string): string {
  const text = identity.split(AND_ALSO, 1)[0] ?? '';
  return text.startsWith(NOT_TEXT) ? text.slice(NOT_TEXT.length) : text;
}

/** Field of a row that says why the rest of the item is missing. */
export const NOT_KEPT = 'not_kept';

/** Field of a record that names its values which the service wrote as NaN or Infinity: they are read as no value. */
export const NOT_FINITE = 'not_finite';

/** What is missing of a stored item and why; null where it is whole. */
export function notKept(record: Readonly<Record<string, unknown>>): string | null {
  const note = record[NOT_KEPT];
  return typeof note === 'string' ? note : null;
}
