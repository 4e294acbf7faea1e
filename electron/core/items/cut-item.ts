/** Shortens items with long values, so that many can be shown without sending all their texts. Pure. */
import { cutText } from '../../shared/cut-text.ts';
import { isRawNumber } from '../../shared/exact-json.ts';

type Fields = Readonly<Record<string, unknown>>;

const ITEM_CHARACTERS = 20_000;
const MIN_CUT = 100;

/**
 * Maximum number of characters for each value; null if the item is not long. `buckets`: objects whose values are
 * counted separately.
 */
export function valueLimit(buckets: readonly Fields[], characters: number): number | null {
  if (characters <= ITEM_CHARACTERS) return null;
  const fields = buckets.reduce((sum, bucket) => sum + Object.keys(bucket).length, 0);
  return Math.max(MIN_CUT, Math.floor(ITEM_CHARACTERS / Math.max(1, fields)));
}

/** A long text is cut and ends with …. Any other long value is replaced by such a text. */
export function cutFields(fields: Fields, most: number): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, cutValue(value, most)]));
}

function cutValue(value: unknown, most: number): unknown {
  if (typeof value === 'string') return cutText(value, most);
  if (typeof value !== 'object' || value === null || isRawNumber(value)) return value;
  const text = JSON.stringify(value);
  return text.length > most ? cutText(text, most) : value;
}
