/** What the library knows of a list that a view has open. */
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
  /** Something changed while a reading ran: it is read again once that has ended. */
  isTouched: boolean;
  /** The reading that runs, if one does. */
  job: { controller: AbortController } | null;
  /** Pages ahead that are on their way, by their offset. */
  ahead: Map<number, AbortController>;
  /** Changes are told one after another. */
  tail: Promise<void>;
}
