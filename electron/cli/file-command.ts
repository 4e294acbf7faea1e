/** `upload-file FILE`: a file as a whole (API_FACTS 1.4), and its events by a job of the service. */
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { FilePart } from '../api/multipart.ts';
import type { Session } from '../engine/session.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { JobState } from '../shared/resource-contract.ts';
import type { CommandContext } from './context.ts';
import { followJob } from './follow-job.ts';
import { resolveName } from './names.ts';

/** A file up to this size is one request. No size is published; the service says where it takes less. */
const PART_BYTES = 16 * 1_024 * 1_024;

interface Source {
  path: string;
  name: string;
  sizeBytes: number;
  changedAtMs: number;
}

interface Uploaded {
  id: string;
  record: Record<string, unknown>;
  parts: number;
}

/** With --model its events are published, and the job is followed unless --no-wait. */
export async function uploadFile(context: CommandContext): Promise<void> {
  const { args, output } = context;
  const source = await sourceOf(args.positionals[0]);
  const partBytes = args.wholeNumber('part-bytes', 1) ?? PART_BYTES;
  const session = await context.session();
  const modelName = args.text('model');
  // Before anything is sent: a misspelt model would be found after a long upload.
  const modelId = modelName === null ? null : await resolveName(context, 'models.list', modelName);
  const uploaded =
    source.sizeBytes <= partBytes
      ? await sendWhole(context, session, source)
      : await sendParts(context, session, source, partBytes);
  const published = modelId === null ? null : await publish(context, session, uploaded.id, modelId);
  const ended =
    published?.jobId == null || args.flag('no-wait') ? null : await followJob(context, published.jobId);
  output.answer(
    { file: uploaded.record, parts: uploaded.parts, job: published?.jobId ?? null, ended },
    () => `${uploaded.id}  ${source.name}  ${wordOf(published !== null, ended)}`,
  );
}

function wordOf(isPublished: boolean, ended: JobState | null): string {
  if (!isPublished) return 'uploaded';
  return ended === null ? 'publishing started' : 'published';
}

async function sourceOf(file: string | undefined): Promise<Source> {
  if (file === undefined)
    throw new AppError('INVALID_ARGUMENT', 'upload-file expects FILE: a CSV or Parquet file.');
  const path = resolve(file);
  const found = await stat(path).catch((thrown: unknown) => {
    throw new AppError('FILE_NOT_FOUND', `${file} is not there or cannot be read.`, {}, thrown);
  });
  if (!found.isFile()) throw new AppError('FILE_UNREADABLE', `${file} is no file.`);
  if (found.size === 0) throw new AppError('FILE_EMPTY', `${file} is empty. Nothing was sent.`);
  return { path, name: basename(path), sizeBytes: found.size, changedAtMs: found.mtimeMs };
}

const options = (context: CommandContext) => ({
  priority: 'upload' as const,
  group: 'upload-file',
  signal: context.signal,
});

async function sendWhole(context: CommandContext, { client }: Session, source: Source): Promise<Uploaded> {
  const file: FilePart = { name: source.name, source: { kind: 'file', path: source.path } };
  const { value } = await client.call('files.upload', { parts: { file } }, options(context));
  return { id: value.id, record: value, parts: 1 };
}

/** Parts one after another. A file that is not completed is nothing to the service: what failed can be begun anew. */
async function sendParts(
  context: CommandContext,
  { client }: Session,
  source: Source,
  partBytes: number,
): Promise<Uploaded> {
  const body = { filename: source.name };
  const { value: begun } = await client.call('files.multipart-init', { body }, options(context));
  const count = Math.ceil(source.sizeBytes / partBytes);
  const parts: { number: number; id: string }[] = [];
  for (let number = 1; number <= count; number += 1) {
    context.output.progress(`part ${number} of ${count}`);
    await checkUnchanged(source);
    const startByte = (number - 1) * partBytes;
    const sizeBytes = Math.min(partBytes, source.sizeBytes - startByte);
    const file: FilePart = {
      name: source.name,
      source: { kind: 'file', path: source.path, startByte, sizeBytes },
    };
    const input = { parts: { file, file_id: begun.id, part_number: number } };
    const { value } = await client.call('files.multipart-upload', input, options(context));
    parts.push({ number, id: value.part_id });
  }
  await checkUnchanged(source);
  const complete = { body: { file_id: begun.id, parts } };
  const { value } = await client.call('files.multipart-complete', complete, options(context));
  return { id: begun.id, record: value, parts: count };
}

/** Parts of two states of a file would be a file that never was. */
async function checkUnchanged({ path, name, sizeBytes, changedAtMs }: Source): Promise<void> {
  const now = await stat(path).catch(() => null);
  if (now !== null && now.size === sizeBytes && now.mtimeMs === changedAtMs) return;
  throw new AppError('FILE_CHANGED', `${name} changed while it was being sent. Nothing of it was published.`);
}

/** Throws what sending throws; a lost answer leaves open whether the service publishes, and is said so. */
async function publish(
  context: CommandContext,
  { client }: Session,
  fileId: string,
  modelId: string,
): Promise<{ jobId: string | null }> {
  const envName = context.args.text('env-name');
  const body = {
    model_id: modelId,
    env_type: context.args.text('env-type') ?? 'PRODUCTION',
    ...(envName === null ? {} : { env_name: envName }),
    source: { type: 'FILE', file_id: fileId },
  };
  try {
    const { value } = await client.call('events.publish', { body }, options(context));
    return { jobId: value.job?.id ?? null };
  } catch (thrown) {
    const error = toAppError(thrown);
    const isOpen = error.details.outcome === 'unknown';
    const nextStep = isOpen
      ? `File ${fileId} is uploaded; whether its events are published is not known. Look with: ls jobs`
      : `File ${fileId} is uploaded; its events are not published.`;
    throw new AppError(error.code, error.message, { ...error.details, nextStep }, error);
  }
}
