/** Runs the thread that compares runs, from the main thread; one request at a time. */
import { Worker } from 'node:worker_threads';
import { AppError, fromWire, toAppError, type WireError } from '../shared/errors.ts';
import { type RunRef, runKey } from '../shared/run-comparison.ts';
import { scriptPath } from '../shared/script-path.ts';
import type { StoredAnswer, StoredRequest } from './stored-comparison.ts';

export interface ComparisonFiles {
  libraryFile: string;
  datasetsFile: string;
  /** Folder for the columns of large runs. It need not exist. */
  columnsFolder: string;
}
export type ComparisonReply = { answer: StoredAnswer } | { error: WireError };

/**
 * Memory limit. It is enough for the columns of eight runs of 100,000 items with several scores, and for the texts of a
 * search.
 */
const MAX_HEAP_MB = 600;

/** Deletes the stored columns of a run. Throws file errors. */
type RemoveColumns = (folder: string, runKey: string) => void;

interface Running {
  worker: Worker;
  settle: PromiseWithResolvers<StoredAnswer> | null;
}

export class ComparisonThread {
  readonly #files: ComparisonFiles;
  readonly #removeColumns: RemoveColumns;
  #running: Running | null = null;
  #before: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** The thread starts with the first request, and keeps the columns of the latest runs. */
  constructor(files: ComparisonFiles, removeColumns: RemoveColumns) {
    this.#files = files;
    this.#removeColumns = removeColumns;
  }

  /** Throws STORE_* errors, ANSWER_TOO_LARGE if memory is insufficient, and CANCELLED. */
  ask(request: StoredRequest): Promise<StoredAnswer> {
    const mine = this.#before.then(() => this.#ask(request));
    this.#before = mine.catch(() => undefined);
    return mine;
  }

  /** Deletes the stored columns of a removed run. Rejects with file errors. */
  async forget(run: RunRef): Promise<void> {
    const remove = () => this.#removeColumns(this.#files.columnsFolder, runKey(run));
    remove();
    // A pending request may have read the run before it was removed, and may store its columns.
    await this.#before;
    remove();
  }

  /** Rejects pending requests with CANCELLED. Resolves once the files are closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end(this.#running, closed());
  }

  #ask(request: StoredRequest): Promise<StoredAnswer> {
    if (this.#isClosed) throw closed();
    this.#running ??= this.#start();
    const settle = Promise.withResolvers<StoredAnswer>();
    this.#running.settle = settle;
    // Keeps the program from ending before a pending answer.
    this.#running.worker.ref();
    this.#running.worker.postMessage(request);
    return settle.promise;
  }

  #start(): Running {
    const script = new URL(scriptPath('../engine/comparison-worker.ts', import.meta.url), import.meta.url);
    const worker = new Worker(script, {
      name: 'comparison',
      workerData: this.#files,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    const running: Running = { worker, settle: null };
    worker.on('message', (reply: ComparisonReply) => {
      worker.unref();
      if ('answer' in reply) running.settle?.resolve(reply.answer);
      else running.settle?.reject(fromWire(reply.error));
    });
    // Called after the listener was added, because the listener would otherwise keep the program from ending.
    worker.unref();
    worker.on('error', (problem) => void this.#end(running, endOf(problem)));
    worker.on(
      'exit',
      () => void this.#end(running, new AppError('INTERNAL', 'The thread that compares runs has ended.')),
    );
    return running;
  }

  async #end(running: Running | null, error: AppError): Promise<void> {
    if (running === null) return;
    if (this.#running === running) this.#running = null;
    running.settle?.reject(error);
    await running.worker.terminate();
  }
}

const closed = () => new AppError('CANCELLED', 'The connection was closed while its runs were compared.');

function endOf(problem: unknown): AppError {
  const isFull = problem instanceof Error && 'code' in problem && problem.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (!isFull) return toAppError(problem);
  const message = `Comparing these runs would take more than ${MAX_HEAP_MB} MB of memory.`;
  return new AppError('ANSWER_TOO_LARGE', message, {}, problem);
}
