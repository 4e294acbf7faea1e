/** State of a list that a view has open. */
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
  /** Something changed during a reading: the list is read again after it. */
  isTouched: boolean;
  /** The current reading, if any. */
  job: { controller: AbortController } | null;
  /** Pages ahead in flight, by offset. */
  ahead: Map<number, AbortController>;
  /** Makes changes be reported one after another. */
  tail: Promise<void>;
}
