/** An upload until it rests, with its receipts. */
import type { Session } from '../engine/session.ts';
import type { UploadJob } from '../shared/upload-model.ts';
import type { CommandContext } from './context.ts';
import { untilIdle } from './planned-start.ts';
import { answerJob, progressText } from './upload-answers.ts';

/** Shows progress until the job rests; Ctrl-C pauses it, so that it can be resumed, or leaves it planned. */
export async function followUpload(context: CommandContext, session: Session, jobId: string): Promise<void> {
  let said = '';
  const stop = context.listen('jobs:changed', ({ job }) => {
    if (job?.kind !== 'upload' || job.id !== jobId) return;
    const heard = job.own;
    context.output.progress(progressText(heard));
    // What it waits for may be in the hands of who looks: a full disk, a service that is down.
    if (heard.error !== null && heard.reason !== said) context.output.note(`${heard.state}: ${heard.reason}`);
    said = heard.error === null ? '' : heard.reason;
  });
  try {
    const ended = await untilIdle(context, {
      id: jobId,
      idle: () => session.uploads.whenIdle(jobId),
      now: () => session.uploads.getJob(jobId),
      isPlanned: ({ state }) => state === 'scheduled',
      isUnderWay: ({ state }) => state === 'running' || state === 'waiting',
      pause: () => session.uploads.controlJob(jobId, 'pause'),
    });
    const { path } = await writeReceipts(context, session, ended);
    const first = (state: 'refused' | 'doubtful') =>
      session.uploads.listBatches({ jobId, states: [state], offset: 0, limit: 1 }).batches[0]?.error ?? null;
    answerJob(context, ended, path, { refusal: first('refused'), doubt: first('doubtful') });
  } finally {
    stop();
  }
}

/** Where they lie and how many rows they have; a null path where nothing was acknowledged yet. */
export async function writeReceipts(
  context: CommandContext,
  session: Session,
  job: UploadJob,
): Promise<{ path: string | null; rows: number }> {
  if (job.counts.acknowledged === 0) return { path: null, rows: 0 };
  const path = context.args.text('output') ?? session.receiptsFile(job.jobId);
  const { rows } = await session.uploads.writeFile(job.jobId, 'receipts', path);
  return { path, rows };
}
