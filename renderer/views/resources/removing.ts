/** What a deletion takes with it, and the deletions of a tab that are under way. */
import { client } from '../../lib/client.ts';
import type { Act } from '../../state/act.svelte.ts';
import { app } from '../../state/app.svelte.ts';
import { BulkActState } from '../../state/bulk-act.svelte.ts';
import { activeConnectionId } from '../parts/held.ts';
import type { Dependents, Removal } from './types.ts';

const PAGE = 200;
/** Stored rows looked through for what hangs on a record. */
const MOST_ROWS = 2_000;

/** Bulk deletions of a list outlive its view. */
export function heldBulk(tabId: string, prefix = ''): BulkActState {
  const connectionId = activeConnectionId();
  return app.tabs.hold(tabId, `bulk.${prefix}`, () => new BulkActState(connectionId));
}

export function removalOf({ operation, param }: Removal, id: string): Act {
  return { operation, path: { [param]: id } };
}

/** Counts among stored rows; nothing is requested. Null where the rows cannot be read. */
async function countStored(
  connectionId: string,
  { operation, belongs }: Dependents,
  record: Record<string, unknown>,
): Promise<number | null> {
  try {
    let count = 0;
    for (let offset = 0; offset < MOST_ROWS; offset += PAGE) {
      const page = await client.invoke('library:read-rows', {
        connectionId,
        query: { operation, path: {}, query: {} },
        window: { offset, limit: PAGE, sort: null, narrow: null },
      });
      count += page.rows.filter((row) => belongs(row.record, record)).length;
      if (offset + PAGE >= page.matchingRows) break;
    }
    return count;
  } catch {
    // The list was never stored: what hangs on the record is then not known here.
    return null;
  }
}

/** One line for each kind of thing that hangs on the record, as far as stored lists tell. */
export async function dependentsOf(
  connectionId: string,
  removal: Removal,
  record: Record<string, unknown>,
): Promise<string[]> {
  const counts = await Promise.all(
    (removal.dependents ?? []).map(async (kind) => ({
      kind,
      count: await countStored(connectionId, kind, record),
    })),
  );
  return counts.flatMap(({ kind, count }) => (count === null || count === 0 ? [] : [kind.say(count)]));
}
