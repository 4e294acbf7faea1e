/** The values of a board's tiles: the drawn series, the common time axis, and the values at the crosshair. Pure. */
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
 * The `top` series with the highest mean over their finished bins, in their order, each with its earlier period; 0 for
 * all. Colours are assigned again.
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

/** The series with shorter names: words at the start of all names are removed, as the title of the tile has them. */
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
    // If there is a single series, its earlier period needs no name besides the period.
    const from = period !== undefined && own.length === 1 ? period.name.split(SEPARATOR).length : common;
    return { ...each, name: words.slice(from).join(SEPARATOR) || each.name };
  });
}

/** Half the width of the first bar, in ms. */
const barRoom = ({ times }: ChartSeries): number => ((times[1] ?? 0) - (times[0] ?? 0)) / 2;

/** Names and units of the axes that the title of a tile does not mention, and the bin size; shown beside the title. */
export function unitText(title: string, axes: { left: string; right: string }, binSize: string): string {
  const said = title.toLowerCase();
  const names = [axes.left, axes.right].flatMap((axis) => (axis === '' ? [] : axis.split(SEPARATOR)));
  const left = names.flatMap((name) => {
    const [metric = '', ...units] = name.split(', ');
    return said.includes(metric.toLowerCase()) ? units : [name];
  });
  return [...new Set(left), `by ${binSize.toLowerCase()}`].join(', ');
}

/** `grey: previous month`, if several series have an earlier period: the key line has room for their own names only. */
export function earlierText(series: readonly ChartSeries[]): string {
  const earlier = series.filter(({ earlierOf }) => earlierOf !== undefined);
  const [first] = earlier;
  if (first === undefined || series.length - earlier.length < 2) return '';
  return `grey: ${first.name.split(SEPARATOR).at(-1) ?? ''}`;
}

/**
 * The common time axis, from the first to the last time of all tiles, with room for bars; null if there are no values.
 */
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
  /** The exact value and its change from the earlier period. */
  title: () => string;
}

/** Four digits are enough to compare values. */
const rounded = (value: number): number =>
  Math.abs(value) >= 1_000 ? Math.round(value) : Number(value.toPrecision(4));

/** The last time that has a value and whose bin had ended when it was read; null if there is none. */
function lastMs(series: ChartSeries): number | null {
  const { times, values } = series;
  const at = values.findLastIndex(
    (value, index) => value !== null && !isUnfinished(series, times[index] ?? 0),
  );
  return times[at] ?? null;
}

/**
 * One entry per series: its value at `ms`, or its last finished value if that is null. Earlier periods have an entry
 * only if there is one series; they are read at the time of the value they are compared with.
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

/** Widths in pixels: of a character of a name, of a mark with its value, and of the space around another text. */
const CHARACTER = 6.2;
const MARK_AND_VALUE = 76;
const GAP = 12;
const AROUND = 30;
/** Width in pixels of the count of further series. */
const MORE = 50;
/** Number of characters by which a name can be recognized. */
const MIN_NAME = 6;

/** Minimum width in pixels of an entry. */
export const minWidth = ({ name }: Pick<KeyEntry, 'name'>): number =>
  MARK_AND_VALUE + Math.min(name.length, MIN_NAME) * CHARACTER;

/**
 * The number of entries that fit beside the other texts, at least 1. The others are only counted. `hasMore`: further
 * series are counted anyway.
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

/** Maximum number of rules whose history is requested for a tile. */
const MAX_WATCHING = 6;

/** The alert rules about the values of a tile, with any bin size. */
export function watchingRules(tile: BoardTile, rules: readonly RuleParts[]): RuleParts[] {
  const { queries } = readBody(tile.body);
  return rules.filter((rule) => queries.some((query) => isWatched(query, rule))).slice(0, MAX_WATCHING);
}

/** Series of one query of a tile. */
interface WatchedSeries {
  queryKey: string;
  /** Null for all columns. */
  columns: readonly string[] | null;
}

export interface TileThreshold extends ChartThreshold {
  /** Names of the rules. */
  rule: string;
  /** The series that the rules watch. */
  watched: readonly WatchedSeries[];
}

const isJudged = ({ source }: ChartSeries, watched: readonly WatchedSeries[]): boolean =>
  source !== undefined &&
  watched.some(
    ({ queryKey, columns }) =>
      queryKey === source.queryKey && (columns === null || columns.includes(source.column)),
  );

/** Joins rules with the same level, such as copies, to one line. */
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
 * Thresholds of the alert rules about the values of a tile, with the same bin size. Rules whose thresholds the service
 * sets, or that watch changes, have no level.
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
 * The worst severity among the last finished values of a tile, with the names of its series; null if none is severe.
 * `series`: all series, even those that are not drawn.
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

/** The series of all tiles, for one table. Names and ids are made unique on the board. */
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
