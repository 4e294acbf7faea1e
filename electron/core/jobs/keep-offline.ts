/** States of a job that keeps data for offline use. Pure. */
import type { KeepState } from '../../shared/keep-model.ts';
import { type JobCore, type JobEvent, type JobRules, transition } from './job.ts';

/** All data is read again at `startAtMs`, which is set only while the job is idle. */
export type KeepCore = JobCore<KeepState>;

export function isKeepIdle(state: KeepState): boolean {
  return state === 'paused' || state === 'done';
}

const RULES: JobRules<KeepState, KeepCore> = {
  subject: 'what is kept',
  phases: { running: 'running', waiting: 'waiting', paused: 'paused', done: 'done' },
  // Resuming a finished job reads all data again.
  resumable: ['paused', 'done'],
  plannable: ['paused', 'done'],
  left: ({ state }) => (state === 'running' ? 'nothing' : 'something'),
};

/** Returns the state after an event. Throws INVALID_ARGUMENT if the job's state does not allow the event. */
export function keepTransition(job: KeepCore, event: JobEvent): KeepCore {
  return transition(RULES, job, event);
}
