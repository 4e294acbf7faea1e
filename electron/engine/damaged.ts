/** Stored rows of a connection that cannot be read, from all its stores. */
import type { DamagedRows } from '../db/damaged-rows.ts';

type Damaged = Readonly<{ damaged: DamagedRows }>;

export function damagedOf(rooms: readonly [Damaged, ...Damaged[]]): DamagedRows {
  return {
    list: () => rooms.flatMap(({ damaged }) => damaged.list()),
    remove: (kind, id) => {
      const isListed = ({ damaged }: Damaged) =>
        damaged.list().some((row) => row.kind === kind && row.id === id);
      // Any of them refuses a row that is not damaged.
      (rooms.find(isListed) ?? rooms[0]).damaged.remove(kind, id);
    },
  };
}
