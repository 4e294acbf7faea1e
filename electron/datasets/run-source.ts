/** Describes where the results of a compared run are stored. */
import type { RunRef } from '../shared/run-comparison.ts';
import type { ScoreInput } from '../shared/score-model.ts';

export interface RunSource {
  ref: RunRef;
  /**
   * Changes with the results of an experiment. Empty for a score run made here, whose version is read together with its
   * items.
   */
  version: string;
  /** True if all results of an experiment are stored; false for a score run made here. */
  isComplete: boolean;
  /** Number of results of an experiment, stored here or not; null if unknown. Absent for a score run made here. */
  total?: number | null;
  /** Id of the stored list of an experiment's results; 0 for a score run made here. */
  generationId: number;
  /** Evaluator of a score run made here; empty for an experiment. */
  evaluator: string;
  inputs: readonly ScoreInput[];
  /** The experiment whose results a score run made here checks; absent if it scores items. */
  checkedExperimentId?: string;
}
