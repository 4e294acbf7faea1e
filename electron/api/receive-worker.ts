/** The thread that has the bytes of large answers until they are read: it looks at them and masks the token. Built as its own file. */
import { type MessagePort, parentPort } from 'node:worker_threads';
import { AnswerScan } from './answer-bounds.ts';
import type { ReceiveReply, ReceiveRequest } from './answer-protocol.ts';
import { MaskedPieces } from './token-mask.ts';

const port = parentPort;
if (port === null) throw new Error('The receive worker is started as a worker thread only.');

interface Received {
  scan: AnswerScan;
  mask: MaskedPieces;
  pieces: Uint8Array<ArrayBuffer>[];
}

const answers = new Map<number, Received>();

function add(id: number, bytes: Uint8Array): ReceiveReply {
  const answer = answers.get(id);
  const found = answer?.scan.add(bytes) ?? null;
  // What is too much is not kept.
  if (found !== null) answers.delete(id);
  else answer?.pieces.push(alone(answer.mask.add(bytes)));
  return { id, bytes: bytes.length, found };
}

/** With a buffer of its own, that can be handed over: a short piece is part of a pool. */
function alone(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes);
}

function give(id: number, to: MessagePort, isLast: boolean): void {
  const answer = answers.get(id);
  if (answer === undefined) {
    to.close();
    return;
  }
  const pieces = [...answer.pieces, alone(answer.mask.rest())];
  if (isLast) answers.delete(id);
  to.postMessage(pieces, isLast ? pieces.map(({ buffer }) => buffer) : []);
  to.close();
}

port.on('message', (request: ReceiveRequest) => {
  const { kind, id } = request;
  if (kind === 'begin') {
    answers.set(id, { scan: new AnswerScan(), mask: new MaskedPieces(request.token), pieces: [] });
  } else if (kind === 'bytes') port.postMessage(add(id, request.bytes));
  else if (kind === 'give') give(id, request.port, request.isLast);
  else answers.delete(id);
});
