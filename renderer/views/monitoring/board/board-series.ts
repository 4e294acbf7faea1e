/** The values of the tiles of a board: which series are drawn, the common time axis, values at the crosshair. Pure. */
import type { RuleParts } from '../../../../electron/shared/alert-rule.ts';
import { binOf } from '../../../../electron/shared/board-times.ts';
import { type QueryParts, readBody } from '../../../../electron/shared/chart-query.ts';
import { ANY_COLUMN } from '../../../../electron/shared/metrics.ts';
import { indexAt } from '../../../components/chart/buckets.ts';
import { changeAt, changeText, isUnfinished } from '../../../components/chart/changes.ts';
import { exactNumber, spanOf } from '../../../components/chart/summary.ts';
import { earlierLook } from '../../../lib/chart/look.ts';
import type { ChartSeries, ChartThreshold, TimeSpan } from '../../../lib/chart/types.ts';
import { formatNumber } from '../../../lib/format.ts';
import type { BoardTile } from '../../../lib/monitoring/board.ts';

const SEPARATOR = ' · ';

function meanOf({ times, values, openFromMs }: ChartSeries): number {
  const known = values.filter(
    (value, at): value is number => value !== null && !isUnfinished({ openFromMs }, times[at] ?? 0),
  );
  return known.length === 0
    ? Number.NEGATIVE_INFINITY
    : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/**
 * The series with the highest mean of their finished bins, in their order, each with its earlier period; all for 0.
 * Colours are counted again.
 */
export function topSeries(series: readonly ChartSeries[], top: number): ChartSeries[] {
  const own = series.filter(({ earlierOf }) => earlierOf === undefined);
  if (top === 0 || own.length <= top) return [...series];
  const best = new Set(own.toSorted((a, b) => meanOf(b) - meanOf(a)).slice(0, top));
  return own
    .filter((each) => best.has(each))
    .flatMap((each, place) => [
      { ...each, look: place },
      ...series
        .filter(({ earlierOf }) => earlierOf === each.id)
        .map((earlier) => ({ ...earlier, look: earlierLook(place) })),
    ]);
}

/** The words that every name begins with are left out: the title of the tile says them. */
export function shortNames(series: readonly ChartSeries[]): ChartSeries[] {
  const own = series.filter(({ earlierOf }) => earlierOf === undefined);
  const [first, ...rest] = own.map(({ name }) => name.split(SEPARATOR));
  if (first === undefined) return [...series];
  let common = 0;
  while (
    common < first.length - 1 &&
    rest.every((words) => words[common] === first[common] && words.length > common + 1)
  )
    common += 1;
  return series.map((each) => {
    const words = each.name.split(SEPARATOR);
    const period = own.find(({ id }) => id === each.earlierOf);
    // Beside a single series its earlier period needs no other name.
    const from = period !== undefined && own.length === 1 ? period.name.split(SEPARATOR).length : common;
    return { ...each, name: words.slice(from).join(SEPARATOR) || each.name };
  });
}

/** Half the width of the first bars. */
const barRoom = ({ times }: ChartSeries): number => ((times[1] ?? 0) - (times[0] ?? 0)) / 2;

/** Beside the title of a tile: names and units of its axes, as far as the title does not say them, and the bin. */
export function unitText(title: string, axes: { left: string; right: string }, binSize: string): string {
  const said = title.toLowerCase();
  const names = [axes.left, axes.right].flatMap((axis) => (axis === '' ? [] : axis.split(SEPARATOR)));
  const left = names.flatMap((name) => {
    const [metric = '', ...units] = name.split(', ');
    return said.includes(metric.toLowerCase()) ? units : [name];
  });
  return [...new Set(left), `by ${binSize.toLowerCase()}`].join(', ');
}

/** The common time axis: from the first to the last time of all tiles, with room for bars; null without values. */
export function sharedSpan(tiles: readonly (readonly ChartSeries[])[]): TimeSpan | null {
  const series = tiles.flat();
  const span = spanOf(series, []);
  if (span === null) return null;
  const bars = series.filter(({ kind, times }) => kind === 'bar' && times.length > 1);
  const room = span.endMs > span.startMs ? Math.max(0, ...bars.map(barRoom)) : 3_600_000;
  return { startMs: span.startMs - room, endMs: span.endMs + room };
}

export interface KeyEntry {
  id: string;
  name: string;
  look: number;
  kind: 'line' | 'bar';
  text: string;
  isMissing: boolean;
  /** The exact value, and the change from the earlier period. */
  title: () => string;
}

/** Four digits are enough beside other values. */
const rounded = (value: number): number =>
  Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(4));

