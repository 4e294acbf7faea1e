/** States of a job that adds rows of a file to a dataset, and of each of its requests. Pure. */
import type { ItemsState } from '../../shared/items-model.ts';
import { type JobCore, type JobEvent, type JobRules, transition } from './job.ts';

export interface ItemsCore extends JobCore<ItemsState> {
  /** Number of requests that are not sent, in flight, or unanswered. `isRead`: the file has no more rows. */
  readonly open: { pending: number; sending: number; unknown: number; isRead: boolean };
}

export type ItemsEvent = JobEvent | { type: 'counted'; open: ItemsCore['open'] };

export function isItemsIdle(state: ItemsState): boolean {
  return state !== 'running' && state !== 'waiting';
}

export function isItemsOver(state: ItemsState): boolean {
  return state === 'done' || state === 'cancelled' || state === 'failed';
}

const RULES: JobRules<ItemsState, ItemsCore> = {
  subject: 'this job',
  phases: {
    ready: 'ready',
    running: 'running',
    waiting: 'waiting',
    paused: 'paused',
    'needs-decision': 'needs-decision',
    done: 'done',
    cancelled: 'cancelled',
    failed: 'failed',
  },
  resumable: ['paused', 'failed', 'needs-decision'],
  plannable: ['ready', 'paused'],
  isReadyWhenPlanned: true,
  left: ({ state, open: { pending, sending, unknown, isRead } }) => {
    if (!isRead || pending + sending > 0) return 'something';
    if (unknown > 0) return { state: 'needs-decision', reason: 'Some requests have no answer yet.' };
    return state === 'running' || state === 'needs-decision' ? 'nothing' : 'something';
  },
};

/** Returns the state after an event. Throws INVALID_ARGUMENT if the job's state does not allow the event. */
export function itemsTransition(job: ItemsCore, event: ItemsEvent): ItemsCore {
  if (event.type === 'counted') return { ...job, open: event.open };
  return transition(RULES, job, event);
}
