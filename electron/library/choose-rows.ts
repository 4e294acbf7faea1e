/** Selects rows of a list by their position in a grid: the rows that an export writes. */
import { AppError } from '../shared/errors.ts';
import type { Derivation } from './derive.ts';
import { missingRowsOf, type Source } from './freshness.ts';
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
    positions: positions === null ? null : Int32Array.from(positions),
    count: positions?.length ?? rowCount,
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

/** Positions of the rows that are left, in order; null: all rows, in the service's order. */
export async function orderOf(
  orders: RowOrders,
  source: Exclude<Source, { kind: 'none' }>,
  derivation: Derivation | null,
  { narrow: typed, filters, sort }: Pick<RowChoice, 'narrow' | 'filters' | 'sort'>,
): Promise<readonly number[] | null> {
  const narrow = textFilterOf(typed);
  const derived = source.kind === 'derived' ? source.positions : null;
  if (narrow === null && sort === null && filters.length === 0) return derived;
  const asked = { derivation: derived === null ? null : derivation, narrow, sort, filters };
  return (await orders.of(source.generation, asked)) ?? [];
}

/** If all rows are in their own order, the index is the position. */
function within(order: readonly number[] | null, endPosition: number, ranges: RowChoice['ranges']): number[] {
  const chosen: number[] = [];
  for (const { from, to } of ranges ?? []) {
    const end = Math.min(to, (order?.length ?? endPosition) - 1);
    for (let place = from; place <= end; place += 1) chosen.push(order?.[place] ?? place);
  }
  return chosen;
}
