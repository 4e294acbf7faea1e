/** The calls of a build, from spans or with items, as both processes know them. */
import type { WireError } from './errors.ts';

export type BuildBatchState = 'sending' | 'acknowledged' | 'refused' | 'unsent' | 'unknown' | 'given-up';

/** What speaks for and against a call of unknown outcome having been stored. */
export interface BuildEvidence {
  verdict: 'stored' | 'not-stored' | 'undecided';
  facts: string[];
  atMs: number;
}

/** One call. */
export interface BuildBatch {
  batch: number;
  /** `items`: items of spans whose expected output was edited, by ids made here. They are looked for in no time range. */
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
