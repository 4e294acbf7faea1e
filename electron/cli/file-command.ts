/** `upload-file FILE`: a file as a whole (SERVICE.md F1.4), and its events by a job of the service. */
import { basename, resolve } from 'node:path';
import { AppError, fromWire } from '../shared/errors.ts';
import type { JobState } from '../shared/resource-contract.ts';
import type { WholeFile } from '../shared/whole-file-contract.ts';
import { readFileState } from '../uploads/file-state.ts';
import { lookAtWhole, PART_BYTES, partsOf, requestsOf } from '../uploads/whole-file-sending.ts';
import type { CommandContext } from './context.ts';
import { followJob } from './follow-job.ts';
import { resolveName } from './names.ts';
import { answersPlan, sayPlanned, startAtOf, untilIdle } from './planned-start.ts';

/** With --model its events are published, and the job is followed unless --no-wait. */
export async function uploadFile(context: CommandContext): Promise<void> {
  const { args } = context;
  const path = await pathOf(args.positionals[0]);
  const partBytes = args.wholeNumber('part-bytes', 1);
  const modelName = args.text('model');
  // Before anything is sent: a misspelt model would be found after a long upload.
  const modelId = modelName === null ? null : await resolveName(context, 'models.list', modelName);
  const request = {
    modelId,
    envType: args.text('env-type') ?? 'PRODUCTION',
    envName: args.text('env-name'),
    publishes: modelId !== null,
  };
  const startAtMs = startAtOf(context);
  const { sizeBytes } = await readFileState(path);
  const publishing = modelId === null ? [] : [{ operation: 'events.publish', count: 1 }];
  const requests = [...requestsOf(partsOf(sizeBytes, partBytes ?? PART_BYTES)), ...publishing];
  if (await answersPlan(context, requests, startAtMs)) return;
  const { wholeFiles } = (await context.session()).uploads;
  const begun = await wholeFiles.sendPath(
    { path, name: basename(path) },
    request,
    partBytes ?? PART_BYTES,
    startAtMs,
  );
  if (startAtMs !== null) sayPlanned(context, startAtMs);
  await followFile(context, begun);
}

/** Until the service has it, or the job that publishes it has ended; throws what became of it where that is no success. */
export async function followFile(context: CommandContext, begun: WholeFile): Promise<void> {
  const { args, output } = context;
  const sent = await untilSent(context, begun);
  const { file, parts, jobId, startAtMs, state } = sent;
  if (startAtMs !== null) return answerPlanned(context, sent, startAtMs);
  if (isUnderWay(sent)) return output.answer({ id: sent.id, state }, () => [`${sent.name}  ${state}`]);
  const ended = jobId === null || args.flag('no-wait') ? null : await followJob(context, jobId);
  output.answer({ file, parts, job: jobId, ended }, () => [
    `${fileIdOf(sent)}  ${sent.name}  ${wordOf(sent.publishes, ended)}`,
  ]);
}

const isUnderWay = ({ state }: WholeFile) => state === 'sending' || state === 'publishing';

function answerPlanned({ output }: CommandContext, file: WholeFile, startAtMs: number): void {
  const startAt = new Date(startAtMs).toISOString();
  output.answer({ id: file.id, state: file.state, startAt }, () => [`${file.name}  starts later`]);
}

function wordOf(isPublished: boolean, ended: JobState | null): string {
  if (!isPublished) return 'uploaded';
  return ended === null ? 'publishing started' : 'published';
}

const fileIdOf = ({ file }: WholeFile): string => {
  const id = file?.['id'];
  return typeof id === 'string' ? id : '';
};

async function pathOf(file: string | undefined): Promise<string> {
  if (file === undefined)
    throw new AppError('INVALID_ARGUMENT', 'upload-file expects FILE: a CSV or Parquet file.');
  const path = resolve(file);
  // A kind of file that the service does not take would be refused only after the whole of it was sent.
  if (!path.endsWith('.tar.gz')) await lookAtWhole('', { path, name: basename(path) });
  return path;
}

async function untilSent(context: CommandContext, begun: WholeFile): Promise<WholeFile> {
  const { wholeFiles } = (await context.session()).uploads;
  const { id } = begun;
  const now = () => wholeFiles.list().find((file) => file.id === id) ?? begun;
  const stop = context.listen('jobs:changed', ({ job }) => {
    if (job?.kind !== 'file') return;
    const file = job.own;
    const part = Math.min(file.partsSent + 1, file.parts);
    if (file.id === id && file.state === 'sending' && file.parts > 1)
      context.output.progress(`part ${part} of ${file.parts}`);
  });
  try {
    const ended = await untilIdle(context, {
      id,
      idle: () => wholeFiles.whenSettled(id),
      now,
      isPlanned: ({ state }) => state === 'scheduled',
      isUnderWay,
      pause: () => wholeFiles.control(id, 'cancel'),
    });
    return ended.state === 'scheduled' ? ended : checked(ended);
  } finally {
    stop();
  }
}

function checked(sent: WholeFile): WholeFile {
  if (sent.state === 'cancelled' || sent.state === 'interrupted')
    throw new AppError('CANCELLED', `${sent.name} was not sent whole. No rows were published.`);
  if (sent.error === null) return sent;
  const error = fromWire(sent.error);
  if (sent.file === null) throw error;
  const nextStep =
    sent.state === 'unknown'
      ? `File ${fileIdOf(sent)} is uploaded; whether its events are published is not known. Look with: ls jobs`
      : `File ${fileIdOf(sent)} is uploaded; its events are not published.`;
  throw new AppError(error.code, error.message, { ...error.details, nextStep }, error);
}
