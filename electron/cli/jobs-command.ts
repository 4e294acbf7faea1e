/** `jobs`: lists durable jobs of every kind, and acts on one. */

import { sendingError } from '../engine/sending-errors.ts';
import type { Session } from '../engine/session.ts';
import { DAMAGED_JOBS } from '../shared/damaged-rows.ts';
import { AppError } from '../shared/errors.ts';
import { FORGET_KINDS, type Job, type PartDecision } from '../shared/job-contract.ts';
import type { JobAction } from '../shared/job-kinds/job-kind.ts';
import { localTimeText, momentText } from '../shared/local-time.ts';
import { activeRepeat, type RepeatChange, repeatText } from '../shared/repeat-model.ts';
import { systemZone } from '../shared/zone-time.ts';
import { byId, chosenAction } from './choose.ts';
import { checkForgetting } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { noteDamaged } from './damaged-notes.ts';
import { checkFollowFlags, FOLLOW_FLAGS, JOB_COMMANDS } from './follow-kinds.ts';
import { withFormerKeys } from './former-keys.ts';
import { readable } from './human-text.ts';
import { table } from './output.ts';
import { answerRepeat, repeatOf, sayStart, startAtOf } from './planned-start.ts';

const ACTIONS = {
  show: [],
  start: FOLLOW_FLAGS,
  pause: [],
  resume: FOLLOW_FLAGS,
  cancel: [],
  retry: FOLLOW_FLAGS,
  'start-at': ['start-at'],
  repeat: ['repeat', 'start-at'],
  decide: [],
  forget: ['yes'],
};
const DECISIONS: readonly PartDecision[] = ['stored', 'resend', 'give-up'];
const REPEAT_ACTS = ['pause', 'resume', 'end'] as const;
const PAGE = 1_000;

/**
 * Runs `jobs`, `jobs show ID`, `jobs pause ID`, `jobs start-at ID --start-at WHEN`, `jobs repeat ID --repeat RULE` and
 * `jobs decide ID PART DECISION`.
 */
export async function jobs(context: CommandContext): Promise<void> {
  const { args } = context;
  const [, id] = args.positionals;
  const action = chosenAction(context, ACTIONS);
  const session = await context.session();
  const all = listed(session);
  if (action === undefined) return list(context, session, all);
  if (id === undefined)
    throw new AppError('INVALID_ARGUMENT', `jobs ${action} expects ID. Run jobs for the list.`);
  const job = byId(context, id, { all: all.jobs, idOf: (each) => each.id, what: 'job' });
  switch (action) {
    case 'show':
      return show(context, job);
    case 'start-at':
      return startLater(context, session, job);
    case 'repeat':
      return repeat(context, session, job);
    case 'decide':
      return decide(context, session, job);
    case 'forget':
      return forget(context, session, job);
    case 'pause':
      return answer(context, await control(session, job, 'pause'));
    case 'cancel':
      return answer(context, await control(session, job, job.startAtMs === null ? 'cancel' : 'unschedule'));
    default:
      return resume(context, session, job, action);
  }
}

function listed({ jobs: kinds }: Session) {
  const query = { kinds: null, states: null, search: null, limit: PAGE };
  const first = kinds.list({ ...query, offset: 0 });
  const all = [...first.jobs];
  for (let offset = PAGE; offset < first.total; offset += PAGE)
    all.push(...kinds.list({ ...query, offset }).jobs);
  return { jobs: all, failures: first.failures };
}

/**
 * The repeat of a job in words, e.g. `every weekday at 07:00`; null if it has none, or if another run has followed it.
 */
function repeatWords(job: Job): string | null {
  const repeat = activeRepeat(job);
  if (repeat === null) return null;
  return `${repeatText(repeat.rule, systemZone())}${repeat.isPaused ? ' (paused)' : ''}`;
}

function rowOf(job: Job) {
  const { id, kind, title, of, state, reason, progress, unknown, startAtMs, error } = job;
  return {
    id,
    kind: JOB_COMMANDS[kind].word,
    what: of === null ? title : `${title} of ${of.name}`,
    state,
    done: progress.done,
    total: progress.total,
    unknown,
    startAt: startAtMs === null ? null : new Date(startAtMs).toISOString(),
    repeat: repeatWords(job),
    reason,
    error: error === null ? null : { code: error.code, message: error.message },
  };
}

const startText = (iso: string | null): string | null =>
  iso === null ? null : localTimeText(Date.parse(iso));

function list(
  context: CommandContext,
  session: Session,
  { jobs: all, failures }: ReturnType<typeof listed>,
): void {
  const { output } = context;
  for (const kind of DAMAGED_JOBS) noteDamaged(context, session, kind);
  for (const { kind, error } of failures)
    output.note(`${JOB_COMMANDS[kind].word}: not read. ${error.message}`);
  const items = all.map(rowOf);
  const [isPlanned, isRepeated] = [all.some(({ startAtMs }) => startAtMs !== null), all.some(activeRepeat)];
  output.answer({ items, total: items.length, complete: failures.length === 0, asOf: null }, () =>
    items.length === 0
      ? 'No jobs on this connection.'
      : table(
          items.map((item) => ({ ...readable(item), starts: startText(item.startAt) })),
          [
            ...['id', 'kind', 'what', 'state', 'done', 'total', 'unknown'],
            ...(isPlanned ? ['starts'] : []),
            ...(isRepeated ? ['repeat'] : []),
            'reason',
          ],
        ),
  );
}

