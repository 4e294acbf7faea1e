/** The main thread's side of finding twins: one thread a search. */
import type { Mapping } from '../shared/dataset-model.ts';
import { scriptPath } from '../shared/script-path.ts';
import type { SpanTwin } from '../shared/twin-model.ts';
import { askThread } from './question-thread.ts';

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
  /** Characters of its input. */
  length: number;
  /** Beginning of the input of a stored item; null for a span. */
  text: string | null;
}

/** In the order of the spans. Rejects with STORE_* errors, and with CANCELLED once `signal` ends it. */
export function findInThread(request: TwinRequest, signal: AbortSignal): Promise<FoundTwin[]> {
  const script = new URL(scriptPath('../engine/twin-worker.ts', import.meta.url), import.meta.url);
  return askThread({ script, name: 'twins', what: 'The search for twins', request }, signal);
}
