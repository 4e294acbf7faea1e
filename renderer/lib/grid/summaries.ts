/** The summary in a column heading: the drawing made from a profile, and the filters of its parts. Pure. */
import type {
  ColumnFilter,
  ColumnProfile,
  ListProfile,
  Tally,
} from '../../../electron/shared/analysis-model.ts';
import { exactNumber, isRawNumber } from '../../../electron/shared/exact-json.ts';
import type { TimeRange } from '../../../electron/shared/model.ts';
import { wordsFor } from '../../../electron/shared/shown-words.ts';
import { tickLines, timeTicks } from '../chart/time-ticks.ts';
import {
  formatClock,
  formatCount,
  formatDay,
  formatNumber,
  formatStamp,
  shownZone,
  written,
} from '../format.ts';
import type { Column } from './columns.ts';
import { onlyText } from './typed-filter.ts';

/** A part that can be pointed at: a bar, a value, or the rows without a value. */
export interface SummaryPart extends Tally {
  kind: 'bar' | 'value' | 'missing';
  /** Text in the drawing. */
  label: string;
  /** Accessible name with the name of the column: `Rows 7,600 to 17,200`. */
  name: string;
  /** Length of the bar from 0 to 1: for all rows, and for the rows that pass the filters. */
  share: number;
  passing: number;
  filter: ColumnFilter;
  /** Whether the filter of this part, or one that includes it, is active. */
  isChosen: boolean;
}

/** A mark on the axis under the bars. */
interface SummaryTick {
  text: string;
  /** Position from 0 (left) to 1 (right). */
  place: number;
}

export interface SummaryData {
  field: string;
  /** `different`: hardly any value occurs twice, so no value is shown. */
  shape: 'bars' | 'values' | 'different';
  bars: SummaryPart[];
  values: SummaryPart[];
  missing: SummaryPart[];
  /** Texts under the drawing, at its left and right ends. */
  range: [string, string];
  /** The texts of `range` with every digit, for its tooltip. */
  exactRange: [string, string];
  /** For times: marks at round times of the display time zone. */
  ticks: SummaryTick[];
  /** Number of rows counted. */
  rows: Tally;
  /** Whether the column has a filter. */
  isFiltered: boolean;
}

type Axis = Pick<ColumnProfile, 'kind' | 'bars'>;

/** Exact ends of a span that has an end in common with its column. */
type ExactEnds = { min?: string | undefined; max?: string | undefined };

const MAX_VALUES = 3;
/** Maximum number of bars that fit in a column heading. */
const MAX_HEAD_BARS = 20;
const MAX_TICKS = 8;
const DAY = 86_400_000;
/** Ranges shorter than this (ms) are shown with seconds. */
const MINUTES = 600_000;
const EMPTINESS = ['absent', 'null', 'empty'] as const;
const TALLY = { absent: 'absent', null: 'nulls', empty: 'empty' } as const;

/** `19.8 %`, with one decimal. */
export function preciseShare(count: number, total: number): string {
  const share = total === 0 ? 0 : count / total;
  const percent = Math.round(share * 1_000) / 10;
  if (share > 0 && percent === 0) return '<0.1 %';
  if (share < 1 && percent === 100) return '>99.9 %';
  return `${formatNumber(percent)} %`;
}

/** Parts that can be pointed at and chosen, in the order of the arrow keys. */
export const partsOf = ({ bars, values, missing }: SummaryData): SummaryPart[] => [
  ...bars,
  ...values,
  ...missing,
];

/** Merges adjacent bars until at most `most` are left. */
function joined(
  bars: ColumnProfile['bars'],
  most: number,
  each = Math.ceil(bars.length / most),
): ColumnProfile['bars'] {
  return Array.from({ length: Math.ceil(bars.length / each) }, (_, at) => {
    const group = bars.slice(at * each, (at + 1) * each);
    return {
      from: group[0]?.from ?? 0,
      to: group.at(-1)?.to ?? 0,
      includesTo: group.at(-1)?.includesTo ?? false,
      total: group.reduce((sum, { total }) => sum + total, 0),
      count: group.reduce((sum, { count }) => sum + count, 0),
    };
  });
}

