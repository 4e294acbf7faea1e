/** States of one change for many records: of the whole, and of each record. Pure. */
import type { BulkItemState, BulkState } from '../../shared/bulk-contract.ts';
import { AppError, type WireError } from '../../shared/errors.ts';
import { notNow } from './not-now.ts';
import { classifyFailure, isOwnTrouble } from './send-outcome.ts';
import { futureStart, lateStartOf, NO_START, type StartPlan } from './start-plan.ts';

export interface BulkCore extends StartPlan {
  state: BulkState;
  reason: string;
  error: WireError | null;
  counts: Readonly<Record<BulkItemState, number>>;
}

export type BulkEvent =
  | { type: 'begin' }
  | { type: 'schedule'; startAtMs: number | null; nowMs: number }
  | { type: 'due'; nowMs: number }
  | { type: 'pause'; reason: string; error: WireError | null }
  | { type: 'wait'; reason: string; error: WireError | null }
  | { type: 'wake' }
  | { type: 'resume' }
  | { type: 'interrupt' }
  | { type: 'stop' }
  | { type: 'settle' }
  | { type: 'move'; from: BulkItemState; to: BulkItemState; count: number };

export const NO_ITEMS: BulkCore['counts'] = {
  waiting: 0,
  sending: 0,
  done: 0,
  failed: 0,
  unknown: 0,
  left: 0,
};

export const NEW_BULK: BulkCore = {
  ...NO_START,
  state: 'collecting',
  reason: '',
  error: null,
  counts: NO_ITEMS,
};

/** Where a record may go from where it is. What is done stays done: nothing that was done is sent again. */
const MOVES: Readonly<Record<BulkItemState, readonly BulkItemState[]>> = {
  waiting: ['sending', 'left'],
  sending: ['done', 'failed', 'unknown', 'waiting'],
  // By what the service shows now; sent again only where it shows that it was not done.
  unknown: ['done', 'waiting'],
  failed: ['waiting'],
  left: ['waiting'],
  done: [],
};

export function canItemMove(from: BulkItemState, to: BulkItemState): boolean {
  return MOVES[from].includes(to);
}

/** Nothing is sent until a person or a planned start says so. */
export function isBulkIdle(state: BulkState): boolean {
  return state !== 'running' && state !== 'waiting';
}

export function isBulkOver(state: BulkState): boolean {
  return state === 'stopped' || state === 'done';
}

/** What follows from an event. Throws INVALID_ARGUMENT where the event is not possible in the act's state. */
export function bulkTransition(act: BulkCore, event: BulkEvent): BulkCore {
  const { state } = act;
  switch (event.type) {
    case 'begin':
      return state === 'collecting' || state === 'scheduled' ? run(act) : refuse(act, 'start');
    case 'schedule':
      if (!isBulkIdle(state) || isBulkOver(state)) return refuse(act, 'start later');
      return { ...rest(act, 'scheduled'), startAtMs: futureStart(event.startAtMs, event.nowMs) };
    case 'due':
      return due(act, event.nowMs);
    case 'pause':
    case 'wait':
      if (isBulkIdle(state)) return refuse(act, event.type);
      return rest(act, event.type === 'pause' ? 'paused' : 'waiting', event.reason, event.error);
    case 'interrupt':
      if (isBulkIdle(state)) return refuse(act, 'interrupt');
      return rest(act, 'paused', 'It was interrupted: the program ended.');
    case 'wake':
      return state === 'waiting' ? run(act) : refuse(act, 'continue');
    case 'resume':
      return state === 'paused' || isBulkOver(state) ? run(act) : refuse(act, 'resume');
    case 'stop':
      if (state === 'collecting' || isBulkOver(state)) return refuse(act, 'stop');
      return rest(act, 'stopped', state === 'scheduled' ? 'Cancelled.' : 'Stopped.');
    case 'settle':
      return settle(act);
    case 'move':
      return move(act, event);
  }
}

function run(act: BulkCore): BulkCore {
  return { ...rest(act, 'running'), lateStart: act.lateStart };
}

function rest(act: BulkCore, state: BulkState, reason = '', error: WireError | null = null): BulkCore {
  return { ...act, state, reason, error, startAtMs: null };
}

function due(act: BulkCore, nowMs: number): BulkCore {
  const { startAtMs } = act;
  if (act.state !== 'scheduled' || startAtMs === null) return refuse(act, 'start at the planned time');
  return nowMs < startAtMs ? act : { ...run(act), lateStart: lateStartOf(startAtMs, nowMs) };
}

function settle(act: BulkCore): BulkCore {
  const { waiting, sending } = act.counts;
  if (act.state !== 'running' || waiting + sending > 0) return refuse(act, 'end');
  return rest(act, 'done');
}

function move(act: BulkCore, { from, to, count }: Extract<BulkEvent, { type: 'move' }>): BulkCore {
  const { counts } = act;
  if (!canItemMove(from, to) || counts[from] < count) {
    throw new AppError('INTERNAL', `${count} of ${counts[from]} records that are ${from} cannot be ${to}.`);
  }
  return { ...act, counts: { ...counts, [from]: counts[from] - count, [to]: counts[to] + count } };
}

function refuse({ state }: BulkCore, action: string): never {
  throw notNow(action, 'this change of many records', state);
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
