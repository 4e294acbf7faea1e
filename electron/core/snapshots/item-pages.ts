/** Lists the items of one snapshot in pages, optionally filtered by text. Pure. */

import { BUCKETS } from '../../shared/dataset-model.ts';
import { parseExactObject, writeExact } from '../../shared/exact-json.ts';
import { objectOf } from '../../shared/json-fields.ts';
import type { SnapshotItems } from '../../shared/snapshot-model.ts';
import { elementAt } from '../element-at.ts';
import { cutFields, valueLimit } from '../items/cut-item.ts';

interface Texts {
  count: number;
  /** Returns the JSON of the item at an index. */
  textAt: (place: number) => string;
}

/** Limit for the texts of a page, so that its message stays below about 100 KB. */
const PAGE_CHARACTERS = 60_000;

/** Indices of the items that contain the text, ignoring case. Null means all items. */
export function placesWith({ count, textAt }: Texts, search: string): readonly number[] | null {
  const wanted = search.trim().toLowerCase();
  if (wanted === '') return null;
  // The text as escaped in JSON, so that quotes and line ends are found too.
  const written = JSON.stringify(wanted).slice(1, -1);
  const places: number[] = [];
  for (let place = 0; place < count; place += 1)
    if (plain(textAt(place)).toLowerCase().includes(written)) places.push(place);
  return places;
}

/** The service may write characters as numeric escapes; these are decoded. */
const plain = (json: string): string => (json.includes('\\u') ? writeExact(parseExactObject(json)) : json);

/** `places`: indices of the listed items; null for all. */
export function pageOf(
  { count, textAt }: Texts,
  places: readonly number[] | null,
  { offset, limit }: { offset: number; limit: number },
): Omit<SnapshotItems, 'snapshot'> {
  const total = places?.length ?? count;
  const page: Omit<SnapshotItems, 'snapshot'> = { total, offset, items: [], cut: [] };
  let characters = 0;
  for (let at = offset; at < Math.min(total, offset + limit); at += 1) {
    const { item, isCut, length } = shownItem(textAt(places === null ? at : elementAt(places, at)));
    characters += length;
    if (page.items.length > 0 && characters > PAGE_CHARACTERS) break;
    if (isCut) page.cut.push(page.items.length);
    page.items.push(item);
  }
  return page;
}

function shownItem(json: string): {
  item: Record<string, unknown>;
  isCut: boolean;
  length: number;
} {
  const item = parseExactObject(json);
  const limit = valueLimit(
    BUCKETS.map((bucket) => objectOf(item, bucket)),
    json.length,
  );
  if (limit === null) return { item, isCut: false, length: json.length };
  const cut: Record<string, unknown> = { ...item };
  for (const bucket of BUCKETS) {
    const fields = objectOf(item, bucket);
    if (Object.keys(fields).length > 0) cut[bucket] = cutFields(fields, limit);
  }
  return { item: cut, isCut: true, length: JSON.stringify(cut).length };
}
