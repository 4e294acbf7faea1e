/** Joins the input of an item to one text, for finding near-duplicates. Pure. */
import { canonicalJson } from '../../shared/exact-json.ts';

/** Values in field order; empty if there are none. */
export function inputText(inputs: unknown): string {
  if (typeof inputs !== 'object' || inputs === null) return '';
  return Object.entries(inputs)
    .filter(([, value]) => value !== null)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, value]) => (typeof value === 'string' ? value : canonicalJson(value)))
    .join('\n');
}
