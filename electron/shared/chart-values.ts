/**
 * The answer to a metric query (SERVICE.md F8.2) as series, each with the earlier period it is compared with: used for
 * drawing a chart and for writing it to a file. Missing, extra and mistyped values are reported. Pure.
 */
import { answerTables, answerValue, tableOf } from './answer-table.ts';
import {
  aligned,
  type Compare,
  comparisonWords,
  differenceOf,
  earlierTime,
  isComparedKey,
  partComparison,
} from './chart-comparison.ts';
import { type QueryParts, readBody } from './chart-query.ts';
import { counted } from './count-text.ts';
import { type JsonObject, textOf, textsOf } from './json-fields.ts';
import { usableZone } from './zone-time.ts';

/** The problem in the answer to one query. */
type AnswerFault =
  | { kind: 'missing' | 'empty' }
  | { kind: 'error'; text: string }
  | { kind: 'untimed' | 'repeated' | 'not-numbers'; count: number };

/** A fault as a sentence. */
export function faultText(fault: AnswerFault): string {
  switch (fault.kind) {
    case 'missing':
      return 'The answer has nothing for this metric.';
    case 'empty':
      return 'The answer has no values for this metric.';
    case 'error':
      return fault.text;
    case 'untimed':
      return `${counted(fault.count, 'row')} without a time are not shown.`;
    case 'repeated':
      return `${counted(fault.count, 'time')} came more than once. The chart shows the last value.`;
    case 'not-numbers':
      return `${counted(fault.count, 'value')} that are not numbers are not shown.`;
  }
}

/** The earlier period, aligned with the current times. */
interface EarlierValues {
  name: string;
  times: readonly number[];
  values: readonly (number | null)[];
  /** The time of each value in its own period; null if the answer lacks it and the earlier period has no such day. */
  ownTimes: readonly (number | null)[];
  /** Number of earlier values without a counterpart in the current period, because months differ in length. */
  leftOut: number;
}

interface MetricSeries {
  /** Id of a series: one column of the answer to one query. */
  id: string;
  /** Display name, unique among the series. */
  name: string;
  kind: 'line' | 'bar';
  query: QueryParts;
  /** The answer's names for the metric and the column of the series. */
  metric: string;
  column: string;
  /** The column of the data that the series is about; empty for none. */
  about: string;
  /** The baseline of the metric itself, as for drift; null if there is none. */
  baseline: { id: string; name: string } | null;
  /** Milliseconds since 1970, strictly ascending. */
  times: readonly number[];
  /** One for each time; null is a gap. */
  values: readonly (number | null)[];
  earlier: EarlierValues | null;
}

export interface ChartValues {
  series: MetricSeries[];
  faults: { key: string; name: string; fault: AnswerFault }[];
  /** The requested earlier period, and whether any of its values arrived; null if none was requested. */
  comparison: { asked: string; words: string; isThere: boolean } | null;
  /** Requested bin size and zone. */
  binSize: string;
  zone: string;
}

/** Names to display instead of ids that the answer contains. */
export interface AnswerNames {
  metric: (query: QueryParts) => string | undefined;
  column: (query: QueryParts, column: string) => string | undefined;
  baseline: (id: string) => string | undefined;
}

/** Default: only the names in the answer. */
export const ANSWER_NAMES: AnswerNames = {
  metric: () => undefined,
  column: () => undefined,
  baseline: () => undefined,
};

/** The service's error for one query. */
function errorOf(result: JsonObject): string | null {
  for (const field of ['error', 'error_message', 'message', 'errors']) {
    const value = result[field];
    const first = Array.isArray(value) ? value[0] : value;
    if (typeof first === 'string' && first.trim() !== '') return first.trim();
    const text = textOf(first, 'message') || textOf(first, 'reason');
    if (text !== '') return text;
  }
  return null;
}

/** The column that a series is about: `metric,column` names it; a plain metric has only one column. */
function columnOf(name: string, query: QueryParts, metric: string, isOnly: boolean): string {
  for (const prefix of [metric, query.metric]) {
    if (prefix !== '' && name.startsWith(`${prefix},`)) return name.slice(prefix.length + 1).trim();
  }
  if (name === metric || name === query.metric || (isOnly && name === 'value')) {
    return isOnly ? (query.columns[0] ?? '') : '';
  }
  return name;
}

interface Found {
  series: Omit<MetricSeries, 'name' | 'query' | 'baseline' | 'earlier'>[];
  faults: AnswerFault[];
}

