/** Tokens, cost and critical path of the traces that results of runs name, as far as their spans are stored here. */
import type { ScoreEstimate } from './score-comparison.ts';

export const USAGE_FIGURES = ['tokens', 'inputTokens', 'outputTokens', 'costUsd', 'pathMs'] as const;
export type UsageFigure = (typeof USAGE_FIGURES)[number];

/** Figures of a trace, or means of the traces of an item; null: not stated. `pathMs`: length of the critical path. */
export type TraceUsage = Record<UsageFigure, number | null>;

export interface UsageSum {
  figure: UsageFigure;
  /** Over the completely stored traces that state it; each counts once, however many results name it. */
  sum: number;
  traces: number;
  /** Median of the items whose traces are completely stored. */
  median: ScoreEstimate | null;
  /** Median of the differences from the baseline; null for the baseline, and if no item has it in both. */
  difference: ScoreEstimate | null;
}

export interface RunUsage {
  results: number;
  /**
   * Number of results that are not stored here and that no figure includes; null if there are some of unknown number.
   */
  unstored: number | null;
  /** Results that name a trace. */
  named: number;
  /** Among them, results whose trace is completely stored, only partly stored, not stored, and too many to read. */
  whole: number;
  partial: number;
  missing: number;
  unread: number;
  /** Different traces that are completely stored. */
  traces: number;
  /** Figures that at least one trace states. */
  sums: UsageSum[];
  /** Milliseconds of the critical paths by type of span, the longest first; null: between spans. */
  pathByType: { type: string | null; ms: number }[];
}

export interface RunsUsage {
  /** In the order of the runs. */
  runs: RunUsage[];
}
