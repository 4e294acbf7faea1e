/**
 * Rules for work that is sent at most once and finished by a task of the service (event deletions and raw files). They
 * extend the life cycle of every job. Pure.
 */
import { AppError } from '../../shared/errors.ts';
import { hasJobSucceeded, isJobOver } from '../../shared/job-status.ts';
import type { JobState as ServiceTask } from '../../shared/resource-contract.ts';
import { type JobCore, type JobEvent, type JobRules, transition } from './job.ts';
import { classifyFailure } from './send-outcome.ts';

export interface SentOnceCore<State extends string> extends JobCore<State> {
  reason: '';
  taskId: string | null;
  /** Status of the service's task, as the service named it. */
  taskStatus: string | null;
  progress: number | null;
  /**
   * The time for which the work was started, automatically or by a person. If it certainly was not sent, it is planned
   * again from that time.
   */
  begunForMs: number | null;
}

/** Events in the life cycle of every job. `resume` sends unsent or failed work. */
export type SentOnceEvent =
  | { type: 'start' | 'resume'; nowMs: number }
  | Extract<JobEvent, { type: 'schedule' | 'due' | 'cancel' }>;

/** Results of polling the service's task. `following`: the service is still working on it. */
type TaskState = 'following' | 'done' | 'failed' | 'unknown';

/** Like `transition`, but clears the reason, because these jobs are explained by their error only. */
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

/** Plans the work again, because the obstacle may disappear later. */
export function backToPlan<Core extends SentOnceCore<string | 'scheduled'>>(
  core: Core,
  startAtMs: number,
  error: AppError,
): Core {
  const plan = { state: 'scheduled', startAtMs, lateStart: null, begunForMs: null } as const;
  return { ...core, ...plan, error: error.toWire() };
}

/**
 * True if the service rejected the request and did no work. A 408, or an error page of a proxy, may come after the
 * work.
 */
export function isRejection(error: AppError): boolean {
  const { status } = error.details;
  return status !== undefined && status >= 400 && status < 500 && classifyFailure(error).kind !== 'unknown';
}

/** A status unknown to this version counts as running. */
export function taskState(status: string | null): 'following' | 'done' | 'failed' {
  if (!isJobOver(status)) return 'following';
  return hasJobSucceeded(status) ? 'done' : 'failed';
}

/** The state after polling the service's task. `failure`: the error of an unsuccessful task; null if there is none. */
export function afterLook<Core extends SentOnceCore<string | TaskState>>(
  core: Core,
  task: ServiceTask,
  failure: (status: string, message: string) => string | null,
): Core {
  // If the service no longer knows the task, its effect is unknown.
  if (task.error !== null) return task.isOver ? { ...core, state: 'unknown', error: task.error } : core;
  const taskStatus = task.status ?? core.taskStatus;
  const state = taskState(taskStatus);
  const progress = state === 'done' ? 100 : (task.progress ?? core.progress);
  const isFailed = taskStatus !== null && state === 'failed';
  const text = isFailed ? failure(taskStatus, task.errorMessage ?? '') : null;
  const error = text === null ? null : new AppError('SERVICE_FAILED', text).toWire();
  return { ...core, state, taskStatus, progress, error };
}
