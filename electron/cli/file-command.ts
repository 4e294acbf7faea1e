/** `upload-file FILE`: uploads a whole file (SERVICE.md F1.4), and lets a job of the service publish its events. */
import { basename, resolve } from 'node:path';
import type { Session } from '../engine/session.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import type { JobState } from '../shared/resource-contract.ts';
import type { WholeFile } from '../shared/whole-file-contract.ts';
import { readFileState } from '../uploads/file-state.ts';
import { lookAtWhole, PART_BYTES, partsOf, requestsOf } from '../uploads/whole-file-sending.ts';
import type { CommandContext } from './context.ts';
import { type Followed, follow } from './follow.ts';
import { followTask } from './follow-task.ts';
import { resolveName } from './names.ts';
import { answersPlan, sayPlanned, startOrWait } from './planned-start.ts';

/**
 * Uploads the file. With --model, the service publishes its events, and the command waits for that unless --no-wait is
 * given.
 */
export async function uploadFile(context: CommandContext): Promise<void> {
  const { args } = context;
  const path = await pathOf(args.positionals[0]);
  const partBytes = args.wholeNumber('part-bytes', 1);
  const modelName = args.text('model');
  const unused =
    modelName === null ? ['env-type', 'env-name'].find((name) => args.text(name) !== null) : undefined;
  if (unused !== undefined)
    throw new AppError(
      'INVALID_ARGUMENT',
      `--${unused} expects --model too: without it the file is stored, and no events are published.`,
    );
  // Resolved before anything is sent, because a misspelt model would be noticed only after a long upload.
  const modelId = modelName === null ? null : await resolveName(context, 'models.list', modelName);
  const request = {
    modelId,
    envType: args.text('env-type') ?? 'PRODUCTION',
    envName: args.text('env-name'),
    publishes: modelId !== null,
  };
  const startAtMs = startOrWait(context);
  const { sizeBytes } = await readFileState(path);
  const publishing = modelId === null ? [] : [{ operation: 'events.publish', count: 1 }];
  const requests = [...requestsOf(partsOf(sizeBytes, partBytes ?? PART_BYTES)), ...publishing];
  if (await answersPlan(context, requests, startAtMs)) return;
  const session = await context.session();
  const begun = await session.uploads.wholeFiles.sendPath(
    { path, name: basename(path) },
    request,
    partBytes ?? PART_BYTES,
    startAtMs,
  );
  if (startAtMs !== null) sayPlanned(context, startAtMs);
  await follow(context, session, FILES, begun.id);
}

/** Follows until the service has the file or the publishing job has ended; throws if that failed. */
export const FILES: Followed<'file'> = {
  kind: 'file',
  word: 'file',
  stays: () => 'It can be sent again in the window.',
  onInterrupt: 'cancel',
  hear:
    ({ output }) =>
    ({ state, parts, partsSent }) => {
      if (state === 'sending' && parts > 1)
        output.progress(`part ${Math.min(partsSent + 1, parts)} of ${parts}`);
    },
  isUnderWay,
  answer,
};

async function answer(context: CommandContext, _session: Session, ended: WholeFile): Promise<void> {
  const { args, output } = context;
  const { id, name, startAtMs, state } = ended;
  if (startAtMs !== null) return answerPlanned(context, ended, startAtMs);
  const { file, parts, jobId, publishes } = checked(ended);
  if (isUnderWay(ended)) return output.answer({ id, state }, () => [`${name}  ${state}`]);
  const task = jobId === null || args.flag('no-wait') ? null : await followTask(context, jobId);
  output.answer({ file, parts, job: jobId, ended: task }, () => [
    `${fileIdOf(ended)}  ${name}  ${wordOf(publishes, task)}`,
  ]);
}

function isUnderWay({ state }: WholeFile): boolean {
  return state === 'sending' || state === 'publishing';
}

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
  // Checked first, because the service would refuse an unsupported file only after all of it was sent.
  if (!path.endsWith('.tar.gz')) await lookAtWhole('', { path, name: basename(path) });
  return path;
}

function checked(sent: WholeFile): WholeFile {
  if (sent.state === 'cancelled' || sent.state === 'interrupted')
    throw new AppError('CANCELLED', `${sent.name} was not sent completely. No rows were published.`);
  if (sent.error === null) return sent;
  const error = fromWire(sent.error);
  if (sent.file === null) throw error;
  const nextStep =
    sent.state === 'unknown'
      ? `File ${fileIdOf(sent)} is uploaded; whether its events are published is not known. Look with: ls jobs`
      : `File ${fileIdOf(sent)} is uploaded; its events are not published.`;
  throw new AppError(error.code, error.message, { ...error.details, nextStep }, error);
}
