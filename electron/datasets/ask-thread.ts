/** Runs a thread that answers one question and then ends. */

import { Worker } from 'node:worker_threads';
import { detached } from '../shared/detached.ts';
import { AppError, fromWire, toAppError, type WireError } from '../shared/errors.ts';

/** The only message that the thread sends. */
export type ThreadReply<Answer> = { answer: Answer } | { error: WireError };

interface ThreadRequest {
  script: URL;
  name: string;
  /** Name of the work, as the subject of the sentence that it was interrupted. */
  what: string;
  request: object;
}

/** Rejects with the thread's error, and with CANCELLED if `signal` aborts it. */
export function askThread<Answer>(
  { script, name, what, request }: ThreadRequest,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { name, workerData: request });
    const end = () => {
      reject(new AppError('CANCELLED', `${what} was ended before it was done.`));
      detached(`ending the thread of ${name}`, worker.terminate());
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    worker.on('exit', () => signal.removeEventListener('abort', end));
    worker.on('message', (reply: ThreadReply<Answer>) => {
      if ('answer' in reply) resolve(reply.answer);
      else reject(fromWire(reply.error));
    });
    worker.on('error', (problem) => reject(toAppError(problem)));
    worker.on('exit', () => reject(new AppError('INTERNAL', `${what} has lost its thread.`)));
  });
}
