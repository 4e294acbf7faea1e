/** The thread that reads large answers, so that the main thread never parses one. Built as its own file. */
import { parentPort } from 'node:worker_threads';
import { toAppError } from '../shared/errors.ts';
import { writeExact } from '../shared/exact-json.ts';
import type { AnswerReply, AnswerRequest, Reading } from './answer-protocol.ts';
import { endpoint } from './endpoints.ts';
import type { HttpAnswer } from './http-client.ts';
import { cutJson, type JsonPiece } from './json-pieces.ts';
import { exactPage, exactValue, rawBody } from './read-answer.ts';

const port = parentPort;
if (port === null) throw new Error('The answer worker is started as a worker thread only.');

let decoder = new TextDecoder();
let texts: string[] = [];
let pieces: Iterator<JsonPiece> = [][Symbol.iterator]();

function reply(message: AnswerReply): void {
  port?.postMessage(message);
}

function takeText(): string {
  texts.push(decoder.decode());
  const text = texts.join('');
  texts = [];
  decoder = new TextDecoder();
  return text;
}

function read({ kind, operation, status, encoding, offset }: Reading): unknown {
  const text = takeText();
  const headers: Record<string, string> = encoding === null ? {} : { 'content-encoding': encoding };
  const answer: HttpAnswer = { kind: 'answered', status, headers, text, large: null, sizeBytes: text.length };
  if (kind === 'raw' || operation === null) return rawBody(text);
  const row = endpoint(operation);
  return kind === 'page' ? exactPage(row, offset, answer) : exactValue(row, answer);
}

function next(): void {
  const { done, value } = pieces.next();
  reply(done === true ? { kind: 'done' } : { kind: 'piece', piece: value });
}

port.on('message', (request: AnswerRequest) => {
  try {
    if (request.kind === 'bytes') texts.push(decoder.decode(request.bytes, { stream: true }));
    else if (request.kind === 'next') next();
    else {
      pieces = cutJson(read(request.reading), writeExact);
      next();
    }
  } catch (problem) {
    pieces = [][Symbol.iterator]();
    reply({ kind: 'failed', error: toAppError(problem).toWire() });
  }
});
