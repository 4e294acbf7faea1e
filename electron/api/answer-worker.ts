/** Runs in the thread that reads large answers, so that the main thread never parses one. Built as a separate file. */
import { isUtf8 } from 'node:buffer';
import { getEnvironmentData, type MessagePort, parentPort } from 'node:worker_threads';
import type { Difference } from '../shared/answer-differences.ts';
import { toAppError } from '../shared/errors.ts';
import { writeExact } from '../shared/exact-json.ts';
import { takeFormats } from '../shared/thread-formats.ts';
import type { AnswerReply, AnswerRequest, Reading, RowSet, ValueForm } from './answer-protocol.ts';
import { endpoint } from './endpoints.ts';
import type { HttpAnswer } from './http-client.ts';
import { cutJson } from './json-pieces.ts';
import { exactPage, exactRows, exactValue, rawBody } from './read-answer.ts';

takeFormats(getEnvironmentData);

const port = parentPort;
if (port === null) throw new Error('The answer worker is started as a worker thread only.');

let replies: Iterator<AnswerReply> = [][Symbol.iterator]();

function reply(message: AnswerReply): void {
  port?.postMessage(message, message.kind === 'part' ? [message.part.bytes.buffer] : []);
}

/** Receives all bytes from the other thread. */
function receive(from: MessagePort): Promise<ArrayBuffer> {
  return new Promise((resolve, reject) => {
    from.once('message', resolve);
    from.once('close', () => reject(new Error('The bytes of the answer are gone.')));
  });
}

/** Frees the memory of the bytes at once, because the garbage collector would keep tens of MB. */
function textOf(buffer: ArrayBuffer): { text: string; isUtf8: boolean } {
  const bytes = new Uint8Array(buffer);
  const read = { text: new TextDecoder().decode(bytes), isUtf8: isUtf8(bytes) };
  buffer.transferToFixedLength(0);
  return read;
}

/** Lazy: a text is split only when its parts are requested. */
function read(
  { kind, operation, status, encoding, offset, isExact }: Reading & ValueForm,
  buffer: ArrayBuffer,
): Iterator<AnswerReply> {
  const { text, ...encoded } = textOf(buffer);
  const headers: Record<string, string> = encoding === null ? {} : { 'content-encoding': encoding };
  const sizeBytes = text.length;
  const answer: HttpAnswer = { kind: 'answered', status, headers, text, ...encoded, large: null, sizeBytes };
  const found = new Map<string, Difference>();
  const onDifferences = (differences: readonly Difference[]) => {
    for (const each of differences) if (found.size < MAX_DIFFERENCES) found.set(JSON.stringify(each), each);
  };
  if (kind === 'raw' || operation === null)
    return withDifferences(piecesOf(rawBody(answer, onDifferences)), found);
  const form = { row: endpoint(operation), isExact, onDifferences };
  const replied =
    kind === 'page'
      ? piecesOf(exactPage(form, offset, answer))
      : kind === 'value'
        ? piecesOf(exactValue(form, answer))
        : rowsOf(exactRows(kind, form, offset, answer));
  return withDifferences(replied, found);
}

/** Maximum number of differing fields that are reported. Each is reported once, after the records. */
const MAX_DIFFERENCES = 200;

function* withDifferences(
  replied: Iterable<AnswerReply>,
  found: ReadonlyMap<string, Difference>,
): Generator<AnswerReply> {
  yield* replied;
  if (found.size > 0) yield { kind: 'differences', differences: [...found.values()] };
}

function* piecesOf(value: unknown): Generator<AnswerReply> {
  for (const piece of cutJson(value, writeExact)) yield { kind: 'piece', piece };
}

/** Number of characters copied to the main thread in one message, and the cost of a row in addition to its texts. */
const REPLY_CHARS = 65_536;
const CHARS_A_ROW = 200;

function* rowsOf({ rows, total, offset }: ReturnType<typeof exactRows>): Generator<AnswerReply> {
  let group: RowSet['rows'] = [];
  let characters = 0;
  for (const row of rows) {
    const { parts } = row;
    group.push(parts === null ? row : { ...row, parts: [] });
    characters += CHARS_A_ROW + row.record.length + (row.shownText?.length ?? 0);
    if (parts === null && characters < REPLY_CHARS) continue;
    yield { kind: 'rows', rows: { rows: group, total, offset } };
    group = [];
    characters = 0;
    for (const part of parts ?? []) yield { kind: 'part', part };
  }
  yield { kind: 'rows', rows: { rows: group, total, offset } };
}

function next(): void {
  const { done, value } = replies.next();
  reply(done === true ? { kind: 'done' } : value);
}

async function answer(request: AnswerRequest): Promise<void> {
  try {
    if (request.kind === 'read') replies = read(request.reading, await receive(request.port));
    next();
  } catch (problem) {
    replies = [][Symbol.iterator]();
    reply({ kind: 'failed', error: toAppError(problem).toWire() });
  }
}

port.on('message', (request: AnswerRequest) => void answer(request));
