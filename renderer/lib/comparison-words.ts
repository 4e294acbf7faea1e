/** Texts about comparisons of runs. Pure. */

import { rangeText } from '../../electron/shared/figure-words.ts';
import {
  type ComparedRun,
  type ComparedSide,
  leftOutText,
  MAX_COMPARED_RUNS,
  type RunFilter,
  type RunsComparison,
} from '../../electron/shared/run-comparison.ts';
import { parseTime } from '../../electron/shared/zone-time.ts';
import { formatCount, formatDuration, formatFigure, formatNumber, plainNumber } from './format.ts';
import { fieldTitle } from './inspect.ts';
import { isObject, type JsonObject, referenceName, textField } from './records.ts';
import { CHANGE_WORDS, changeSums } from './score-words.ts';

type Experiment = Readonly<JsonObject>;
const datasetOf = (row: Experiment): string =>
  isObject(row['dataset']) ? textField(row['dataset'], 'id') : '';

/** Why these experiments cannot be compared; null if they can. */
export function compareProblem(rows: readonly Experiment[]): string | null {
  if (rows.length < 2 || rows.length > MAX_COMPARED_RUNS)
    return `2 to ${MAX_COMPARED_RUNS} experiments are compared at once. Selected: ${rows.length}.`;
  const datasets = new Map(rows.map((row) => [datasetOf(row), referenceName(row, 'dataset')]));
  if (datasets.size === 1) return null;
  return `Only experiments over the same dataset are compared. These are over ${[...datasets.values()].join(' and ')}.`;
}

/** The experiments that can be compared with this one. */
export function comparableWith(row: Experiment, all: readonly Experiment[]): Experiment[] {
  const id = textField(row, 'id');
  return all.filter((each) => datasetOf(each) === datasetOf(row) && textField(each, 'id') !== id);
}

/** The two experiments by age: the earlier one is the baseline. */
export function inOrder(one: Experiment, other: Experiment): Experiment[] {
  const createdMs = (row: Experiment) => parseTime(row['created_at']) ?? Number.NEGATIVE_INFINITY;
  return createdMs(other) < createdMs(one) ? [other, one] : [one, other];
}

/** A typed number; null if nothing is typed, undefined if the text is not a number. */
export function typedNumber(typed: string): number | null | undefined {
  if (typed.trim() === '') return null;
  const plain = plainNumber(typed);
  const number = Number(plain);
  return plain !== '' && Number.isFinite(number) ? number : undefined;
}

/** `320 items`, `up to 8 results per item, averaged`, `3 failed`, `12 only here`. */
export function runFacts(run: ComparedRun, isBaseline: boolean): string[] {
  const { items, repetitions, results, onlyHere, onlyBaseline } = run;
  return [
    ...(isBaseline ? ['baseline'] : []),
    formatCount(items, 'item'),
    ...(repetitions > 1 ? [`up to ${formatNumber(repetitions)} results per item, averaged`] : []),
    ...(['failed', 'skipped', 'unscored'] as const).flatMap((fate) =>
      results[fate] > 0 ? [`${formatNumber(results[fate])} ${fate === 'unscored' ? 'open' : fate}`] : [],
    ),
    ...(onlyHere > 0 ? [`${formatNumber(onlyHere)} only here`] : []),
    ...(onlyBaseline > 0 ? [`${formatNumber(onlyBaseline)} missing`] : []),
  ];
}

export const LATENCY = 'duration_ms';
/** Prefix of the tokens and the cost of a result, whose names are fixed. */
const USAGE = /^usage\./;

/** Title of a measure. Numbers in outputs keep the names that the application gave them. */
export const measureTitle = (key: string): string =>
  key === LATENCY ? 'Latency' : USAGE.test(key) ? fieldTitle(key.replace(USAGE, '')) : key;

export function measureText(key: string, value: number): string {
  const text = key === LATENCY ? formatDuration(Math.abs(value)) : formatFigure(Math.abs(value));
  return value < 0 ? `−${text}` : text;
}

/** `+180 ms`, `−4`; `±0` if there is no difference, or if rounding hides it. */
export function changeText(key: string, difference: number): string {
  const text = measureText(key, difference);
  return measureText(key, 0) === text.replace('−', '')
    ? `±${measureText(key, 0)}`
    : difference > 0
      ? `+${text}`
      : text;
}

/** `+0.25`; empty if there is no difference. */
export function deltaText(difference: number | null): string {
  if (difference === null || difference === 0) return '';
  return `${difference > 0 ? '+' : '−'}${formatFigure(Math.abs(difference))}`;
}

const FATES: Readonly<Record<ComparedSide['fate'], string>> = {
  ...{ good: '', other: 'other state', failed: 'failed', skipped: 'skipped', unscored: 'open' },
};

/** The score of one side, with the deviation if it has several results; without a score, the reason. */
export function sideText(side: ComparedSide | null): string {
  if (side === null) return 'not in this run';
  const { value, label, fate, deviation = 0 } = side;
  const spread = deviation > 0 ? ` ± ${formatFigure(deviation)}` : '';
  if (value !== null) return `${label === null ? '' : `${label} `}${formatFigure(value)}${spread}`;
  return label ?? (FATES[fate] || 'no score');
}

/** `1 of 4 results left out` of the mean of one side; empty if it has all of them. */
export const sideNote = (side: ComparedSide | null): string =>
  side?.leftOut === undefined ? '' : leftOutText(side.leftOut, side.results);

/** Text of a filter chosen in a distribution: `yes → no`, `0.2 to 0.3`, `Wrong tone: worse`; otherwise empty. */
export function filterText({ label, labelBefore, bin, kind, change }: RunFilter): string {
  if (bin !== null) return rangeText(bin.from, bin.to);
  if (kind !== null) return change === null ? kind : `${kind}: ${CHANGE_WORDS[change].toLowerCase()}`;
  return labelBefore === null ? '' : `${labelBefore} → ${label ?? 'any label'}`;
}

type Sums = Pick<RunsComparison, 'runs' | 'counts' | 'failed' | 'skipped' | 'unscored' | 'items'>;

/** Choices for filtering the items, with counts: changes and states; for a single run also the scored items. */
export function filterSums(
  { runs, counts, failed, skipped, unscored, items }: Sums,
  { change, fate }: Pick<RunFilter, 'change' | 'fate'>,
): { value: string; title: string }[] {
  const [only, ...others] = runs;
  const scored = others.length === 0 ? (only?.results.good ?? 0) : 0;
  const fates = [
    { value: 'good', title: `Scored ${formatNumber(scored)}`, count: scored },
    { value: 'failed', title: `Failed ${formatNumber(failed)}`, count: failed },
    { value: 'skipped', title: `Skipped ${formatNumber(skipped)}`, count: skipped },
    { value: 'unscored', title: `Open ${formatNumber(unscored)}`, count: unscored },
  ] as const;
  return [
    { value: 'all', title: `All ${formatNumber(items)}` },
    ...changeSums(counts, change),
    ...fates
      .filter(({ value, count }) => count > 0 || value === fate)
      .map(({ value, title }) => ({ value, title })),
  ];
}
