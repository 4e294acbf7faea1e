/** States of a job that keeps something to be read offline. Pure. */
import type { KeepState } from '../../shared/keep-model.ts';
import { type JobCore, type JobEvent, type JobRules, transition } from './job.ts';

/** At `startAtMs` everything is read anew; only what rests has one. */
export type KeepCore = JobCore<KeepState>;

export function isKeepIdle(state: KeepState): boolean {
  return state === 'paused' || state === 'done';
}

const RULES: JobRules<KeepState, KeepCore> = {
  subject: 'what is kept',
  phases: { running: 'running', waiting: 'waiting', paused: 'paused', done: 'done' },
  // One that is done reads everything anew.
  resumable: ['paused', 'done'],
  plannable: ['paused', 'done'],
  left: ({ state }) => (state === 'running' ? 'nothing' : 'something'),
};

/** What follows from an event. Throws INVALID_ARGUMENT where the event is not possible in the job's state. */
export function keepTransition(job: KeepCore, event: JobEvent): KeepCore {
  return transition(RULES, job, event);
}
