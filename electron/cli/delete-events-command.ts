/**
 * `delete-events`: deletes events by ids, by a receipts file or by a time range, and prints the rest of the day's
 * limit.
 */
import type { Session } from '../engine/session.ts';
import { counted } from '../shared/count-text.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import { whole } from '../shared/pieces.ts';
import { readReceipts } from '../shared/receipts-file.ts';
import type { EventDeletion } from '../shared/upload-model.ts';
import { bodyOf, wordsOf } from '../uploads/deletion-request.ts';
import type { DeletionRequest } from '../uploads/types.ts';
import { isPreview, sayDoomed } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { type Followed, follow } from './follow.ts';
import { readTextFile } from './given-text.ts';
import { numberText } from './human-text.ts';
import { resolveName } from './names.ts';
import { planLine, planOf, sayPlanned, startOrWait } from './planned-start.ts';
import { plainTimeText } from './time-range.ts';
import { fractionIn } from './typed-time.ts';

/** Ids that are printed for a person; the output with --json has all of them. */
const MAX_IDS_SHOWN = 20;

export async function deleteEvents(context: CommandContext): Promise<void> {
  const { args } = context;
  const modelName = args.text('model');
  if (modelName === null) throw new AppError('INVALID_ARGUMENT', 'delete-events expects --model.');
  const startAtMs = startOrWait(context);
  const ids = args.text('ids');
  const receipts = args.text('receipts');
  const start = args.text('start');
  const end = args.text('end');
  const modes = [ids, receipts, start ?? end].filter((given) => given !== null);
  if (modes.length !== 1 || (start === null) !== (end === null)) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'delete-events expects one of: --ids a,b,c; --receipts FILE; --start (or --since) and --end.',
    );
  }
  const eventIds = receipts === null ? listedIds(ids) : await idsOfReceipts(context, receipts);
  const session = await context.session();
  const modelId = await resolveName(context, 'models.list', modelName);
  const request: DeletionRequest = {
    modelId,
    eventIds,
    timeRange:
      start === null || end === null
        ? null
        : { startTime: wholeStart(start), endTime: wholeEnd(context, end) },
    updateMetrics: args.flag('update-metrics'),
  };
  if (isPreview(context)) return preview(context, session, request, modelName);
  const plan = await planOf(context, [{ operation: 'events.delete', count: 1 }], startAtMs);
  context.output.note(`Plan: ${planLine(plan)}.`);
  // Recalls a deletion that still waits for a limit of the service, which can take a day.
  const recall = () => session.uploads.recallDeletions();
  context.signal.addEventListener('abort', recall);
  const deletion = await session.uploads
    .deleteEvents(request, startAtMs)
    .finally(() => context.signal.removeEventListener('abort', recall));
  if (startAtMs !== null) sayPlanned(context, startAtMs);
  await follow(context, session, DELETIONS, deletion.deletionId);
}

/** The service knows whole seconds. Throws INVALID_ARGUMENT for a fraction: without it, more events would be deleted. */
function wholeStart(start: string): string {
  const fraction = fractionIn(start);
  if (fraction === '') return plainTimeText(start);
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected the start in whole seconds, by which the service deletes events, got a fraction of one (${fraction}). Nothing was deleted.`,
    { nextStep: 'Round the start down to delete more events, or up to delete fewer.' },
  );
}

/** The end without a fraction of a second, so that fewer events are deleted; a note says so. */
function wholeEnd({ output }: CommandContext, end: string): string {
  const text = plainTimeText(end);
  if (fractionIn(end) !== '')
    output.note(`The service deletes by whole seconds: the end is ${text} UTC, without its fraction.`);
  return text;
}

/** The typed ids; null if the option is absent. Throws INVALID_ARGUMENT if the list is empty. */
function listedIds(ids: string | null): string[] | null {
  if (ids === null) return null;
  const listed = ids
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  if (listed.length === 0) throw new AppError('INVALID_ARGUMENT', '--ids expects event ids such as a,b,c.');
  return listed;
}

/** The event ids in a file that `uploads receipts` wrote. Throws FILE_NOT_FOUND, INVALID_ARGUMENT. */
async function idsOfReceipts(context: CommandContext, file: string): Promise<string[]> {
  const found = whole(readReceipts(await readTextFile(context, 'receipts', file)));
  if (found === null || found.ids.length === 0) {
    const got = found === null ? 'is not a receipts file' : 'has no event id';
    throw new AppError(
      'INVALID_ARGUMENT',
      `--receipts expects a file as “uploads receipts” writes it, with a column event_id; ${file} ${got}. Nothing was deleted.`,
    );
  }
  const withoutId = found.receipts?.withoutId ?? 0;
  if (withoutId > 0)
    context.output.note(`${counted(withoutId, 'row')} of ${file} without an event id: they are not deleted.`);
  return found.ids;
}

/** Prints what would be deleted, and sends nothing. Throws for a deletion that could not be sent. */
async function preview(
  context: CommandContext,
  session: Session,
  request: DeletionRequest,
  modelName: string,
): Promise<void> {
  const body = bodyOf(request);
  const what = wordsOf(request);
  const { budget } = session.uploads.listDeletions();
  await sayDoomed(context, {
    operation: 'events.delete',
    requests: 1,
    answer: (plan) => ({ ...plan, wouldDelete: { what, modelName, ...body } }),
    lines: [
      `Delete events of the model ${modelName} (${request.modelId}), in its PRODUCTION environment.`,
      what,
      ...idLines(request.eventIds ?? []),
      `It takes 1 of the ${budget.limit} deletions of a day; ${budget.usedToday} are used.`,
    ],
    what: request.eventIds === null ? 'the events of this time range' : what.toLowerCase(),
  });
}

function idLines(eventIds: readonly string[]): string[] {
  const ids = [...new Set(eventIds)];
  if (ids.length === 0) return [];
  const more = ids.length > MAX_IDS_SHOWN ? ` and ${numberText(ids.length - MAX_IDS_SHOWN)} more` : '';
  return [`  ${ids.slice(0, MAX_IDS_SHOWN).join(', ')}${more}`];
}

/**
 * Follows a deletion until it was sent, or until Ctrl-C leaves it planned; does not wait for the job of the service.
 */
export const DELETIONS: Followed<'deletion'> = {
  kind: 'deletion',
  word: 'deletion',
  stays: null,
  onInterrupt: (session) => session.uploads.recallDeletions(),
  isUnderWay: ({ status }) => status === 'sending',
  answer,
};

function answer(context: CommandContext, session: Session, ended: EventDeletion): void {
  if (ended.error !== null && ended.startAtMs === null) {
    const error = fromWire(ended.error);
    if (ended.status !== 'paused') throw error;
    const nextStep = `With a new token, resume it with: jobs resume ${ended.deletionId}`;
    throw new AppError(error.code, error.message, { ...error.details, nextStep });
  }
  if (ended.status === 'cancelled')
    throw new AppError('CANCELLED', `${ended.what}: cancelled. Nothing was sent.`);
  const { budget } = session.uploads.listDeletions();
  const used = `${budget.usedToday} of ${budget.limit} deletions today`;
  context.output.answer({ ...ended, budget }, () => [`${ended.what}: ${wordOf(ended)} · ${used}`]);
}

function wordOf({ startAtMs, status, jobId }: EventDeletion): string {
  if (startAtMs !== null) return 'starts later';
  return status === 'sending' ? 'being sent' : `job ${jobId ?? 'unknown'}`;
}
