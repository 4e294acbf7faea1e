/** Values that the picture and the table of a board lack, with the reason for each. Pure. */
import type { WireError } from '../../../../electron/shared/errors.ts';
import type { ChartSeries } from '../../../lib/chart/types.ts';
import { type BoardTile, columnsText, isComplete } from '../../../lib/monitoring/board.ts';
import type { ChartAnswer } from '../../../lib/monitoring/query-answer.ts';

interface TileValues {
  readonly tile: BoardTile;
  readonly answer: Pick<ChartAnswer, 'problems'> | null;
  readonly hasValues: boolean;
  /** Whether its values or its earlier period are still awaited. */
  readonly isAwaited: boolean;
  readonly isLoading: boolean;
  readonly isOffline: boolean;
  readonly failure: Pick<WireError, 'title'> | null;
  /** Whether an earlier period was requested that has no values. */
  readonly isEarlierMissing: boolean;
}

export interface BoardGap {
  /** Title of the tile. */
  title: string;
  /** In a few words. */
  reason: string;
}

function reasonsOf(values: TileValues): string[] {
  const { tile, answer, hasValues, isAwaited, isLoading, isOffline, failure, isEarlierMissing } = values;
  if (!isComplete(tile)) return ['no metric'];
  if (isLoading) return ['not loaded in time'];
  if (answer === null)
    return [
      isOffline ? 'not available offline' : failure === null ? 'not loaded' : failure.title.toLowerCase(),
    ];
  if (!hasValues) return ['no values in this range'];
  const columns = columnsText(tile);
  return [
    ...answer.problems.map(({ name, text }) => `${name}: ${text.replace(/\.$/, '')}`),
    ...(isAwaited || isEarlierMissing ? ['no values of the earlier period'] : []),
    ...(columns === null ? [] : [`${columns} requested`]),
  ];
}

/** Missing values of the tiles, in their order; empty if none are. */
export function boardGaps(tiles: readonly TileValues[]): BoardGap[] {
  return tiles.flatMap((each) => reasonsOf(each).map((reason) => ({ title: each.tile.title, reason })));
}

/** One sentence, e.g. `Missing: Drift (connection refused), Traffic (not loaded in time).` Empty for none. */
export function gapsText(gaps: readonly BoardGap[]): string {
  if (gaps.length === 0) return '';
  return `Missing: ${gaps.map(({ title, reason }) => `${title} (${reason})`).join(', ')}.`;
}

/** A column without values for each gap, named after it, so that the table shows the gap too. */
export function gapColumns(gaps: readonly BoardGap[]): ChartSeries[] {
  const line = { kind: 'line', axis: 'left', times: [], values: [], look: 0 } as const;
  return gaps.map(({ title, reason }, at) => ({
    ...line,
    id: `missing ${at}`,
    name: `${title} (${reason})`,
  }));
}
