/** Computes the figures of all kinds of reports except score comparisons. Pure. */
import { counted } from '../../shared/count-text.ts';
import { differenceText, rangeText } from '../../shared/figure-words.ts';
import type { Pieces } from '../../shared/pieces.ts';
import type { ReportChart, ReportFigure, ReportRules, ReportTable } from '../../shared/report-model.ts';
import { spanTree } from '../../shared/span-tree.ts';
import { type SpanTimes, USUAL_UNIT_MS, unitOf } from '../../shared/span-unit.ts';
import { NO_USAGE, sumUsage, TOKEN_FIELD, type Usage, usageOf } from '../../shared/span-usage.ts';
import { parseTime } from '../../shared/zone-time.ts';
import {
  columnOf,
  countOf,
  type Derived,
  derivedColumn,
  isMasked,
  numberOf,
  shareFigure,
  tableOf,
  tally,
  tallyChart,
  textOf,
} from './table-reads.ts';

type Tables = readonly ReportTable[];

/** Failure kinds, and verdicts as shares of the decided spans. */
export function reviewFigures(tables: Tables): Derived {
  const spans = tableOf(tables, 'spans');
  const verdicts = columnOf(spans, 'verdict');
  const counts = verdicts === null ? [] : tally(verdicts);
  // Skipped spans were viewed but not decided.
  const decided = counts.reduce((sum, [verdict, rows]) => sum + (verdict === 'skipped' ? 0 : rows), 0);
  const kinds = columnOf(spans, 'failure_kind');
  const byKind = kinds === null ? [] : tally(kinds);
  const figures = counts.map(([verdict, rows]) =>
    verdict === 'skipped'
      ? { label: verdict, value: counted(rows, 'span'), detail: 'Seen, not decided.' }
      : shareFigure(verdict, rows, decided, 'span'),
  );
  return {
    figures: [
      ...(verdicts === null
        ? []
        : [{ label: 'Reviewed', value: counted(verdicts.length, 'span'), detail: '' }]),
      ...figures,
    ],
    charts: [...tallyChart('Verdicts', counts), ...tallyChart('Failure kinds', byKind)],
  };
}

/**
 * Number of items with each field that is not masked. Masked fields are left out, because an empty text would look like
 * a value.
 */
export function versionFigures(tables: Tables): Derived {
  const items = tableOf(tables, 'items');
  if (items === undefined) return { figures: [], charts: [] };
  const filled = items.columns
    .filter((column) => !isMasked(column))
    .map(({ title, values }): [string, number] => [
      title,
      values.filter((value) => value !== null && value !== '').length,
    ]);
  return {
    figures: [{ label: 'Items', value: counted(items.rows, 'item'), detail: '' }],
    charts: tallyChart('Items with a value, by field', filled, 100),
  };
}

export function changesFigures(tables: Tables, rules: ReportRules): Derived {
  const changes = tableOf(tables, 'changes');
  const kinds = columnOf(changes, 'change');
  const fields = columnOf(changes, 'fields');
  const byKind = kinds === null ? [] : tally(kinds);
  const byField =
    fields === null
      ? []
      : tally(
          fields.flatMap((cell) =>
            textOf(cell)
              .split(', ')
              .filter((name) => name !== ''),
          ),
        );
  const same = rules['same'];
  return {
    figures: [
      ...byKind.map(([kind, rows]) => ({
        label: `Items: ${kind}`,
        value: counted(rows, 'item'),
        detail: '',
      })),
      ...(typeof same === 'number'
        ? [{ label: 'Items: same', value: counted(same, 'item'), detail: '' }]
        : []),
    ],
    charts: [...tallyChart('Changes', byKind), ...tallyChart('Changed fields', byField)],
  };
}

