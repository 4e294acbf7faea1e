/** Runs over one dataset side by side, item by item: score runs made here and experiments of the service. */
import { counted, numberText } from './count-text.ts';
import type { ResultFate } from './experiment-result.ts';
import type { JudgedShare } from './judged-share.ts';
import type { TraceUsage } from './run-usage.ts';
import {
  type ChangeCounts,
  type Repetitions,
  SCORE_CHANGES,
  type ScoreAgreement,
  type ScoreChange,
  type ScoreFigures,
} from './score-comparison.ts';
import type { ScoreInput } from './score-model.ts';
import * as z from './zod.ts';

export const MAX_COMPARED_RUNS = 4;

/** `scores`: a score run made here. `experiment`: an experiment of the service. */
export const runRef = z.strictObject({
  kind: z.enum(['scores', 'experiment']),
  id: z.string().min(1).max(100),
});
export type RunRef = z.infer<typeof runRef>;

/** A key for a run in caches and files. */
export const runKey = ({ kind, id }: RunRef): string => `${kind} ${id}`;

export const isSameRun = (one: RunRef, other: RunRef): boolean =>
  one.kind === other.kind && one.id === other.id;

/** A range that includes both ends; null: no bound. */
const range = z.strictObject({ from: z.number().nullable(), to: z.number().nullable() });
export type NumberRange = z.infer<typeof range>;

/** The range of one bar of a distribution, from its start to its end. Only the last bar includes its end. */
const bin = z.strictObject({ from: z.number(), to: z.number(), isLast: z.boolean() });
export type NumberBin = z.infer<typeof bin>;

/** Maximum items that a filter can list by id, so that it fits into one message. */
export const MAX_NAMED_ITEMS = 2_000;

/** A filter of items: an item must meet all conditions, and those about a score in the same run. */
export const runFilter = z.strictObject({
  /** Index of the run that the conditions about a score refer to; null: any run but the baseline, or the only run. */
  run: z
    .int()
    .min(0)
    .max(MAX_COMPARED_RUNS - 1)
    .nullable()
    .default(null),
  change: z.enum(SCORE_CHANGES).nullable().default(null),
  /** Minimum difference from the baseline, in either direction. */
  atLeast: z.number().positive().nullable().default(null),
  /** Range of the difference from the baseline. */
  difference: range.nullable().default(null),
  /** Range of the score. */
  range: range.nullable().default(null),
  /** Items whose score is in this bar of `ScoreShape.bins`. */
  bin: bin.nullable().default(null),
  label: z.string().max(500).nullable().default(null),
  /** Label in the baseline. */
  labelBefore: z.string().max(500).nullable().default(null),
  /** Text in the output of a run, ignoring case. */
  words: z.string().max(500).default(''),
  /** Items with this state in a run; `unscored`: not done yet. */
  fate: z.enum(['good', 'failed', 'skipped', 'unscored']).nullable().default(null),
  /** Name of the failure kind in the review of the item's span. */
  kind: z.string().max(1_000).nullable().default(null),
  /** Only the items with these ids. */
  items: z.array(z.string().min(1).max(500)).max(MAX_NAMED_ITEMS).nullable().default(null),
});
export type RunFilter = z.infer<typeof runFilter>;

export const runsQuery = z.strictObject({
  runs: z.array(runRef).min(1).max(MAX_COMPARED_RUNS),
  /** Index of the run that the others are compared with. */
  baseline: z
    .int()
    .min(0)
    .max(MAX_COMPARED_RUNS - 1)
    .default(0),
  /** Key of the score by which rows are sorted and filtered; null: the first one. */
  score: z.string().max(1_100).nullable(),
  lowerIsBetter: z.boolean().default(false),
  filter: runFilter,
  /** Whether the answer includes a `ScoreShape`. */
  hasShape: z.boolean().default(false),
  offset: z.int().min(0),
  /** 0: only the summary. */
  limit: z.int().min(0).max(500),
});
export type RunsQuery = z.infer<typeof runsQuery>;

export interface NamedApplication {
  id: string;
  name: string;
}

export interface ComparedRun {
  ref: RunRef;
  name: string;
  /** Null for a run made here, and if the record of the experiment is not stored. */
  application: NamedApplication | null;
  /** Results of each fate; an item may have several. */
  results: Record<ResultFate | 'unscored', number>;
  /** Items of the dataset with a result. */
  items: number;
  /** Maximum number of results of one item. If it is above 1, the numbers are means for each item. */
  repetitions: number;
  /**
   * Number of items that also have a result in the baseline, that have one only in this run, and that have one only in
   * the baseline; zeros for the baseline.
   */
  shared: number;
  onlyHere: number;
  onlyBaseline: number;
  /** All results of the run are stored. */
  isComplete: boolean;
  /** Wall time of the oldest stored result; null for a run made here. */
  asOfMs: number | null;
}

