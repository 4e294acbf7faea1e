/** States of a deletion of events: sent at most once, followed until the service's task has ended. Pure. */

import { notNow } from '../../../electron/core/jobs/not-now.ts';
import { futureStart, lateStartOf, type StartPlan } from '../../../electron/core/jobs/start-plan.ts';
import { AppError, type WireError } from '../../../electron/shared/errors.ts';
import { hasJobSucceeded, isJobOver } from '../../../electron/shared/job-status.ts';
import type { JobState as ServiceTask } from '../../../electron/shared/resource-contract.ts';

/** States of this application; all others show the status of the service's task. */
const OWN_STATES = ['scheduled', 'sending', 'not-sent', 'refused', 'cancelled', 'unknown'] as const;
type OwnState = (typeof OWN_STATES)[number];

export interface DeletionCore extends StartPlan {
  /** `following`: the service is at work on it. */
  state: OwnState | 'following' | 'done' | 'failed';
  reason: '';
  error: WireError | null;
  taskId: string | null;
  /** Of the service's task, as it is said there. */
  taskStatus: string | null;
  progress: number | null;
  /** The time it was begun for by itself: it goes back to that where it surely did not leave. */
  begunForMs: number | null;
}

export type DeletionEvent =
  /** Of one that was just written down, or was to be sent later. */
  | { type: 'send'; from: 'not-sent' | 'scheduled' }
  | { type: 'schedule'; startAtMs: number | null; nowMs: number }
  | { type: 'cancel' }
  /** Is it time? Before, nothing changes. */
  | { type: 'due'; nowMs: number }
  | { type: 'answered'; taskId: string; status: string | null; progress: number | null }
  /** `mayPass`: what stood in its way may be gone later. */
  | { type: 'fail'; error: AppError; mayPass: boolean }
  | { type: 'look'; task: ServiceTask }
  /** The process that was sending it is gone. */
  | { type: 'interrupt' }
  /** It cannot be gone on with here. */
  | { type: 'rest'; error: WireError };

const LOST = new AppError(
  'CONNECTION_LOST',
  'The program that was sending it ended before the answer came.',
  {
    outcome: 'unknown',
  },
).toWire();
const NO_TASK = new AppError(
  'RECEIPT_DOUBTFUL',
  'The service accepted the deletion, but named no job for it: expected the id of a job, a blank one came. What it deletes cannot be followed. Nothing is sent again.',
  { outcome: 'unknown', reason: 'blank' },
).toWire();

/** Nothing of it is on its way, and nothing is followed. */
export function isDeletionIdle(state: DeletionCore['state']): boolean {
  return state !== 'sending' && state !== 'following';
}

/** The state behind a stored status, which is ours or that of the service's task. */
export function deletionStateOf(status: string, taskId: string | null): DeletionCore['state'] {
  const own = OWN_STATES.find((state) => state === status);
  if (own !== undefined) return own;
  if (taskId === null) return 'unknown';
  if (!isJobOver(status)) return 'following';
  return hasJobSucceeded(status) ? 'done' : 'failed';
}

export function deletionStatusOf({ state, taskStatus }: DeletionCore): string {
  return state === 'following' || state === 'done' || state === 'failed' ? (taskStatus ?? 'PENDING') : state;
}

/** What follows from an event. Throws INVALID_ARGUMENT where the event is not possible in its state. */
export function deletionTransition(core: DeletionCore, event: DeletionEvent): DeletionCore {
  switch (event.type) {
    case 'send':
      return core.state === event.from ? send(core, null) : refuse(core, 'send');
    case 'schedule':
      if (core.state !== 'scheduled') return refuse(core, 'change the start');
      return { ...core, startAtMs: futureStart(event.startAtMs, event.nowMs), error: null };
    case 'cancel':
      if (core.state !== 'scheduled') return refuse(core, 'cancel the start');
      return { ...core, state: 'cancelled', startAtMs: null, error: null };
    case 'due':
      return due(core, event.nowMs);
    case 'answered':
      return mayBeAnswered(core) ? answered(core, event) : refuse(core, 'record the answer');
    case 'fail':
      return mayBeAnswered(core)
        ? failed(core, event.error, event.mayPass)
        : refuse(core, 'record the failure');
    case 'look':
      return core.state === 'following' ? afterLook(core, event.task) : refuse(core, 'follow');
    case 'interrupt':
      if (core.state !== 'sending') return refuse(core, 'interrupt');
      return { ...core, state: 'unknown', error: LOST };
    case 'rest':
      return { ...core, error: event.error };
  }
}

function send(core: DeletionCore, begunForMs: number | null): DeletionCore {
  return { ...core, state: 'sending', startAtMs: null, lateStart: null, error: null, begunForMs };
}

function due(core: DeletionCore, nowMs: number): DeletionCore {
  const { startAtMs } = core;
  if (core.state !== 'scheduled' || startAtMs === null) return refuse(core, 'start at the planned time');
  if (nowMs < startAtMs) return core;
  return { ...send(core, startAtMs), lateStart: lateStartOf(startAtMs, nowMs) };
}

/** Another process may have taken the one that was sending it for gone: its answer is the truth all the same. */
function mayBeAnswered({ state }: DeletionCore): boolean {
  return state === 'sending' || state === 'unknown';
}

function answered(
  core: DeletionCore,
  { taskId, status, progress }: Extract<DeletionEvent, { type: 'answered' }>,
): DeletionCore {
  if (taskId.trim() === '') return { ...core, state: 'unknown', error: NO_TASK };
  const taskStatus = status ?? 'PENDING';
  return {
    ...core,
    state: taskState(taskStatus),
    taskId,
    taskStatus,
    progress,
    error: null,
    begunForMs: null,
  };
}

/** A service may call its task as we call a state of ours; here it is the task's. */
function taskState(status: string): 'following' | 'done' | 'failed' {
  if (!isJobOver(status)) return 'following';
  return hasJobSucceeded(status) ? 'done' : 'failed';
}

/** A lost answer leaves open whether events are gone; only what surely did not leave counts as not sent. */
function failed(core: DeletionCore, problem: AppError, mayPass: boolean): DeletionCore {
  const { outcome, status } = problem.details;
  const error = problem.toWire();
  if (outcome === 'unsent') {
    const { begunForMs } = core;
    if (begunForMs === null || !mayPass) return { ...core, state: 'not-sent', error, begunForMs: null };
    return {
      ...core,
      state: 'scheduled',
      startAtMs: begunForMs,
      lateStart: null,
      error,
      begunForMs: null,
    };
  }
  const isRefused = status !== undefined && status >= 400 && status < 500;
  return { ...core, state: isRefused ? 'refused' : 'unknown', error };
}

/** A task that the service does not know any more says nothing of what it did. */
function afterLook(core: DeletionCore, task: ServiceTask): DeletionCore {
  if (task.error !== null) return task.isOver ? { ...core, state: 'unknown', error: task.error } : core;
  const taskStatus = task.status ?? core.taskStatus ?? 'PENDING';
  const text = `The deletion failed: ${task.errorMessage ?? ''}`;
  return {
    ...core,
    state: taskState(taskStatus),
    taskStatus,
    progress: task.progress ?? core.progress,
    error: task.status === 'FAILURE' ? new AppError('SERVICE_FAILED', text).toWire() : null,
  };
}

function refuse(core: DeletionCore, action: string): never {
  throw notNow(action, 'this deletion', deletionStatusOf(core));
}
