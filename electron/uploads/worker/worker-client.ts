/** The main thread's side of an upload worker. */
import { Worker } from 'node:worker_threads';
import type { Clock } from '../../core/ports.ts';
import { type StallLimits, watchForStall } from '../../core/stall-watch.ts';
import { detached } from '../../shared/detached.ts';
import { AppError, fromWire, toAppError } from '../../shared/errors.ts';
import { scriptPath } from '../../shared/script-path.ts';
import { Heartbeat } from '../heartbeat.ts';
import type { ScanProgress } from '../validate/scan-file.ts';
import type { OperationName, WorkerOperations, WorkerReply, WorkerRequest } from './worker-protocol.ts';

/** Memory limit. Reading needs constant memory for any file, so a thread that exceeds this has hit a bug. */
const MAX_HEAP_MB = 512;

/** Maximum wait for a thread to end. One that takes longer is waiting for an unresponsive disk. */
const ENDING_MS = 5_000;

/** Settings that decide when a thread without progress is ended. */
export interface StallWatch {
  clock: Clock;
  limits: StallLimits;
  /**
   * Builds the rejection error. `sourceBytes`: number of source bytes read so far; `cause`: the thread's fatal error.
   */
  asError: (sourceBytes: number, cause?: unknown) => AppError;
}

interface CallOptions {
  /** Receives the reports of `scan`. The thread waits until it returns. */
  onProgress?: (progress: ScanProgress) => void;
  /** Watches operations that report to the heartbeat: `unpack` and `list-members`. A stall ends the whole thread. */
  stall?: StallWatch;
}

export interface UploadWorker {
  /** Runs an operation in the thread. Rejects with AppError. */
  call<O extends OperationName>(
    operation: O,
    input: WorkerOperations[O]['input'],
    options?: CallOptions,
  ): Promise<WorkerOperations[O]['output']>;
  /** True if the thread was closed or has failed. */
  readonly hasEnded: boolean;
  /** Ends the thread at once; pending calls are rejected with CANCELLED. */
  close(): Promise<void>;
  /**
   * Keeps an idle thread for the next `startUploadWorker`, because starting one takes longer than checking a small
   * file. Ends the thread if another one is already kept, or if it is not idle.
   */
  release(): Promise<void>;
}

/** `keepsProcess: false`: the program can end while the thread is idle. */
export function startUploadWorker(options: { keepsProcess: boolean } = { keepsProcess: true }): UploadWorker {
  const ready = spare;
  spare = null;
  if (ready === null || ready.hasEnded) return new WorkerClient(options.keepsProcess);
  ready.keepProcess(options.keepsProcess);
  return ready;
}

/** A thread that is ready and not in use. */
let spare: WorkerClient | null = null;

/** Ends the thread that was released last, unless it is in use again. */
export async function endSpareWorker(): Promise<void> {
  const ready = spare;
  spare = null;
  if (ready?.hasEnded === false) await ready.close();
}

/** Runs one operation in a separate thread. `signal` ends the thread, and rejects with CANCELLED. */
export async function runInWorker<O extends OperationName>(
  operation: O,
  input: WorkerOperations[O]['input'],
  { signal, ...options }: CallOptions & { signal?: AbortSignal } = {},
): Promise<WorkerOperations[O]['output']> {
  if (signal?.aborted === true) throw readingEnded();
  const worker = startUploadWorker();
  const end = () => detached('ending a reading thread', worker.close());
  signal?.addEventListener('abort', end);
  try {
    return await worker.call(operation, input, options);
  } finally {
    signal?.removeEventListener('abort', end);
    if (!worker.hasEnded) await worker.close();
  }
}

const readingEnded = () =>
  new AppError('CANCELLED', 'The reading of the file was ended.', { outcome: 'unsent' });

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: AppError) => void;
  onProgress: ((progress: ScanProgress) => void) | undefined;
  stall: StallWatch | undefined;
  endWatch: () => void;
}

class WorkerClient implements UploadWorker {
  readonly #thread: Worker;
  #keepsProcess: boolean;
  readonly #heartbeat = new Heartbeat();
  readonly #waiting = new Map<number, Waiting>();
  /** Calls made in this turn of the event loop. They are sent in one message, because each message wakes the thread. */
  readonly #unsent: WorkerRequest[] = [];
  #nextId = 1;
  #ended: AppError | null = null;

