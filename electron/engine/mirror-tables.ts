/** The stored tables that a mirror writes: the tables of SQL, except single lists. */
import { type KeptTable, type NamesById, ownersOf, type ReadableView, viewsOf } from '../analysis/views.ts';
import type { Generation } from '../db/library-rows.ts';
import type { MirrorableTable } from '../mirror/types.ts';
import { numberText } from '../shared/count-text.ts';
import type { ListQuery } from '../shared/model.ts';

/** `libraryFile`: the store that contains the lists. */
export function mirrorTables(
  lists: readonly { query: ListQuery; shown: Generation }[],
  names: NamesById,
  kept: readonly KeptTable[],
  libraryFile: string,
): MirrorableTable[] {
  const generations = new Map(lists.map(({ shown }) => [shown.id, shown]));
  return viewsOf(lists, names, kept).flatMap((view): MirrorableTable[] => {
    const { source, name, title, mostRows } = view;
    if (source.form === 'list') return [];
    if (source.form === 'kept') return [keptTable(view, source.table)];
    // The time of reading is left out, because it is the same for all rows of a list and changes with each reading; the
    // catalog has it.
    const parts = source.parts.map(({ added: { as_of: _, ...added }, ...part }) => ({ ...part, added }));
    const shown = parts.flatMap(({ generationId }) => generations.get(generationId) ?? []);
    const newest = shown.flatMap(({ newestMs }) => newestMs ?? []);
    return [
      {
        ...{ name, title, mostRows, source: { form: 'union', libraryFile, parts } },
        // Includes the times of reading, because ids and revisions start again in a library that was deleted.
        state: JSON.stringify([parts, shown.map(({ oldestMs, newestMs }) => [oldestMs, newestMs])]),
        missing: missingOf(shown),
        owners: ownersIn(lists, new Set(parts.map(({ generationId }) => generationId)), names),
        oldestMs: view.oldestMs,
        newestMs: newest.length === 0 ? null : Math.max(...newest),
      },
    ];
  });
}

const STILL_RUNNING: Readonly<Record<KeptTable['name'], string>> = {
  events: 'An upload has not ended: rows may follow.',
  scores: 'A score run has items without a score: rows may follow.',
  requests: 'Requests may follow.',
};

function keptTable(
  { name, title, mostRows, oldestMs, isComplete }: ReadableView,
  table: KeptTable,
): MirrorableTable {
  return {
    ...{ name, title, mostRows, state: table.state, oldestMs, newestMs: null },
    source: { form: 'kept', kept: { file: table.file, name: table.name } },
    owners: [],
    missing: isComplete ? null : STILL_RUNNING[table.name],
  };
}

function ownersIn(
  lists: readonly { query: ListQuery; shown: Generation }[],
  generations: ReadonlySet<number>,
  names: NamesById,
): MirrorableTable['owners'] {
  return lists
    .filter(({ shown }) => generations.has(shown.id))
    .flatMap(({ query }) => ownersOf(query))
    .flatMap(({ column, id }) => {
      const name = names.get(id);
      return name === undefined ? [] : { column, id, name };
    });
}

/** The missing rows in words; null if all lists are complete. */
function missingOf(shown: readonly Generation[]): string | null {
  const incomplete = shown.filter(({ isComplete }) => !isComplete);
  if (incomplete.length === 0) return null;
  const are = `${numberText(incomplete.length)} of ${numberText(shown.length)} stored lists ${incomplete.length === 1 ? 'is' : 'are'} incomplete`;
  const known = incomplete.flatMap(({ totalRows, rowCount }) =>
    totalRows === null || totalRows <= rowCount ? [] : totalRows - rowCount,
  );
  if (known.length < incomplete.length) return `${are}: rows of the service are missing.`;
  const rows = known.reduce((sum, each) => sum + each, 0);
  return `${are}: ${numberText(rows)} rows of the service are missing.`;
}
