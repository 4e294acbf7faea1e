/** A thread that reads files for one owner. It starts at its first use, and ends with its owner or is passed on. */
import type { Clock } from '../../core/ports.ts';
import { AppError } from '../../shared/errors.ts';
import { startUploadWorker, type UploadWorker } from './worker-client.ts';

/**
 * A thread that takes longer than this to end is waiting for an unresponsive disk. Stopping must take no more than two
 * seconds.
 */
const ENDING_MS = 1_500;

export interface FileReader {
  /** Starts the thread, so that it is ready for the first call. */
  start(): void;
  /** Runs an operation. Rejects with AppError; with CANCELLED after `stop`. */
  call: UploadWorker['call'];
  /**
   * Offers the thread, if it is idle, to the next caller of `startUploadWorker`. The next call here may get it again.
   */
  handOn(): Promise<void>;
  /** Ends the thread at once; pending calls are rejected with CANCELLED. */
  stop(): Promise<void>;
}

/** The idle thread does not keep the program from ending. */
export function createFileReader(clock: Clock, start = startUploadWorker): FileReader {
  let worker: UploadWorker | null = null;
  let isStopped = false;
  let calls = 0;
  const reader = (): UploadWorker => {
    if (isStopped) throw new AppError('CANCELLED', 'The file is not read: its connection was closed.');
    if (worker === null || worker.hasEnded) worker = start({ keepsProcess: false });
    return worker;
  };
  return {
    start: () => void reader(),
    call: async (operation, input, options) => {
      calls += 1;
      try {
        return await reader().call(operation, input, options);
      } finally {
        calls -= 1;
      }
    },
    handOn: async () => {
      if (worker === null || calls > 0) return;
      const idle = worker;
      worker = null;
      await idle.release();
    },
    stop: async () => {
      isStopped = true;
      if (worker?.hasEnded !== false) return;
      const late = Promise.withResolvers<void>();
      const cancel = clock.setTimer(late.resolve, ENDING_MS, 'the end of a reading thread');
      await Promise.race([worker.close(), late.promise]);
      cancel();
    },
  };
}