function seriesOf(query: QueryParts, result: JsonObject, zone: string): Found {
  const { rows, names, timeAt, lost } = tableOf(result, zone);
  const times = rows.map(({ ms }) => ms);
  const metric = textOf(result, 'metric') || textOf(result['metric'], 'id');
  const places = names.map((name, index) => ({ name, index })).filter(({ index }) => index !== timeAt);
  const found: Found = { series: [], faults: [] };
  let strange = 0;
  for (const { name, index } of places) {
    const read = rows.map(({ cells }) => answerValue(cells[index]));
    strange += read.filter((value) => value === undefined).length;
    // A column with only texts is not a series.
    if (read.length > 0 && read.every((value) => value === undefined)) continue;
    found.series.push({
      id: `${query.key}/${index}:${name}`,
      kind: (textOf(result, 'viz_type') || (query.isBar ? 'bar' : 'line')) === 'bar' ? 'bar' : 'line',
      ...{ metric, column: name, about: columnOf(name, query, metric, places.length === 1) },
      ...{ times, values: read.map((value) => value ?? null) },
    });
  }
  const error = errorOf(result);
  if (error !== null) found.faults.push({ kind: 'error', text: error });
  else if (places.length === 0) found.faults.push({ kind: 'empty' });
  if (lost.rows > 0) found.faults.push({ kind: 'untimed', count: lost.rows });
  if (lost.repeated > 0) found.faults.push({ kind: 'repeated', count: lost.repeated });
  if (strange > 0) found.faults.push({ kind: 'not-numbers', count: strange });
  return found;
}

function baseName(query: QueryParts, result: JsonObject | undefined, names: AnswerNames): string {
  return names.metric(query) ?? (textOf(result?.['metric'], 'display_name') || query.metric || 'Values');
}

/** Words that distinguish two series of the same metric and column. */
function variantOf(query: QueryParts, result: JsonObject, baseline: MetricSeries['baseline']): string[] {
  return [
    ...(query.categories.length > 0 ? [query.categories.join(', ')] : []),
    ...(query.segmentId === '' ? [] : [textOf(result['segment'], 'name') || query.segmentId]),
    ...(baseline === null ? [] : [`against ${baseline.name || baseline.id}`]),
  ];
}

const EXTRA: QueryParts = {
  key: '',
  modelId: '',
  metric: '',
  baselineId: '',
  segmentId: '',
  columns: [],
  categories: [],
  isBar: false,
};

type Timed = Pick<MetricSeries, 'times' | 'values'>;

/** The earlier period aligned with the current times; null if none of its values has a current time. */
function earlierValues(earlier: Timed, current: Timed, compare: Compare): Omit<EarlierValues, 'name'> | null {
  const places = aligned(earlier.times, current.times, compare);
  const { comparison, zone, isApart } = compare;
  const byTime = new Map<number, { value: number | null; ownMs: number | null }>();
  for (const [at, ms] of places.entries()) {
    if (ms === null || byTime.has(ms)) continue;
    const sentMs = earlier.times[at] ?? null;
    // The earlier values came with current times, so their own times are computed from the calendar.
    const ownMs = !isApart && sentMs === ms ? earlierTime(ms, comparison, zone) : sentMs;
    byTime.set(ms, { value: earlier.values[at] ?? null, ownMs });
  }
  if (![...byTime.values()].some(({ value }) => value !== null)) return null;
  const inOrder = [...byTime].sort(([a], [b]) => a - b);
  return {
    times: inOrder.map(([ms]) => ms),
    values: inOrder.map(([, { value }]) => value),
    ownTimes: inOrder.map(([, { ownMs }]) => ownMs),
    leftOut: places.filter((ms, at) => ms === null && (earlier.values[at] ?? null) !== null).length,
  };
}

/** Appends a number to repeated names. */
function numberNames(series: readonly MetricSeries[]): void {
  const seen = new Map<string, number>();
  for (const named of series.flatMap((each) => (each.earlier === null ? [each] : [each, each.earlier]))) {
    const count = (seen.get(named.name) ?? 0) + 1;
    seen.set(named.name, count);
    if (count > 1) named.name = `${named.name} (${count})`;
  }
}

