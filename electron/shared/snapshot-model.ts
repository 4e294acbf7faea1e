/** Snapshots of datasets and differences between them, shared by both processes. */

import { CHANGE_KINDS, type ChangeKind, type ItemFieldChange } from './item-field-change.ts';
import { jsonObject } from './json-body.ts';
import { MIN_NEAR_DUPLICATE_THRESHOLD } from './near-duplicate-model.ts';
import { chosenItems } from './run-comparison.ts';
import type { ListedSchemaChange } from './schema-model.ts';
import * as z from './zod.ts';

/** How two items were matched; only `id` and `content` are certain. */
export type PairedBy = 'id' | 'content' | 'source' | 'inputs' | 'text';

/** Number of items for each type, by path of the field. */
export type FieldTypes = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface FieldDrift {
  path: string;
  kind: 'new' | 'gone' | 'type';
  before: string[];
  after: string[];
  /** Number of items that have the field now. */
  items: number;
}

/** The items of a dataset from one complete fetch. */
export interface Snapshot {
  snapshotId: number;
  datasetId: string;
  /** Number of the snapshot within its dataset, counted from 1. */
  number: number;
  takenAtMs: number;
  /** When the dataset was last seen in the state of this snapshot. */
  seenAtMs: number;
  items: number;
  /** Changes since the previous snapshot; for the first one, every item counts as added. */
  added: number;
  changed: number;
  removed: number;
  /** Changes of fields since the previous snapshot. */
  drift: FieldDrift[];
}

/** A stored snapshot that cannot be read. */
export interface DamagedSnapshot {
  snapshotId: number;
  /** Null if the number is unreadable too. */
  number: number | null;
  reason: string;
}

export interface SnapshotList {
  /** Newest first. */
  snapshots: Snapshot[];
  damaged: DamagedSnapshot[];
  /** Size of the file with the snapshots of all datasets. */
  fileBytes: number;
}

export interface ItemChange {
  kind: ChangeKind;
  itemId: string;
  /** Beginning of the item's input. */
  title: string;
  /** Null if the item was added or removed. */
  by: PairedBy | null;
  /** Fields that differ; empty for an added or removed item. */
  fields: string[];
}

export interface SnapshotDiff {
  from: Snapshot;
  to: Snapshot;
  counts: { same: number; added: number; changed: number; removed: number };
  drift: FieldDrift[];
  /** Number of changes of the requested kind. */
  total: number;
  offset: number;
  changes: ItemChange[];
}

/** `same`: equal except for case and spaces; `near`: the share of common words reaches the threshold. */
export const NEAR_DUPLICATE_KINDS = ['same', 'near'] as const;
export type NearDuplicateKind = (typeof NEAR_DUPLICATE_KINDS)[number];

/** An item of the later snapshot whose input is also in the earlier one. */
interface ItemNearDuplicate {
  itemId: string;
  /** Beginning of the item's input. */
  title: string;
  /** Id in the earlier snapshot. */
  ofItemId: string;
  /** 1 if the inputs are equal except for case and spaces. */
  likeness: number;
}

/**
 * Items of one snapshot whose inputs are also in another. Between a training set and a test set, each of them is
 * leakage.
 */
export interface SnapshotNearDuplicates {
  from: Snapshot;
  to: Snapshot;
  threshold: number;
  /** Number of items of `to`, without duplicates. */
  counts: Readonly<Record<NearDuplicateKind, number>>;
  /** Number of items of the requested kind. */
  total: number;
  offset: number;
  nearDuplicates: ItemNearDuplicate[];
}

/** Items of one snapshot, in the order of the dataset. */
export interface SnapshotItems {
  snapshot: Snapshot;
  /** Number of items that contain the searched text. */
  total: number;
  offset: number;
  /**
   * In the order in which they were received. There may be fewer than requested, because a message holds about 100 KB.
   */
  items: Readonly<Record<string, unknown>>[];
  /** Indices in `items` with truncated values: such an item must be requested separately. */
  cut: number[];
}

/** One item, field by field. */
export interface ItemComparison {
  changes: ItemFieldChange[];
  /** Fields with equal values. */
  same: string[];
}

/** Values of a bucket, by key. */
const bucket = jsonObject.optional();
const itemContent = z.strictObject({
  ...{ inputs: bucket, expected_outputs: bucket, metadata: bucket, extras: bucket },
  source_name: z.string().max(1_000).optional(),
  source_id: z.string().max(1_000).optional(),
});

