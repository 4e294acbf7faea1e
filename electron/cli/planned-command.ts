/** `planned`: lists, starts, changes or cancels jobs of every kind that start later. */

import { sendingError } from '../engine/sending-errors.ts';
import type { Session } from '../engine/session.ts';
import { AppError } from '../shared/errors.ts';
import type { Job } from '../shared/job-contract.ts';
import { localTimeText, momentText } from '../shared/local-time.ts';
import { activeRepeat } from '../shared/repeat-model.ts';
import { byId, chosenAction } from './choose.ts';
import type { CommandContext } from './context.ts';
import { checkFollowFlags, FOLLOW_FLAGS, JOB_COMMANDS } from './follow-kinds.ts';
import { readable } from './human-text.ts';
import { table } from './output.ts';
import { sayStart, startAtOf } from './planned-start.ts';

/** Actions with their flags; the words are the same as in the window. */
const ACTIONS = { start: FOLLOW_FLAGS, change: ['start-at'], cancel: [] };

/** Runs `planned`, `planned start ID`, `planned change ID --start-at WHEN` and `planned cancel ID`. */
export async function planned(context: CommandContext): Promise<void> {
  const { args } = context;
  const [, id] = args.positionals;
  const action = chosenAction(context, ACTIONS);
  const startAtMs = startAtOf(context);
  if (action === 'change' && startAtMs === null) {
    throw new AppError('INVALID_ARGUMENT', 'planned change expects --start-at WHEN.');
  }
  const session = await context.session();
  if (action === undefined) return list(context, session);
  if (id === undefined)
    throw new AppError('INVALID_ARGUMENT', `planned ${action} expects ID. Run planned for the list.`);
  const act = find(context, session, id);
  switch (action) {
    case 'start':
      return start(context, session, act);
    case 'change':
      return change(context, session, act, startAtMs);
    case 'cancel':
      return cancel(context, session, act);
  }
}

function find(context: CommandContext, { jobs }: Session, typed: string): Job {
  return byId(context, typed, {
    all: jobs.planned(),
    idOf: ({ id }) => id,
    what: 'planned start of',
    reason: ': it has started, was cancelled, or never existed',
  });
}

function rowOf({ id, kind, title, of, startAtMs, requests, error }: Job) {
  return {
    id,
    kind: JOB_COMMANDS[kind].word,
    what: of === null ? title : `${title} of ${of.name}`,
    startAt: new Date(startAtMs ?? 0).toISOString(),
    requests: requests.reduce((sum, { count }) => sum + count, 0),
    operations: requests,
    error: error === null ? null : { code: error.code, message: error.message },
  };
}

function list({ output }: CommandContext, { jobs }: Session): void {
  const items = jobs.planned().map(rowOf);
  output.answer({ items, total: items.length, complete: true, asOf: null }, () => {
    if (items.length === 0) return 'Nothing starts later on this connection.';
    const rows = items.map((item) => ({
      ...item,
      starts: localTimeText(Date.parse(item.startAt)),
      waits: item.error === null ? null : `${item.error.code}: ${item.error.message}`,
    }));
    return table(rows.map(readable), ['id', 'kind', 'what', 'starts', 'requests', 'waits']);
  });
}

async function start(context: CommandContext, session: Session, { kind, id }: Job): Promise<void> {
  checkFollowFlags(context, kind);
  const { isReading, follow } = JOB_COMMANDS[kind];
  const blockingError = sendingError(session.connection, session.network);
  if (blockingError !== null && !(isReading === true && blockingError.code === 'READ_ONLY'))
    throw blockingError;
  if (context.signal.aborted) throw new AppError('CANCELLED', 'Stopped. It stays planned.');
  await session.jobs.control(kind, id, 'start', null);
  await follow(context, session, id);
}

/**
 * Changes the start of a job. The command does not wait for the start, which the process that handles planned jobs
 * performs.
 */
async function change(
  context: CommandContext,
  session: Session,
  { kind, id }: Job,
  startAtMs: number | null,
): Promise<void> {
  await session.jobs.control(kind, id, 'schedule', startAtMs);
  const changed = find(context, session, id);
  context.output.answer(rowOf(changed), () => [
    `${rowOf(changed).what}  starts ${momentText(changed.startAtMs ?? 0)}`,
  ]);
  sayStart(context, id, { startAtMs: changed.startAtMs, lateStart: null });
}

async function cancel(context: CommandContext, session: Session, act: Job): Promise<void> {
  const { kind, id } = act;
  await session.jobs.control(kind, id, 'unschedule', null);
  const { stays } = JOB_COMMANDS[kind];
  const isRepeated = activeRepeat(act) !== null;
  if (stays !== null && !isRepeated) context.output.note(stays(id));
  context.output.answer({ ...rowOf(act), startAt: null }, () => [
    isRepeated
      ? `Ended the repeat of ${rowOf(act).what}. To pause it: jobs repeat ID --repeat pause.`
      : `Cancelled the start of ${rowOf(act).what}.`,
  ]);
}
