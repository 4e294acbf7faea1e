/**
 * A library as in production: real store on disk, real client and scheduler. Tests wait for its events, and never for a
 * time.
 */

import { createSidecars, type Sidecars } from '../../electron/analysis/sidecars.ts';
import type { Foreground } from '../../electron/core/foreground.ts';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { createLibrary, type Library } from '../../electron/library/library.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type {
  Freshness,
  ListQuery,
  ListState,
  RecordState,
  RowPage,
  RowWindow,
} from '../../electron/shared/model.ts';
import { type ClientRig, openClient } from './client-rig.ts';
import { DataFolder } from './data-folder.ts';
import { silentLogger } from './virtual-world.ts';

export const CONNECTION_ID = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

export interface RigSettings {
  pageRows: number;
  staleAfterMs: number;
  prefetchRows: number;
  mostListBytes: number;
}

export class LibraryRig implements AsyncDisposable {
  readonly folder: DataFolder;
  readonly clientRig: ClientRig;
  readonly store: LibraryStore;
  readonly library: Library;
  readonly sidecars: Sidecars;
  readonly settings: RigSettings = {
    pageRows: 100,
    staleAfterMs: 300_000,
    prefetchRows: 20_000,
    mostListBytes: 2e9,
  };
  /** Ids of tabs that are open in the window, or were open when it was closed. */
  openTabIds: string[] = [];
  /** Logged messages with their fields. */
  readonly logged: { message: string; fields: unknown }[] = [];
  readonly lists: ListState[] = [];
  readonly records: RecordState[] = [];
  readonly #waiting = new Set<() => void>();
  /** Added to the wall time that the client and the library see, in ms. */
  aheadMs = 0;

  constructor(
    baseUrl: string,
    options: {
      folder?: DataFolder;
      token?: string;
      maxAttempts?: number;
      haste?: number;
      foreground?: Foreground;
    } = {},
  ) {
    const { folder, ...client } = options;
    this.folder = folder ?? new DataFolder();
    const clock = { ...systemClock, nowMs: () => systemClock.nowMs() + this.aheadMs };
    this.clientRig = openClient({ baseUrl, clock, ...client });
    this.store = openLibraryStore({ file: this.folder.file('library.db'), clock, logger: silentLogger });
    this.sidecars = createSidecars({
      folder: this.folder.file('analysis'),
      libraryFile: this.folder.file('library.db'),
      ...{ startChild: startNodeChild, clock, logger: silentLogger },
      mostRowsInMemory: 2_000,
      onPrepared: () => this.#heard(() => undefined),
    });
    this.library = createLibrary({
      connectionId: CONNECTION_ID,
      store: this.store,
      client: this.clientRig.client,
      clock,
      settings: () => this.settings,
      sidecars: this.sidecars,
      openTabIds: () => this.openTabIds,
      logger: { ...silentLogger, info: (message, fields) => this.logged.push({ message, fields }) },
      onListChanged: (state) => this.#heard(() => this.lists.push(state)),
      onRecordChanged: (state) => this.#heard(() => this.records.push(state)),
    });
  }

  #heard(note: () => void): void {
    note();
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves once `isTrue` returns true, checked after each event. */
  until(isTrue: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isTrue()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Opens a list and waits until no fetch is in flight for it. */
  async read(
    query: ListQuery,
    refresh: 'if-stale' | 'always' | 'never' = 'if-stale',
    viewId = 'view',
  ): Promise<Freshness> {
    return this.settle(await this.library.openList({ viewId, query, refresh }));
  }

  /** The freshness of a list once its refresh has ended. */
  async settle(opened: ListState): Promise<Freshness> {
    const latest = () => this.lists.findLast(({ listKey }) => listKey === opened.listKey) ?? opened;
    if (opened.freshness.refresh.phase !== 'loading') return opened.freshness;
    const from = this.lists.length;
    await this.until(
      () =>
        this.lists.slice(from).some(({ listKey }) => listKey === opened.listKey) &&
        latest().freshness.refresh.phase !== 'loading',
    );
    return latest().freshness;
  }

  rows(query: ListQuery, window: Partial<RowWindow> = {}): Promise<RowPage> {
    return this.library.readRows({
      query,
      window: { offset: 0, limit: 200, sort: null, narrow: null, ...window },
    });
  }

  /** One field of every stored row, in order. */
  async column(query: ListQuery, field: string, window: Partial<RowWindow> = {}): Promise<unknown[]> {
    const values: unknown[] = [];
    for (;;) {
      const page = await this.rows(query, { ...window, offset: values.length, limit: 200 });
      values.push(...page.rows.map(({ record }) => record[field]));
      if (page.rows.length < 200) return values;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.sidecars.stop();
    await this.library.stop();
    await this.clientRig[Symbol.asyncDispose]();
    this.store.close();
    this.folder[Symbol.dispose]();
  }
}
