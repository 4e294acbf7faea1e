/** Tokens, cost and critical path of the traces named by the results of runs, if their spans are stored here. */
import type { ScoreEstimate } from './score-comparison.ts';

export const USAGE_FIGURES = ['tokens', 'inputTokens', 'outputTokens', 'costUsd', 'pathMs'] as const;
export type UsageFigure = (typeof USAGE_FIGURES)[number];

/** Figures of a trace, or means over the traces of an item; null: not stated. `pathMs`: length of the critical path. */
export type TraceUsage = Record<UsageFigure, number | null>;

export interface UsageSum {
  figure: UsageFigure;
  /**
   * Sum over the completely stored traces that state the figure. Each trace counts once, however many results name it.
   */
  sum: number;
  traces: number;
  /** Median over the items whose traces are completely stored. */
  median: ScoreEstimate | null;
  /** Median of the differences from the baseline; null for the baseline, and if no item has the figure in both runs. */
  difference: ScoreEstimate | null;
}

export interface RunUsage {
  results: number;
  /** Number of results that are not stored here, which no figure includes; null if their number is unknown. */
  unstored: number | null;
  /** Results that name a trace. */
  named: number;
  /**
   * Among the named traces, results whose trace is completely stored, partly stored, not stored, and too large to read.
   */
  whole: number;
  partial: number;
  missing: number;
  unread: number;
  /** Different traces that are completely stored. */
  traces: number;
  /** Figures that at least one trace states. */
  sums: UsageSum[];
  /** Milliseconds of the critical paths by type of span, the longest first; the type null is time between spans. */
  pathByType: { type: string | null; ms: number }[];
}

export interface RunsUsage {
  /** Usage in the order of the runs. */
  runs: RunUsage[];
}
