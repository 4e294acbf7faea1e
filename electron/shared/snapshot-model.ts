/** Snapshots of datasets and what differs between two of them, as both processes know it. */
import { z } from 'zod';

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

/** A stretch of text; the middle of a long one is left out after it: `hidden` characters. */
export interface TextPiece {
  kind: 'same' | 'removed' | 'added';
  text: string;
  hidden?: number;
}

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

/** One item, field by field. */
export interface ItemComparison {
  changes: ItemFieldChange[];
  /** Fields that say the same. */
  same: string[];
}

const snapshotId = z.int().min(1);
const pair = { from: snapshotId, to: snapshotId, kind: z.enum(CHANGE_KINDS).nullable() };

const connectionId = z.uuid();

export const snapshotContract = {
  'snapshots:ask': z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('list'), connectionId, datasetId: z.string().min(1).max(100) }),
    z.strictObject({
      action: z.literal('diff'),
      connectionId,
      ...pair,
      offset: z.int().min(0),
      limit: z.int().min(1).max(200),
    }),
    /** The change at a place of that list. */
    z.strictObject({ action: z.literal('compare'), connectionId, ...pair, index: z.int().min(0) }),
  ]),
} as const;

type OnConnection = z.infer<(typeof snapshotContract)['snapshots:ask']>;
type WithoutConnection<T> = T extends unknown ? Omit<T, 'connectionId'> : never;
export type SnapshotQuestion = WithoutConnection<OnConnection>;

export interface SnapshotAnswers {
  list: SnapshotList;
  diff: SnapshotDiff;
  compare: ItemComparison;
}
