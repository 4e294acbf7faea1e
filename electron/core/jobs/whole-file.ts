/** States of a file that is sent whole: its bytes again where need be, its publishing at most once. Pure. */
import type { AppError, WireError } from '../../shared/errors.ts';
import { FILE_STATES } from '../../shared/job-of.ts';
import type { JobState as ServiceTask } from '../../shared/resource-contract.ts';
import type { WholeFile, WholeFileState } from '../../shared/whole-file-contract.ts';
import type { JobRules } from './job.ts';
import { notNow } from './not-now.ts';
import { canPass } from './send-outcome.ts';
import {
  afterLook,
  backToPlan,
  isRefusal,
  type SentOnceCore,
  type SentOnceEvent,
  sentOnceTransition,
} from './sent-once.ts';

export interface WholeFileCore extends SentOnceCore<WholeFileState> {
  readonly name: string;
  readonly publishes: boolean;
  partsSent: number;
  /** The service's record of it, once it has all of it. */
  file: WholeFile['file'];
}

export type WholeFileEvent =
  /** `resume`: sends what is not at the service, or publishes what is. */
  | SentOnceEvent
  /** It stays planned: there is no way to the service now. */
  | { type: 'put-off'; error: AppError }
  | { type: 'part'; partsSent: number }
  | { type: 'uploaded'; file: NonNullable<WholeFile['file']> }
  /** Without a task, its events are there. */
  | { type: 'published'; taskId: string | null }
  | { type: 'look'; task: ServiceTask }
  /** `withdrawn`: by a person, or as the program ends. */
  | { type: 'fail'; error: AppError; withdrawn: 'cancelled' | 'interrupted' | null }
  /** The process that was sending it is gone. */
  | { type: 'interrupt' }
  /** It cannot be gone on with here. */
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

/** What begins sends its bytes from the first, or publishes what the service has. */
function lived(core: WholeFileCore, event: SentOnceEvent): WholeFileCore {
  const next = sentOnceTransition(rulesFor(core), core, event);
  if (next.state !== 'sending') return next;
  return next.file === null ? { ...next, partsSent: 0 } : { ...next, state: 'publishing' };
}

/** Until publishing was asked for nothing can have been published; after that only what surely did not leave. */
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
  if (state === 'publishing' && !isUnsent && !isRefusal(problem)) return { ...ended, state: 'unknown' };
  return withdrawn === null ? { ...ended, state: 'failed' } : { ...ended, state: withdrawn, error: null };
}

function failureText(status: string | null, message: string): string {
  return `The service’s job ended as ${status ?? 'unknown'}. ${message}`.trim();
}

function refuse(core: WholeFileCore, action: string): never {
  throw refusedFile(action, core);
}
