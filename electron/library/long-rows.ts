/** Writes long records of an answer to the store part by part, so that no step takes long. */

import type { ItemRow } from '../api/item-row.ts';
import type { NewRow } from '../db/library-rows.ts';
import type { LongTextStore } from '../db/long-text-store.ts';

const SWEPT_PARTS = 20;

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Converts an item of an answer to a row that can be written in one step. */
export async function toNewRow(longTexts: LongTextStore, item: ItemRow): Promise<NewRow> {
  const { identity, shownText, record, parts } = item;
  if (parts === null) return { identity, shownText, record, textId: null };
  const textId = longTexts.begin();
  for (const part of parts) {
    longTexts.add(textId, part);
    await pause();
  }
  return { identity, shownText, record, textId };
}

export async function newRows(longTexts: LongTextStore, items: readonly ItemRow[]): Promise<NewRow[]> {
  const rows: NewRow[] = [];
  for (const item of items) rows.push(await toNewRow(longTexts, item));
  return rows;
}

/** Deletes long texts without a stored record, in small batches. */
export async function sweepLongTexts(longTexts: LongTextStore, isStopped: () => boolean): Promise<void> {
  while (!isStopped() && longTexts.sweep(SWEPT_PARTS) > 0) await pause();
}