/** The last time whose bin was over when it was read, and that has a value. */
function lastMs(series: ChartSeries): number | null {
  const { times, values } = series;
  const at = values.findLastIndex(
    (value, index) => value !== null && !isUnfinished(series, times[index] ?? 0),
  );
  return times[at] ?? null;
}

/**
 * One entry for each series, without earlier periods beside several: its value at `ms`, or its last finished one for null. An earlier period is read at the
 * time of the value that it is compared with.
 */
export function keyEntries(series: readonly ChartSeries[], ms: number | null): KeyEntry[] {
  const own = series.filter(({ earlierOf }) => earlierOf === undefined);
  return (own.length > 1 ? own : series).map((each) => {
    const period = each.earlierOf === undefined ? each : series.find(({ id }) => id === each.earlierOf);
    const time = ms ?? lastMs(period ?? each);
    const at = time === null ? -1 : indexAt(each.times, time);
    const value = each.values[at] ?? null;
    const earlier = series.find(({ id, earlierOf }) =>
      id === each.id ? earlierOf !== undefined : earlierOf === each.id,
    );
    const isOpen = time !== null && isUnfinished(each, time);
    return {
      ...{ id: each.id, name: each.name, look: each.look, kind: each.kind, isMissing: value === null },
      text: value === null ? '–' : formatNumber(rounded(value)),
      title: () => {
        const exact = value === null ? 'no value' : `${exactNumber(value)}${isOpen ? ' so far' : ''}`;
        const change = time === null || earlier === undefined ? null : changeAt(earlier, series, time);
        return `${each.name}: ${exact}${change === null ? '' : `, change ${changeText(change)}`}`;
      },
    };
  });
}

/** Widths in pixels: a character of a name, a mark with its value, and the room around another text. */
const CHARACTER = 6.2;
const MARK_AND_VALUE = 76;
const GAP = 12;
const AROUND = 30;
/** Width of the count of other series. */
const MORE = 50;
/** Characters of a name that are enough to recognize it. */
const MIN_NAME = 6;

/** Width in pixels that an entry needs at least. */
export const minWidth = ({ name }: Pick<KeyEntry, 'name'>): number =>
  MARK_AND_VALUE + Math.min(name.length, MIN_NAME) * CHARACTER;

/**
 * How many entries are readable beside the other texts; the rest is only counted. At least one. `hasMore`: further series
 * are counted anyway.
 */
export function fittingEntries(
  entries: readonly Pick<KeyEntry, 'name'>[],
  others: readonly string[],
  width: number,
  hasMore: boolean,
): number {
  const room = width - others.reduce((sum, text) => sum + AROUND + text.length * CHARACTER, 0);
  const sum = (count: number) =>
    entries.slice(0, count).reduce((whole, each) => whole + minWidth(each) + GAP, 0);
  if (sum(entries.length) + (hasMore ? MORE : 0) <= room) return entries.length;
  const count = entries.findIndex((_, at) => sum(at + 1) + MORE > room);
  return Math.max(Math.min(1, entries.length), count);
}

function isWatched(query: QueryParts, rule: RuleParts): boolean {
  if (query.modelId !== rule.modelId || query.metric !== rule.metricId) return false;
  if (query.baselineId !== rule.baselineId && rule.baselineId !== '') return false;
  if (query.segmentId !== rule.segmentId || query.categories.join() !== rule.category) return false;
  if (rule.features.length === 0) return query.columns.length === 0;
  return rule.features.includes(ANY_COLUMN) || query.columns.some((column) => rule.features.includes(column));
}

/** Rules whose history is requested for a tile. */
const MAX_WATCHING = 6;

/** The alert rules that watch what a tile shows, in bins of any size. */
export function watchingRules(tile: BoardTile, rules: readonly RuleParts[]): RuleParts[] {
  const { queries } = readBody(tile.body);
  return rules.filter((rule) => queries.some((query) => isWatched(query, rule))).slice(0, MAX_WATCHING);
}

