/** Describes a board for keeping it offline: everything that it shows now, including charts out of view. */
import { tileBody } from '../../../../electron/shared/board-times.ts';
import { boardBody, rangeUpToDay } from '../../../../electron/shared/keep-model.ts';
import type { KeepSubject } from '../../../lib/keep-words.ts';
import { type BoardTile, subjectOfTile } from '../../../lib/monitoring/board.ts';
import { daysOf } from '../../../lib/monitoring/board-firings.ts';
import { clock } from '../../../state/clock.svelte.ts';
import { BOARD_PARAMS } from '../../parts/board-routes.ts';
import type { SubjectFacts } from '../chart/subject-facts.svelte.ts';
import { watchingRules } from './board-series.ts';
import type { BoardTab } from './board-tab.svelte.ts';

const DAY_MS = 86_400_000;

/** `tiles`: the complete tiles of the board. */
export function keepSubject(board: BoardTab, tiles: readonly BoardTile[], facts: SubjectFacts): KeepSubject {
  const rules = new Set(
    tiles.flatMap((tile) => {
      const subject = subjectOfTile(tile);
      const known = subject.kind === 'model' ? facts.rules(subject.modelId) : [];
      return watchingRules(tile, known).map(({ id }) => id);
    }),
  );
  const params = Object.fromEntries(
    BOARD_PARAMS.flatMap((name) => {
      const value = board.params[name] ?? board.saved?.params[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const queries = tiles.map((tile) => tileBody(tile, board.times));
  return {
    ...{ kind: 'board', id: board.id, name: board.name },
    body: boardBody(queries, [...rules], params),
    range: rangeUpToDay(daysOf(board.times.label) * DAY_MS, clock.nowMs),
  };
}
