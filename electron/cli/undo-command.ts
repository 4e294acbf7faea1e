/** `uploads undo ID`: deletes the events of an upload, after printing what is deleted and when. */

import type { Session } from '../engine/session.ts';
import { AppError, fromWire, toAppError } from '../shared/errors.ts';
import { momentText } from '../shared/local-time.ts';
import type { EventDeletion, UndoPlan, UploadJob } from '../shared/upload-model.ts';
import { isPreview, sayDoomed } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { followTask } from './follow-task.ts';
import { withFormerKeys } from './former-keys.ts';
import { counted, numberText } from './human-text.ts';

export async function undoUpload(context: CommandContext, session: Session, job: UploadJob): Promise<void> {
  const plan = await session.uploads.planUndo(job.jobId);
  if (plan.problem !== '') throw new AppError('INVALID_ARGUMENT', plan.problem);
  const { deletions, events } = plan;
  if (isPreview(context)) {
    return sayDoomed(context, {
      operation: 'events.delete',
      requests: deletions.length,
      answer: (traffic) => withFormerKeys({ ...traffic, wouldUndo: plan }),
      lines: linesOf(plan, job),
      what: counted(events, 'event'),
    });
  }
  for (const line of linesOf(plan, job)) context.output.note(line);
  const { deletionIds } = await session.uploads.undo(job.jobId, { events, deletions: deletions.length });
  await answer(context, session, plan, deletionIds);
}

/** Waits until a deletion was sent; Ctrl-C leaves a waiting one planned. */
async function untilSent(
  { signal, listen }: CommandContext,
  { uploads }: Session,
  id: string,
): Promise<EventDeletion> {
  const left = Promise.withResolvers<EventDeletion>();
  const look = () => {
    const now = uploads.getDeletion(id);
    if (signal.aborted && now.status !== 'sending') left.resolve(now);
  };
  const interrupt = () => {
    uploads.recallDeletions();
    look();
  };
  const stop = listen('jobs:changed', look);
  if (signal.aborted) interrupt();
  else signal.addEventListener('abort', interrupt, { once: true });
  try {
    return await Promise.race([uploads.whenSent(id), left.promise]);
  } finally {
    signal.removeEventListener('abort', interrupt);
    stop();
  }
}

/** Follows the deletions that start now to their end, as far as the service reports it; then counts the rows. */
async function answer(
  context: CommandContext,
  session: Session,
  plan: UndoPlan,
  deletionIds: readonly string[],
): Promise<void> {
  const { output } = context;
  const { jobId } = plan;
  for (const [at, id] of deletionIds.entries())
    if (plan.deletions[at]?.isNow === true) await follow(context, await untilSent(context, session, id));
  // Counted last, because deletions that were only accepted may have finished by now.
  const { rowCounts } = await session.uploads.countUndo(jobId);
  const sent = deletionIds.map((id) => session.uploads.getDeletion(id));
  output.note(countsLine(rowCounts));
  const later = sent.filter(({ startAtMs }) => startAtMs !== null);
  const failed = sent.find(({ error, startAtMs }) => error !== null && startAtMs === null);
  const budget = session.uploads.deletionBudget();
  output.answer(withFormerKeys({ jobId, deletions: sent, rowCounts, budget }), () =>
    sent.map(
      ({ what, status, startAtMs }) =>
        `${what}  ${startAtMs === null ? status : `starts ${momentText(startAtMs)}`}`,
    ),
  );
  if (later.length > 0) {
    output.note(
      'What starts later starts in a window of Spandeck on this connection, or with: planned start ID',
    );
  }
  if (failed?.error) throw problemOf(fromWire(failed.error), sent, jobId);
}

/**
 * If a deletion has no answer, its events may be deleted already, so the message asks to check before another attempt.
 */
function problemOf(error: AppError, sent: readonly EventDeletion[], jobId: string): AppError {
  const unanswered = sent.filter(({ status }) => status === 'unknown');
  if (unanswered.length === 0) return error;
  const rows = unanswered.flatMap(({ uploads }) => uploads).reduce((sum, each) => sum + each.rows, 0);
  return new AppError(
    error.code,
    `${counted(unanswered.length, 'deletion')} of ${counted(rows, 'row')} has no answer, so these rows may or may not be deleted. ${error.message}`,
    {
      ...error.details,
      nextStep: `Compare the row counts, then run: uploads undo ${jobId} --plan (it names these rows again)`,
    },
    error,
  );
}

/** A failure at the service is reported with the deletion itself. */
async function follow(context: CommandContext, { jobId }: EventDeletion): Promise<void> {
  if (jobId === null) return;
  try {
    await followTask(context, jobId);
  } catch (problem) {
    if (toAppError(problem).code === 'CANCELLED') throw problem;
  }
}

/** The service's row counts, without a conclusion, because others may write at the same time. */
function countsLine({ beforeUpload, beforeUndo, afterUndo }: UploadJob['rowCounts']): string {
  const told = [
    [beforeUpload, 'before the upload'],
    [beforeUndo, 'before the undo'],
    [afterUndo, 'now'],
  ] as const;
  const parts = told.flatMap(([count, when]) =>
    count === null || count.rowCount === null ? [] : [`${numberText(count.rowCount)} ${when}`],
  );
  if (parts.length === 0) return `No row counts: ${afterUndo?.reason ?? 'the service gave none'}.`;
  return `Rows of the environment, as the service counts them: ${parts.join(', ')}.`;
}

function linesOf(
  { deletions, events, rows, left, budget, reason, maybeDeleted }: UndoPlan,
  { fileName, plan }: UploadJob,
): string[] {
  const days = [...Map.groupBy(deletions, ({ startAtMs }) => startAtMs)];
  const stay: [number, string][] = [
    [left.unknown, 'of unknown outcome'],
    [left.withoutId, 'without an event id'],
    [left.shared, 'whose event ids other uploads use too'],
  ];
  return [
    `Delete ${counted(events, 'event')} (${counted(rows, 'row')}) of ${fileName} from the model ${plan.modelName}.`,
    ...stay
      .filter(([count]) => count > 0)
      .map(([count, reason]) => `${counted(count, 'row')} ${reason}: not deleted.`),
    `It takes ${counted(deletions.length, 'deletion')}; ${numberText(budget.usedToday)} of the ${numberText(budget.limit)} of a day are used.`,
    ...deletions.flatMap(({ range }) =>
      range === null ? [] : [`By time: everything from ${range.startTime} up to ${range.endTime}.`],
    ),
    ...(maybeDeleted === 0
      ? []
      : [
          `An earlier deletion of ${counted(maybeDeleted, 'row')} has no answer: they may be deleted already.`,
        ]),
    ...(reason === '' ? [] : [reason]),
    ...days.map(([atMs, of]) => `  ${of[0]?.isNow === true ? 'now' : momentText(atMs)}: ${of.length}`),
  ];
}
