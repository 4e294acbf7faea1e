/** Rows of files as items of a dataset: jobs, their requests and receipts. */
import { type JobRecord, recordFields, wallMs, wireError } from '../core/jobs/job-record.ts';
import {
  type FilePlace,
  filePlace,
  ITEM_PART_STATES,
  ITEMS_STATES,
  type ItemColumn,
  type ItemsPart,
  type ItemsPlan,
  type ItemsState,
  itemColumn,
  itemsPlan,
  itemsTitle,
} from '../shared/items-model.ts';
import { type ValueLedger, valueLedger } from '../shared/value-ledger.ts';
import * as z from '../shared/zod.ts';
import { createJobStore, type JobStore } from './job-store.ts';
import type { Database } from './open.ts';
import { createPartStore, type PartStore } from './part-store.ts';

export interface StoredItems extends JobRecord {
  plan: ItemsPlan;
  state: ItemsState;
  /** The dataset that the job created; null until then. */
  madeDatasetId: string | null;
  /** Time at which the request to create the dataset was sent, while it has no answer. */
  creatingSinceMs: number | null;
  /** Path of the text that is read: the file or its unpacked copy. */
  path: string;
  sizeBytes: number;
  mtimeMs: number;
  /** Hash of the bytes of that text; null for a job of an earlier version. */
  sha256: string | null;
  /** Number of rows in the whole file; null until it was checked. */
  rows: number | null;
  badRows: number;
  /** Columns of the plan, as decided by the check of the whole file. */
  decided?: ItemColumn[] | undefined;
  /** The check's report on values. */
  valueLedger?: ValueLedger | undefined;
  /** Every row of the file is in a request or was left out. */
  isRead: boolean;
}

export interface StoredItemsPart extends ItemsPart {
  /** Place of the first row of the part. */
  start: FilePlace;
  /** Start of the first row after the part; null if the file ends with the part. */
  end: FilePlace | null;
}

/** Rows and their item ids, in the same order. */
interface ItemsReceipt {
  rows: number[];
  ids: string[];
}

export interface ItemsStore {
  jobs: JobStore<StoredItems>;
  parts: PartStore<StoredItemsPart, ItemsReceipt>;
}

export function createItemsStore(db: Database): ItemsStore {
  return {
    jobs: createJobStore<StoredItems>(db, {
      kind: 'items',
      what: 'addition of items',
      schema: z.object({
        ...recordFields,
        plan: itemsPlan,
        state: z.enum(ITEMS_STATES),
        madeDatasetId: z.string().nullable().default(null),
        creatingSinceMs: wallMs.nullable().default(null),
        path: z.string(),
        sizeBytes: z.number(),
        mtimeMs: wallMs,
        sha256: z.string().nullable().default(null),
        rows: z.int().nullable(),
        badRows: z.int(),
        decided: z.array(itemColumn).optional(),
        valueLedger: valueLedger.optional(),
        isRead: z.boolean(),
      }),
      plan: ['plan', 'path', 'sizeBytes', 'mtimeMs'],
      title: ({ plan }) => itemsTitle(plan),
      subject: ({ plan }) => plan.datasetId,
    }),
    parts: createPartStore<StoredItemsPart, ItemsReceipt>(db, {
      what: 'request with items',
      schema: z.object({
        part: z.int(),
        items: z.int(),
        firstRow: z.int(),
        lastRow: z.int(),
        start: filePlace,
        end: filePlace.nullable(),
        state: z.enum(ITEM_PART_STATES),
        sentAtMs: wallMs.nullable(),
        answeredAtMs: wallMs.nullable(),
        requestId: z.string().nullable(),
        error: wireError.nullable(),
        evidence: z.object({ found: z.int(), atMs: wallMs }).nullable(),
      }),
      receipt: z.object({ rows: z.array(z.int()), ids: z.array(z.string()) }),
      place: ({ part, items, lastRow }) => ({ part, weight: items, endsAt: lastRow }),
    }),
  };
}
