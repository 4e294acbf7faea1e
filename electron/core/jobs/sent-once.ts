/**
 * Work that is sent at most once and that a task of the service finishes: what deletions of events and files sent whole
 * share beside the life of every job. Pure.
 */
import { AppError } from '../../shared/errors.ts';
import { hasJobSucceeded, isJobOver } from '../../shared/job-status.ts';
import type { JobState as ServiceTask } from '../../shared/resource-contract.ts';
import { type JobCore, type JobEvent, type JobRules, transition } from './job.ts';
import { classifyFailure } from './send-outcome.ts';

export interface SentOnceCore<State extends string> extends JobCore<State> {
  reason: '';
  taskId: string | null;
  /** Of the service's task, as it is said there. */
  taskStatus: string | null;
  progress: number | null;
  /** The time it was begun for, by itself or by a person: it waits from then on where it surely did not leave. */
  begunForMs: number | null;
}

/** Of the life of every job; `resume` sends what was not sent, or failed. */
export type SentOnceEvent =
  | { type: 'start' | 'resume'; nowMs: number }
  | Extract<JobEvent, { type: 'schedule' | 'due' | 'cancel' }>;

/** What a task of the service can make of it. `following`: the service is at work on it. */
type TaskState = 'following' | 'done' | 'failed' | 'unknown';

/** As `transition`; what is said of it stands in its error alone. */
export function sentOnceTransition<State extends string, Core extends SentOnceCore<State>>(
  rules: JobRules<State, Core>,
  core: Core,
  event: SentOnceEvent,
): Core {
  const next = transition(rules, core, event);
  if (next === core) return core;
  return { ...next, reason: '', begunForMs: begunFor(core, event) };
}

function begunFor({ startAtMs }: JobCore<string>, event: SentOnceEvent): number | null {
  if (event.type === 'due') return startAtMs;
  return event.type === 'start' || event.type === 'resume' ? event.nowMs : null;
}

/** What stood in its way may be gone later: it begins by itself again. */
export function backToPlan<Core extends SentOnceCore<string | 'scheduled'>>(
  core: Core,
  startAtMs: number,
  error: AppError,
): Core {
  const plan = { state: 'scheduled', startAtMs, lateStart: null, begunForMs: null } as const;
  return { ...core, ...plan, error: error.toWire() };
}

/** The service said no: it did not happen. A 408, or a page of a proxy, may come after the work. */
export function isRefusal(error: AppError): boolean {
  const { status } = error.details;
  return status !== undefined && status >= 400 && status < 500 && classifyFailure(error).kind !== 'unknown';
}

/** A status that this version does not know counts as under way. */
export function taskState(status: string | null): 'following' | 'done' | 'failed' {
  if (!isJobOver(status)) return 'following';
  return hasJobSucceeded(status) ? 'done' : 'failed';
}

/** After a look at the service's task. `failure`: what is said of one that did not succeed; null: nothing. */
export function afterLook<Core extends SentOnceCore<string | TaskState>>(
  core: Core,
  task: ServiceTask,
  failure: (status: string | null, message: string) => string | null,
): Core {
  // A task that the service does not know any more says nothing of what it did.
  if (task.error !== null) return task.isOver ? { ...core, state: 'unknown', error: task.error } : core;
  const taskStatus = task.status ?? core.taskStatus;
  const state = taskState(taskStatus);
  const progress = state === 'done' ? 100 : (task.progress ?? core.progress);
  const text = state === 'failed' ? failure(taskStatus, task.errorMessage ?? '') : null;
  const error = text === null ? null : new AppError('SERVICE_FAILED', text).toWire();
  return { ...core, state, taskStatus, progress, error };
}
