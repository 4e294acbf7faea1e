/** Unreadable rows in all stores of a connection. */
import type { DamagedRows } from '../db/damaged-rows.ts';
import { AppError } from '../shared/errors.ts';

type Damaged = Readonly<{ damaged: DamagedRows }>;

const isUnknown = (problem: unknown): boolean =>
  problem instanceof AppError && problem.code === 'INVALID_ARGUMENT';

export function damagedOf(rooms: readonly Damaged[]): DamagedRows {
  return {
    list: () => rooms.flatMap(({ damaged }) => damaged.list()),
    /** Throws the error of a store that did not open, because the row may be in it. */
    remove: (kind, id) => {
      const refusals: unknown[] = [];
      for (const { damaged } of rooms) {
        try {
          damaged.remove(kind, id);
          return;
        } catch (problem) {
          refusals.push(problem);
        }
      }
      throw refusals.find((problem) => !isUnknown(problem)) ?? refusals[0];
    },
  };
}
