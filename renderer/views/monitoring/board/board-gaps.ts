/** Values that are missing in the picture and the table of a board, with the reasons. Pure. */
import type { WireError } from '../../../../electron/shared/errors.ts';
import type { ChartSeries } from '../../../lib/chart/types.ts';
import { type BoardTile, columnsText, isComplete } from '../../../lib/monitoring/board.ts';
import type { ChartAnswer } from '../../../lib/monitoring/query-answer.ts';

interface TileValues {
  readonly tile: BoardTile;
  readonly answer: Pick<ChartAnswer, 'problems'> | null;
  readonly hasValues: boolean;
  /** Whether values, or those of the earlier period, are still expected. */
  readonly isAwaited: boolean;
  readonly isLoading: boolean;
  readonly isOffline: boolean;
  readonly failure: Pick<WireError, 'title'> | null;
  /** Whether values of an earlier period were requested but are missing. */
  readonly isEarlierMissing: boolean;
}

export interface BoardGap {
  /** Title of the tile. */
  title: string;
  /** The reason in a few words. */
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

/** The missing values of the tiles, in the order of the tiles; empty if none are missing. */
export function boardGaps(tiles: readonly TileValues[]): BoardGap[] {
  return tiles.flatMap((each) => reasonsOf(each).map((reason) => ({ title: each.tile.title, reason })));
}

/**
 * One sentence, e.g. `Missing: Drift (connection refused), Traffic (not loaded in time).`; empty if nothing is missing.
 */
export function gapsText(gaps: readonly BoardGap[]): string {
  if (gaps.length === 0) return '';
  return `Missing: ${gaps.map(({ title, reason }) => `${title} (${reason})`).join(', ')}.`;
}

/** A column without values for each gap, with the gap in its name, so that the table shows it too. */
export function gapColumns(gaps: readonly BoardGap[]): ChartSeries[] {
  const line = { kind: 'line', axis: 'left', times: [], values: [], look: 0 } as const;
  return gaps.map(({ title, reason }, at) => ({
    ...line,
    id: `missing ${at}`,
    name: `${title} (${reason})`,
  }));
}