/** Bars of equal width, including empty ones, that cover at least `range`; at most two more than `most`. */
function overRange(
  bars: ColumnProfile['bars'],
  { startMs, endMs }: TimeRange,
  most: number,
): ColumnProfile['bars'] {
  const [from, to] = [bars[0]?.from ?? 0, bars.at(-1)?.to ?? 0];
  if (to <= from) return bars;
  const width = (to - from) / bars.length;
  const all = Math.max(endMs, to) - Math.min(startMs, from);
  const each = Math.max(1, Math.ceil(all / width / most));
  const step = each * width;
  const known = joined(bars, most, each);
  const last = known.pop();
  if (last === undefined) return bars;
  const end = Math.max(to, last.from + step);
  known.push({ ...last, to: end, includesTo: last.includesTo && end === to });
  const empty = (start: number) => ({ from: start, to: start + step, includesTo: false, total: 0, count: 0 });
  const before = Math.max(0, Math.ceil((from - startMs) / step));
  const after = Math.max(0, Math.ceil((endMs - end) / step));
  return [
    ...Array.from({ length: before }, (_, at) => empty(from - (before - at) * step)),
    ...known,
    ...Array.from({ length: after }, (_, at) => empty(end + at * step)),
  ];
}

/**
 * The summary of a column, considering its own filter. `range`: the bars of a time column cover at least this range.
 */
export function summaryOf(
  column: Column,
  counted: ColumnProfile,
  filters: readonly ColumnFilter[],
  mostBars = MAX_HEAD_BARS,
  range: TimeRange | null = null,
): SummaryData {
  const profile =
    range !== null && counted.kind === 'time'
      ? { ...counted, bars: overRange(counted.bars, range, mostBars) }
      : counted.bars.length > mostBars
        ? { ...counted, bars: joined(counted.bars, mostBars) }
        : counted;
  const { field } = profile;
  const own = filters.find((filter) => filter.field === field);
  const isDifferent =
    profile.bars.length === 0 && (profile.tops[0]?.total ?? 0) <= 1 && profile.tops.length > MAX_VALUES;
  const bars = barsOf(column, profile, own);
  const values = isDifferent ? [] : valuesOf(column, profile, own);
  const missing = EMPTINESS.flatMap((is): SummaryPart[] => {
    const tally = profile[TALLY[is]];
    if (tally.total === 0) return [];
    const filter = { kind: 'emptiness' as const, field, is };
    return [
      {
        ...{ kind: 'missing', ...tally, filter },
        label: `${preciseShare(tally.total, profile.rows.total)} ${is}`,
        name: `${column.title} is ${is}`,
        share: tally.total / Math.max(1, profile.rows.total),
        passing: tally.count / Math.max(1, profile.rows.total),
        isChosen: own?.kind === 'emptiness' && own.is === is,
      },
    ];
  });
  const shape = profile.bars.length > 0 ? 'bars' : isDifferent ? 'different' : 'values';
  return {
    ...{ field, shape, bars, values, missing },
    range: rangeOf(column, profile, shape, endText),
    exactRange: rangeOf(column, profile, shape, wholeText),
    ticks: profile.kind === 'time' ? ticksOf(profile) : [],
    rows: profile.rows,
    isFiltered: own !== undefined,
  };
}

function barsOf(column: Column, profile: ColumnProfile, own: ColumnFilter | undefined): SummaryPart[] {
  const { field, bars, range } = profile;
  const most = Math.max(1, ...bars.map(({ total }) => total));
  return bars.map(({ from, to, includesTo, total, count }, at) => {
    const min = at === 0 ? range?.min : undefined;
    const max = at === bars.length - 1 ? range?.max : undefined;
    const label = spanText(column, profile, from, to, includesTo, { min, max });
    return {
      ...{ kind: 'bar' as const, total, count, label },
      name: `${column.title} ${label}`,
      share: total / most,
      passing: count / most,
      filter: { kind: 'range' as const, field, from, to, includesTo },
      isChosen:
        own?.kind === 'range' &&
        own.excludes !== true &&
        (own.from === null || from >= own.from) &&
        (own.to === null || to < own.to || (to === own.to && (own.includesTo || !includesTo))),
    };
  });
}

/** A counted value as its cells show it: constants in words. */
function valueText({ kind, write, words }: Column, value: string): string {
  if (kind === 'chip' && write !== undefined) return write(value);
  return words === undefined ? value : wordsFor(words, value);
}

function valuesOf(column: Column, profile: ColumnProfile, own: ColumnFilter | undefined): SummaryPart[] {
  const { field, tops } = profile;
  const most = Math.max(1, ...tops.map(({ total }) => total));
  return tops.slice(0, MAX_VALUES).map(({ value, total, count }) => ({
    ...{ kind: 'value' as const, total, count },
    label: valueText(column, value),
    name: `${column.title} ${valueText(column, value)}`,
    share: total / most,
    passing: count / most,
    filter: { kind: 'values' as const, field, values: [value], excludes: false },
    isChosen: own?.kind === 'values' && !own.excludes && own.values.includes(value),
  }));
}

