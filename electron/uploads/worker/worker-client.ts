/** The main thread's side of an upload worker. */
import { Worker } from 'node:worker_threads';
import { AppError, fromWire, toAppError } from '../../shared/errors.ts';
import type { ScanProgress } from '../validate/scan-file.ts';
import type { OperationName, WorkerOperations, WorkerReply, WorkerRequest } from './worker-protocol.ts';

/** Reading stays flat whatever the file; a thread that needs more than this has met a fault of this program. */
const MOST_HEAP_MB = 512;

export interface UploadWorker {
  /** `onProgress` is for `scan`; the thread waits until it returns. Rejects with AppError. */
  call<O extends OperationName>(
    operation: O,
    input: WorkerOperations[O]['input'],
    onProgress?: (progress: ScanProgress) => void,
  ): Promise<WorkerOperations[O]['output']>;
  /** It was closed, or has failed. */
  readonly hasEnded: boolean;
  /** Ends the thread at once; calls that wait are rejected with CANCELLED. */
  close(): Promise<void>;
}

/** `keepsProcess: false`: a thread that waits for its next task does not keep the program from ending. */
export function startUploadWorker(options: { keepsProcess: boolean } = { keepsProcess: true }): UploadWorker {
  return new WorkerClient(options.keepsProcess);
}

/** Runs one operation in a thread of its own. */
export async function runInWorker<O extends OperationName>(
  operation: O,
  input: WorkerOperations[O]['input'],
): Promise<WorkerOperations[O]['output']> {
  const worker = startUploadWorker();
  try {
    return await worker.call(operation, input);
  } finally {
    await worker.close();
  }
}

interface Waiting {
  resolve: (value: never) => void;
  reject: (error: AppError) => void;
  onProgress: ((progress: ScanProgress) => void) | undefined;
}

class WorkerClient implements UploadWorker {
  readonly #thread: Worker;
  readonly #keepsProcess: boolean;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 1;
  #ended: AppError | null = null;

  constructor(keepsProcess: boolean) {
    this.#keepsProcess = keepsProcess;
    const isSource = import.meta.url.endsWith('.ts');
    const file = new URL(isSource ? './upload-worker.ts' : './upload-worker.js', import.meta.url);
    this.#thread = new Worker(file, {
      name: 'uploads',
      resourceLimits: { maxOldGenerationSizeMb: MOST_HEAP_MB },
    });
    this.#thread.on('message', (message: WorkerReply) => this.#take(message));
    this.#thread.on('error', (problem) => this.#end(toAppError(problem)));
    if (!keepsProcess) this.#thread.unref();
    this.#thread.on('exit', () =>
      this.#end(new AppError('CANCELLED', 'The reading of the file was ended.', { outcome: 'unsent' })),
    );
  }

  call<O extends OperationName>(
    operation: O,
    input: WorkerOperations[O]['input'],
    onProgress?: (progress: ScanProgress) => void,
  ): Promise<WorkerOperations[O]['output']> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) {
        reject(this.#ended);
        return;
      }
      const id = this.#nextId;
      this.#nextId += 1;
      this.#waiting.set(id, { resolve, reject, onProgress });
      this.#thread.ref();
      const request = { id, operation, input };
      this.#thread.postMessage(request);
    });
  }

  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #take(message: WorkerReply): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    if (message.kind === 'progress') {
      this.#takeProgress(message.id, waiting, message.progress);
      return;
    }
    this.#waiting.delete(message.id);
    if (this.#waiting.size === 0 && !this.#keepsProcess) this.#thread.unref();
    if (message.kind === 'done') waiting.resolve(message.value as never);
    else waiting.reject(fromWire(message.error));
  }

  #takeProgress(id: number, waiting: Waiting, progress: ScanProgress): void {
    try {
      waiting.onProgress?.(progress);
      const goOn: WorkerRequest = { id, operation: 'go-on' };
      this.#thread.postMessage(goOn);
    } catch (problem) {
      // The store did not take what was found: the reading cannot go on.
      this.#waiting.delete(id);
      waiting.reject(toAppError(problem));
    }
  }

  #end(error: AppError): void {
    this.#ended ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
