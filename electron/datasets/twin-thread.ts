/** The main thread's side of finding twins: one thread a search, which ends with it. */
import { Worker } from 'node:worker_threads';
import type { Mapping } from '../shared/dataset-model.ts';
import { AppError, fromWire, toAppError, type WireError } from '../shared/errors.ts';
import type { SpanTwin } from '../shared/twin-model.ts';

export interface TwinRequest {
  datasetsFile: string;
  snapshotsFile: string;
  buildId: string;
  mapping: Mapping;
  threshold: number;
  /** Its stored items are compared with, as its latest snapshot has them; null: there are none. */
  datasetId: string | null;
  /** Left out as twins: looked at again. What else is excluded has no part in it. */
  skipped: readonly number[];
}

export interface FoundTwin extends SpanTwin {
  position: number;
  /** Beginning of the input of a stored item; null for a span. */
  text: string | null;
}

export type TwinReply = { found: FoundTwin[] } | { error: WireError };

/** In the order of the spans. Rejects with STORE_* errors, and with CANCELLED once `signal` ends it. */
export function findInThread(request: TwinRequest, signal: AbortSignal): Promise<FoundTwin[]> {
  const isSource = import.meta.url.endsWith('.ts');
  const script = new URL(isSource ? '../engine/twin-worker.ts' : './twin-worker.js', import.meta.url);
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { name: 'twins', workerData: request });
    const end = () => {
      reject(new AppError('CANCELLED', 'The connection was closed before twins were found.'));
      void worker.terminate();
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    worker.on('exit', () => signal.removeEventListener('abort', end));
    worker.on('message', (reply: TwinReply) => {
      if ('found' in reply) resolve(reply.found);
      else reject(fromWire(reply.error));
    });
    worker.on('error', (problem) => reject(toAppError(problem)));
    worker.on('exit', () => reject(new AppError('INTERNAL', 'The thread that finds twins has ended.')));
  });
}
