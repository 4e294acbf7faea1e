/** Runs the thread that orders the rows of large lists, from the main thread; one step at a time. */
import { Worker } from 'node:worker_threads';
import type { SpanSession } from '../core/spans/sessions.ts';
import { AppError, fromWire, toAppError, type WireError } from '../shared/errors.ts';
import { writeExact } from '../shared/exact-json.ts';
import { scriptPath } from '../shared/script-path.ts';
import type { OrderQuery } from './order-steps.ts';
import type { Positions } from './positions.ts';
import type { SessionQuery, SessionReply } from './session-reader.ts';
import type { Slices } from './slices.ts';

/**
 * Messages between the threads. A request is JSON, which keeps the digits of numbers; positions are bytes. A request
 * without a step asks for the sessions of the rows. These are sent as JSON in parts, which are parsed with pauses.
 */
export interface OrderRequest {
  query: string;
  within: Positions | null;
}
export type ThreadQuery = OrderQuery | (SessionQuery & { step: null; within: null });
/** `usedBytes`: memory of the thread after the step. */
export type OrderReply =
  | { kind: 'ordered'; positions: Positions | null; usedBytes: number }
  | { kind: 'grouped'; reply: Omit<SessionReply, 'sessions'>; parts: string[]; usedBytes: number }
  | { kind: 'failed'; error: WireError; usedBytes: number };

/** Memory limit. It exceeds what the longest stored record needs, together with its text and values. */
const MAX_HEAP_MB = 400;
/** Memory use above which the thread is ended to free its memory. */
const MAX_KEPT_BYTES = 67_108_864;

interface Running {
  worker: Worker;
  settle: PromiseWithResolvers<OrderReply> | null;
}

export class OrderThread {
  readonly #libraryFile: string;
  #running: Running | null = null;
  #before: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** The thread starts with the first request. */
  constructor(libraryFile: string) {
    this.#libraryFile = libraryFile;
  }

  /** Returns the result of `runStep`. Throws its errors, ANSWER_TOO_LARGE if memory is insufficient, CANCELLED. */
  async run(query: OrderQuery): Promise<Positions | null> {
    const reply = await this.#inTurn(query);
    return reply.kind === 'ordered' ? reply.positions : null;
  }

  /** Returns the result of a `SessionReader`. Throws the same errors as `run`. */
  async sessions(query: SessionQuery, slices: Slices): Promise<SessionReply> {
    const answer = await this.#inTurn({ ...query, step: null, within: null });
    if (answer.kind !== 'grouped')
      throw new AppError('INTERNAL', 'The thread that sorts rows did not group.');
    const sessions: SpanSession[] = [];
    for (const part of answer.parts) {
      // The cast is safe, because the thread wrote this JSON.
      sessions.push(...(JSON.parse(part) as SpanSession[]));
      await slices.pause();
    }
    return { ...answer.reply, sessions };
  }

  #inTurn(query: ThreadQuery): Promise<OrderReply> {
    const mine = this.#before.then(() => this.#ask(query));
    this.#before = mine.catch(() => undefined);
    return mine;
  }

  /** Rejects pending requests with CANCELLED. Resolves once the file is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end(
      this.#running,
      new AppError('CANCELLED', 'The connection was closed while its rows were sorted.'),
    );
  }

  async #ask({ within, ...query }: ThreadQuery): Promise<OrderReply> {
    if (this.#isClosed)
      throw new AppError('CANCELLED', 'The connection was closed while its rows were sorted.');
    this.#running ??= this.#start();
    const running = this.#running;
    const settle = Promise.withResolvers<OrderReply>();
    running.settle = settle;
    // Keeps the program from ending before a pending answer.
    running.worker.ref();
    const request: OrderRequest = { query: writeExact(query), within };
    running.worker.postMessage(request);
    const reply = await settle.promise;
    if (reply.usedBytes > MAX_KEPT_BYTES) await this.#end(running, null);
    if (reply.kind === 'failed') throw fromWire(reply.error);
    return reply;
  }

  #start(): Running {
    const script = new URL(scriptPath('../engine/order-worker.ts', import.meta.url), import.meta.url);
    const worker = new Worker(script, {
      name: 'orders',
      workerData: { libraryFile: this.#libraryFile },
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const running: Running = { worker, settle: null };
    worker.on('message', (reply: OrderReply) => {
      worker.unref();
      running.settle?.resolve(reply);
    });
    // Called after the listener was added, because the listener would otherwise keep the program from ending.
    worker.unref();
    worker.on('error', (problem) => void this.#end(running, endOf(problem)));
    worker.on(
      'exit',
      () => void this.#end(running, new AppError('INTERNAL', 'The thread that sorts rows has ended.')),
    );
    return running;
  }

  async #end(running: Running | null, error: AppError | null): Promise<void> {
    if (running === null) return;
    if (this.#running === running) this.#running = null;
    if (error !== null) running.settle?.reject(error);
    await running.worker.terminate();
  }
}

function endOf(problem: unknown): AppError {
  const isFull = problem instanceof Error && 'code' in problem && problem.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (!isFull) return toAppError(problem);
  const message = `Sorting or searching these rows would take more than ${MAX_HEAP_MB} MB of memory.`;
  return new AppError('ANSWER_TOO_LARGE', message, {}, problem);
}
