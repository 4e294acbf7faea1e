/**
 * Reads the answer to a metric query (SERVICE.md F8.2) into series: what is missing, extra or of another type is said,
 * and everything else is drawn. Pure.
 */
import { answerTables, answerValue, seriesId, tableOf } from '../../../electron/shared/answer-table.ts';
import { type JsonObject, textOf, textsOf } from '../../../electron/shared/json-fields.ts';
import { usableZone } from '../../../electron/shared/zone-time.ts';
import { earlierLook } from '../chart/look.ts';
import type { ChartSeries } from '../chart/types.ts';
import { formatCount } from '../format.ts';
import { longestBinMs, type QueryParts, readBody } from './chart-body.ts';
import { aligned, comparisonWords, isComparedKey, partComparison } from './comparison.ts';

interface AnswerProblem {
  key: string;
  /** What the query is called. */
  name: string;
  text: string;
}

export interface ChartAnswer {
  series: ChartSeries[];
  problems: AnswerProblem[];
  /** The earlier period that was asked for, and whether any value of it came; null where none was asked for. */
  comparison: { asked: string; words: string; isThere: boolean } | null;
  /** Bin size and zone as they were asked. */
  binSize: string;
  zone: string;
}

/** Names of things that the answer only has ids of. */
export interface AnswerNames {
  metric: (query: QueryParts) => string | undefined;
  column: (query: QueryParts, column: string) => string | undefined;
  baseline: (id: string) => string | undefined;
}

/** What a service says went wrong with one query. */
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

/** `metric,column` is about the column; a lone metric about its only column. */
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
  series: Omit<ChartSeries, 'look' | 'name'>[];
  /** Column that each series is about, if any. */
  columns: string[];
  problems: string[];
}

function seriesOf(query: QueryParts, result: JsonObject, axis: ChartSeries['axis'], zone: string): Found {
  const { rows, names, timeAt, lost } = tableOf(result, zone);
  const times = rows.map(({ ms }) => ms);
  const metric = textOf(result, 'metric') || textOf(result['metric'], 'id');
  const places = names.map((name, index) => ({ name, index })).filter(({ index }) => index !== timeAt);
  const found: Found = { series: [], columns: [], problems: [] };
  let strange = 0;
  for (const { name, index } of places) {
    const read = rows.map(({ cells }) => answerValue(cells[index]));
    strange += read.filter((value) => value === undefined).length;
    // A column of nothing but texts is no series.
    if (read.length > 0 && read.every((value) => value === undefined)) continue;
    const kind = (textOf(result, 'viz_type') || (query.isBar ? 'bar' : 'line')) === 'bar' ? 'bar' : 'line';
    found.series.push({
      id: seriesId(query.key, index, name),
      kind,
      axis,
      times,
      values: read.map((value) => value ?? null),
    });
    found.columns.push(columnOf(name, query, metric, places.length === 1));
  }
  const error = errorOf(result);
  if (error !== null) found.problems.push(error);
  else if (places.length === 0) found.problems.push('The answer has no values for this metric.');
  if (lost.rows > 0) found.problems.push(`${formatCount(lost.rows, 'row')} without a time are not shown.`);
  if (lost.repeated > 0) {
    found.problems.push(
      `${formatCount(lost.repeated, 'time')} came more than once. The chart shows the last value.`,
    );
  }
  if (strange > 0)
    found.problems.push(`${formatCount(strange, 'value')} that are not numbers are not shown.`);
  return found;
}

function baseName(query: QueryParts, result: JsonObject | undefined, names: AnswerNames): string {
  return names.metric(query) ?? (textOf(result?.['metric'], 'display_name') || query.metric || 'Values');
}

