/** Snapshots of datasets and what differs between two of them, as both processes know it. */
import { z } from 'zod';
import { jsonObject } from './json-body.ts';
import { LEAST_TWIN_THRESHOLD } from './twin-model.ts';
import type { TextPiece } from './word-diff.ts';

/** How two items were found to be the same one; only `id` and `content` are certain. */
export type PairedBy = 'id' | 'content' | 'source' | 'inputs' | 'text';

/** Items by type, by path of the field. */
export type FieldTypes = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface FieldDrift {
  path: string;
  kind: 'new' | 'gone' | 'type';
  before: string[];
  after: string[];
  /** Items that have it now. */
  items: number;
}

/** The items of a dataset as one complete fetch brought them. */
export interface Snapshot {
  snapshotId: number;
  datasetId: string;
  /** From 1 on, of its dataset. */
  number: number;
  takenAtMs: number;
  /** When the dataset was last seen to be in this state. */
  seenAtMs: number;
  items: number;
  /** Against the one before; of the first one every item is added. */
  added: number;
  changed: number;
  removed: number;
  /** Against the one before. */
  drift: FieldDrift[];
}

export interface SnapshotList {
  /** Newest first. */
  snapshots: Snapshot[];
  /** Of the file that holds those of every dataset. */
  fileBytes: number;
}

export const CHANGE_KINDS = ['changed', 'added', 'removed'] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export interface ItemFieldChange {
  path: string;
  kind: ChangeKind;
  pieces: TextPiece[];
}

export interface ItemChange {
  kind: ChangeKind;
  itemId: string;
  /** The beginning of what the item asks. */
  title: string;
  /** Null: added or removed. */
  by: PairedBy | null;
  /** Fields that differ; of an added or removed item none. */
  fields: string[];
}

export interface SnapshotDiff {
  from: Snapshot;
  to: Snapshot;
  counts: { same: number; added: number; changed: number; removed: number };
  drift: FieldDrift[];
  /** Of the kind that was asked for. */
  total: number;
  offset: number;
  changes: ItemChange[];
}

/** `same`: equal but for case and spaces; `near`: they share as many of their words as the threshold asks for. */
export const TWIN_KINDS = ['same', 'near'] as const;
export type TwinKind = (typeof TWIN_KINDS)[number];

/** An item of the later snapshot whose input the earlier one has too. */
interface ItemTwin {
  itemId: string;
  /** The beginning of what it asks. */
  title: string;
  /** In the earlier snapshot. */
  ofItemId: string;
  /** 1 where the inputs are the same but for case and spaces. */
  likeness: number;
}

/** Between a training set and a test set each of them is leakage. */
export interface SnapshotTwins {
  from: Snapshot;
  to: Snapshot;
  threshold: number;
  /** Items of `to`, each once. */
  counts: Readonly<Record<TwinKind, number>>;
  /** Of the kind that was asked for. */
  total: number;
  offset: number;
  twins: ItemTwin[];
}

/** Items of one snapshot, in the order of the dataset. */
export interface SnapshotItems {
  snapshot: Snapshot;
  /** Those that have the text that was looked for. */
  total: number;
  offset: number;
  /** As they came; may be fewer than asked for, as a message carries about 100 KB. */
  items: Readonly<Record<string, unknown>>[];
  /** Places in `items` of those whose long values are cut: such an item is asked for by itself. */
  cut: number[];
}

/** One item, field by field. */
export interface ItemComparison {
  changes: ItemFieldChange[];
  /** Fields that say the same. */
  same: string[];
}

/** Of a bucket, by key. */
const bucket = jsonObject.optional();
const itemContent = z.strictObject({
  ...{ inputs: bucket, expected_outputs: bucket, metadata: bucket, extras: bucket },
  source_name: z.string().max(1_000).optional(),
  source_id: z.string().max(1_000).optional(),
});

/** Items that one plan of changes names at most: more come from a file. */
export const MOST_EDITS = 1_000;
const itemId = z.string().min(1).max(1_000);
/** What a person changed of the items of a snapshot. The service has no way to change an item where it is. */
const itemEdits = z.strictObject({
  replaced: z.array(z.strictObject({ itemId, item: itemContent })).max(MOST_EDITS),
  removed: z.array(itemId).max(MOST_EDITS),
  added: z.array(itemContent).max(MOST_EDITS),
});
export type ItemEdits = z.infer<typeof itemEdits>;

const snapshotId = z.int().min(1);
const sides = { from: snapshotId, to: snapshotId };
const pair = { ...sides, kind: z.enum(CHANGE_KINDS).nullable() };
const twinPair = {
  ...sides,
  threshold: z.number().min(LEAST_TWIN_THRESHOLD).max(1),
  kind: z.enum(TWIN_KINDS).nullable(),
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
    /** The state of the snapshot, with these changes, as a new dataset. Nothing of the old one changes. */
    z.strictObject({
      action: z.literal('recreate'),
      connectionId,
      snapshotId,
      number: z.int().min(1),
      name: z.string().min(1).max(500),
      applicationId: z.string().min(1).max(100),
      /** The dataset the snapshot is of. */
      of: z.strictObject({ id: z.string().min(1).max(100), name: z.string().max(500) }),
      edits: itemEdits.nullable(),
    }),
    /** The change at a place of that list. */
    z.strictObject({ action: z.literal('compare'), connectionId, ...pair, index: z.int().min(0) }),
    /** What the snapshot has; `search`: a text that they have somewhere, empty for all. */
    z.strictObject({ action: z.literal('items'), connectionId, ...searched, ...page }),
    /** The item at a place of that list, whole. */
    z.strictObject({ action: z.literal('item'), connectionId, ...searched, index: z.int().min(0) }),
    /** Items of `to` whose input `from` has too, or nearly; of one snapshot: whose input one before them has. */
    z.strictObject({ action: z.literal('twins'), connectionId, ...twinPair, ...page }),
    /** The twins at a place of that list. */
    z.strictObject({ action: z.literal('compare-twins'), connectionId, ...twinPair, index: z.int().min(0) }),
  ]),
} as const;

type OnConnection = z.infer<(typeof snapshotContract)['snapshots:ask']>;
type WithoutConnection<T> = T extends unknown ? Omit<T, 'connectionId'> : never;
type Asked = WithoutConnection<OnConnection>;
export type Recreation = Omit<Extract<Asked, { action: 'recreate' }>, 'action'>;
/** What is answered from the store of snapshots alone. */
export type SnapshotQuestion = Exclude<Asked, { action: 'recreate' }>;

export interface SnapshotAnswers {
  list: SnapshotList;
  diff: SnapshotDiff;
  compare: ItemComparison;
  items: SnapshotItems;
  item: Readonly<Record<string, unknown>>;
  twins: SnapshotTwins;
  'compare-twins': ItemComparison;
  /** The job that was begun. */
  recreate: { itemsId: string };
}
