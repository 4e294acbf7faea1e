/** Follows a durable job of any kind until it stops. Everything specific to a kind is in its `Followed`. */

import type { Session } from '../engine/session.ts';
import { systemClock } from '../platform/system.ts';
import type { Job, JobKindId, OwnOf } from '../shared/job-contract.ts';
import type { JobAction } from '../shared/job-kinds/job-kind.ts';
import type { CommandContext } from './context.ts';
import { sayElsewhere, sayStart } from './planned-start.ts';
import { createHeldNotes, createWaitNotes, isOfDisk, UNWRITTEN_ANSWERS, waitingFor } from './wait-notes.ts';

export interface Followed<K extends JobKindId> {
  kind: K;
  /** The kind's word on the command line. */
  word: string;
  /** A sentence about further options for a job whose start was cancelled; null if there are none. */
  stays: ((id: string) => string) | null;
  /** The kind changes nothing at the service, so a read-only connection may start it. */
  isReading?: true;
  /** Ctrl-C performs this action on a running job; null: waits for requests in flight. */
  onInterrupt: JobAction | ((session: Session) => unknown) | null;
  /** Returns a function that prints the progress. */
  hear?: (context: CommandContext) => (own: OwnOf<K>) => void;
  /** Whether a process is working on the job; some running jobs are only being worked on by the service. */
  isUnderWay?: (own: OwnOf<K>) => boolean;
  /** Prints the result; throws the reason if the job did not succeed. */
  answer: (context: CommandContext, session: Session, ended: OwnOf<K>) => Promise<void> | void;
}

/** Follows a job until it stops or is left planned, then prints its result. */
export async function follow<K extends JobKindId>(
  context: CommandContext,
  session: Session,
  followed: Followed<K>,
  id: string,
): Promise<void> {
  await followed.answer(context, session, await untilRest(context, session, followed, id));
}

/**
 * Shows the progress of a job until it stops. Ctrl-C halts a running job, so that it can be resumed; a planned one
 * stays planned.
 */
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
  // Prints why the job waits, because the person may be able to change that, e.g. free disk space.
  const say = (job: Parameters<typeof noteOf>[0] | null) => {
    const note = job === null ? null : noteOf(job);
    if (note !== null) output.note(note);
  };
  let { progress } = jobs.get(kind, id);
  const stopHearing = context.listen('jobs:changed', ({ job }) => {
    if (job?.kind !== kind || job.id !== id) return;
    ({ progress } = job);
    held.hear(job);
    heard?.(job.own as OwnOf<K>);
    say(job);
  });
  const stopNetwork = context.listen('connections:network-changed', (state) =>
    say(waitingFor(state, progress)),
  );
  const stop = () => {
    stopHearing();
    stopNetwork();
  };
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
  // The job starts in another process, so nothing of it is sent from here.
  if (context.args.isOffline && begun.startAtMs !== null) leave.resolve(begun);
  // Ctrl-C may already have been pressed, and an aborted signal calls no new listener.
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