function show({ output }: CommandContext, job: Job): void {
  const row = rowOf(job);
  output.answer({ ...row, own: withFormerKeys(job.own) }, () => [
    `${row.kind}  ${row.what}`,
    `${row.state}  ${row.done} of ${row.total ?? 'unknown'}`,
    ...(job.startAtMs === null ? [] : [`starts ${momentText(job.startAtMs)}`]),
    ...(row.repeat === null ? [] : [`repeats ${row.repeat}`]),
    ...(row.unknown === 0 ? [] : [`${row.unknown} without an answer`]),
    ...(row.reason === '' ? [] : [row.reason]),
    ...(row.error === null ? [] : [`${row.error.code}: ${row.error.message}`]),
  ]);
}

function answer({ output }: CommandContext, job: Job): void {
  const row = rowOf(job);
  output.answer(row, () => [`${row.state}  ${row.what}`]);
}

/** Performs an action on a job. Throws INVALID_ARGUMENT if the job's kind does not have it. */
function control({ jobs: kinds }: Session, { kind, id }: Job, action: JobAction): Promise<Job> {
  return kinds.control(kind, id, action, null);
}

async function resume(
  context: CommandContext,
  session: Session,
  job: Job,
  action: 'start' | 'resume' | 'retry',
): Promise<void> {
  checkFollowFlags(context, job.kind);
  const { isReading, follow } = JOB_COMMANDS[job.kind];
  const blockingError = sendingError(session.connection, session.network);
  if (blockingError !== null && !(isReading === true && blockingError.code === 'READ_ONLY'))
    throw blockingError;
  if (context.signal.aborted) throw new AppError('CANCELLED', 'Stopped. Nothing was sent.');
  await control(session, job, action);
  await follow(context, session, job.id);
}

async function startLater(context: CommandContext, session: Session, { kind, id }: Job): Promise<void> {
  const startAtMs = startAtOf(context);
  if (startAtMs === null) throw new AppError('INVALID_ARGUMENT', 'jobs start-at expects --start-at WHEN.');
  const job = await session.jobs.control(kind, id, 'schedule', startAtMs);
  answer(context, job);
  sayStart(context, id, { startAtMs: job.startAtMs, lateStart: null });
}

async function repeat(context: CommandContext, session: Session, { kind, id }: Job): Promise<void> {
  const typed = context.args.text('repeat');
  if (typed === null)
    throw new AppError(
      'INVALID_ARGUMENT',
      'jobs repeat expects --repeat RULE, such as "weekdays 07:00", or pause, resume or end.',
    );
  const type = REPEAT_ACTS.find((each) => each === typed);
  const rule = type === undefined ? repeatOf(context) : null;
  const startAtMs = startAtOf(context);
  if (rule === null && startAtMs !== null)
    throw new AppError('INVALID_ARGUMENT', '--start-at expects a RULE with --repeat: it is the first start.');
  const change: RepeatChange | null =
    rule !== null ? { type: 'set', rule, startAtMs } : type === undefined ? null : { type };
  if (change !== null) answerRepeat(context, session.jobs.repeat(kind, id, change));
}

/** Decides a part of unknown outcome. `PART` counts from 1, as in the lists of batches and requests. */
async function decide(context: CommandContext, session: Session, { kind, id }: Job): Promise<void> {
  const [, , part, typed] = context.args.positionals;
  const number = Number(part);
  const decision = DECISIONS.find((each) => each === typed);
  if (part === undefined || !Number.isInteger(number) || number < 1 || decision === undefined) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `jobs decide expects ID, the number of a batch or request, and ${DECISIONS.join(', ')}.`,
    );
  }
  if (kind !== 'upload' && kind !== 'build' && kind !== 'items') {
    throw new AppError(
      'INVALID_ARGUMENT',
      'Only uploads, builds and additions of items have parts to decide.',
    );
  }
  answer(context, await session.jobs.decide(kind, id, number - 1, decision));
  if (decision === 'resend') await JOB_COMMANDS[kind].follow(context, session, id);
}

async function forget(context: CommandContext, session: Session, job: Job): Promise<void> {
  const { kind, id } = job;
  const known = FORGET_KINDS.find((each) => each === kind);
  if (known === undefined)
    throw new AppError('INVALID_ARGUMENT', 'Deletions of events stay listed and cannot be forgotten.');
  const { what } = rowOf(job);
  checkForgetting(context, what);
  await session.jobs.forget(known, id);
  context.output.answer({ id }, () => [`Forgotten: ${what}.`]);
}