/** One score, or one measured number, of one run. */
export interface ComparedFigures {
  /**
   * Figures compared with the baseline. For the baseline, and for a score that the baseline lacks, they describe the
   * run alone. Null if no item has a number, or has one in both runs.
   */
  figures: ScoreFigures | null;
  /** The probability adjusted for all scores and runs shown (Benjamini and Hochberg); null if nothing was tested. */
  adjusted: number | null;
  counts: ChangeCounts;
}

export interface ComparedSeries {
  /** The name, with the evaluator before it if two evaluators of a run use the same name. */
  key: string;
  name: string;
  evaluators: string[];
  /** The evaluator in each run: empty if it is not known, null if the run has no such score. */
  evaluatorOf: (string | null)[];
  /** In the order of the runs; null if the run has no such score. */
  runs: (ComparedFigures | null)[];
}

/** Example: `A in first run, B in second run` if a score has different evaluators in the runs; otherwise empty. */
export function evaluatorsText(
  { evaluators, evaluatorOf }: Pick<ComparedSeries, 'evaluators' | 'evaluatorOf'>,
  runs: readonly Pick<ComparedRun, 'name'>[],
): string {
  if (evaluators.length < 2) return '';
  return runs
    .flatMap(({ name }, at) => (evaluatorOf[at] ? [`${evaluatorOf[at]} in ${name}`] : []))
    .join(', ');
}

/** The names of the runs, with a number if several have the same name. */
export const titlesOf = (runs: readonly Pick<ComparedRun, 'name'>[]): string[] =>
  runs.map(({ name }, at) =>
    runs.some((other, place) => place !== at && other.name === name) ? `${name} (${at + 1})` : name,
  );

/** Number of tested differences of scores. */
export const testsOf = (scores: readonly Pick<ComparedSeries, 'runs'>[]): number =>
  scores.flatMap(({ runs }) => runs.filter((run) => run?.adjusted != null)).length;

/** Maximum adjusted probability that counts as a difference. */
const MAX_PROBABILITY = 0.05;

/** Whether a difference is significant alone, but not after the adjustment for several tests. */
export function isOneOfMany(
  { figures, adjusted }: Pick<ComparedFigures, 'figures' | 'adjusted'>,
  tests: number,
): boolean {
  const verdict = figures?.difference?.verdict;
  const isFound = verdict === 'better' || verdict === 'worse';
  return tests > 1 && isFound && adjusted !== null && adjusted > MAX_PROBABILITY;
}

/** One run's result of an item. */
export interface ComparedSide {
  /** `unscored`: a result is expected, but does not exist yet. */
  fate: ResultFate | 'unscored';
  /** The beginning of the main output; empty if there is none. */
  output: string;
  value: number | null;
  label: string | null;
  /** Null for the baseline, and if there is no score. */
  change: ScoreChange | null;
  /** This run − the baseline; null if either has no number. */
  difference: number | null;
  durationMs: number | null;
  results: number;
  /** Results of the item without a number, which the mean leaves out, such as failed ones; absent if there are none. */
  leftOut?: number;
  /** Standard deviation of the shown score among several results of the item; absent for a single result. */
  deviation?: number;
  /**
   * Sums over the traces of the item's results; absent until the traces are read, and if one of them is not completely
   * stored.
   */
  usage?: TraceUsage;
  /** Why there is no output or score. */
  problem: string | null;
  /** The beginning of the reason given with the shown score; null if there is none. */
  reasoning: string | null;
}

/** Example: `1 of 4 results left out`. */
export const leftOutText = (leftOut: number, results: number): string =>
  `${numberText(leftOut)} of ${counted(results, 'result')} left out`;

export interface ComparedItem {
  itemId: string;
  /** Failure kind in the review of the item's span; null if it has none. */
  failureKind: string | null;
  /** The beginning of the item's main input; empty if no run has its inputs. */
  title: string;
  /** Index of the run that the title comes from; null if there is no title. */
  titleRun: number | null;
  /** In the order of the runs; null if a run has no result of the item. */
  sides: (ComparedSide | null)[];
}

/** Maximum changes of labels in one answer. */
export const MAX_LABEL_PAIRS = 50;

/**
 * Distribution of the shown score in the run of the filter, or in the first run that is not the baseline; if there is
 * only one run, in that run alone.
 */