/** Series of one query of a tile. */
interface WatchedSeries {
  queryKey: string;
  /** Null for all. */
  columns: readonly string[] | null;
}

export interface TileThreshold extends ChartThreshold {
  /** Names of the rules. */
  rule: string;
  /** The series that the rules judge. */
  watched: readonly WatchedSeries[];
}

const isJudged = ({ source }: ChartSeries, watched: readonly WatchedSeries[]): boolean =>
  source !== undefined &&
  watched.some(
    ({ queryKey, columns }) =>
      queryKey === source.queryKey && (columns === null || columns.includes(source.column)),
  );

/** Rules with the same level, as copies have, are one line. */
function joined(thresholds: readonly TileThreshold[]): TileThreshold[] {
  const byLevel = Map.groupBy(thresholds, ({ severity, side, axis, level }) =>
    [severity, side, axis, level].join(' '),
  );
  return [...byLevel].flatMap(([id, [first, ...rest]]) =>
    first === undefined
      ? []
      : [
          {
            ...first,
            id,
            rule: [...new Set([first, ...rest].map(({ rule }) => rule))].join(', '),
            watched: [first, ...rest].flatMap(({ watched }) => watched),
          },
        ],
  );
}

/**
 * The thresholds of the alert rules that watch what a tile shows, in bins of the same size. Thresholds that the service
 * sets itself, and those of changes, have no level here.
 */
export function tileThresholds(tile: BoardTile, label: string, rules: readonly RuleParts[]): TileThreshold[] {
  const bin = binOf(label);
  const found = readBody(tile.body).queries.flatMap((query) =>
    rules
      .filter((rule) => !rule.isChange && !rule.isAutomatic && (rule.binSize || 'Day') === bin)
      .filter((rule) => isWatched(query, rule))
      .flatMap((rule) =>
        (['warning', 'critical'] as const).flatMap((severity): TileThreshold[] => {
          const level = rule[severity];
          if (level === null) return [];
          const isEvery = rule.features.length === 0 || rule.features.includes(ANY_COLUMN);
          return [
            {
              ...{ id: `${rule.id} ${severity}`, severity, level, rule: rule.name },
              axis: tile.right.includes(query.key) ? 'right' : 'left',
              side: rule.isAbove ? 'above' : 'below',
              watched: [{ queryKey: query.key, columns: isEvery ? null : rule.features }],
            },
          ];
        }),
      ),
  );
  return joined(found);
}

/**
 * The worst severity that the last finished values of a tile have, with the names of their series; null for none.
 * `series`: all of them, also those that are not drawn.
 */
export function stateOf(
  series: readonly ChartSeries[],
  thresholds: readonly TileThreshold[],
): { severity: 'critical' | 'warning'; names: string[] } | null {
  const crossed = thresholds.flatMap(({ severity, level, side, watched }) => {
    const names = series
      .filter((each) => {
        const ms = lastMs(each);
        const value = ms === null ? null : (each.values[indexAt(each.times, ms)] ?? null);
        if (value === null || each.earlierOf !== undefined || typeof level !== 'number') return false;
        return isJudged(each, watched) && (side === 'above' ? value > level : value < level);
      })
      .map(({ name }) => name);
    return names.length === 0 ? [] : [{ severity, names }];
  });
  const severity = crossed.some((each) => each.severity === 'critical') ? 'critical' : 'warning';
  const names = crossed.filter((each) => each.severity === severity).flatMap((each) => each.names);
  return names.length === 0 ? null : { severity, names: [...new Set(names)] };
}

/** The series of all tiles with names and ids that are unique on the board, for one table. */
export function boardSeries(
  tiles: readonly { id: string; title: string; series: readonly ChartSeries[] }[],
): ChartSeries[] {
  return tiles.flatMap(({ id, title, series }) =>
    series.map((each) => ({
      ...each,
      id: `${id} ${each.id}`,
      name: each.name === title ? title : `${title}${SEPARATOR}${each.name}`,
      ...(each.earlierOf === undefined ? {} : { earlierOf: `${id} ${each.earlierOf}` }),
    })),
  );
}
