/** Bulk changes of records as jobs; the records of each request are its parts. */
import { type JobRecord, recordFields, wireError } from '../core/jobs/job-record.ts';
import {
  BULK_ITEM_STATES,
  BULK_STATES,
  type BulkItem,
  type BulkItemState,
  type BulkRecord,
  type BulkRequest,
  type BulkState,
  type BulkWords,
  bulkRequest,
  bulkWords,
} from '../shared/bulk-contract.ts';
import type { WireError } from '../shared/errors.ts';
import * as z from '../shared/zod.ts';
import { createJobStore, type JobStore } from './job-store.ts';
import type { Database } from './open.ts';
import { createPartStore, type PartStore } from './part-store.ts';

export interface StoredBulkAct extends JobRecord {
  request: BulkRequest;
  words: BulkWords;
  /** Total number of records. */
  total: number;
  state: BulkState;
  /** Whether a start of the change was ever planned. */
  isPlanned?: boolean | undefined;
}

/** Records in one request; all have the same state. */
export interface BulkPart {
  part: number;
  records: BulkRecord[];
  state: BulkItemState;
  /** Number of requests sent for these records since a person last confirmed. */
  attempts: number;
  error: WireError | null;
}

/** The job of the service that makes the change. */
type BulkReceipt = NonNullable<BulkItem['job']>;

export function createBulkStore(db: Database): JobStore<StoredBulkAct> {
  return createJobStore(db, {
    kind: 'bulk',
    what: 'change of many records',
    schema: z.object({
      ...recordFields,
      state: z.enum(BULK_STATES),
      request: bulkRequest,
      words: bulkWords,
      total: z.number(),
      isPlanned: z.boolean().optional(),
    }),
    plan: ['request', 'words', 'total'],
    title: ({ words }) => words.title,
  });
}

export function createBulkParts(db: Database): PartStore<BulkPart, BulkReceipt> {
  return createPartStore(db, {
    what: 'request of a change',
    schema: z.object({
      part: z.number(),
      records: z.array(z.object({ id: z.string(), name: z.string(), seen: z.string().optional() })),
      state: z.enum(BULK_ITEM_STATES),
      attempts: z.number(),
      error: wireError.nullable(),
    }),
    receipt: z.object({ id: z.string(), name: z.string() }),
    place: ({ part, records }) => ({ part, weight: records.length, endsAt: part }),
  });
}
