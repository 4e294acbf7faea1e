/** States of a deletion of events. It is sent at most once and followed until the service's task has ended. Pure. */
import { AppError, isTokenRefused, type WireError } from '../../shared/errors.ts';
import { DELETION_STATES, isOwnDeletionState } from '../../shared/job-kinds/deletion.ts';
import type { JobState as ServiceTask } from '../../shared/resource-contract.ts';
import type { JobRules } from './job.ts';
import { notNow } from './not-now.ts';
import {
  afterLook,
  backToPlan,
  isRejection,
  type SentOnceCore,
  type SentOnceEvent,
  sentOnceTransition,
  taskState,
} from './sent-once.ts';

type State = keyof typeof DELETION_STATES | 'following' | 'done' | 'failed';

export type DeletionCore = SentOnceCore<State>;

export type DeletionEvent =
  | SentOnceEvent
  /** The deletion stays planned, because the service is unreachable now. */
  | { type: 'put-off'; error: AppError }
  | { type: 'answered'; taskId: string; status: string | null; progress: number | null }
  /** `mayPass`: whether the obstacle may disappear later. */
  | { type: 'fail'; error: AppError; mayPass: boolean }
  | { type: 'look'; task: ServiceTask }
  /** The service's row count decreased by the expected number. */
  | { type: 'counted' }
  /** A paused deletion is sent at its turn. */
  | { type: 'continue'; nowMs: number }
  /** The process that was sending the deletion has ended. */
  | { type: 'interrupt' }
  /** The deletion cannot be continued in this process. */
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
  'The service accepted the deletion, but named no job for it: expected a job id, got a blank one. Its progress cannot be followed. It is not sent again.',
  { outcome: 'unknown', reason: 'blank' },
).toWire();

const RULES: JobRules<State, DeletionCore> = {
  subject: 'this deletion',
  actions: { start: 'send', resume: 'send', schedule: 'change the start', cancel: 'cancel the start' },
  phases: { following: 'running', ...DELETION_STATES, done: 'done', failed: 'failed' },
  // Only a deletion that was never sent can be resumed.
  resumable: ['failed'],
  plannable: ['ready'],
  isReadyWhenPlanned: true,
  left: () => 'something',
};

/** True if nothing is in flight and no task is followed. */
export function isDeletionIdle(state: State): boolean {
  return state !== 'sending' && state !== 'following';
}

/** The state for a stored status, which is either one of ours or that of the service's task. */
export function deletionStateOf(status: string, taskId: string | null): State {
  if (isOwnDeletionState(status)) return status;
  return taskId === null ? 'unknown' : taskState(status);
}

export function deletionStatusOf({ state, taskStatus }: DeletionCore): string {
  return state === 'following' || state === 'done' || state === 'failed' ? (taskStatus ?? 'PENDING') : state;
}

/** Returns the state after an event. Throws INVALID_ARGUMENT if its state does not allow the event. */
export function deletionTransition(core: DeletionCore, event: DeletionEvent): DeletionCore {
  const { state } = core;
  switch (event.type) {
    case 'resume':
      return state === 'not-sent' ? sentOnceTransition(RULES, core, event) : refuse(core, 'send');
    case 'cancel':
      return state === 'scheduled' || state === 'paused'
        ? sentOnceTransition(RULES, core, event)
        : refuse(core, 'cancel the start');
    case 'continue':
      if (state !== 'paused') return refuse(core, 'send');
      return { ...core, state: 'scheduled', startAtMs: event.nowMs, lateStart: null, error: null };
    case 'put-off':
      return state === 'scheduled' ? { ...core, error: event.error.toWire() } : refuse(core, 'put off');
    case 'answered':
      return mayBeAnswered(core) ? answered(core, event) : refuse(core, 'record the answer');
    case 'fail':
      return mayBeAnswered(core)
        ? failed(core, event.error, event.mayPass)
        : refuse(core, 'record the failure');
    case 'look':
      return state === 'following' ? looked(core, event.task) : refuse(core, 'follow');
    case 'counted':
      return state === 'accepted'
        ? { ...core, state: 'done', taskStatus: 'SUCCESS', progress: 100 }
        : refuse(core, 'record the count');
    case 'interrupt':
      return state === 'sending' ? { ...core, state: 'unknown', error: LOST } : refuse(core, 'interrupt');
    case 'rest':
      return { ...core, error: event.error };
    default:
      return sentOnceTransition(RULES, core, event);
  }
}

/** If another process considered the sending process dead, the answer still counts. */
function mayBeAnswered({ state }: DeletionCore): boolean {
  return state === 'sending' || state === 'unknown';
}

function answered(
  core: DeletionCore,
  { taskId, status, progress }: Extract<DeletionEvent, { type: 'answered' }>,
): DeletionCore {
  if (taskId.trim() === '') return { ...core, state: 'unknown', error: NO_TASK };
  const taskStatus = status ?? 'PENDING';
  const task = { state: taskState(taskStatus), taskId, taskStatus, progress };
  return { ...core, ...task, error: null, begunForMs: null };
}

/**
 * Without an answer, it is unknown whether events were deleted. Only a request that was certainly not sent counts as
 * not sent. If the service or this program refused the token, nothing was deleted.
 */
function failed(core: DeletionCore, problem: AppError, mayPass: boolean): DeletionCore {
  const { begunForMs } = core;
  const error = problem.toWire();
  if (isTokenRefused(problem)) return { ...core, state: 'paused', error, begunForMs: null };
  if (problem.details.outcome !== 'unsent') {
    return { ...core, state: isRejection(problem) ? 'refused' : 'unknown', error };
  }
  if (begunForMs !== null && mayPass) return backToPlan(core, begunForMs, problem);
  return { ...core, state: 'not-sent', error, begunForMs: null };
}

/** The service accepted the deletion. If it does not report its job, no other operation shows the outcome. */
function looked(core: DeletionCore, task: ServiceTask): DeletionCore {
  if (task.error !== null && task.isOver) return { ...core, state: 'accepted', error: null };
  return afterLook(core, task, failureText);
}

function failureText(status: string, message: string): string | null {
  return status === 'FAILURE' ? `The deletion failed: ${message}` : null;
}

function refuse(core: DeletionCore, action: string): never {
  throw notNow(action, RULES.subject, deletionStatusOf(core));
}
