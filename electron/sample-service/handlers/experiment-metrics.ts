/** Metrics of experiments (SERVICE.md F10.4). The form of the first answer is not published, so it is an assumption. */
import { idOfReference } from '../record-parts.ts';
import type { JsonRecord } from '../store.ts';
import type { StoredResult } from '../store-experiments.ts';
import { resultsOf } from './experiment-results.ts';
import { requireExperiment } from './experiments.ts';
import type { Handlers } from './handler.ts';

/** Maximum distinct values in a chart; with more, it shows ranges. */
const MAX_DISCRETE = 10;
/** Maximum notable rows on each side (assumption). */
const MAX_ROWS = 10;
const LOW_SHARE = 0.1;
const HIGH_SHARE = 0.9;

interface Series {
  evaluator: string;
  name: string;
  values: { result: StoredResult; score: JsonRecord; value: number | null }[];
}

/** Scores grouped by evaluator and name. */
function seriesOf(results: readonly StoredResult[]): Series[] {
  const found = new Map<string, Series>();
  for (const result of results) {
    for (const score of result.scores) {
      const [evaluator, name] = [String(score['evaluator_name']), String(score['name'])];
      const key = JSON.stringify([evaluator, name]);
      const series = found.get(key) ?? { evaluator, name, values: [] };
      const value = score['value'];
      series.values.push({ result, score, value: typeof value === 'number' ? value : null });
      found.set(key, series);
    }
  }
  return [...found.values()];
}

const numbersOf = ({ values }: Series): number[] => values.flatMap(({ value }) => value ?? []);

/** The value at a share of the sorted numbers, by nearest rank. */
function atRank(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function countsOf(values: readonly unknown[]): { value: unknown; count: number }[] {
  const counts = new Map<unknown, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([value, count]) => ({ value, count }));
}

function metricOf(series: Series): JsonRecord {
  const { evaluator, name, values } = series;
  const shared = { evaluator_name: evaluator, name, count: values.length };
  const numbers = numbersOf(series);
  if (numbers.length === 0) {
    const labels = values.map(({ score }) => score['label'] ?? null);
    return { ...shared, chart_type: 'categorical', values: countsOf(labels) };
  }
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const mean = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
  const distinct = countsOf(numbers);
  const summary = { ...shared, mean, min: low, max: high };
  if (distinct.length <= MAX_DISCRETE) {
    return { ...summary, chart_type: 'numeric_discrete', values: distinct };
  }
  const width = (high - low) / MAX_DISCRETE;
  const bins = Array.from({ length: MAX_DISCRETE }, (_, at) => ({
    from: low + at * width,
    to: low + (at + 1) * width,
    count: 0,
  }));
  for (const value of numbers) {
    const bin = bins[Math.min(MAX_DISCRETE - 1, Math.floor((value - low) / width))];
    if (bin !== undefined) bin.count += 1;
  }
  return { ...summary, chart_type: 'numeric_range', values: bins };
}

/** Items whose value is at a quantile or beyond it, the most extreme first. */
function rowsOfNote(
  series: readonly Series[],
  isTop: boolean,
  inputsOf: (result: StoredResult) => unknown,
): JsonRecord[] {
  const flags = new Map<StoredResult, JsonRecord[]>();
  for (const each of series) {
    const sorted = numbersOf(each).toSorted((a, b) => a - b);
    if (sorted.length === 0) continue;
    const bound = atRank(sorted, isTop ? HIGH_SHARE : LOW_SHARE);
    for (const { result, score, value } of each.values) {
      if (value === null || (isTop ? value < bound : value > bound)) continue;
      const { evaluator_name, label, reasoning } = score;
      flags.set(result, [...(flags.get(result) ?? []), { evaluator_name, value, label, reasoning }]);
    }
  }
  return [...flags]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .slice(0, MAX_ROWS)
    .map(([result, of]) => ({
      experiment_item_id: result.item['id'],
      dataset_item_id: result.item['dataset_item_id'],
      inputs: inputsOf(result),
      flags: of,
    }));
}

export const experimentMetricHandlers = {
  'experiments.metrics': (service, request) => {
    const id = request.path('experiment_id');
    requireExperiment(service, id);
    return { kind: 'record', data: { evaluators: seriesOf(resultsOf(service, id)).map(metricOf) } };
  },

  'experiments.metric-rows': (service, request) => {
    const id = request.path('experiment_id');
    const datasetId = idOfReference(requireExperiment(service, id), 'dataset') ?? '';
    const series = seriesOf(resultsOf(service, id));
    const inputsOf = ({ item }: StoredResult): unknown =>
      service.stores.items.get(datasetId, String(item['dataset_item_id']))?.['inputs'] ?? {};
    return {
      kind: 'record',
      data: { top: rowsOfNote(series, true, inputsOf), bottom: rowsOfNote(series, false, inputsOf) },
    };
  },
} satisfies Pick<Handlers, 'experiments.metrics' | 'experiments.metric-rows'>;
