/** The calls of a build, from spans or with items, shared by both processes. */
import type { WireError } from './errors.ts';

export type BuildBatchState = 'sending' | 'acknowledged' | 'refused' | 'unsent' | 'unknown' | 'given-up';

/** Evidence for whether a call of unknown outcome was stored. */
export interface BuildEvidence {
  verdict: 'stored' | 'not-stored' | 'undecided';
  facts: string[];
  atMs: number;
}

/** One call that adds spans or items to the dataset. */
export interface BuildBatch {
  batch: number;
  /** `items`: sends spans with an edited expected output as items, with ids generated here and without a time range. */
  how: 'spans' | 'items';
  spans: number;
  firstPosition: number;
  lastPosition: number;
  state: BuildBatchState;
  startTime: string;
  endTime: string;
  sentAtMs: number | null;
  answeredAtMs: number | null;
  requestId: string | null;
  error: WireError | null;
  evidence: BuildEvidence | null;
}