/** What tells two series of the same metric and column apart. */
function variantOf(
  query: QueryParts,
  result: JsonObject,
  names: AnswerNames,
  hasBaselines: boolean,
): string[] {
  const baseline = names.baseline(query.baselineId) ?? textOf(result['baseline'], 'name');
  return [
    ...(query.categories.length > 0 ? [query.categories.join(', ')] : []),
    ...(query.segmentId === '' ? [] : [textOf(result['segment'], 'name') || query.segmentId]),
    ...(query.baselineId === '' || !hasBaselines ? [] : [`against ${baseline || query.baselineId}`]),
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

/** Names that come twice get their number. */
function told(names: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

/** The series of the earlier period, on the times of the current one. */
function earlierSeries(
  { earlier, current }: { earlier: Found; current: Found },
  { comparison, zone }: { comparison: string; zone: string },
): (Omit<ChartSeries, 'look' | 'name'> | null)[] {
  return earlier.series.map((series, index) => {
    const beside = current.series[index] ?? current.series[0];
    const places = aligned(series.times, beside?.times ?? [], comparison, zone);
    const byTime = new Map<number, number | null>();
    for (const [at, ms] of places.entries()) {
      if (ms !== null && !byTime.has(ms)) byTime.set(ms, series.values[at] ?? null);
    }
    if (![...byTime.values()].some((value) => value !== null)) return null;
    const times = [...byTime.keys()].sort((a, b) => a - b);
    const values = times.map((ms) => byTime.get(ms) ?? null);
    // A line, also over bars: two bars for each time would say that both are of it.
    const id = beside?.id ?? series.id;
    return { ...series, id: `${id} earlier`, earlierOf: id, kind: 'line', times, values };
  });
}

/**
 * The series of an answer to `body`; `right` are the keys of queries on the right axis, `earlier` is the answer about
 * the earlier period where that was asked for by itself.
 */
export function readAnswer(
  record: unknown,
  body: JsonObject,
  names: AnswerNames,
  right: readonly string[] = [],
  earlier: unknown = null,
): ChartAnswer {
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
  const problems: AnswerProblem[] = [];
  const found: { series: Omit<ChartSeries, 'look' | 'name'>; name: string; isEarlier: boolean }[] = [];
  for (const query of [...parts.queries, ...extra]) {
    const result = results.get(query.key);
    const name = baseName(query, result, names);
    if (result === undefined) {
      problems.push({ key: query.key, name, text: 'The answer has nothing for this metric.' });
      continue;
    }
    const axis = right.includes(query.key) ? 'right' : 'left';
    const both =
      comparison === '' ? { current: result, earlier: null } : partComparison(record, results, query, result);
    const read = seriesOf(query, both.current, axis, zone);
    const before = both.earlier ?? apart.get(query.key);
    const lines =
      before === undefined
        ? []
        : earlierSeries(
            { earlier: seriesOf(query, before, axis, zone), current: read },
            { comparison, zone },
          );
    problems.push(...read.problems.map((text) => ({ key: query.key, name, text })));
    const model = isSeveralModels ? textOf(result['model'], 'name') : '';
    for (const [index, series] of read.series.entries()) {
      const column = read.columns[index] ?? '';
      const title = column === '' ? '' : (names.column(query, column) ?? column);
      const words = [model, name, title, ...variantOf(query, result, names, hasBaselines)].filter(
        (word) => word !== '',
      );
      found.push({ series, name: words.join(' · '), isEarlier: false });
      const line = lines[index];
      if (line !== null && line !== undefined) {
        const name = [...words, comparisonWords(comparison)].join(' · ');
        found.push({ series: line, name, isEarlier: true });
      }
    }
  }
  const titles = told(found.map(({ name }) => name));
  const longest = longestBinMs(parts.binSize);
  // An earlier period has the place of the series before it.
  let last = -1;
  const places = found.map(({ isEarlier }) => {
    if (!isEarlier) last += 1;
    return last;
  });
  return {
    series: found.map(({ series, isEarlier }, index) => ({
      ...series,
      name: titles[index] ?? '',
      look: isEarlier ? earlierLook(places[index] ?? 0) : (places[index] ?? 0),
      ...(longest === undefined ? {} : { gapMs: longest * 1.5 }),
    })),
    problems,
    comparison:
      comparison === ''
        ? null
        : {
            asked: comparison,
            words: comparisonWords(comparison),
            isThere: found.some(({ isEarlier }) => isEarlier),
          },
    binSize: parts.binSize,
    zone,
  };
}
