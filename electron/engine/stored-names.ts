/** Names of applications, datasets and experiments by id, from the stored lists. */
import type { Library } from '../library/types.ts';

const NAMING: ReadonlySet<string> = new Set(['applications.list', 'datasets.list', 'experiments.list']);
const READ_ROWS = 200;
const MAX_NAMES = 2_000;

export async function storedNames(
  library: Pick<Library, 'storedLists' | 'readStored'>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const { query } of library.storedLists()) {
    if (!NAMING.has(query.operation)) continue;
    for (let from = 0; from < MAX_NAMES; ) {
      const rows = await library.readStored(query, from, READ_ROWS);
      const last = rows.at(-1);
      if (last === undefined) break;
      from = last.position + 1;
      for (const { record } of rows) {
        const { id, name } = record;
        if (typeof id === 'string' && typeof name === 'string') names.set(id, name);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return names;
}
