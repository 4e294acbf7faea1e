/** Scores of the experiments in a list in the order of time. Experiments over different datasets are never mixed. Pure. */

import type { ScoreSummary } from '../../electron/shared/experiment-result.ts';
import { meanText, rangeText } from '../../electron/shared/figure-words.ts';
import type { Interval } from '../../electron/shared/wilson.ts';
import { parseTime } from '../../electron/shared/zone-time.ts';
import { momentText } from './chart/time-ticks.ts';
import type { TimedPoint } from './chart/timed-points.ts';
import { constantText } from './constant-words.ts';
import { isObject, type JsonObject, recordTitle, referenceName, textField } from './records.ts';

export interface ScoredRun {
  id: string;
  /** Position in the list. */
  index: number;
  name: string;
  startedMs: number;
  dataset: { id: string; name: string };
  status: string;
  scores: readonly ScoreSummary[];
}

export interface Choice {
  value: string;
  title: string;
}

/** Points need a comparison to mean anything. */
const MIN_RUNS = 2;

/** The experiment in a row; null if its start is not known, or if none of its scores has a mean. */
function scoredRun(row: JsonObject, index: number, scores: readonly ScoreSummary[]): ScoredRun | null {
  const startedMs = parseTime(row['created_at']);
  if (startedMs === null || scores.every(({ mean }) => mean === null)) return null;
  const { dataset } = row;
  return {
    ...{ id: textField(row, 'id'), index, name: recordTitle(row), startedMs, scores },
    dataset: {
      id: isObject(dataset) ? textField(dataset, 'id') : '',
      name: referenceName(row, 'dataset'),
    },
    status: textField(row, 'status'),
  };
}

/**
 * The experiments in the loaded rows of a list. `scoresOf`: the scores of an experiment; null if they are not known.
 * `unread`: number of experiments without known scores.
 */
export function scoredRuns(
  rows: readonly (JsonObject | undefined)[],
  scoresOf: (experimentId: string) => readonly ScoreSummary[] | null,
): { runs: ScoredRun[]; unread: number } {
  // Pages that are read at different times can contain an experiment twice.
  const runs = new Map<string, ScoredRun>();
  let unread = 0;
  for (const [index, row] of rows.entries()) {
    const id = row === undefined ? '' : textField(row, 'id');
    const scores = id === '' ? null : scoresOf(id);
    if (row === undefined || scores === null) unread += 1;
    else {
      const run = runs.has(id) ? null : scoredRun(row, index, scores);
      if (run !== null) runs.set(id, run);
    }
  }
  return { runs: [...runs.values()], unread };
}

/** The values of at least MIN_RUNS experiments, the most frequent first. `found`: the values of each experiment. */
function choicesOf(found: readonly (readonly Choice[])[]): Choice[] {
  const counts = new Map<string, { choice: Choice; count: number }>();
  for (const own of found) {
    // An answer may contain a score twice.
    for (const [value, choice] of new Map(own.map((each) => [each.value, each]))) {
      const known = counts.get(value);
      counts.set(value, { choice: known?.choice ?? choice, count: (known?.count ?? 0) + 1 });
    }
  }
  return [...counts.values()]
    .filter(({ count }) => count >= MIN_RUNS)
    .toSorted((one, other) => other.count - one.count)
    .map(({ choice }) => choice);
}

const keyOf = ({ evaluator, name }: ScoreSummary): string => JSON.stringify([evaluator, name]);

const overDataset = (runs: readonly ScoredRun[], id: string): ScoredRun[] =>
  runs.filter(({ dataset }) => dataset.id === id);

/** The datasets over which several of the experiments have the same score. */
export const datasetChoices = (runs: readonly ScoredRun[]): Choice[] =>
  choicesOf(runs.map(({ dataset }) => [{ value: dataset.id, title: dataset.name }])).filter(
    ({ value }) => scoreChoices(runs, value).length > 0,
  );

/** The scores that several experiments over a dataset have. Two scores of one name are preceded by the evaluator. */
export function scoreChoices(runs: readonly ScoredRun[], datasetId: string): Choice[] {
  const found = overDataset(runs, datasetId).map(({ scores }) => scores.filter(({ mean }) => mean !== null));
  const evaluators = new Map<string, Set<string>>();
  for (const { evaluator, name } of found.flat())
    evaluators.set(name, (evaluators.get(name) ?? new Set<string>()).add(evaluator));
  const isShared = ({ name }: ScoreSummary) => (evaluators.get(name)?.size ?? 0) > 1;
  return choicesOf(
    found.map((scores) =>
      scores.map((score) => ({
        value: keyOf(score),
        title: isShared(score) && score.evaluator !== '' ? `${score.evaluator}: ${score.name}` : score.name,
      })),
    ),
  );
}

/** The mean of an experiment that has not ended well may cover only a part of the items. */
const isWhole = (status: string): boolean => ['', 'COMPLETED', 'SUCCESS'].includes(status);

/** Example: `Prompt v2: 0.72, 95 % sure: 0.69 to 0.75, Thu 12 Mar 2026, 14:00, failed`. */
function textOf(run: ScoredRun, value: number, interval: Interval | null, zone: string): string {
  return [
    `${run.name}: ${meanText(value)}`,
    ...(interval === null ? [] : [`95 % sure: ${rangeText(...interval)}`]),
    momentText(run.startedMs, zone),
    ...(isWhole(run.status) ? [] : [constantText(run.status)]),
  ].join(', ');
}

/**
 * The experiments over a dataset that have a score, the earliest first. `intervalOf`: the interval of a mean; null if
 * unknown.
 */
export function pointsOfScore(
  runs: readonly ScoredRun[],
  datasetId: string,
  score: string,
  zone: string,
  intervalOf: (experimentId: string, score: ScoreSummary) => Interval | null,
): TimedPoint[] {
  return overDataset(runs, datasetId)
    .flatMap((run) => {
      const own = run.scores.find((each) => keyOf(each) === score);
      if (own === undefined || own.mean === null) return [];
      const interval = intervalOf(run.id, own);
      return [
        {
          ...{ id: run.id, timeMs: run.startedMs, name: run.name, value: own.mean, interval },
          isHollow: !isWhole(run.status),
          text: textOf(run, own.mean, interval, zone),
        },
      ];
    })
    .toSorted((one, other) => one.timeMs - other.timeMs);
}

/** The earliest experiment, the usual baseline of a comparison; of completed ones if there are any. */
export const baselineOf = (points: readonly TimedPoint[]): TimedPoint | undefined =>
  points.find(({ isHollow }) => !isHollow) ?? points[0];
