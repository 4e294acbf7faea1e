/** Compares a dataset with production in a thread, from the main thread. */
import type { Coverage, CoverageQuery } from '../shared/coverage-model.ts';
import { scriptPath } from '../shared/script-path.ts';
import { askThread } from './ask-thread.ts';

export interface CoverageRequest {
  query: CoverageQuery;
  libraryFile: string;
  datasetsFile: string;
}

/** Rejects with STORE_* errors, and with CANCELLED if `signal` aborts it. */
export function coverageInThread(request: CoverageRequest, signal: AbortSignal): Promise<Coverage> {
  const script = new URL(scriptPath('../engine/coverage-worker.ts', import.meta.url), import.meta.url);
  return askThread({ script, name: 'coverage', what: 'The comparison with production', request }, signal);
}
