/** Finds near-duplicates in a thread, one for each search; called from the main thread. */
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
  /** Dataset whose items in the latest stored snapshot are compared too; null if there is none. */
  datasetId: string | null;
  /**
   * Positions of spans that were excluded as near-duplicates and are checked again. Other excluded spans are ignored.
   */
  skipped: readonly number[];
}

export interface FoundNearDuplicate extends SpanNearDuplicate {
  position: number;
  /** Number of characters of its input. */
  length: number;
  /** Beginning of the input if it is a stored item; null if it is a span. */
  text: string | null;
}

/** Near-duplicates in the order of the spans. Rejects with STORE_* errors, and with CANCELLED if `signal` aborts it. */
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
