/** State of a list that a view has opened. */
import type { OperationInfo } from '../api/types.ts';
import type { ListQuery } from '../shared/model.ts';
import type { Derivation } from './derive.ts';
import type { Refresh, Source } from './freshness.ts';

export interface ListEntry {
  key: string;
  query: ListQuery;
  info: OperationInfo;
  derivation: Derivation | null;
  baseKey: string | null;
  views: Set<string>;
  source: Source;
  refresh: Refresh;
  /** True if something changed during a reading, so that the list is read again afterwards. */
  isTouched: boolean;
  /** The reading in progress, if any. */
  job: { controller: AbortController } | null;
  /** Requests in flight for pages further on, by offset. */
  ahead: Map<number, AbortController>;
  /** Ensures that changes are reported one after another. */
  tail: Promise<void>;
}