  constructor(keepsProcess: boolean) {
    this.#keepsProcess = keepsProcess;
    const file = new URL(scriptPath('./upload-worker.ts', import.meta.url), import.meta.url);
    this.#thread = new Worker(file, {
      name: 'uploads',
      workerData: this.#heartbeat.shared,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    this.#thread.on('message', (message: WorkerReply) => this.#take(message));
    this.#thread.on('error', (problem) => this.#end(toAppError(problem), problem));
    if (!keepsProcess) this.#thread.unref();
    this.#thread.on('exit', () => this.#end(readingEnded()));
  }

  call<O extends OperationName>(
    operation: O,
    input: WorkerOperations[O]['input'],
    { onProgress, stall }: CallOptions = {},
  ): Promise<WorkerOperations[O]['output']> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended);
        return;
      }
      const id = this.#nextId;
      this.#nextId += 1;
      const endWatch = stall === undefined ? () => undefined : this.#watch(id, stall);
      this.#waiting.set(id, { resolve, reject, onProgress, stall, endWatch });
      this.#thread.ref();
      this.#send({ id, operation, input } as WorkerRequest);
    });
  }

  #send(request: WorkerRequest): void {
    this.#unsent.push(request);
    if (this.#unsent.length === 1) queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    const requests = this.#unsent.splice(0);
    try {
      this.#thread.postMessage(requests);
    } catch (problem) {
      // The only possible failure is a value that cannot be cloned.
      for (const { id } of requests) {
        const waiting = this.#waiting.get(id);
        this.#waiting.delete(id);
        waiting?.endWatch();
        waiting?.reject(toAppError(problem));
      }
    }
  }

  /** Whether the thread keeps the program from ending while it is idle. */
  keepProcess(keepsProcess: boolean): void {
    this.#keepsProcess = keepsProcess;
    if (keepsProcess) this.#thread.ref();
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  async close(): Promise<void> {
    this.#end(readingEnded());
    await this.#thread.terminate();
  }

  async release(): Promise<void> {
    const isSpareReady = spare !== null && !spare.hasEnded;
    if (this.hasEnded || isSpareReady || this.#waiting.size > 0) return this.close();
    this.#keepsProcess = false;
    this.#thread.unref();
    spare = this;
  }

  #watch(id: number, { clock, limits, asError }: StallWatch): () => void {
    const look = () => ({
      progress: this.#heartbeat.beats,
      waitedMs: this.#thread.performance.eventLoopUtilization().idle,
    });
    const onStall = async () => {
      const waiting = this.#waiting.get(id);
      if (waiting === undefined) return;
      this.#waiting.delete(id);
      const error = asError(this.#heartbeat.sourceBytes);
      this.#end(readingEnded());
      const late = Promise.withResolvers<void>();
      const cancelTimer = clock.setTimer(() => late.resolve(), ENDING_MS);
      await Promise.race([this.close(), late.promise]);
      cancelTimer();
      waiting.reject(error);
    };
    return watchForStall({ clock, limits, look, onStall });
  }

  #take(message: WorkerReply): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    if (message.kind === 'progress') {
      this.#takeProgress(message.id, waiting, message.progress);
      return;
    }
    this.#waiting.delete(message.id);
    waiting.endWatch();
    if (this.#waiting.size === 0 && !this.#keepsProcess) this.#thread.unref();
    if (message.kind === 'done') waiting.resolve(message.value as never);
    else waiting.reject(fromWire(message.error));
  }

  #takeProgress(id: number, waiting: Waiting, progress: ScanProgress): void {
    try {
      waiting.onProgress?.(progress);
      this.#send({ id, operation: 'continue' });
    } catch (problem) {
      // The report could not be stored, so the scan cannot continue.
      this.#waiting.delete(id);
      waiting.endWatch();
      waiting.reject(toAppError(problem));
    }
  }

  /**
   * `cause`: the thread's fatal error. An uncaught error of a library in a watched call means that the file is damaged.
   */
  #end(error: AppError, cause?: unknown): void {
    this.#ended ??= error;
    for (const { reject, endWatch, stall } of this.#waiting.values()) {
      endWatch();
      const isOfFile = cause !== undefined && stall !== undefined;
      reject(isOfFile ? stall.asError(this.#heartbeat.sourceBytes, cause) : error);
    }
    this.#waiting.clear();
  }
}
