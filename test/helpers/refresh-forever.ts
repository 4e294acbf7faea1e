/** A program that refreshes a list of a library until it is killed. Arguments: base URL, folder, query. */
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { createLibrary } from '../../electron/library/library.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { openClient } from './client-rig.ts';
import { CONNECTION_ID } from './library-rig.ts';
import { silentLogger } from './virtual-world.ts';

const noAnalysis = () => Promise.reject(new Error('No list is profiled here.'));
const [baseUrl = '', folder = '', query = '{}'] = process.argv.slice(2);
const store = openLibraryStore({ file: `${folder}/library.db`, clock: systemClock, logger: silentLogger });
const library = createLibrary({
  connectionId: CONNECTION_ID,
  store,
  client: openClient({ baseUrl }).client,
  clock: systemClock,
  settings: () => ({ pageRows: 100, staleAfterMs: 0, prefetchRows: 20_000, mostListBytes: 2e9 }),
  openTabIds: () => [],
  sidecars: { profile: noAnalysis, positions: noAnalysis },
  logger: silentLogger,
  onListChanged: () => undefined,
  onRecordChanged: () => undefined,
});
await library.openList({ viewId: 'view', query: JSON.parse(query) as ListQuery, refresh: 'always' });
