/** Follows a durable job of any kind until it rests. What a kind adds stands in its `Followed`. */
import type { Session } from '../engine/session.ts';
import type { Job, JobAction, JobKindId, OwnOf } from '../shared/job-contract.ts';
import type { CommandContext } from './context.ts';
import { sayElsewhere, sayStart } from './planned-start.ts';

export interface Followed<K extends JobKindId> {
  kind: K;
  /** As the list and the commands of the command line call it. */
  word: string;
  /** What can still be done with one whose start was cancelled. */
  stays: ((id: string) => string) | null;
  /** Changes nothing at the service: a read-only connection may begin it. */
  isReading?: true;
  /** What Ctrl-C does to one that is under way; null: what is on its way is answered. */
  halt: JobAction | ((session: Session) => unknown) | null;
  /** Its progress as it comes. */
  hear?: (context: CommandContext) => (own: OwnOf<K>) => void;
  /** Is a process at work on it? Only the service works on some that are under way. */
  isUnderWay?: (own: OwnOf<K>) => boolean;
  /** What became of it; throws what kept it from success. */
  answer: (context: CommandContext, session: Session, ended: OwnOf<K>) => Promise<void> | void;
}

/** Until it rests or is left planned, then its answer. */
export async function follow<K extends JobKindId>(
  context: CommandContext,
  session: Session,
  followed: Followed<K>,
  id: string,
): Promise<void> {
  await followed.answer(context, session, await untilRest(context, session, followed, id));
}

/** Shows its progress. Ctrl-C halts what is under way, so that it can be resumed; what is only planned stays so. */
export async function untilRest<K extends JobKindId>(
  context: CommandContext,
  session: Session,
  followed: Followed<K>,
  id: string,
): Promise<OwnOf<K>> {
  const { kind, hear, halt, isUnderWay } = followed;
  const { signal, output } = context;
  const { jobs } = session;
  const heard = hear?.(context);
  const stop = context.listen('jobs:changed', ({ job }) => {
    if (job?.kind === kind && job.id === id) heard?.(job.own as OwnOf<K>);
  });
  const leave = Promise.withResolvers<Job<K>>();
  const interrupt = () => {
    const now = jobs.get(kind, id);
    if (now.startAtMs !== null) return leave.resolve(now);
    if (halt === null) return;
    const halted = async () =>
      typeof halt === 'string' ? jobs.control(kind, id, halt, null) : halt(session);
    halted().catch((thrown: unknown) => {
      output.note(`pause: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    });
  };
  const begun = jobs.get(kind, id);
  // It is begun elsewhere: nothing of it is sent from here.
  if (context.args.isOffline && begun.startAtMs !== null) leave.resolve(begun);
  // It may have come before: an aborted signal calls no listener any more.
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
  }
}
