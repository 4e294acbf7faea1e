/** Stored rows of a connection that cannot be read, from all its stores. */
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { DamagedKind } from '../shared/damaged-rows.ts';

const OF_DATASETS: ReadonlySet<DamagedKind> = new Set(['build', 'score', 'items', 'preset', 'step']);

type Damaged = Readonly<{ damaged: DamagedRows }>;

export function damagedOf(uploads: Damaged, datasets: Damaged, keep: Damaged, exports: Damaged): DamagedRows {
  const roomOf = (kind: DamagedKind) => {
    if (kind === 'keep-offline' || kind === 'list') return keep;
    if (kind === 'export') return exports;
    return OF_DATASETS.has(kind) ? datasets : uploads;
  };
  return {
    list: () => [uploads, datasets, keep, exports].flatMap(({ damaged }) => damaged.list()),
    remove: (kind, id) => roomOf(kind).damaged.remove(kind, id),
  };
}