/** The overlap of two distributions over the values of each dimension, from 0 to 1. */
export function coverageFigures(tables: Tables): Derived {
  const values = tableOf(tables, 'values');
  const [dimensions, rows, items] = ['dimension', 'production', 'items'].map((name) =>
    columnOf(values, name),
  );
  if (!dimensions || !rows || !items) return { figures: [], charts: [] };
  const found = new Map<string, { rows: number; items: number; places: number[] }>();
  for (const [at, cell] of dimensions.entries()) {
    const own = found.get(textOf(cell)) ?? { rows: 0, items: 0, places: [] };
    own.rows += countOf(rows[at]);
    own.items += countOf(items[at]);
    own.places.push(at);
    found.set(textOf(cell), own);
  }
  const overlaps = [...found].map(([name, own]) => {
    const overlap =
      own.rows === 0 || own.items === 0
        ? 0
        : own.places.reduce(
            (sum, at) => sum + Math.min(countOf(rows[at]) / own.rows, countOf(items[at]) / own.items),
            0,
          );
    return { name, overlap, own };
  });
  const mean = overlaps.reduce((sum, { overlap }) => sum + overlap, 0) / Math.max(1, overlaps.length);
  return {
    figures: [
      {
        label: 'Mean coverage',
        value: percent(mean),
        detail: `Over ${counted(overlaps.length, 'dimension')}.`,
      },
      ...overlaps.map(({ name, overlap, own }) => ({
        ...{ label: name, value: percent(overlap) },
        detail: `${counted(own.items, 'value')} of items, ${counted(own.rows, 'row')} of production.`,
      })),
    ],
    charts:
      overlaps.length === 0
        ? []
        : [
            {
              ...{ form: 'bars', title: 'Coverage by dimension, in percent', names: ['Coverage'] },
              bars: overlaps.map(({ name, overlap }) => ({ label: name, values: [tenths(overlap * 100)] })),
            },
          ],
  };
}

const tenths = (value: number): number => Math.round(value * 10) / 10;
const percent = (share: number): string => `${tenths(share * 100)} %`;

/** Number, times and depth of the spans of one trace. */
export function* traceFigures(tables: Tables): Pieces<Derived> {
  const spans = tableOf(tables, 'spans');
  const ids = columnOf(spans, 'span_id');
  if (spans === undefined || ids === null) return { figures: [], charts: [] };
  const [parents, starts, types, states, durations] = [
    ...['parent_span_id', 'start_time', 'span_type', 'status_code', 'duration'],
  ].map((name) => columnOf(spans, name));
  const usage = usageIn(spans);
  const places = ids.map((id, at) => ({
    ...{ spanId: textOf(id), parentId: textOf(parents?.[at]), at, traceId: '', type: textOf(types?.[at]) },
    startMs: starts ? parseTime(starts[at]) : null,
    duration: numberOf(durations?.[at]),
    usage: usage === null ? NO_USAGE : usage(at),
  }));
  const { lines, roots } = yield* spanTree(places);
  // Without parents and types, tokens would be counted twice if both a span and those below it state them.
  const { tokens } = usage === null || !parents || !types ? NO_USAGE : yield* sumUsage(roots);
  const levels = ids.map(() => 0);
  for (const { node, level } of lines) levels[node.at] = level;
  const failed =
    states === null || states === undefined ? null : states.filter((cell) => cell === 'ERROR').length;
  const byType = types ? tally(types) : [];
  return {
    figures: [
      { label: 'Spans', value: counted(ids.length, 'span'), detail: '' },
      ...(failed === null ? [] : [{ label: 'Failed', value: counted(failed, 'span'), detail: '' }]),
      ...lengthFigure(spans, places),
      ...(parents
        ? [{ label: 'Depth', value: counted(Math.max(0, latest(levels)), 'level'), detail: '' }]
        : []),
      ...(tokens === null ? [] : [{ label: 'Tokens', value: counted(tokens, 'token'), detail: '' }]),
    ],
    charts: tallyChart('Spans by type', byType),
    tables: tables.map((table) =>
      table === spans && parents
        ? { ...table, columns: [...table.columns, derivedColumn('level', 'Level', 'number', levels)] }
        : table,
    ),
  };
}

/**
 * Time from the first start to the last end, as stated, or computed from durations in their inferred unit. No figure if
 * a time is masked.
 */
function lengthFigure(spans: ReportTable, places: readonly SpanTimes[]): ReportFigure[] {
  if (spans.columns.some((column) => isMasked(column) && TIME_FIELD.test(column.name))) return [];
  const stated = columnOf(spans, 'end_time');
  const unitMs = unitOf(places) ?? USUAL_UNIT_MS;
  const starts = places.flatMap(({ startMs }) => startMs ?? []);
  const ends = places.flatMap(({ startMs, duration }, at) => {
    const statedMs = parseTime(stated?.[at]);
    if (statedMs !== null) return statedMs;
    return startMs === null || duration === null ? [] : startMs + duration * unitMs;
  });
  if (starts.length === 0 || ends.length === 0) return [];
  const lengthMs = Math.max(latest(ends), latest(starts)) - earliest(starts);
  const open = places.length - ends.length;
  return [
    {
      label: 'Length',
      value: `${open === 0 ? '' : 'at least '}${differenceText(lengthMs / 1_000)} s`,
      detail: open === 0 ? '' : `${counted(open, 'span')} without an end.`,
    },
  ];
}

