/**
 * Runs in the thread that holds the bytes of large answers until they are read. It scans them and masks the token.
 * Built as a separate file.
 */
import { getEnvironmentData, type MessagePort, parentPort } from 'node:worker_threads';
import { takeFormats } from '../shared/thread-formats.ts';
import { AnswerScan } from './answer-bounds.ts';
import type { ReceiveReply, ReceiveRequest } from './answer-protocol.ts';
import { MaskedPieces } from './token-mask.ts';

takeFormats(getEnvironmentData);

const port = parentPort;
if (port === null) throw new Error('The receive worker is started as a worker thread only.');

interface Received {
  scan: AnswerScan;
  mask: MaskedPieces;
  /** Resizable in place, so that releasing it frees memory at once and growing copies nothing. */
  buffer: ArrayBuffer;
  /** Number of filled bytes. */
  length: number;
}

/** Number of bytes added by one enlargement. */
const STEP_BYTES = 1_048_576;
const answers = new Map<number, Received>();

function append(answer: Received, bytes: Uint8Array): void {
  const { buffer, length } = answer;
  const needed = length + bytes.length;
  if (needed > buffer.byteLength) buffer.resize(Math.min(buffer.maxByteLength, needed + STEP_BYTES));
  new Uint8Array(buffer).set(bytes, length);
  answer.length = needed;
}

function add(id: number, bytes: Uint8Array): ReceiveReply {
  const answer = answers.get(id);
  const found = answer?.scan.add(bytes) ?? null;
  // The bytes of an oversized answer are not kept.
  if (found !== null) answers.delete(id);
  else if (answer !== undefined) append(answer, answer.mask.add(bytes));
  return { id, bytes: bytes.length, found };
}

function give(id: number, to: MessagePort, isLast: boolean): void {
  const answer = answers.get(id);
  if (answer !== undefined) {
    append(answer, answer.mask.end());
    const { buffer, length } = answer;
    buffer.resize(length);
    if (isLast) answers.delete(id);
    to.postMessage(buffer, isLast ? [buffer] : []);
  }
  to.close();
}

port.on('message', (request: ReceiveRequest) => {
  const { kind, id } = request;
  if (kind === 'begin') {
    const { token, mostBytes } = request;
    const buffer = new ArrayBuffer(0, { maxByteLength: mostBytes });
    answers.set(id, { scan: new AnswerScan(), mask: new MaskedPieces(token), buffer, length: 0 });
  } else if (kind === 'bytes') port.postMessage(add(id, request.bytes));
  else if (kind === 'give') give(id, request.port, request.isLast);
  else answers.delete(id);
});
