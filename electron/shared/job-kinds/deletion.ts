/** Deletions of events. Pure. */
import { hasJobSucceeded, isJobOver } from '../job-status.ts';
import { type EventDeletion, MAX_DELETION_IDS } from '../upload-model.ts';
import * as z from '../zod.ts';
import { ifPlanned, type JobKind, type JobOf, type JobPhase, PLANNED, WRITES } from './job-kind.ts';

export const deletionKind = {
  id: 'deletion',
  storedAs: 'deletion',
  damaged: { noun: 'deletion of events', goes: 'with the id of its job' },
  /** Exactly one of the ids and the time range is given. */
  plan: z.strictObject({
    modelId: z.uuid(),
    eventIds: z.array(z.string().max(500)).max(MAX_DELETION_IDS).nullable(),
    timeRange: z.strictObject({ startTime: z.string().max(40), endTime: z.string().max(40) }).nullable(),
    updateMetrics: z.boolean(),
  }),
  noRepeat: WRITES,
  actions: [...PLANNED, 'resume', 'cancel'],
} as const satisfies JobKind;

/** States that this application sets; all others are the status of the service's task. */
export const DELETION_STATES = {
  scheduled: 'ready',
  sending: 'running',
  'not-sent': 'failed',
  /** The token was refused, so nothing was deleted. It continues with a new token. */
  paused: 'paused',
  refused: 'failed',
  unknown: 'failed',
  /** The service accepted the deletion, but reports no job for it. */
  accepted: 'done',
  cancelled: 'cancelled',
} as const satisfies Record<string, JobPhase>;

export function isOwnDeletionState(status: string): status is keyof typeof DELETION_STATES {
  return Object.hasOwn(DELETION_STATES, status);
}

export function deletionAsJob(own: EventDeletion): JobOf<'deletion', EventDeletion> {
  const { deletionId: id, what: title, status, progress, error, atMs, startAtMs, lateStart } = own;
  const ended: JobPhase = hasJobSucceeded(status) ? 'done' : 'failed';
  const taskState: JobPhase = isJobOver(status) ? ended : 'running';
  return {
    ...{ kind: 'deletion', id, title, error, startAtMs, lateStart, own },
    state: isOwnDeletionState(status) ? DELETION_STATES[status] : taskState,
    reason: '',
    progress: { done: progress ?? 0, total: progress === null ? null : 100 },
    unknown: status === 'unknown' ? 1 : 0,
    requests: ifPlanned(own, () => [{ operation: 'events.delete', count: 1 }]),
    of: null,
    createdAtMs: atMs,
    endedAtMs: null,
  };
}
