/** What the command line says of an upload job. */
import { AppError, fromWire, type WireError } from '../shared/errors.ts';
import type { UploadJob } from '../shared/upload-model.ts';
import type { CommandContext } from './context.ts';

export function progressText(job: UploadJob): string {
  const { counts } = job;
  const total = counts.rows === 0 ? '' : ` of ${counts.rows}`;
  const rate = job.rowsPerSecond === null ? '' : ` · ${Math.round(job.rowsPerSecond)} rows/s`;
  const left = job.etaMs === null ? '' : ` · ${Math.ceil(job.etaMs / 1_000)} s left`;
  return `${job.state}: ${counts.acknowledged}${total} rows acknowledged${rate}${left}`;
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
    batches: job.batches.total,
    requests: job.requests,
    startAt: job.startAtMs === null ? null : new Date(job.startAtMs).toISOString(),
    receiptsFile,
  };
}

/** Answers with the counts; throws what kept rows from being acknowledged, so that the command fails with it. */
export function answerJob(
  context: CommandContext,
  job: UploadJob,
  receiptsFile: string | null,
  firstRefusal: WireError | null,
): void {
  const result = jobResult(job, receiptsFile);
  context.output.answer(result, () =>
    [
      job.state,
      `${result.acknowledged} of ${result.rows} rows acknowledged, ${result.rejected} rejected, ${result.refused} refused, ${result.unknown} unknown, ${result.unsent} not sent`,
      receiptsFile === null ? '' : `receipts: ${receiptsFile}`,
    ].filter((line) => line !== ''),
  );
  const problem = problemOf(job, firstRefusal);
  if (problem !== null) throw problem;
}

function problemOf(job: UploadJob, firstRefusal: WireError | null): AppError | null {
  const { state, counts, jobId, reason } = job;
  // What is planned for later, or goes on elsewhere, has not failed.
  if (state === 'scheduled' || state === 'running' || state === 'waiting') return null;
  if (state === 'done' && counts.refused === 0) return null;
  if (state === 'done') {
    const said = firstRefusal === null ? '' : ` The first refusal: ${firstRefusal.message}`;
    return new AppError(
      firstRefusal?.code ?? 'UNPROCESSABLE',
      `The service refused ${counts.refused} of ${counts.rows} rows.${said}`,
    );
  }
  if (state === 'needs-decision') {
    return new AppError('CONNECTION_LOST', reason, { nextStep: `Run: uploads decide ${jobId}` });
  }
  if (state === 'cancelled') return new AppError('CANCELLED', 'The upload was cancelled.');
  if (job.error !== null) {
    const error = fromWire(job.error);
    return state === 'failed' ? error : withNextStep(error, jobId);
  }
  return new AppError('CANCELLED', `The upload is ${state}. ${reason}`.trim(), {
    nextStep: `Go on with: uploads resume ${jobId}`,
  });
}

function withNextStep(error: AppError, jobId: string): AppError {
  const nextStep = `${error.details.nextStep ?? ''} Then go on with: uploads resume ${jobId}`.trim();
  return new AppError(error.code, error.message, { ...error.details, nextStep }, error);
}
