/** The main thread's side of finding near-duplicates: one thread for each search. */
import type { Mapping } from '../shared/dataset-model.ts';
import type { SpanNearDuplicate } from '../shared/near-duplicate-model.ts';
import { scriptPath } from '../shared/script-path.ts';
import { askThread } from './ask-thread.ts';

export interface NearDuplicateRequest {
  datasetsFile: string;
  snapshotsFile: string;
  buildId: string;
  mapping: Mapping;
  threshold: number;
  /** Dataset whose stored items are compared, from its latest snapshot; null: none. */
  datasetId: string | null;
  /** Spans excluded as near-duplicates: checked again. Other excluded spans are ignored. */
  skipped: readonly number[];
}

export interface FoundNearDuplicate extends SpanNearDuplicate {
  position: number;
  /** Characters of its input. */
  length: number;
  /** Beginning of the input of a stored item; null for a span. */
  text: string | null;
}

/** In span order. Rejects with STORE_* errors, and with CANCELLED if `signal` aborts it. */
export function findInThread(
  request: NearDuplicateRequest,
  signal: AbortSignal,
): Promise<FoundNearDuplicate[]> {
  const script = new URL(scriptPath('../engine/near-duplicate-worker.ts', import.meta.url), import.meta.url);
  return askThread(
    { script, name: 'near-duplicates', what: 'The search for near-duplicates', request },
    signal,
  );
}
