/** The main thread's side of the thread that indexes and searches a connection's stored data. */

import { Worker } from 'node:worker_threads';
import { wireError } from '../core/jobs/job-record.ts';
import { AppError, fromWire, toAppError } from '../shared/errors.ts';
import { scriptPath } from '../shared/script-path.ts';
import type { SearchAnswer, SearchRequest } from '../shared/search-contract.ts';
import * as z from '../shared/zod.ts';

const reply = z.union([
  // Trusted, because this application's thread built the answer from parsed data.
  z.object({ kind: z.literal('found'), id: z.int(), answer: z.custom<SearchAnswer>() }),
  z.object({ kind: z.literal('followed'), ids: z.array(z.int()), takenOver: z.int() }),
  z.object({ kind: z.literal('failed'), ids: z.array(z.int()), error: wireError }),
]);

export interface SearchThread {
  /** Searches the index. When the signal aborts, the call rejects with CANCELLED and the thread ends the search. */
  find(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer>;
  /** Resolves once the index contains everything stored. */
  follow(signal?: AbortSignal): Promise<void>;
  /** Tells the thread that there are changes, which it then indexes soon. */
  changed(): void;
  readonly hasEnded: boolean;
  /** Ends the thread. Pending calls reject with CANCELLED; resolves once the files are closed. */
  close(): Promise<void>;
}

interface SearchThreadOptions {
  libraryFile: string;
  indexFile: string;
  /** Maximum duration of a search, which then reports that there may be more hits. */
  mostMs: number;
  /** Called when the library can delete changes up to this number. */
  onTakenOver: (seq: number) => void;
  /** Called when the index could not be updated; a search reports this too. */
  onFailure: (error: AppError) => void;
}

type Waiting = PromiseWithResolvers<SearchAnswer | null>;

export function startSearchThread(options: SearchThreadOptions): SearchThread {
  return new ThreadClient(options);
}

class ThreadClient implements SearchThread {
  readonly #worker: Worker;
  readonly #options: SearchThreadOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #exit = Promise.withResolvers<void>();
  #nextId = 1;
  #ended: AppError | null = null;

  constructor(options: SearchThreadOptions) {
    this.#options = options;
    const { libraryFile, indexFile, mostMs } = options;
    const script = new URL(scriptPath('../engine/search-worker.ts', import.meta.url), import.meta.url);
    this.#worker = new Worker(script, { name: 'search', workerData: { libraryFile, indexFile, mostMs } });
    this.#worker.on('message', (message: unknown) => this.#take(message));
    // Lets the program end while the thread runs, unless an answer is pending. Called after the listener was added,
    // because adding one would undo it.
    this.#worker.unref();
    this.#worker.on('error', (problem) => this.#end(toAppError(problem)));
    this.#worker.on('exit', () => {
      this.#end(new AppError('CANCELLED', 'The search was ended.'));
      this.#exit.resolve();
    });
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  async find(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer> {
    const stop = signal === undefined ? null : new Int32Array(new SharedArrayBuffer(4));
    const answer = await this.#ask({ kind: 'find', request, stop }, signal, () => {
      if (stop !== null) Atomics.store(stop, 0, 1);
    });
    if (answer === null) throw new AppError('INTERNAL', 'The search did not answer.');
    return answer;
  }

  async follow(signal?: AbortSignal): Promise<void> {
    await this.#ask({ kind: 'follow' }, signal);
  }

  changed(): void {
    if (this.#ended === null) this.#worker.postMessage({ kind: 'changed' });
  }

  async close(): Promise<void> {
    const isRunning = this.#ended === null;
    if (isRunning) this.#worker.postMessage({ kind: 'close' });
    this.#end(new AppError('CANCELLED', 'The connection was closed during the search.'));
    // Keeps the program from ending before the files are closed.
    this.#worker.ref();
    await this.#exit.promise;
  }

  async #ask(
    request: { kind: 'find'; request: SearchRequest; stop: Int32Array | null } | { kind: 'follow' },
    signal?: AbortSignal,
    onStop?: () => void,
  ): Promise<SearchAnswer | null> {
    if (this.#ended !== null) throw this.#ended;
    const stopped = new AppError('CANCELLED', 'The search was stopped.');
    if (signal?.aborted === true) throw stopped;
    const id = this.#nextId;
    this.#nextId += 1;
    const waiting: Waiting = Promise.withResolvers();
    this.#waiting.set(id, waiting);
    this.#worker.ref();
    this.#worker.postMessage({ ...request, id });
    const onAbort = () => {
      onStop?.();
      this.#settle([id], ({ reject }) => reject(stopped));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await waiting.promise;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #take(message: unknown): void {
    const taken = reply.parse(message);
    if (taken.kind === 'found') this.#settle([taken.id], ({ resolve }) => resolve(taken.answer));
    else if (taken.kind === 'followed') {
      this.#options.onTakenOver(taken.takenOver);
      this.#settle(taken.ids, ({ resolve }) => resolve(null));
    } else {
      const error = fromWire(taken.error);
      if (taken.ids.length === 0) this.#options.onFailure(error);
      this.#settle(taken.ids, ({ reject }) => reject(error));
    }
  }

  #settle(ids: readonly number[], how: (waiting: Waiting) => void): void {
    for (const id of ids) {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (waiting !== undefined) how(waiting);
    }
    if (this.#waiting.size === 0) this.#worker.unref();
  }

  #end(error: AppError): void {
    this.#ended ??= error;
    this.#settle([...this.#waiting.keys()], ({ reject }) => reject(error));
  }
}