const TIME_FIELD = /^(?:start_time|end_time|duration)$/;

const earliest = (times: readonly number[]): number =>
  times.reduce((least, ms) => Math.min(least, ms), Infinity);
const latest = (times: readonly number[]): number =>
  times.reduce((most, ms) => Math.max(most, ms), -Infinity);

/**
 * Returns a function that reads the token counts of a row; null if no column has any, or if one of these columns is
 * masked.
 */
function usageIn({ columns }: ReportTable): ((at: number) => Usage) | null {
  const stated = columns.filter(({ name }) => TOKEN_FIELD.test(name));
  if (stated.length === 0 || stated.some(isMasked)) return null;
  return (at) => usageOf(Object.fromEntries(stated.map(({ name, values }) => [name, values[at] ?? null])));
}

/** The range and the latest value of every series of every chart. */
export function boardFigures(tables: Tables): Derived {
  const values = tableOf(tables, 'values');
  const [charts, series, times, numbers] = ['chart', 'series', 'time', 'value'].map((name) =>
    columnOf(values, name),
  );
  if (!charts || !series || !times || !numbers) return { figures: [], charts: [] };
  const found = new Map<string, Map<string, [number, number][]>>();
  for (const [at, cell] of charts.entries()) {
    const [value, ms] = [numberOf(numbers[at]), parseTime(times[at])];
    const own = found.get(textOf(cell)) ?? new Map<string, [number, number][]>();
    found.set(textOf(cell), own);
    const points = own.get(textOf(series[at])) ?? [];
    own.set(textOf(series[at]), points);
    if (value !== null && ms !== null) points.push([ms, value]);
  }
  return {
    figures: [...found].flatMap(([chart, own]) =>
      [...own].map(([name, points]) => seriesFigure(chart, name, points)),
    ),
    charts: [...found].map(
      ([title, own]): ReportChart => ({
        ...{ form: 'lines', title },
        series: [...own].map(([name, points]) => ({ name, points })),
      }),
    ),
  };
}

function seriesFigure(chart: string, name: string, points: readonly [number, number][]): ReportFigure {
  const label = name === chart ? name : `${chart}: ${name}`;
  const last = points.at(-1);
  if (last === undefined) return { label, value: 'No values', detail: '' };
  const numbers = points.map(([, value]) => value);
  const mean = numbers.reduce((sum, value) => sum + value / numbers.length, 0);
  return {
    ...{ label, value: differenceText(last[1]) },
    detail: `Latest of ${counted(points.length, 'value')}; ${rangeText(earliest(numbers), latest(numbers))}, mean ${differenceText(mean)}.`,
  };
}

/** Number of records by severity, and the values that were judged. */
export function alertFigures(tables: Tables): Derived {
  const records = tableOf(tables, 'records');
  if (records === undefined) return { figures: [], charts: [] };
  const severities = columnOf(records, 'severity');
  const bySeverity = severities === null ? [] : tally(severities);
  const [times, values] = [columnOf(records, 'time'), columnOf(records, 'value')];
  const columns = columnOf(records, 'column');
  const series = new Map<string, [number, number][]>();
  for (const [at, cell] of (times ?? []).entries()) {
    const [ms, value] = [parseTime(cell), numberOf(values?.[at])];
    if (ms === null || value === null) continue;
    const name = textOf(columns?.[at]) || 'Value';
    const points = series.get(name) ?? [];
    series.set(name, points);
    points.push([ms, value]);
  }
  const lines = [...series].map(([name, points]) => ({
    name,
    points: points.sort(([one], [other]) => one - other),
  }));
  return {
    figures: [
      { label: 'Records', value: counted(records.rows, 'record'), detail: '' },
      ...bySeverity.map(([severity, rows]) => shareFigure(severity, rows, records.rows, 'record')),
      ...lines.map(({ name, points }) => seriesFigure(name, name, points)),
    ],
    charts: [
      ...(lines.length === 0 ? [] : [{ form: 'lines' as const, title: 'Values', series: lines }]),
      ...tallyChart('Records by severity', bySeverity),
    ],
  };
}
