/** States of a job that writes files: an export or a mirror. Pure. */
import type { ExportState } from '../../shared/export-model.ts';
import { type JobCore, type JobEvent, type JobRules, transition } from './job.ts';

export type ExportCore = JobCore<ExportState>;

export function isExportIdle(state: ExportState): boolean {
  return state !== 'running' && state !== 'waiting';
}

export function isExportOver(state: ExportState): boolean {
  return state === 'done' || state === 'cancelled';
}

const RULES: Omit<JobRules<ExportState, ExportCore>, 'subject'> = {
  phases: {
    draft: 'draft',
    ready: 'ready',
    running: 'running',
    waiting: 'waiting',
    paused: 'paused',
    done: 'done',
    cancelled: 'cancelled',
  },
  resumable: ['paused'],
  plannable: ['ready', 'paused'],
  isReadyWhenPlanned: true,
  left: ({ state }) => (state === 'running' ? 'nothing' : 'something'),
};

/** Returns the state after an event. Throws INVALID_ARGUMENT if the job's state does not allow the event. */
export function exportTransition(job: ExportCore, event: JobEvent): ExportCore {
  return transition({ ...RULES, subject: 'this export' }, job, event);
}

/** Like `exportTransition`, for a mirror. */
export function mirrorTransition(job: ExportCore, event: JobEvent): ExportCore {
  return transition({ ...RULES, subject: 'this mirror' }, job, event);
}
