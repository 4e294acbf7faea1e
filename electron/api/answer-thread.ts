/** The main thread's side of the thread that reads large answers: one answer at a time, for all connections. */
import { Worker } from 'node:worker_threads';
import { AppError, fromWire, toAppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';
import type { AnswerReply, AnswerRequest, Reading, ValueForm } from './answer-protocol.ts';
import { JsonBuilder } from './json-pieces.ts';

/** Text and values of the largest answer that is let through fit with room to spare. */
const MOST_HEAP_MB = 400;
/** Copied to the thread in one go. */
const POST_BYTES = 4_194_304;

class AnswerThread {
  readonly #worker: Worker;
  #settle: { resolve: (reply: AnswerReply) => void; reject: (error: AppError) => void } | null = null;
  #ended: AppError | null = null;

  constructor() {
    const isSource = import.meta.url.endsWith('.ts');
    this.#worker = new Worker(
      new URL(isSource ? './answer-worker.ts' : './answer-worker.js', import.meta.url),
      {
        name: 'answers',
        resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
      },
    );
    this.#worker.unref();
    this.#worker.on('message', (reply: AnswerReply) => this.#take((waiting) => waiting.resolve(reply)));
    this.#worker.on('error', (problem) => this.#end(endOf(problem)));
    this.#worker.on('exit', () =>
      this.#end(new AppError('INTERNAL', 'The thread that reads answers has ended.')),
    );
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  post(request: AnswerRequest): void {
    this.#worker.postMessage(request);
  }

  ask(request: AnswerRequest): Promise<AnswerReply> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended);
        return;
      }
      this.#settle = { resolve, reject };
      // A program that waits for an answer does not end before it.
      this.#worker.ref();
      this.post(request);
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
  const message = `Reading the answer would take more than ${MOST_HEAP_MB} MB of memory. Ask for a smaller page.`;
  return new AppError('ANSWER_TOO_LARGE', message, {}, problem);
}

let thread: AnswerThread | null = null;
let before: Promise<unknown> = Promise.resolve();

/**
 * Reads the bytes of an answer apart. Resolves with the value; rejects with the AppError that reading it
 * here would throw, or ANSWER_TOO_LARGE. Nothing here takes longer than a few milliseconds at a time.
 */
export function readApart(
  bytes: readonly Uint8Array[],
  { isExact, ...reading }: Reading & ValueForm,
): Promise<unknown> {
  const mine = before.then(() => readNow(bytes, reading, isExact));
  before = mine.catch(() => undefined);
  return mine;
}

async function readNow(bytes: readonly Uint8Array[], reading: Reading, isExact: boolean): Promise<unknown> {
  if (thread === null || thread.hasEnded) thread = new AnswerThread();
  const used = thread;
  let posted = 0;
  for (const each of bytes) {
    used.post({ kind: 'bytes', bytes: each });
    posted += each.length;
    if (posted < POST_BYTES) continue;
    posted = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const built = new JsonBuilder(isExact ? parseExact : JSON.parse);
  let reply = await used.ask({ kind: 'read', reading });
  for (; reply.kind === 'piece'; reply = await used.ask({ kind: 'next' })) built.add(reply.piece);
  if (reply.kind === 'failed') throw fromWire(reply.error);
  return built.value;
}
