/** States of a file that is sent whole: its bytes again where need be, its publishing at most once. Pure. */

import { notNow } from '../../../electron/core/jobs/not-now.ts';
import { futureStart, lateStartOf, type StartPlan } from '../../../electron/core/jobs/start-plan.ts';
import { AppError, type WireError } from '../../../electron/shared/errors.ts';
import { hasJobSucceeded } from '../../../electron/shared/job-status.ts';
import type { JobState as ServiceTask } from '../../../electron/shared/resource-contract.ts';
import type { WholeFile, WholeFileState } from '../../../electron/shared/whole-file-contract.ts';

export interface WholeFileCore extends StartPlan {
  state: WholeFileState;
  reason: '';
  error: WireError | null;
  readonly name: string;
  readonly publishes: boolean;
  partsSent: number;
  /** The service's record of it, once it has all of it. */
  file: WholeFile['file'];
  taskId: string | null;
  /** Of the service's task, as it is said there. */
  taskStatus: string | null;
  progress: number | null;
  /** The time it was begun for by itself: it goes back to that where nothing of it left. */
  begunForMs: number | null;
}

export type WholeFileEvent =
  /** One that was to begin later begins now. */
  | { type: 'start' }
  /** Sends what is not at the service, or publishes what is. */
  | { type: 'again' }
  | { type: 'schedule'; startAtMs: number | null; nowMs: number }
  /** Is it time? Before, nothing changes. */
  | { type: 'due'; nowMs: number }
  /** It stays planned: there is no way to the service now. */
  | { type: 'put-off'; error: AppError }
  | { type: 'part'; partsSent: number }
  | { type: 'uploaded'; file: NonNullable<WholeFile['file']> }
  /** Without a task, its events are there. */
  | { type: 'published'; taskId: string | null }
  | { type: 'look'; task: ServiceTask }
  /** `withdrawn`: by a person, or as the program ends. */
  | { type: 'fail'; error: AppError; withdrawn: 'cancelled' | 'interrupted' | null }
  | { type: 'cancel' }
  /** The process that was sending it is gone. */
  | { type: 'interrupt' }
  /** It cannot be gone on with here. */
  | { type: 'rest'; error: WireError };

/** Its bytes, or the request to publish them, are on their way. */
export function isWholeFileSending(state: WholeFileState): boolean {
  return state === 'sending' || state === 'publishing';
}

/** Nothing of it is on its way, and nothing is followed. */
export function isWholeFileIdle(state: WholeFileState): boolean {
  return !isWholeFileSending(state) && state !== 'following';
}

export function isWholeFileOver(state: WholeFileState): boolean {
  return isWholeFileIdle(state) && state !== 'scheduled';
}

/** A file that the service's task could not read would not be read the second time either. */
export function againOf({
  state,
  taskId,
  file,
}: Pick<WholeFileCore, 'state' | 'taskId' | 'file'>): WholeFile['again'] {
  const isEnded = state === 'failed' || state === 'interrupted' || state === 'cancelled';
  if (!isEnded || taskId !== null) return null;
  return file === null ? 'send' : 'publish';
}

export function refusedFile(
  action: string,
  { name, state }: Pick<WholeFileCore, 'name' | 'state'>,
): AppError {
  return notNow(action, name, state);
}