export interface ScoreShape {
  /**
   * Distribution of the numbers over the items that have one in both runs, in bars of equal width without gaps. If the
   * numbers are grades, each bar is around its `value`. Empty if there are no numbers. `before` is 0 for a single run.
   */
  bins: { from: number; to: number; value?: number; before: number; after: number }[];
  /**
   * Number of items for each change of label, the most frequent first; at most MAX_LABEL_PAIRS. `before` is null for a
   * single run.
   */
  labels: { before: string | null; after: string; items: number }[];
  /** Agreement of the labels in both runs, if they judged the same texts; null without labels. */
  agreement: ScoreAgreement | null;
  /** The score compared with decisions of people, for each run in which people decided on outputs. */
  judged: { run: number; share: JudgedShare }[];
  /** For each run with several results of an item, how much the number of an item varies between results. */
  repetitions: { run: number; repetitions: Repetitions }[];
  /**
   * Counts by the failure kind of the items' spans, in order of the kinds' names. All counts are 0 for a single run.
   */
  failureKinds: { name: string; counts: ChangeCounts }[];
}

export const usageQuery = runsQuery.pick({ runs: true, baseline: true });
export type UsageQuery = z.infer<typeof usageQuery>;

export interface RunsComparison {
  runs: ComparedRun[];
  /** Scores that at least one run has; scores of more runs come first. */
  scores: ComparedSeries[];
  /** Durations, and numbers that the outputs of all runs have under the same name. Smaller is better. */
  measures: ComparedSeries[];
  /** The shown score; null if the runs have no scores. */
  score: string | null;
  /** Labels of the shown score. */
  labels: string[];
  /** Numbers of items by the change of the shown score in the run of the filter. */
  counts: ChangeCounts;
  failed: number;
  skipped: number;
  /** Items that a run has not scored yet. */
  unscored: number;
  /** Null if it was not requested, or if there is no score. */
  shape: ScoreShape | null;
  rows: ComparedItem[];
  total: number;
  /** All items, before the filter. */
  items: number;
  /** The dataset of the runs; null if it is not known. */
  dataset: { id: string; name: string } | null;
}

/** Place of a span in the build on this computer that made an item of it. */
export interface SpanOrigin {
  buildId: string;
  position: number;
}

/** An item that passes a filter, and its origin. */
export interface ChosenItem {
  itemId: string;
  /** Null if the item was not made from a span on this computer. */
  traceId: string | null;
  /** Null if the item was not made from a span on this computer, or its build was removed. */
  origin: SpanOrigin | null;
}

/** An input of an evaluator for one item. */
export interface GivenInput {
  input: string;
  from: ScoreInput['from'];
  value: unknown;
  /** A long text was cut. */
  isCut: boolean;
}

/** One result of an item in one run, for reading. */
export interface RunResult {
  /** The id of the result at the service; null for a run made here. */
  resultId: string | null;
  fate: ComparedSide['fate'];
  inputs: unknown;
  outputs: unknown;
  /** The inputs of the evaluator of a run made here, in the order of its plan; empty if the item lacked a field. */
  given: GivenInput[];
  expectedOutputs: unknown;
  scores: {
    evaluator: string;
    name: string;
    value: number | null;
    label: string | null;
    reasoning: string | null;
  }[];
  durationMs: number | null;
  problem: string | null;
  /** The trace that the result names; null if it names none. */
  traceId: string | null;
  /** Text of the service, unparsed; null without one. */
  timestamp: string | null;
  /** A long text was cut. */
  isCut: boolean;
}

/** An item in all compared runs. */
export interface RunItem {
  /** Results in the order of the runs; an empty list if a run has no result of the item. */
  sides: RunResult[][];
  /** The trace that the item was made from; null if it was not made on this computer. */
  source: ItemSource | null;
}

/** The trace of the span that an item was made from. */
export interface ItemSource {
  traceId: string;
  /** Wall time at which the item was added to the dataset, later than its span. */
  addedMs: number;
  /** Null if the job that added the item was removed. */
  application: NamedApplication | null;
}

/** Stored results of an experiment; `version` changes whenever they change. */
interface StoredResults {
  generationId: number;
  version: string;
  isComplete: boolean;
  /**
   * Number of results of the experiment: of the stored ones if they are complete, otherwise as the service states; null
   * if unknown.
   */
  total: number | null;
  /** Wall time of the oldest page. */
  oldestMs: number | null;
}

export interface StoredExperiment {
  /** Null if the experiment's record was never read. */
  record: Readonly<Record<string, unknown>> | null;
  results: StoredResults | null;
}

/** The items of a filter. */
export const chosenItems = runsQuery.omit({ hasShape: true, offset: true, limit: true });
export type ChosenItems = z.infer<typeof chosenItems>;

/** Selects every item, like the defaults of `runFilter`. */
export const NO_FILTER: RunFilter = {
  run: null,
  change: null,
  atLeast: null,
  difference: null,
  range: null,
  bin: null,
  label: null,
  labelBefore: null,
  words: '',
  fate: null,
  kind: null,
  items: null,
};
