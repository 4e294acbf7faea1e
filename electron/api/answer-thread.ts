/** Runs the thread that reads large answers, from the main thread: one answer at a time, for all connections. */

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Difference } from '../shared/answer-differences.ts';
import { detached } from '../shared/detached.ts';
import { AppError, fromWire, toAppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';
import { scriptPath } from '../shared/script-path.ts';
import type { LargeBody } from './answer-body.ts';
import { SMALLER_PAGE } from './answer-bounds.ts';
import type { AnswerReply, AnswerRequest, Reading, RowSet, ValueForm } from './answer-protocol.ts';
import type { TextPart } from './item-row.ts';
import { JsonBuilder } from './json-pieces.ts';

/** Memory limit. It exceeds what the largest accepted answer needs for its text and values. */
const MAX_HEAP_MB = 400;
/**
 * Size of the young generation. Most objects are short-lived, and with a larger one they would only be collected later.
 */
const MAX_YOUNG_MB = 12;

class AnswerThread {
  readonly #worker: Worker;
  #settle: { resolve: (reply: AnswerReply) => void; reject: (error: AppError) => void } | null = null;
  #ended: AppError | null = null;
  /** Number of bytes read since the thread was started. */
  readBytes = 0;

  constructor() {
    this.#worker = new Worker(new URL(scriptPath('./answer-worker.ts', import.meta.url), import.meta.url), {
      name: 'answers',
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: MAX_YOUNG_MB },
    });
    this.#worker.on('message', (reply: AnswerReply) => this.#take((waiting) => waiting.resolve(reply)));
    // Called after the listener was added, because the listener would otherwise keep the program from ending.
    this.#worker.unref();
    this.#worker.on('error', (problem) => this.#end(endOf(problem)));
    this.#worker.on('exit', () =>
      this.#end(new AppError('INTERNAL', 'The thread that reads answers has ended.')),
    );
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  /** Another thread is started for the next answer. */
  async end(): Promise<void> {
    this.#ended ??= new AppError('INTERNAL', 'The thread that reads answers has ended.');
    await this.#worker.terminate();
  }

  ask(request: AnswerRequest, transferred: MessagePort[] = []): Promise<AnswerReply> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended);
        return;
      }
      this.#settle = { resolve, reject };
      // Keeps the program from ending before a pending answer.
      this.#worker.ref();
      this.#worker.postMessage(request, transferred);
    });
  }

  #take(
    give: (waiting: { resolve: (reply: AnswerReply) => void; reject: (error: AppError) => void }) => void,
  ): void {
    const waiting = this.#settle;
    this.#settle = null;
    this.#worker.unref();
    if (waiting !== null) give(waiting);
  }

  #end(error: AppError): void {
    this.#ended ??= error;
    this.#take((waiting) => waiting.reject(error));
  }
}

function endOf(problem: unknown): AppError {
  const isFull = problem instanceof Error && 'code' in problem && problem.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (!isFull) return toAppError(problem);
  const message = `Reading the answer would take more than ${MAX_HEAP_MB} MB of memory.`;
  return new AppError('ANSWER_TOO_LARGE', message, { nextStep: SMALLER_PAGE }, problem);
}

let thread: AnswerThread | null = null;
let before: Promise<unknown> = Promise.resolve();
/** Number of answers that are being read or wait to be read. */
let readings = 0;

/** Ends the thread. Returns false if it is in use. The next answer starts another one. */
export function endAnswerThread(): boolean {
  if (readings > 0) return false;
  if (thread?.hasEnded === false) detached('ending the thread that reads answers', thread.end());
  thread = null;
  return true;
}

/**
 * Reads the bytes of an answer in the thread. Resolves with the value. Rejects with the AppError that reading it here
 * would throw, or with ANSWER_TOO_LARGE. No step on this thread takes longer than a few milliseconds.
 */
export function readApart(
  answer: LargeBody,
  reading: Reading & ValueForm,
  onDifferences: (differences: readonly Difference[]) => void = () => undefined,
): Promise<unknown> {
  return inTurn(async () => {
    const built = new JsonBuilder(reading.isExact ? parseExact : JSON.parse);
    for await (const reply of repliesTo(answer, reading)) {
      if (reply.kind === 'piece') built.add(reply.piece);
      if (reply.kind === 'differences') onDifferences(reply.differences);
    }
    return built.value;
  });
}

/** Like `readApart`, for an answer to be stored. Its texts are passed on unparsed. */
export function readRowsApart(
  answer: LargeBody,
  reading: Reading,
  onDifferences: (differences: readonly Difference[]) => void,
): Promise<RowSet> {
  return inTurn(async () => {
    const set: RowSet = { rows: [], total: null, offset: reading.offset };
    let parts: TextPart[] = [];
    for await (const reply of repliesTo(answer, { ...reading, isExact: true })) {
      if (reply.kind === 'differences') onDifferences(reply.differences);
      if (reply.kind === 'part') parts.push(reply.part);
      if (reply.kind !== 'rows') continue;
      const { rows, total, offset } = reply.rows;
      for (const row of rows) {
        if (row.parts !== null) parts = [];
        set.rows.push(row.parts === null ? row : { ...row, parts });
      }
      Object.assign(set, { total, offset });
    }
    return set;
  });
}

async function inTurn<T>(read: () => Promise<T>): Promise<T> {
  const mine = before.then(read);
  before = mine.catch(() => undefined);
  readings += 1;
  try {
    return await mine;
  } finally {
    readings -= 1;
  }
}

/** Number of read bytes after which the thread is ended, to free memory that its garbage collector would keep. */
const MAX_READ_BYTES = 8_388_608;

async function* repliesTo(
  { bytes, share }: LargeBody,
  reading: Reading & ValueForm,
): AsyncGenerator<AnswerReply> {
  // Waits a turn, so that every other caller waiting for the same answer holds a share by then.
  await new Promise((resolve) => setImmediate(resolve));
  if (thread === null || thread.hasEnded) thread = new AnswerThread();
  const used = thread;
  used.readBytes += share.bytes;
  try {
    const { port1, port2 } = new MessageChannel();
    bytes.give(port1, share.isLast);
    let reply = await used.ask({ kind: 'read', reading, port: port2 }, [port2]);
    for (; reply.kind !== 'done'; reply = await used.ask({ kind: 'next' })) {
      if (reply.kind === 'failed') throw fromWire(reply.error);
      yield reply;
    }
  } finally {
    if (used.readBytes > MAX_READ_BYTES) await used.end();
  }
}
