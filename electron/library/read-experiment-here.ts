/** Reads an experiment from the store, without a request: its record, and where its results are. */
import type { Generation } from '../db/library-rows.ts';
import type { StoredExperiment } from '../shared/run-comparison.ts';
import type { Library } from './types.ts';

const VIEW = 'an experiment that is compared';
const ROWS_AT_ONCE = 200;

export async function readExperimentHere(
  library: Pick<Library, 'storedLists' | 'openRecord' | 'readStored' | 'release'>,
  experimentId: string,
): Promise<StoredExperiment> {
  const lists = library.storedLists();
  const own = lists.find(
    ({ query: { operation, path, query } }) =>
      operation === 'experiments.results' &&
      path['experiment_id'] === experimentId &&
      Object.keys(query).length === 0,
  );
  const query = { operation: 'experiments.get', path: { experiment_id: experimentId }, query: {} };
  const { record } = await library.openRecord({ viewId: VIEW, query, refresh: 'never' });
  library.release(VIEW);
  return {
    record: record ?? (await rowOf(library, experimentId)),
    results:
      own === undefined
        ? null
        : {
            generationId: own.shown.id,
            // Includes the time, because ids begin again after the library was deleted.
            version: `${own.shown.id}.${own.shown.revision}.${own.shown.newestMs}`,
            isComplete: own.shown.isComplete,
            total: totalOf(own.shown),
            oldestMs: own.shown.oldestMs,
          },
  };
}

/** Null if rows are missing although the service states no more rows than are stored. */
function totalOf({ isComplete, rowCount, totalRows }: Generation): number | null {
  if (isComplete) return rowCount;
  return totalRows !== null && totalRows > rowCount ? totalRows : null;
}

/** The experiment in a stored list of experiments. */
async function rowOf(
  library: Pick<Library, 'storedLists' | 'readStored'>,
  experimentId: string,
): Promise<Readonly<Record<string, unknown>> | null> {
  for (const { query, shown } of library.storedLists()) {
    if (query.operation !== 'experiments.list') continue;
    for (let from = 0; from < shown.endPosition; from += ROWS_AT_ONCE) {
      const rows = await library.readStored(query, from, ROWS_AT_ONCE);
      const found = rows.find(({ record }) => record['id'] === experimentId);
      if (found !== undefined) return found.record;
    }
  }
  return null;
}