/** The series of an answer to `body`. `earlier`: the answer for the earlier period, if it was queried separately. */
export function readValues(
  record: unknown,
  body: JsonObject,
  names: AnswerNames = ANSWER_NAMES,
  earlier: unknown = null,
): ChartValues {
  const parts = readBody(body);
  const zone = usableZone(parts.zone);
  const results = answerTables(record);
  const apart = answerTables(earlier);
  const asked = new Set(parts.queries.map(({ key }) => key));
  const { comparison } = parts;
  const isCompared = (key: string) =>
    comparison !== '' && [...asked].some((known) => isComparedKey(key, known));
  const extra = [...results].flatMap(([key, result]) =>
    asked.has(key) || isCompared(key)
      ? []
      : [{ ...EXTRA, key, metric: textOf(result, 'metric'), columns: textsOf(result, 'columns') }],
  );
  const isSeveralModels = new Set(parts.queries.map(({ modelId }) => modelId)).size > 1;
  const hasBaselines =
    new Set(parts.queries.map(({ baselineId }) => baselineId).filter((id) => id !== '')).size > 1;
  const faults: ChartValues['faults'] = [];
  const series: MetricSeries[] = [];
  for (const query of [...parts.queries, ...extra]) {
    const result = results.get(query.key);
    const name = baseName(query, result, names);
    if (result === undefined) {
      faults.push({ key: query.key, name, fault: { kind: 'missing' } });
      continue;
    }
    const both =
      comparison === '' ? { current: result, earlier: null } : partComparison(record, results, query, result);
    const read = seriesOf(query, both.current, zone);
    const beforeResult = both.earlier ?? apart.get(query.key);
    const compare = { comparison, zone, binSize: parts.binSize, isApart: both.earlier === null };
    const before = beforeResult === undefined ? [] : seriesOf(query, beforeResult, zone).series;
    faults.push(...read.faults.map((fault) => ({ key: query.key, name, fault })));
    const { baselineId } = query;
    const baseline =
      baselineId === ''
        ? null
        : { id: baselineId, name: names.baseline(baselineId) ?? textOf(result['baseline'], 'name') };
    const model = isSeveralModels ? textOf(result['model'], 'name') : '';
    for (const [index, own] of read.series.entries()) {
      const { about } = own;
      const title = about === '' ? '' : (names.column(query, about) ?? about);
      const words = [model, name, title, ...variantOf(query, result, hasBaselines ? baseline : null)].filter(
        (word) => word !== '',
      );
      const then = before[index];
      const values = then === undefined ? null : earlierValues(then, own, compare);
      const earlierName = [...words, comparisonWords(comparison)].join(' · ');
      series.push({
        ...{ ...own, query, baseline, name: words.join(' · ') },
        earlier: values === null ? null : { name: earlierName, ...values },
      });
    }
  }
  numberNames(series);
  const isThere = series.some((each) => each.earlier !== null);
  return {
    ...{ series, faults, binSize: parts.binSize, zone },
    comparison: comparison === '' ? null : { asked: comparison, words: comparisonWords(comparison), isThere },
  };
}

/** A value as a row of a file. */
interface ValueRow extends Record<string, unknown> {
  time: string;
  series: string;
  value: number | null;
  /** Time and value of the earlier period; only in a chart with a comparison. */
  earlier_time?: string | null;
  earlier_value?: number | null;
  /** Difference from the earlier value. */
  difference?: number | null;
  query: string;
  metric: string;
  column: string;
}

const isoTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

/** One row for each time of each series. `nameOf`: a chart's own name for a series, by id. */
export function* valueRows(
  { series, comparison }: ChartValues,
  nameOf: (seriesId: string) => string | undefined = () => undefined,
): Generator<ValueRow> {
  for (const { id, name, query, metric, column, times, values, earlier } of series) {
    const now = new Map(times.map((ms, at) => [ms, values[at] ?? null]));
    const then = new Map(earlier?.times.map((ms, at) => [ms, at]));
    const every = [...new Set([...times, ...then.keys()])].sort((a, b) => a - b);
    for (const ms of every) {
      const at = then.get(ms) ?? -1;
      const [value, before] = [now.get(ms) ?? null, earlier?.values[at] ?? null];
      yield {
        ...{ time: new Date(ms).toISOString(), series: nameOf(id) ?? name, value },
        ...(comparison?.isThere === true && {
          earlier_time: isoTime(earlier?.ownTimes[at] ?? null),
          earlier_value: before,
          difference: differenceOf(before, value),
        }),
        ...{ query: query.key, metric, column },
      };
    }
  }
}