/** The texts at the ends of a drawing. `textOf`: returns the text of an end. */
function rangeOf(
  column: Column,
  profile: ColumnProfile,
  shape: SummaryData['shape'],
  textOf: typeof wholeText,
): [string, string] {
  const [first, last] = [profile.bars[0], profile.bars.at(-1)];
  if (first !== undefined && last !== undefined) {
    const end = isOneNumber(profile, last.from, last.to) ? last.from : last.to;
    const span = last.to - first.from;
    const { min, max } = profile.range ?? {};
    const ends = (write: typeof wholeText): [string, string] => [
      write(column, profile, first.from, span, min),
      write(column, profile, end, span, max),
    ];
    const short = ends(textOf);
    // If the short texts of both ends are the same, they are written with every digit.
    const [low, high] = short[0] === short[1] ? ends(wholeText) : short;
    return low === high ? [low, ''] : [low, high];
  }
  const rows = profile.rows.total - profile.absent.total - profile.nulls.total - profile.empty.total;
  if (rows === 0) return ['no values', ''];
  const distinct = Math.min(rows, Math.max(profile.distinct, profile.tops.length));
  // The number of distinct values is approximate, but exact if even the most frequent value occurs once.
  if (shape === 'different') return [`${formatNumber(rows)} distinct`, 'all different'];
  const more = distinct - Math.min(MAX_VALUES, profile.tops.length);
  return [`${formatNumber(distinct)} distinct`, more > 0 ? `+ ${formatNumber(more)} more` : ''];
}

/** Position of a time from 0 to 1. Bars are drawn with equal width, whatever their range. */
function placeOf(bars: ColumnProfile['bars'], ms: number): number {
  const at = bars.findIndex(({ from, to }) => ms >= from && ms <= to);
  const bar = bars[at];
  if (bar === undefined) return 0;
  const within = bar.to > bar.from ? (ms - bar.from) / (bar.to - bar.from) : 0;
  return (at + within) / bars.length;
}

function ticksOf({ bars }: Axis): SummaryTick[] {
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return [];
  const zone = shownZone();
  const made = timeTicks(first.from, last.to, zone, MAX_TICKS);
  const texts = tickLines(made, zone);
  return made.ticks.map((ms, at) => ({ text: texts[at] ?? '', place: placeOf(bars, ms) }));
}

/** Whether a bar covers a single whole number. With 20 bars, the last one may cover two. */
function isOneNumber({ kind, bars }: Axis, from: number, to: number): boolean {
  return kind === 'integer' && to - from === 1 && (bars.length < 20 || from !== bars.at(-1)?.from);
}

function spanText(
  column: Column,
  profile: Axis,
  from: number,
  to: number,
  includesTo: boolean,
  { min, max }: ExactEnds = {},
): string {
  const isOne = from === to || isOneNumber(profile, from, to);
  if (isOne && (max === undefined || min === max)) return pointText(column, profile, from, 0, min);
  if (profile.kind === 'integer' && Number.isFinite(from) && Number.isFinite(to)) {
    // Computed with BigInt, as beyond 2^53 a double minus 1 is not exact.
    const [low, high] = [BigInt(min ?? Math.ceil(from)), BigInt(max ?? Math.floor(to))];
    const end = includesTo || !Number.isInteger(to) ? high : high - 1n;
    const [a, b] = [low, end].map((each) => pointText(column, profile, Number(each), 0, String(each)));
    return low >= end ? (a ?? '') : `${a} to ${b}`;
  }
  if (profile.kind === 'time' && to - from >= MINUTES && to - from <= 2 * DAY) {
    const day = formatDay(from) === formatDay(to) ? '' : `${formatDay(to)} `;
    return `${formatDay(from)} ${formatClock(from)} to ${day}${formatClock(to)}`;
  }
  return `${pointText(column, profile, from, to - from, min)} to ${pointText(column, profile, to, to - from, max)}`;
}

/**
 * Text of a position on the axis. `span`: size of the range in which values are compared. `exact`: the number of this
 * position, if a double may not hold it.
 */
function pointText(
  column: Column,
  { kind }: Pick<ColumnProfile, 'kind'>,
  value: number,
  span: number,
  exact?: string,
): string {
  if (kind === 'time') return span > 2 * DAY ? formatDay(value) : formatStamp(value);
  if (column.write !== undefined && column.kind === 'number') return column.write(value);
  const whole = exact === undefined ? value : exactNumber(exact);
  if (isRawNumber(whole)) return formatNumber(whole);
  return formatNumber(Number.isInteger(value) ? value : Number(value.toPrecision(4)));
}

