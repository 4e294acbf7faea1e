/** Follows a durable job of any kind until it rests. Everything specific to a kind is in its `Followed`. */

import type { Session } from '../engine/session.ts';
import { systemClock } from '../platform/system.ts';
import type { Job, JobKindId, OwnOf } from '../shared/job-contract.ts';
import type { JobAction } from '../shared/job-kinds/job-kind.ts';
import type { CommandContext } from './context.ts';
import { sayElsewhere, sayStart } from './planned-start.ts';
import { createHeldNotes, createWaitNotes, isOfDisk, UNWRITTEN_ANSWERS } from './wait-notes.ts';

export interface Followed<K extends JobKindId> {
  kind: K;
  /** The kind's name in lists and commands of the command line. */
  word: string;
  /** A sentence about what can still be done with a job whose start was cancelled. */
  stays: ((id: string) => string) | null;
  /** True if it changes nothing at the service, so that a read-only connection may start it. */
  isReading?: true;
  /** The action of Ctrl-C on a running job; null to wait for requests in flight. */
  onInterrupt: JobAction | ((session: Session) => unknown) | null;
  /** Prints its progress. */
  hear?: (context: CommandContext) => (own: OwnOf<K>) => void;
  /** True if a process is working on it: some running jobs are only worked on by the service. */
  isUnderWay?: (own: OwnOf<K>) => boolean;
  /** Prints its result; throws the reason if it did not succeed. */
  answer: (context: CommandContext, session: Session, ended: OwnOf<K>) => Promise<void> | void;
}

/** Follows until it rests or is left planned, then prints its result. */
export async function follow<K extends JobKindId>(
  context: CommandContext,
  session: Session,
  followed: Followed<K>,
  id: string,
): Promise<void> {
  await followed.answer(context, session, await untilRest(context, session, followed, id));
}

/** Shows its progress. Ctrl-C halts a running job, so that it can be resumed; a planned one stays planned. */
export async function untilRest<K extends JobKindId>(
  context: CommandContext,
  session: Session,
  followed: Followed<K>,
  id: string,
): Promise<OwnOf<K>> {
  const { kind, hear, onInterrupt, isUnderWay } = followed;
  const { signal, output } = context;
  const { jobs } = session;
  const heard = hear?.(context);
  const noteOf = createWaitNotes();
  const held = createHeldNotes(systemClock, output.note);
  const stop = context.listen('jobs:changed', ({ job }) => {
    if (job?.kind !== kind || job.id !== id) return;
    held.hear(job);
    heard?.(job.own as OwnOf<K>);
    // The person may be able to remove the reason of a wait: a full disk, a service that is down.
    const note = noteOf(job);
    if (note !== null) output.note(note);
  });
  const leave = Promise.withResolvers<Job<K>>();
  const interrupt = () => {
    const now = jobs.get(kind, id);
    if (now.startAtMs !== null) return leave.resolve(now);
    if (onInterrupt === null) return;
    const halted = async () =>
      typeof onInterrupt === 'string' ? jobs.control(kind, id, onInterrupt, null) : onInterrupt(session);
    halted().catch((thrown: unknown) => {
      output.note(`pause: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      if (isOfDisk(jobs.get(kind, id).error)) output.note(UNWRITTEN_ANSWERS);
    });
  };
  const begun = jobs.get(kind, id);
  // It starts in another process: nothing of it is sent from here.
  if (context.args.isOffline && begun.startAtMs !== null) leave.resolve(begun);
  // Ctrl-C may have come before: an aborted signal calls no new listener.
  if (signal.aborted) interrupt();
  else signal.addEventListener('abort', interrupt, { once: true });
  try {
    const ended = await Promise.race([jobs.whenRest(kind, id), leave.promise]);
    const own = ended.own as OwnOf<K>;
    if (isUnderWay?.(own) ?? (ended.state === 'running' || ended.state === 'waiting')) sayElsewhere(context);
    sayStart(context, id, ended);
    return own;
  } finally {
    signal.removeEventListener('abort', interrupt);
    stop();
    held.stop();
  }
}
