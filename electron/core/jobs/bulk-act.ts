/** States of one change for many records: of the whole, and of each record. Pure. */

import type { BulkItemState, BulkState } from '../../shared/bulk-contract.ts';
import type { AppError } from '../../shared/errors.ts';
import { BULK_STATES } from '../../shared/job-of.ts';
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
  unknown: 0,
  left: 0,
};

/** One that was written down and not begun: it rests until somebody says so. */
export const NEW_BULK: BulkCore = {
  ...NO_START,
  state: 'paused',
  reason: 'Nothing was sent yet.',
  error: null,
  counts: NO_ITEMS,
};

/** Where a record may go from where it is. What is done stays done: nothing that was done is sent again. */
const MOVES: PartMoves<BulkItemState> = {
  waiting: ['sending', 'left'],
  sending: ['done', 'failed', 'unknown', 'waiting'],
  // By what the service shows now; sent again only where it shows that it was not done.
  unknown: ['done', 'waiting'],
  failed: ['waiting'],
  left: ['waiting'],
  done: [],
};

/** Nothing is sent until a person or a planned start says so. */
export function isBulkIdle(state: BulkState): boolean {
  return state !== 'running' && state !== 'waiting';
}

export function isBulkOver(state: BulkState): boolean {
  return state === 'stopped' || state === 'done';
}

const RULES: JobRules<BulkState, BulkCore> = {
  subject: 'this change of many records',
  phases: BULK_STATES,
  // What failed or was skipped in one that is over can be sent again.
  resumable: ['paused', 'cancelled', 'done'],
  isReadyWhenPlanned: true,
  left: ({ state, counts }) =>
    state === 'running' && counts.waiting + counts.sending === 0 ? 'nothing' : 'something',
};

/** What follows from an event. Throws INVALID_ARGUMENT where the event is not possible in the act's state. */
export function bulkTransition(act: BulkCore, event: BulkEvent): BulkCore {
  if (event.type === 'move') return { ...act, counts: moveParts(MOVES, act.counts, event) };
  return transition(RULES, act, event);
}

/** What a failed request means for the records it named, and whether anything more is sent. */
interface AfterFailure {
  to: 'done' | 'failed' | 'unknown' | 'waiting';
  halt: 'wait' | 'pause' | null;
}

/** So many requests in a row that were not permitted, or not answered, mean that the next one fares no better. */
const MOST_FAILURES_IN_A_ROW = 5;

/**
 * `isSentAgain`: a deletion of one record whose answer was lost before, so that "not found" says that it was done.
 * `done`: records that are done so far. `failuresInARow`: requests that failed one after another, without this one.
 */
export function afterBulkFailure(
  error: AppError,
  { isSentAgain, done, failuresInARow }: { isSentAgain: boolean; done: number; failuresInARow: number },
): AfterFailure {
  const { status } = error.details;
  if (isSentAgain && error.code === 'NOT_FOUND' && status === 404) return { to: 'done', halt: null };
  const isLast = failuresInARow + 1 >= MOST_FAILURES_IN_A_ROW;
  const refused: AfterFailure = { to: 'failed', halt: null };
  // Of one record or of all: which, is known where another went well.
  if (error.code === 'FORBIDDEN') return { to: 'failed', halt: done === 0 || isLast ? 'pause' : null };
  if (error.code === 'NOT_FOUND') return refused;
  const outcome = classifyFailure(error);
  switch (outcome.kind) {
    case 'unsent':
      return { to: 'waiting', halt: outcome.next };
    case 'unknown':
      return { to: 'unknown', halt: outcome.next === 'pause' || isLast ? 'pause' : null };
    default:
      return refused;
  }
}

/** What an error that concerns no record means for the whole: it goes on by itself later, or a person decides. */
export function haltOf(error: AppError): 'wait' | 'pause' {
  if (isOwnTrouble(error)) return 'pause';
  const outcome = classifyFailure(error);
  if (outcome.kind === 'unsent') return outcome.next;
  return outcome.kind === 'unknown' && outcome.next === 'go-on' ? 'wait' : 'pause';
}
