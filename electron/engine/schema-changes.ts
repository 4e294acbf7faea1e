/** Schema changes found in new rows, with the names of their lists. */

import type { Snapshots } from '../library/snapshots.ts';
import type { Library } from '../library/types.ts';
import type { ListedSchemaChange } from '../shared/schema-model.ts';
import { storedNames } from './stored-names.ts';

interface SchemaChangesDeps {
  snapshots: Pick<Snapshots, 'schemaChanges' | 'acceptSchemaChange'>;
  library: Pick<Library, 'storedLists' | 'readStored'>;
}

export interface SchemaChanges {
  /** Newest first. Rejects with STORE_* errors. */
  list(): Promise<ListedSchemaChange[]>;
  /** Makes the new schema the known one. Rejects with INVALID_ARGUMENT if there is no such open change. */
  accept(changeId: number): Promise<ListedSchemaChange[]>;
}

export function createSchemaChanges({ snapshots, library }: SchemaChangesDeps): SchemaChanges {
  const list = async () => {
    const changes = await snapshots.schemaChanges();
    const names = changes.length === 0 ? new Map<string, string>() : await storedNames(library);
    return changes.map((change) => ({ ...change, name: names.get(change.list.id) ?? '' }));
  };
  return {
    list,
    accept: async (changeId) => {
      await snapshots.acceptSchemaChange(changeId);
      return list();
    },
  };
}
