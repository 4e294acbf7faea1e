/**
 * States of a raw file upload. Its bytes may be sent again if needed; its publishing is requested at most once. Pure.
 */
import { type AppError, isTokenRefused, type WireError } from '../../shared/errors.ts';
import { FILE_STATES } from '../../shared/job-kinds/file.ts';
import type { JobState as ServiceTask } from '../../shared/resource-contract.ts';
import type { WholeFile, WholeFileState } from '../../shared/whole-file-contract.ts';
import type { JobRules } from './job.ts';
import { notNow } from './not-now.ts';
import { canPass } from './send-outcome.ts';
import {
  afterLook,
  backToPlan,
  isRejection,
  type SentOnceCore,
  type SentOnceEvent,
  sentOnceTransition,
} from './sent-once.ts';

export interface WholeFileCore extends SentOnceCore<WholeFileState> {
  readonly name: string;
  readonly publishes: boolean;
  partsSent: number;
  /** The service's record of the uploaded file, once it is complete. */
  file: WholeFile['file'];
}

export type WholeFileEvent =
  /** `resume`: sends bytes missing at the service, or publishes the file. */
  | SentOnceEvent
  /** The file stays planned, because the service is unreachable now. */
  | { type: 'put-off'; error: AppError }
  | { type: 'part'; partsSent: number }
  | { type: 'uploaded'; file: NonNullable<WholeFile['file']> }
  /** If there is no task, the events are already stored. */
  | { type: 'published'; taskId: string | null }
  | { type: 'look'; task: ServiceTask }
  /** `withdrawn`: who stopped it, a person or the end of the program; null for an error. */
  | { type: 'fail'; error: AppError; withdrawn: 'cancelled' | 'interrupted' | null }
  /** The process that was sending the file has ended. */
  | { type: 'interrupt' }
  /** The upload cannot be continued in this process. */
  | { type: 'rest'; error: WireError };

const rulesFor = ({ name }: WholeFileCore): JobRules<WholeFileState, WholeFileCore> => ({
  subject: name,
  actions: { resume: 'send again', schedule: 'change the start', cancel: 'cancel' },
  phases: FILE_STATES,
  resumable: ['failed', 'paused', 'cancelled'],
  plannable: ['ready'],
  isReadyWhenPlanned: true,
  left: () => 'something',
});

/** True if the bytes, or the request to publish them, are in flight. */
export function isWholeFileSending(state: WholeFileState): boolean {
  return state === 'sending' || state === 'publishing';
}

/** True if nothing is in flight and no task is followed. */
export function isWholeFileIdle(state: WholeFileState): boolean {
  return !isWholeFileSending(state) && state !== 'following';
}

export function isWholeFileOver(state: WholeFileState): boolean {
  return isWholeFileIdle(state) && state !== 'scheduled';
}

/** States in which a file was not published. */
const AGAIN: ReadonlySet<WholeFileState> = new Set(['failed', 'interrupted', 'paused', 'cancelled']);

/** A file that the service's task could not read would fail again, so it is not sent again. */
export function againOf({
  state,
  taskId,
  file,
}: Pick<WholeFileCore, 'state' | 'taskId' | 'file'>): WholeFile['again'] {
  if (!AGAIN.has(state) || taskId !== null) return null;
  return file === null ? 'send' : 'publish';
}

export function refusedFile(
  action: string,
  { name, state }: Pick<WholeFileCore, 'name' | 'state'>,
): AppError {
  return notNow(action, name, state);
}

/** Returns the state after an event. Throws INVALID_ARGUMENT if its state does not allow the event. */
export function wholeFileTransition(core: WholeFileCore, event: WholeFileEvent): WholeFileCore {
  const { state } = core;
  switch (event.type) {
    case 'resume':
      return againOf(core) === null ? refuse(core, 'send again') : lived(core, event);
    case 'cancel':
      return state === 'scheduled' || state === 'sending' ? lived(core, event) : refuse(core, 'cancel');
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
      return state === 'following' ? afterLook(core, event.task, failureText) : refuse(core, 'follow');
    case 'fail':
      return fail(core, event.error, event.withdrawn);
    case 'interrupt':
      if (!isWholeFileSending(state)) return refuse(core, 'interrupt');
      return { ...core, state: state === 'sending' ? 'interrupted' : 'unknown' };
    case 'rest':
      return { ...core, error: event.error };
    default:
      return lived(core, event);
  }
}

/** A start sends the bytes from the beginning. If the service already has the file, it is only published. */
function lived(core: WholeFileCore, event: SentOnceEvent): WholeFileCore {
  const next = sentOnceTransition(rulesFor(core), core, event);
  if (next.state !== 'sending') return next;
  return next.file === null ? { ...next, partsSent: 0 } : { ...next, state: 'publishing' };
}

/**
 * If publishing was not requested yet, nothing was published. Afterwards this is certain only if the request was not
 * sent.
 */
function fail(
  core: WholeFileCore,
  problem: AppError,
  withdrawn: 'cancelled' | 'interrupted' | null,
): WholeFileCore {
  if (isWholeFileOver(core.state)) return refuse(core, 'end as failed');
  const { begunForMs, partsSent, state } = core;
  const isUnsent = problem.details.outcome === 'unsent';
  const mayPass = isUnsent && canPass(problem) && withdrawn === null;
  if (begunForMs !== null && mayPass && state === 'sending' && partsSent === 0)
    return backToPlan(core, begunForMs, problem);
  const ended = { ...core, startAtMs: null, begunForMs: null, error: problem.toWire() };
  if (state === 'publishing' && !isUnsent && !isRejection(problem)) return { ...ended, state: 'unknown' };
  if (withdrawn === null && isTokenRefused(problem)) return { ...ended, state: 'paused' };
  return withdrawn === null ? { ...ended, state: 'failed' } : { ...ended, state: withdrawn, error: null };
}

function failureText(status: string, message: string): string {
  return `The service’s job ended as ${status}. ${message}`.trim();
}

function refuse(core: WholeFileCore, action: string): never {
  throw refusedFile(action, core);
}
