/** The item made from a picked span: mapped, with the expected output edited in the review. */
import { attributesOf, mapSpan } from '../core/spans/span-mapping.ts';
import type { DatasetStore } from '../db/build-store.ts';
import type { ItemBuckets, Mapping } from '../shared/dataset-model.ts';
import { parseExact } from '../shared/exact-json.ts';
import { expectedField, withExpected } from '../shared/expected-output.ts';
import type { BuildLedger } from './build-ledger.ts';

type SpanRecord = Record<string, unknown>;

export function parseRecord(text: string | undefined): SpanRecord | null {
  if (text === undefined) return null;
  const value = parseExact(text);
  return typeof value === 'object' && value !== null ? { ...value } : null;
}

/** `missing`: indices of the entries whose key the span lacks. `edited` undefined: the span's own value. */
export function itemOfRecord(
  record: SpanRecord,
  mapping: Mapping,
  edited: string | undefined,
): ReturnType<typeof mapSpan> {
  const { item, missing } = mapSpan(attributesOf(record), mapping);
  if (edited === undefined) return { item, missing };
  const field = expectedField(mapping);
  const isOfField = (index: number) =>
    mapping[index]?.bucket === 'expected_outputs' && mapping[index].field === field;
  return { item: withExpected(item, mapping, edited), missing: missing.filter((index) => !isOfField(index)) };
}

/** Uses the build's mapping. Null if no record of the span is stored. */
export function readItem(
  { store }: { store: Pick<DatasetStore, 'spans'> },
  { id, stored }: BuildLedger,
  position: number,
): ItemBuckets | null {
  const record = parseRecord(store.spans.records(id, [position]).get(position));
  if (record === null) return null;
  return itemOfRecord(record, stored.mapping, store.spans.edits(id, [position]).get(position)).item;
}