/** What follows from an event. Throws INVALID_ARGUMENT where the event is not possible in its state. */
export function wholeFileTransition(core: WholeFileCore, event: WholeFileEvent): WholeFileCore {
  const { state } = core;
  switch (event.type) {
    case 'start':
      return state === 'scheduled' ? begin(core, null) : refuse(core, 'start');
    case 'again':
      if (againOf(core) === null) return refuse(core, 'send again');
      return { ...begin(core, null), lateStart: core.lateStart };
    case 'schedule':
      if (state !== 'scheduled') return refuse(core, 'change the start');
      return { ...core, startAtMs: futureStart(event.startAtMs, event.nowMs), error: null };
    case 'due':
      return due(core, event.nowMs);
    case 'put-off':
      return state === 'scheduled' ? { ...core, error: event.error.toWire() } : refuse(core, 'put off');
    case 'part':
      return state === 'sending' ? { ...core, partsSent: event.partsSent } : refuse(core, 'send');
    case 'uploaded':
      if (state !== 'sending') return refuse(core, 'send');
      return { ...core, file: event.file, state: core.publishes ? 'publishing' : 'uploaded' };
    case 'published':
      if (state !== 'publishing') return refuse(core, 'publish');
      return { ...core, taskId: event.taskId, state: event.taskId === null ? 'done' : 'following' };
    case 'look':
      return state === 'following' ? afterLook(core, event.task) : refuse(core, 'follow');
    case 'fail':
      return fail(core, event.error, event.withdrawn);
    case 'cancel':
      if (state !== 'scheduled' && state !== 'sending') return refuse(core, 'cancel');
      return { ...core, state: 'cancelled', startAtMs: null, error: null };
    case 'interrupt':
      if (state === 'sending') return { ...core, state: 'interrupted' };
      return state === 'publishing' ? { ...core, state: 'unknown' } : refuse(core, 'interrupt');
    case 'rest':
      return { ...core, error: event.error };
  }
}

function begin(core: WholeFileCore, begunForMs: number | null): WholeFileCore {
  const isThere = core.file !== null;
  return {
    ...core,
    state: isThere ? 'publishing' : 'sending',
    partsSent: isThere ? core.partsSent : 0,
    startAtMs: null,
    lateStart: null,
    error: null,
    begunForMs,
  };
}

function due(core: WholeFileCore, nowMs: number): WholeFileCore {
  const { startAtMs } = core;
  if (core.state !== 'scheduled' || startAtMs === null) return refuse(core, 'start at the planned time');
  if (nowMs < startAtMs) return core;
  return { ...begin(core, startAtMs), lateStart: lateStartOf(startAtMs, nowMs) };
}

/** Until publishing was asked for nothing can have been published; after that only what surely did not leave. */
function fail(
  core: WholeFileCore,
  problem: AppError,
  withdrawn: 'cancelled' | 'interrupted' | null,
): WholeFileCore {
  if (isWholeFileOver(core.state)) return refuse(core, 'end as failed');
  const { outcome, status } = problem.details;
  const error = problem.toWire();
  const { begunForMs, partsSent, state } = core;
  const mayPass = outcome === 'unsent' && problem.retry === 'later' && withdrawn === null;
  const rest = { startAtMs: null, begunForMs: null };
  if (begunForMs !== null && mayPass && state === 'sending' && partsSent === 0) {
    return { ...core, ...rest, state: 'scheduled', startAtMs: begunForMs, lateStart: null, error };
  }
  const isRefused = status !== undefined && status >= 400 && status < 500;
  const isUnknown = state === 'publishing' && outcome !== 'unsent' && !isRefused;
  if (isUnknown) return { ...core, ...rest, state: 'unknown', error };
  if (withdrawn !== null) return { ...core, ...rest, state: withdrawn, error: null };
  return { ...core, ...rest, state: 'failed', error };
}

function afterLook(core: WholeFileCore, task: ServiceTask): WholeFileCore {
  const taskStatus = task.status ?? core.taskStatus;
  if (!task.isOver) return task.error === null ? { ...core, taskStatus, progress: task.progress } : core;
  // A task that the service does not know any more says nothing of what it did.
  if (task.error !== null) return { ...core, state: 'unknown', taskStatus, error: task.error };
  if (hasJobSucceeded(taskStatus)) return { ...core, state: 'done', taskStatus, progress: 100 };
  const text = `The service’s job ended as ${taskStatus ?? 'unknown'}. ${task.errorMessage ?? ''}`.trim();
  return { ...core, state: 'failed', taskStatus, error: new AppError('SERVICE_FAILED', text).toWire() };
}

function refuse(core: WholeFileCore, action: string): never {
  throw refusedFile(action, core);
}
