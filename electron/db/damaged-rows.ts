/**
 * Lists with unreadable rows: such a row is left out of its list (`readable`) and shown as damaged, so that it does not
 * hide the others.
 */
import { wallMs } from '../core/jobs/job-record.ts';
import { damageOf } from '../core/readable.ts';

import type { DamagedKind, DamagedRow } from '../shared/damaged-rows.ts';
import { AppError } from '../shared/errors.ts';

/** A table, with the statements that list and remove its unreadable rows. */
export interface DamagedSource {
  kind: DamagedKind;
  rows(): readonly unknown[];
  read(row: unknown): unknown;
  columns: { id: string; title: string; atMs: string };
  remove(id: string): void;
}

export interface DamagedRows {
  list(): DamagedRow[];
  /** Throws INVALID_ARGUMENT if the row is readable or missing. */
  remove(kind: DamagedKind, id: string): void;
}

export function createDamagedRows(
  sources: readonly DamagedSource[],
  commit: (work: () => void) => void,
): DamagedRows {
  const list = () => sources.flatMap(damagedIn);
  return {
    list,
    remove: (kind, id) => {
      const source = sources.find((each) => each.kind === kind);
      if (source === undefined || !damagedIn(source).some((row) => row.id === id)) {
        throw new AppError('INVALID_ARGUMENT', 'Expected a damaged entry; this one can be read.');
      }
      commit(() => source.remove(id));
    },
  };
}

function damagedIn({ kind, rows, read, columns }: DamagedSource): DamagedRow[] {
  return rows().flatMap((row) => {
    try {
      read(row);
      return [];
    } catch (problem) {
      const damage = damageOf(problem);
      if (damage === null) throw problem;
      const part = (name: string): unknown => (row as Record<string, unknown>)[name];
      const [title, atMs] = [part(columns.title), part(columns.atMs)];
      return [
        {
          kind,
          id: String(part(columns.id)),
          title: typeof title === 'string' ? title : '',
          atMs: wallMs.safeParse(atMs).data ?? null,
          reason: damage.message,
        },
      ];
    }
  });
}