/** Maximum changes in one plan; a person with more changes must use a file. */
export const MAX_EDITS = 1_000;
const itemId = z.string().min(1).max(1_000);
/** A person's changes to the items of a snapshot. The service has no operation to change an item in place. */
const itemEdits = z.strictObject({
  replaced: z.array(z.strictObject({ itemId, item: itemContent })).max(MAX_EDITS),
  removed: z.array(itemId).max(MAX_EDITS),
  added: z.array(itemContent).max(MAX_EDITS),
});
export type ItemEdits = z.infer<typeof itemEdits>;

const snapshotId = z.int().min(1);
const sides = { from: snapshotId, to: snapshotId };
const pair = { ...sides, kind: z.enum(CHANGE_KINDS).nullable() };
const nearDuplicatePair = {
  ...sides,
  threshold: z.number().min(MIN_NEAR_DUPLICATE_THRESHOLD).max(1),
  kind: z.enum(NEAR_DUPLICATE_KINDS).nullable(),
};
const searched = { snapshotId, search: z.string().max(1_000) };
const page = { offset: z.int().min(0), limit: z.int().min(1).max(200) };

const connectionId = z.uuid();

export const snapshotContract = {
  'snapshots:ask': z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('list'), connectionId, datasetId: z.string().min(1).max(100) }),
    z.strictObject({
      action: z.literal('diff'),
      connectionId,
      ...pair,
      ...page,
    }),
    /** Creates a new dataset from the snapshot with these changes. The old one is not changed. */
    z.strictObject({
      action: z.literal('recreate'),
      connectionId,
      snapshotId,
      number: z.int().min(1),
      name: z.string().min(1).max(500),
      applicationId: z.string().min(1).max(100),
      /** The dataset of the snapshot. */
      of: z.strictObject({ id: z.string().min(1).max(100), name: z.string().max(500) }),
      edits: itemEdits.nullable(),
      /** Only the items of a comparison that pass its filter; absent: all of them. */
      chosen: chosenItems.optional(),
    }),
    /** The change of a comparison at an index of its list. */
    z.strictObject({ action: z.literal('compare'), connectionId, ...pair, index: z.int().min(0) }),
    /** Items of a snapshot; `search` is a text that they contain, empty for all. */
    z.strictObject({ action: z.literal('items'), connectionId, ...searched, ...page }),
    /** The complete item of a snapshot at an index of its list. */
    z.strictObject({ action: z.literal('item'), connectionId, ...searched, index: z.int().min(0) }),
    /** Changes of the schema of watched lists. */
    z.strictObject({ action: z.literal('list-schema-changes'), connectionId }),
    /** Makes the new schema the known one. */
    z.strictObject({ action: z.literal('accept-schema-change'), connectionId, changeId: z.int().min(1) }),
    /**
     * Items of `to` whose input is also in `from`, exactly or nearly. For a single snapshot: items whose input is in an
     * earlier item.
     */
    z.strictObject({ action: z.literal('near-duplicates'), connectionId, ...nearDuplicatePair, ...page }),
    /** The near-duplicate pair at an index of that list. */
    z.strictObject({
      action: z.literal('compare-near-duplicates'),
      connectionId,
      ...nearDuplicatePair,
      index: z.int().min(0),
    }),
  ]),
} as const;

type OnConnection = z.infer<(typeof snapshotContract)['snapshots:ask']>;
type WithoutConnection<T> = T extends unknown ? Omit<T, 'connectionId'> : never;
type Asked = WithoutConnection<OnConnection>;
export type Recreation = Omit<Extract<Asked, { action: 'recreate' }>, 'action'>;
/** Requests that are answered from the snapshot store alone. */
export type SnapshotQuery = Exclude<
  Asked,
  { action: 'recreate' | 'list-schema-changes' | 'accept-schema-change' }
>;

interface SchemaChanges {
  /** Newest first. */
  changes: ListedSchemaChange[];
}

export interface SnapshotAnswers {
  list: SnapshotList;
  diff: SnapshotDiff;
  compare: ItemComparison;
  items: SnapshotItems;
  item: Readonly<Record<string, unknown>>;
  'near-duplicates': SnapshotNearDuplicates;
  'compare-near-duplicates': ItemComparison;
  'list-schema-changes': SchemaChanges;
  'accept-schema-change': SchemaChanges;
  /** The job that was started. */
  recreate: { itemsId: string };
}