/** Like `pointText`, but with every digit. */
function wholeText(column: Column, profile: Axis, value: number, span: number, exact?: string): string {
  if (profile.kind === 'time' || column.write !== undefined) return pointText(column, profile, value, span);
  return formatNumber((exact === undefined ? null : exactNumber(exact)) ?? value);
}

/** A short text that fits under a narrow drawing: `1.25M`, `14:02`. */
function endText(column: Column, profile: Axis, value: number, span: number): string {
  if (profile.kind === 'time')
    return formatDay(value) === formatDay(value - span) || formatDay(value) === formatDay(value + span)
      ? formatClock(value)
      : formatDay(value);
  const isLarge = Math.abs(value) >= 100_000 && column.write === undefined;
  return isLarge ? written(compact.format(value)) : pointText(column, profile, value, span);
}

/**
 * Says which rows were counted, if not all: `200 stored of 1,000`, `12 matching of 200 stored, of 1,000`; otherwise
 * empty. `noun`: text after `stored`.
 */
export function countedPart(
  {
    storedRows,
    matchingRows,
    totalRows,
    isComplete,
  }: Pick<ListProfile, 'storedRows' | 'matchingRows' | 'totalRows' | 'isComplete'>,
  noun = '',
): string {
  const stored = `${formatNumber(storedRows)} stored${noun}`;
  // The stated total of a complete list can be wrong.
  const isAll = isComplete || (totalRows !== null && totalRows <= storedRows);
  const all = isAll || totalRows === null ? '' : ` of ${formatNumber(totalRows)}`;
  if (matchingRows < storedRows)
    return `${formatNumber(matchingRows)} matching of ${stored}${all === '' ? '' : `,${all}`}`;
  return isAll ? '' : `${stored}${all}`;
}

const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 });

/** Text of a filter for its chip: `300 to 40,000`, `string`, `null`. */
export function filterText(
  column: Column,
  kind: ColumnProfile['kind'] | undefined,
  filter: ColumnFilter,
): string {
  if (filter.kind === 'emptiness') return filter.is;
  if (filter.kind === 'values') {
    const texts = filter.values.map((value) => valueText(column, value));
    const text = onlyText(texts) ?? formatCount(texts.length, 'value');
    return filter.excludes ? `not ${text}` : text;
  }
  if (filter.kind === 'contains') return `${filter.excludes ? 'without' : 'contains'} ${filter.text}`;
  const { from, to, includesTo, excludesFrom, excludes } = filter;
  if (excludes === true) {
    const { excludes: _, ...inside } = filter;
    return `not ${filterText(column, kind, inside)}`;
  }
  const own = { kind: kind ?? 'number' };
  if (from !== null && to !== null) {
    return spanText(column, { ...own, bars: [] }, from, to, includesTo);
  }
  if (from !== null) return `${excludesFrom === true ? 'over' : 'from'} ${pointText(column, own, from, 0)}`;
  return to === null ? 'any' : `${includesTo ? 'up to' : 'below'} ${pointText(column, own, to, 0)}`;
}

/** Replaces or removes the filter of a field. */
export function withFilter(
  filters: readonly ColumnFilter[],
  field: string,
  filter: ColumnFilter | null,
): ColumnFilter[] {
  const rest = filters.filter((each) => each.field !== field);
  return filter === null ? rest : [...rest, filter];
}

/** The filter for a range of adjacent bars; the two indices can be in either order. */
export function filterOfBars(summary: SummaryData, one: number, other: number): ColumnFilter | null {
  const first = summary.bars[Math.min(one, other)]?.filter;
  const last = summary.bars[Math.max(one, other)]?.filter;
  if (first?.kind !== 'range' || last?.kind !== 'range') return null;
  return { ...last, from: first.from };
}

/** Tooltip of a part. */
export function partText(part: SummaryPart, summary: SummaryData, isSample: boolean): string {
  const { total } = summary.rows;
  const among = isSample ? `a sample of ${formatCount(total, 'row')}` : `${formatNumber(total)} stored`;
  const passing = part.count === part.total ? '' : ` ${formatNumber(part.total)} without the other filters.`;
  const chosen = partsOf(summary).filter(({ isChosen }) => isChosen).length;
  const act =
    part.isChosen && chosen === 1
      ? 'Click to clear.'
      : part.kind === 'bar'
        ? 'Click for this bar only, drag for several.'
        : 'Click to filter.';
  return `${preciseShare(part.count, total)} of ${among}.${passing} ${act}`;
}
