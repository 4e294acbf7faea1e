/** Bulk changes: one change for many records. Pure. */
import {
  BULK_ITEM_STATES,
  type BulkAct,
  bulkRecord,
  bulkRequest,
  bulkWords,
  MAX_RECORDS,
} from '../bulk-contract.ts';
import * as z from '../zod.ts';
import {
  ifPlanned,
  type JobKind,
  type JobOf,
  type JobPhase,
  type PlannedRequest,
  RUNNING,
  WRITES,
} from './job-kind.ts';

export const bulkKind = {
  id: 'bulk',
  storedAs: 'bulk',
  damaged: { noun: 'change of several records', goes: 'with the outcome for each record' },
  plan: z.strictObject({
    request: bulkRequest,
    words: bulkWords,
    records: z.array(bulkRecord).min(1).max(MAX_RECORDS),
  }),
  noRepeat: WRITES,
  actions: [...RUNNING, 'cancel', 'retry'],
  parts: BULK_ITEM_STATES,
} as const satisfies JobKind;

export const BULK_STATES: Readonly<Record<BulkAct['state'], JobPhase>> = {
  scheduled: 'ready',
  running: 'running',
  waiting: 'waiting',
  paused: 'paused',
  stopped: 'cancelled',
  done: 'done',
};

/** The requests of the change if it is planned. */
export function plannedRequests({
  operation,
  requestsLeft,
  counts,
  readsIfPlannedBy,
}: BulkAct): PlannedRequest[] {
  const reads = readsIfPlannedBy === null ? [] : [{ operation: readsIfPlannedBy, count: counts.waiting }];
  return [...reads, { operation, count: requestsLeft }];
}

export function bulkAsJob(own: BulkAct): JobOf<'bulk', BulkAct> {
  const { bulkId: id, words, state, reason, error, counts, total } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  return {
    ...{ kind: 'bulk', id, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    title: words.title,
    state: BULK_STATES[state],
    progress: { done: total - counts.waiting - counts.sending, total },
    unknown: counts.unknown,
    requests: ifPlanned(own, () => plannedRequests(own)),
    of: null,
  };
}
