/** Selects rows of a list by their position in a grid, for an export. */
import { AppError } from '../shared/errors.ts';
import type { Derivation } from './derive.ts';
import { missingRowsOf, type Source } from './freshness.ts';
import type { Positions } from './positions.ts';
import type { RowOrders } from './row-orders.ts';
import { textFilterOf } from './row-window.ts';
import type { ChosenRows, RowChoice } from './types.ts';

export async function chooseRows(
  orders: RowOrders,
  source: Source,
  derivation: Derivation | null,
  choice: RowChoice,
): Promise<ChosenRows> {
  if (source.kind === 'none')
    throw new AppError('NOT_STORED', 'Nothing of this list is stored on this computer.');
  const { generation } = source;
  const derived = source.kind === 'derived' ? source.positions : null;
  checkSeen(choice, derived?.length ?? generation.rowCount, generation.newestMs);
  const order = await orderOf(orders, source, derivation, choice);
  const positions = choice.ranges === null ? order : within(order, generation.endPosition, choice.ranges);
  const missingRows = missingRowsOf(generation);
  const { id, listId, revision, rowCount, oldestMs, newestMs } = generation;
  return {
    generation: { id, listId, revision, rowCount },
    positions,
    count: positions?.length ?? rowCount,
    mayHaveGaps: order === null && rowCount < generation.endPosition,
    totalRows: derived?.length ?? generation.totalRows,
    isComplete: generation.isComplete,
    ...(missingRows === undefined ? {} : { missingRows }),
    oldestMs,
    newestMs,
  };
}

function checkSeen({ seen }: RowChoice, storedRows: number, newestMs: number | null): void {
  if (seen === null || (seen.storedRows === storedRows && seen.newestMs === newestMs)) return;
  throw new AppError(
    'CONFLICT',
    'The list has changed since the rows were selected. Select them again, then repeat.',
  );
}

/** Positions of the rows that pass the filters, in order; null for all rows in the service's order. */
export async function orderOf(
  orders: RowOrders,
  source: Exclude<Source, { kind: 'none' }>,
  derivation: Derivation | null,
  { query, narrow: typed, filters, sort }: Pick<RowChoice, 'query' | 'narrow' | 'filters' | 'sort'>,
): Promise<Positions | null> {
  const narrow = textFilterOf(typed, query);
  const derived = source.kind === 'derived' ? source.positions : null;
  if (narrow === null && sort === null && filters.length === 0) return derived;
  const asked = { derivation: derived === null ? null : derivation, narrow, sort, filters };
  return (await orders.of(source.generation, asked)) ?? new Int32Array(0);
}

/** If the order contains all rows, the index is the position. */
function within(order: Positions | null, endPosition: number, ranges: RowChoice['ranges']): Positions {
  const last = (order?.length ?? endPosition) - 1;
  const parts = (ranges ?? []).map(({ from, to }) => ({ from, end: Math.min(to, last) + 1 }));
  const chosen = new Int32Array(parts.reduce((sum, { from, end }) => sum + Math.max(0, end - from), 0));
  let count = 0;
  for (const { from, end } of parts) {
    if (order === null) for (let place = from; place < end; place += 1) chosen[count + place - from] = place;
    else if (end > from) chosen.set(order.subarray(from, end), count);
    count += Math.max(0, end - from);
  }
  return chosen;
}
