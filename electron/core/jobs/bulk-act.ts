/** States of a bulk change: of the whole job, and of each record. Pure. */

import type { BulkItemState, BulkState } from '../../shared/bulk-contract.ts';
import type { AppError } from '../../shared/errors.ts';
import { BULK_STATES } from '../../shared/job-kinds/bulk.ts';
import { type JobCore, type JobEvent, type JobRules, moveParts, type PartMoves, transition } from './job.ts';
import { classifyFailure, isOwnTrouble } from './send-outcome.ts';
import { NO_START } from './start-plan.ts';

export interface BulkCore extends JobCore<BulkState> {
  counts: Readonly<Record<BulkItemState, number>>;
}

export type BulkEvent = JobEvent | { type: 'move'; from: BulkItemState; to: BulkItemState; count: number };

export const NO_ITEMS: BulkCore['counts'] = {
  waiting: 0,
  sending: 0,
  done: 0,
  failed: 0,
  changed: 0,
  unknown: 0,
  left: 0,
};

/** A saved job that a person has not started yet. */
export const NEW_BULK: BulkCore = {
  ...NO_START,
  state: 'paused',
  reason: 'Nothing was sent yet.',
  error: null,
  counts: NO_ITEMS,
};

/** Allowed state changes of a record. Done is final: a completed change is never sent again. */
const MOVES: PartMoves<BulkItemState> = {
  // Failed or changed without being sent: the record was read before it is changed.
  waiting: ['sending', 'failed', 'changed', 'left'],
  sending: ['done', 'failed', 'unknown', 'waiting'],
  // The service's current record shows whether the change was made. It is sent again only if it was not.
  unknown: ['done', 'waiting'],
  failed: ['waiting'],
  changed: ['waiting'],
  left: ['waiting'],
  done: [],
};

/** Nothing is sent until a person or a planned start begins it. */
export function isBulkIdle(state: BulkState): boolean {
  return state !== 'running' && state !== 'waiting';
}

export function isBulkOver(state: BulkState): boolean {
  return state === 'stopped' || state === 'done';
}

const RULES: JobRules<BulkState, BulkCore> = {
  subject: 'this change of many records',
  phases: BULK_STATES,
  // Failed or skipped records of a finished job can be sent again.
  resumable: ['paused', 'cancelled', 'done'],
  isReadyWhenPlanned: true,
  left: ({ state, counts }) =>
    state === 'running' && counts.waiting + counts.sending === 0 ? 'nothing' : 'something',
};

/** Returns the state after an event. Throws INVALID_ARGUMENT if the job's state does not allow the event. */
export function bulkTransition(act: BulkCore, event: BulkEvent): BulkCore {
  if (event.type === 'move') return { ...act, counts: moveParts(MOVES, act.counts, event) };
  return transition(RULES, act, event);
}

/** The effect of a failed request on its records, and whether to continue. */
export interface AfterFailure {
  to: 'done' | 'failed' | 'unknown' | 'waiting';
  suspension: 'wait' | 'pause' | null;
}

/** After this many consecutive requests that were forbidden or unanswered, the next one would fail too. */
const MAX_FAILURES_IN_A_ROW = 5;

/**
 * `isSentAgain`: a deletion of one record whose earlier answer was lost, so that "not found" means it was done. `done`:
 * number of records done so far. `failuresInARow`: number of consecutive failed requests before this one.
 */
export function afterBulkFailure(
  error: AppError,
  { isSentAgain, done, failuresInARow }: { isSentAgain: boolean; done: number; failuresInARow: number },
): AfterFailure {
  const { status } = error.details;
  if (isSentAgain && error.code === 'NOT_FOUND' && status === 404) return { to: 'done', suspension: null };
  const isLast = failuresInARow + 1 >= MAX_FAILURES_IN_A_ROW;
  const refused: AfterFailure = { to: 'failed', suspension: null };
  // The permission may be missing for one record or for all. If another request succeeded, it is for one.
  if (error.code === 'FORBIDDEN') return { to: 'failed', suspension: done === 0 || isLast ? 'pause' : null };
  if (error.code === 'NOT_FOUND') return refused;
  const outcome = classifyFailure(error);
  switch (outcome.kind) {
    case 'unsent':
      return { to: 'waiting', suspension: outcome.next };
    case 'unknown':
      return { to: 'unknown', suspension: outcome.next === 'pause' || isLast ? 'pause' : null };
    default:
      return refused;
  }
}

/**
 * Reaction of the job to an error that concerns no single record: it waits and continues automatically, or pauses until
 * a person decides.
 */
export function suspensionOf(error: AppError): 'wait' | 'pause' {
  if (isOwnTrouble(error)) return 'pause';
  const outcome = classifyFailure(error);
  if (outcome.kind === 'unsent') return outcome.next;
  return outcome.kind === 'unknown' && outcome.next === 'continue' ? 'wait' : 'pause';
}
