/**
 * Read-through cache. Every view is answered from the store, and the service is asked in the background, so that a view
 * is never blank because of the network.
 */
import { storedQuery } from '../shared/model.ts';
import { FullFetches } from './full-fetches.ts';
import { invalidationMark } from './invalidation.ts';
import { Lists } from './lists.ts';
import { Records } from './records.ts';
import type { Library, LibraryDeps } from './types.ts';

export type { Library, LibraryDeps } from './types.ts';

/** Creates the library. It sends no request until a view opens something. */
export function createLibrary(deps: LibraryDeps): Library {
  const lists = new Lists(deps);
  const records = new Records(deps);
  const whole = new FullFetches(deps, (key) => {
    lists.noteRead(key);
    records.noteRead(key);
  });
  return {
    openList: (request, readsNow) => lists.open(request, readsNow),
    readRows: (request, form = 'whole') => lists.readRows(request, form),
    readStored: (query, from, limit) => lists.readStored(query, from, limit),
    profile: (request) => lists.profile(request),
    chooseRows: (choice) => lists.chooseRows(choice),
    storedRecords: (operation) => deps.store.records.queriesOf(operation),
    storedLists: () => deps.store.lists.shownLists().filter(({ shown }) => shown.newestMs !== null),
    fetchRows: (request) => lists.fetchRows(request),
    keyOf: (query) => whole.keyOf(query),
    fetchAll: (reading) => whole.read(reading),
    carryIntoLater: (earlier, later) => whole.carryIntoLater(earlier, later),
    sweep: () => lists.sweep(),
    openRecord: (request, form = 'whole') => records.open(request, form),
    readRecord: (request) => records.read(request),
    invalidate: (invalidations) => {
      deps.store.outdated.mark(
        invalidations.map(({ operation }) => operation),
        (query) => {
          const asked = storedQuery(query);
          return asked === null ? null : invalidationMark(invalidations, asked);
        },
        deps.clock.nowMs(),
      );
      lists.invalidate(invalidations);
      records.invalidate(invalidations);
    },
    release: (viewId) => {
      lists.release(viewId);
      records.release(viewId);
    },
    wake: () => {
      lists.wake();
      records.wake();
    },
    suspend: (error) => {
      lists.suspend(error);
      records.suspend(error);
    },
    stop: async () => {
      await Promise.all([lists.stop(), records.stop()]);
    },
  };
}
