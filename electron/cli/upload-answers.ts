/** The command line's output about an upload job. */
import type { Session } from '../engine/session.ts';
import { AppError, fromWire, type WireError } from '../shared/errors.ts';
import { deletedRows, maybeDeletedRows } from '../shared/upload-deletions.ts';
import type { UploadJob } from '../shared/upload-model.ts';
import type { ValueLedger } from '../shared/value-ledger.ts';
import { badRowsStep } from './bad-rows.ts';
import type { CommandContext } from './context.ts';
import type { Followed } from './follow.ts';
import { counted, numberText } from './human-text.ts';
import { refusalOf } from './refusal.ts';
import { besideAnswer } from './result-file.ts';

/** The errors of the first batch that the service refused, and of the first batch with a doubtful receipt. */
interface FirstProblems {
  firstRefused: WireError | null;
  doubt: WireError | null;
}

function progressText(job: UploadJob): string {
  const { counts } = job;
  const total = counts.rows === 0 ? '' : ` of ${numberText(counts.rows)}`;
  const rate = job.rowsPerSecond === null ? '' : ` · ${numberText(Math.round(job.rowsPerSecond))} rows/s`;
  const left = job.etaMs === null ? '' : ` · ${Math.ceil(job.etaMs / 1_000)} s left`;
  return `${job.state}: ${numberText(counts.acknowledged)}${total} rows acknowledged${rate}${left}`;
}

export function jobResult(job: UploadJob, receiptsFile: string | null) {
  const { counts } = job;
  return {
    jobId: job.jobId,
    state: job.state,
    reason: job.reason,
    rows: counts.rows,
    rejected: counts.rejected,
    sent: counts.acknowledged + counts.refused + counts.unknown,
    acknowledged: counts.acknowledged,
    refused: counts.refused,
    unknown: counts.unknown,
    unsent: counts.unsent,
    doubtful: job.doubtful.rows,
    deleted: deletedRows(job),
    maybeDeleted: maybeDeletedRows(job),
    batches: job.batches.total,
    requests: job.requests,
    startAt: job.startAtMs === null ? null : new Date(job.startAtMs).toISOString(),
    receiptsFile,
  };
}

/** Prints the counts; throws the reason why rows were not acknowledged, so that the command fails. */
function answerJob(
  context: CommandContext,
  job: UploadJob,
  receiptsFile: string | null,
  { firstRefused, doubt }: FirstProblems,
  checked: { ledger: ValueLedger; notes: string[] },
): void {
  const result = { file: job.fileName, ...jobResult(job, receiptsFile), ...checked };
  context.output.answer(result, () =>
    [
      job.state,
      job.state === 'done' && result.rows === 0 ? 'The file has no rows: nothing was sent.' : '',
      `${numberText(result.acknowledged)} of ${counted(result.rows, 'row')} acknowledged, ${numberText(result.rejected)} rejected, ${numberText(result.refused)} refused, ${numberText(result.unknown)} unknown, ${numberText(result.unsent)} not sent`,
      result.doubtful === 0 ? '' : `receipt in doubt: ${counted(result.doubtful, 'acknowledged row')}`,
      receiptsFile === null ? '' : `receipts: ${receiptsFile}`,
    ].filter((line) => line !== ''),
  );
  const problem = problemOf(job, { firstRefused, doubt });
  if (problem !== null) throw problem;
}

function problemOf(job: UploadJob, { firstRefused, doubt }: FirstProblems): AppError | null {
  const { state, counts, doubtful, jobId, reason } = job;
  // A job that is planned, or that continues in another process, has not failed.
  if (state === 'scheduled' || state === 'running' || state === 'waiting') return null;
  if (state === 'done' && counts.refused === 0) {
    if (doubtful.batches === 0 || doubt === null) return null;
    const { code, message, details } = fromWire(doubt);
    const of = doubtful.batches === 1 ? '' : ` This is the first of ${doubtful.batches} such batches.`;
    return new AppError(code, `${message}${of}`, details);
  }
  if (state === 'done') {
    const said = `The service refused ${numberText(counts.refused)} of ${counted(counts.rows, 'row')}.`;
    return refusalOf(firstRefused, said, mendStep(jobId));
  }
  if (state === 'needs-decision') {
    return new AppError('CONNECTION_LOST', reason, { nextStep: `Run: uploads decide ${jobId}` });
  }
  if (state === 'cancelled') return new AppError('CANCELLED', 'The upload was cancelled.');
  if (job.error !== null) {
    const error = fromWire(job.error);
    const issues = (error.details.issues ?? []).map(({ message, reason: why }) => message || why);
    const said = [error.message, ...issues.filter((issue) => !error.message.includes(issue))].join(' ');
    const steps = stepsOf(job, error, firstRefused !== null);
    return new AppError(error.code, said, { ...error.details, ...steps }, error);
  }
  const how = reason === 'Paused.' ? '' : reason;
  return new AppError('CANCELLED', `The upload is ${state}. ${how}`.trim(), {
    nextStep: `Resume with: uploads resume ${jobId}`,
  });
}

const mendStep = (jobId: string): string =>
  `export refused-rows ${jobId} --output FILE writes these rows with all their columns.`;

/** Advice for an upload that has stopped. */
function stepsOf(
  { state, jobId, counts }: UploadJob,
  { code, details }: AppError,
  isRefused: boolean,
): { nextStep?: string } {
  const rows = mendStep(jobId);
  if (state === 'failed') return counts.rejected > 0 ? { nextStep: `${badRowsStep()} ${rows}` } : {};
  // Resuming would not help, because the same request would be refused again.
  if (code === 'NOT_FOUND')
    return {
      nextStep: `Correct --model or --env-name and upload the file again. End this one with: jobs cancel ${jobId}`,
    };
  const resume = `esume with: uploads resume ${jobId}`;
  const { nextStep = '' } = details;
  return {
    nextStep: `${nextStep} ${nextStep === '' ? 'R' : 'Then r'}${resume}${isRefused ? ` ${rows}` : ''}`.trim(),
  };
}

/** Shows progress until the job stops, and writes its receipts. Ctrl-C pauses the job; a planned one stays planned. */
export const UPLOADS: Followed<'upload'> = {
  kind: 'upload',
  word: 'upload',
  stays: null,
  onInterrupt: 'pause',
  hear:
    ({ output }) =>
    (job) =>
      output.progress(progressText(job)),
  answer: async (context, session, ended) => {
    const { jobId } = ended;
    const { file, failure } = await besideAnswer(() => writeReceipts(context, session, ended), NO_RECEIPTS);
    const first = (state: 'refused' | 'doubtful') =>
      session.uploads.listBatches({ jobId, states: [state], offset: 0, limit: 1 }).batches[0]?.error ?? null;
    const found = { firstRefused: first('refused'), doubt: first('doubtful') };
    answerJob(context, ended, file.path, found, session.uploads.checkOf(jobId));
    if (failure !== null) throw failure;
  },
};

const NO_RECEIPTS = { path: null, rows: 0 };

/** Path of the receipts and their number of rows; the path is null if nothing was acknowledged yet. */
export async function writeReceipts(
  context: CommandContext,
  session: Session,
  job: UploadJob,
): Promise<{ path: string | null; rows: number }> {
  if (job.counts.acknowledged === 0) return NO_RECEIPTS;
  const path = context.args.text('output') ?? session.receiptsFile(job.jobId);
  const { rows } = await session.uploads.writeFile(job.jobId, 'receipts', path);
  return { path, rows };
}
