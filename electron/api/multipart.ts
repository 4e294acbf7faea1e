/**
 * Builds bodies of multipart/form-data (RFC 7578) from the parts of an endpoint row, which are read while they are
 * sent.
 */

import { cutText } from '../shared/cut-text.ts';
import { AppError } from '../shared/errors.ts';
import type { Endpoint } from './endpoints.ts';
import { type MeasuredPart, measurePart, type OpenPart, type Parts, type PartValue } from './file-part.ts';
import { operationText } from './request-target.ts';

export type { FilePart } from './file-part.ts';

/** A body that is read while it is sent. It is opened again for each attempt. */
export interface StreamedBody {
  contentType: string;
  sizeBytes: number;
  /** Throws AppError if the body is no longer available; then nothing was sent. */
  open(): Promise<OpenPart>;
}

const MAX_NAME_CHARS = 255;
const encoder = new TextEncoder();

/**
 * Checks the parts against the row and measures the files. `boundary` must not occur in a part; a random uuid does not.
 * Throws INVALID_ARGUMENT, FILE_NOT_FOUND, FILE_UNREADABLE; then nothing was sent.
 */
export async function prepareMultipart(
  row: Endpoint,
  parts: Parts | undefined,
  boundary: string,
): Promise<StreamedBody> {
  const pieces = checkParts(row, parts ?? {}).toSorted(
    // Fields that say where a file belongs must precede the file.
    (a, b) => Number(typeof a.value === 'object') - Number(typeof b.value === 'object'),
  );
  const sections = await Promise.all(pieces.map(({ name, value }) => section(name, value, boundary)));
  const end = encoder.encode(`--${boundary}--\r\n`);
  const sizeBytes = sections.reduce(
    (sum, { head, part }) => sum + head.length + part.sizeBytes + 2,
    end.length,
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    sizeBytes,
    open: () => openAll(sections, end),
  };
}

function checkParts(row: Endpoint, parts: Parts): { name: string; value: PartValue }[] {
  const operation = operationText(row);
  const refuse = (message: string): never => {
    throw new AppError('INVALID_ARGUMENT', `${operation}: ${message}`, { operation, outcome: 'unsent' });
  };
  const expected = row.multipart ?? {};
  for (const name of Object.keys(parts)) {
    if (!Object.hasOwn(expected, name))
      refuse(`there is no part "${cutText(name, 60)}". Expected ${Object.keys(expected).join(', ')}.`);
  }
  return Object.entries(expected).map(([name, kind]) => {
    const value = Object.hasOwn(parts, name) ? parts[name] : undefined;
    const problem = partProblem(kind, value);
    if (value === undefined || problem !== null) return refuse(`the part ${name} ${problem}.`);
    return { name, value };
  });
}

function partProblem(kind: 'file' | 'text' | 'number', value: PartValue | undefined): string | null {
  if (value === undefined) return 'is missing';
  if (kind === 'number') return Number.isSafeInteger(value) ? null : 'is not a whole number';
  if (kind === 'text') {
    if (typeof value !== 'string') return 'is not text';
    return value.isWellFormed() ? null : 'contains an incomplete character';
  }
  if (typeof value !== 'object') return 'is not a file';
  const isNamed = value.name !== '' && value.name.length <= MAX_NAME_CHARS && value.name.isWellFormed();
  return isNamed ? null : `has no file name of 1 to ${MAX_NAME_CHARS} characters`;
}

interface Section {
  head: Uint8Array;
  part: MeasuredPart;
}

async function section(name: string, value: PartValue, boundary: string): Promise<Section> {
  const isFile = typeof value === 'object';
  const fileName = isFile ? `; filename="${quoted(value.name)}"` : '';
  const type = isFile ? 'Content-Type: application/octet-stream\r\n' : '';
  const disposition = `Content-Disposition: form-data; name="${quoted(name)}"${fileName}\r\n`;
  const part = isFile
    ? value
    : { name, source: { kind: 'bytes' as const, bytes: encoder.encode(String(value)) } };
  return {
    head: encoder.encode(`--${boundary}\r\n${disposition}${type}\r\n`),
    part: await measurePart(part),
  };
}

/**
 * Encodes names as browsers do: characters that would end the header or the quotes are percent-encoded, all others are
 * UTF-8.
 */
function quoted(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

/** Opens all parts. If one cannot be opened, the earlier ones are closed. */
async function openAll(sections: readonly Section[], end: Uint8Array): Promise<OpenPart> {
  const opened: { head: Uint8Array; part: OpenPart }[] = [];
  const close = async () => {
    await Promise.all(opened.map(({ part }) => part.close()));
  };
  try {
    for (const { head, part } of sections) opened.push({ head, part: await part.open() });
  } catch (problem) {
    await close();
    throw problem;
  }
  return { chunks: join(opened, end), close };
}

async function* join(
  opened: readonly { head: Uint8Array; part: OpenPart }[],
  end: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const lineEnd = encoder.encode('\r\n');
  for (const { head, part } of opened) {
    yield head;
    yield* part.chunks;
    yield lineEnd;
  }
  yield end;
}
