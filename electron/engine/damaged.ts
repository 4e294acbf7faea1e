/** What is stored for a connection and cannot be read, out of both of its stores. */
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { DamagedKind } from '../shared/damaged-rows.ts';

const OF_DATASETS: ReadonlySet<DamagedKind> = new Set(['build', 'score', 'preset']);

type Damaged = Readonly<{ damaged: DamagedRows }>;

export function damagedOf(uploads: Damaged, datasets: Damaged): DamagedRows {
  return {
    list: () => [...uploads.damaged.list(), ...datasets.damaged.list()],
    remove: (kind, id) => (OF_DATASETS.has(kind) ? datasets : uploads).damaged.remove(kind, id),
  };
}
