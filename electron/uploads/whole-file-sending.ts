/** Sends a whole file in one request or in parts, and has a service job publish its events (SERVICE.md F1.1, F1.4). */
import type { FilePart } from '../api/multipart.ts';
import type { CallOptions, ServiceClient } from '../api/types.ts';
import { AppError } from '../shared/errors.ts';
import type { WholeFileLook } from '../shared/whole-file-contract.ts';
import { type FileState, readFileState } from './file-state.ts';
import { openRaw, readAt } from './readers/raw-file.ts';

/**
 * Maximum size of a file that is sent in one request. The service publishes no limit; it returns an error if it accepts
 * less.
 */
export const PART_BYTES = 16 * 1_024 * 1_024;

const PARQUET_MARK = 'PAR1';

interface WholeSource extends FileState {
  path: string;
  name: string;
}

interface SendingOptions {
  partBytes: number;
  call: CallOptions;
  /** Called with the number of answered parts. If it throws, sending ends. */
  onPart: (partsSent: number) => void;
}

interface PublishTarget {
  modelId: string;
  envType: string;
  envName: string | null;
}

export const partsOf = (sizeBytes: number, partBytes: number): number =>
  Math.max(1, Math.ceil(sizeBytes / partBytes));

/**
 * The number of requests needed to send the file. Throws FILE_* errors, INVALID_ARGUMENT if it is neither CSV nor
 * Parquet.
 */
export async function lookAtWhole(
  fileId: string,
  { path, name }: { path: string; name: string },
): Promise<WholeFileLook> {
  const file = await openRaw(path);
  try {
    const mark = (await readAt(file.handle, path, 0, PARQUET_MARK.length)).toString('latin1');
    const type = typeOf(name, mark === PARQUET_MARK);
    const { sizeBytes } = file.state;
    const parts = partsOf(sizeBytes, PART_BYTES);
    return { fileId, name, sizeBytes, type, parts, requests: requestsOf(parts) };
  } finally {
    await file.close();
  }
}

function typeOf(name: string, isParquet: boolean): WholeFileLook['type'] {
  if (isParquet) return 'PARQUET';
  if (/\.csv$/i.test(name)) return 'CSV';
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected a CSV or Parquet file, got ${name}. Send other files row by row.`,
  );
}

export function requestsOf(parts: number): WholeFileLook['requests'] {
  if (parts === 1) return [{ operation: 'files.upload', count: 1 }];
  return [
    { operation: 'files.multipart-init', count: 1 },
    { operation: 'files.multipart-upload', count: parts },
    { operation: 'files.multipart-complete', count: 1 },
  ];
}

/** Returns the service's record of the file. Throws request errors, FILE_CHANGED if the file has changed. */
export function sendFile(
  client: ServiceClient,
  source: WholeSource,
  options: SendingOptions,
): Promise<Record<string, unknown> & { id: string }> {
  return source.sizeBytes <= options.partBytes
    ? sendAtOnce(client, source, options)
    : sendParts(client, source, options);
}

async function sendAtOnce(client: ServiceClient, source: WholeSource, options: SendingOptions) {
  await checkUnchanged(source);
  const file: FilePart = { name: source.name, source: { kind: 'file', path: source.path } };
  const { value } = await client.call('files.upload', { parts: { file } }, options.call);
  options.onPart(1);
  return value;
}

/**
 * Sends the parts one after another. The service ignores an incomplete file, so a file whose sending failed can be sent
 * again.
 */
async function sendParts(
  client: ServiceClient,
  source: WholeSource,
  { partBytes, call, onPart }: SendingOptions,
) {
  const body = { filename: source.name };
  const { value: begun } = await client.call('files.multipart-init', { body }, call);
  const count = partsOf(source.sizeBytes, partBytes);
  const parts: { number: number; id: string }[] = [];
  for (let number = 1; number <= count; number += 1) {
    await checkUnchanged(source);
    const startByte = (number - 1) * partBytes;
    const sizeBytes = Math.min(partBytes, source.sizeBytes - startByte);
    const file: FilePart = {
      name: source.name,
      source: { kind: 'file', path: source.path, startByte, sizeBytes },
    };
    const input = { parts: { file, file_id: begun.id, part_number: number } };
    const { value } = await client.call('files.multipart-upload', input, call);
    checkPartId(value.part_id, parts);
    parts.push({ number, id: value.part_id });
    onPart(number);
  }
  await checkUnchanged(source);
  const complete = { body: { file_id: begun.id, parts } };
  const { value } = await client.call('files.multipart-complete', complete, call);
  return { ...value, id: begun.id };
}

/** Part ids must differ, otherwise the service would assemble another file. */
function checkPartId(id: string, before: readonly { number: number; id: string }[]): void {
  const same = before.find((part) => part.id === id);
  if (id.trim() !== '' && same === undefined) return;
  const came = same === undefined ? 'got a blank one' : `got the id of part ${same.number}`;
  throw new AppError(
    'ANSWER_INVALID',
    `Expected an id of its own for part ${before.length + 1} of the file; ${came}. Nothing was published. Send the file again.`,
    { outcome: 'answered' },
  );
}

/** Parts from two versions of a file would be assembled to a file that never existed. */
export async function checkUnchanged({ path, name, sizeBytes, mtimeMs }: WholeSource): Promise<void> {
  const now = await readFileState(path);
  if (now.sizeBytes === sizeBytes && now.mtimeMs === mtimeMs) return;
  throw new AppError(
    'FILE_CHANGED',
    `${name} changed after sending started. No rows were published. Choose the file again.`,
    { file: name },
  );
}

/**
 * Asks the service to publish the uploaded file to an environment. Returns the service job. Throws RECEIPT_DOUBTFUL if
 * the answer names neither a job nor events, because the file may or may not have been read.
 */
export async function publishFile(
  client: ServiceClient,
  fileId: string,
  { modelId, envType, envName }: PublishTarget,
  call: CallOptions,
): Promise<{ jobId: string | null }> {
  const body = {
    model_id: modelId,
    env_type: envType,
    ...(envName === null ? {} : { env_name: envName }),
    source: { type: 'FILE', file_id: fileId },
  };
  const { value } = await client.call('events.publish', { body }, call);
  const jobId = value.job?.id.trim() ?? '';
  if (jobId !== '') return { jobId };
  if ((value.event_ids?.length ?? 0) > 0) return { jobId: null };
  throw new AppError(
    'RECEIPT_DOUBTFUL',
    'The service accepted the file for publishing, but its answer is not a receipt: expected the job that reads the file, got none. Whether its events are stored is not known. Nothing is sent again.',
    {
      outcome: 'unknown',
      reason: 'missing',
      nextStep: 'Check the jobs and the row count of the environment before you publish the file again.',
    },
  );
}
