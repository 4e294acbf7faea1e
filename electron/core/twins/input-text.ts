/** The input of an item as one text, by which twins are found. Pure. */
import { canonicalJson } from '../../shared/exact-json.ts';

/** Values in the order of their fields; empty where there is none. */
export function inputText(inputs: unknown): string {
  if (typeof inputs !== 'object' || inputs === null) return '';
  return Object.entries(inputs)
    .filter(([, value]) => value !== null)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, value]) => (typeof value === 'string' ? value : canonicalJson(value)))
    .join('\n');
}
