/** Reads the lists that views have opened, in the background, and cleans up afterwards. */
import type { Generation } from '../db/library-rows.ts';
import type { StoredList } from '../db/list-store.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import { MAX_LISTS } from '../shared/keep-model.ts';
import { storedQuery } from '../shared/model.ts';
import { type FillPlan, fetchPage } from './fill.ts';
import { isListStale, type Refresh } from './freshness.ts';
import { isListGone, markListGone } from './gone-rows.ts';
import type { ListEntry } from './list-entry.ts';
import { newRows, sweepLongTexts } from './long-rows.ts';
import { refreshAfter } from './refresh-state.ts';
import { Slices } from './slices.ts';
import type { LibraryDeps } from './types.ts';
import { fill } from './whole-list.ts';

const SWEEP_ROWS = 500;
/**
 * When a person scrolls to a row that is not stored, the requested page starts before the row, by its size divided by
 * this number.
 */
const LEAD_SHARE = 4;

interface StartOptions {
  viewId: string;
  priority: 'view' | 'click';
  /** True to start a new reading even if the stored rows are fresh. */
  isForced: boolean;
}

export class ListJobs {
  readonly #deps: LibraryDeps;
  readonly #openKeys: () => ReadonlySet<string>;
  readonly #notify: (entry: ListEntry) => void;
  readonly #readAgain: (entry: ListEntry) => void;
  /** Every unfinished read, including those of closed views, with the promise of its end. */
  readonly #running = new Map<AbortController, Promise<void>>();
  #sweeping: Promise<void> | null = null;
  isStopped = false;

  constructor(
    deps: LibraryDeps,
    openKeys: () => ReadonlySet<string>,
    notify: (entry: ListEntry) => void,
    readAgain: (entry: ListEntry) => void,
  ) {
    this.#openKeys = openKeys;
    this.#readAgain = readAgain;
    this.#deps = deps;
    this.#notify = notify;
  }

  #now() {
    return { nowMs: this.#deps.clock.nowMs(), staleAfterMs: this.#deps.settings().staleAfterMs };
  }

  /**
   * Resumes an interrupted reading that is still fresh. Otherwise starts a new one, with the old rows visible
   * meanwhile.
   */
  start(entry: ListEntry, { id, shown }: StoredList, { viewId, priority, isForced }: StartOptions): void {
    if (entry.job !== null || this.isStopped) return;
    const { prefetchRows } = this.#deps.settings();
    const isContinued = shown !== null && !shown.isEnded && !isForced && !isListStale(shown, this.#now());
    const isSeen = isContinued || (shown === null && entry.source.kind !== 'derived');
    const { lists } = this.#deps.store;
    const generation = isContinued ? shown : lists.begin(id, isSeen);
    const shownRows = shown?.endPosition ?? 0;
    // Another process may have started to read the same list. Its rows are shown until this reading has some.
    const isShown = isContinued || lists.find(entry.key)?.shown?.id === generation.id;
    const showAtRows = isShown
      ? null
      : entry.source.kind === 'derived' && entry.source.rule === 'stated'
        ? Number.POSITIVE_INFINITY
        : shownRows;
    const first = isContinued && generation.frontPosition > 0 ? 'prefetch' : priority;
    this.#run(entry, viewId, {
      generationId: generation.id,
      showAtRows,
      maxRows: Math.max(prefetchRows, shownRows),
      priorities: [first, 'prefetch'],
    });
  }

  extend(entry: ListEntry, generation: Generation, viewId: string, offset: number): void {
    if (entry.job !== null || this.isStopped) return;
    const plan = { generationId: generation.id, showAtRows: null, maxRows: offset + 1 };
    this.#run(entry, viewId, { ...plan, priorities: ['click', 'click'] });
  }

  #run(
    entry: ListEntry,
    viewId: string,
    plan: Pick<FillPlan, 'generationId' | 'showAtRows' | 'maxRows' | 'priorities'>,
  ): void {
    const { client, store, clock, settings } = this.#deps;
    const controller = new AbortController();
    const startedAtMs = clock.nowMs();
    const loading = (fetchedRows: number): Refresh => ({ phase: 'loading', fetchedRows, startedAtMs });
    entry.refresh = loading(0);
    const onPage = (fetchedRows: number, isLast: boolean) => {
      // The end of the reading is reported separately.
      if (isLast) return;
      entry.refresh = loading(fetchedRows);
      this.#notify(entry);
    };
    const { info, query } = entry;
    const { pageRows } = settings();
    const done = fill(
      { client, clock, lists: store.lists, longTexts: store.longTexts, onPage },
      {
        ...plan,
        ...(store.lists.isKept(entry.key) ? { keptKey: entry.key } : {}),
        ...{ info, query, pageRows, group: viewId, signal: controller.signal },
      },
    ).then(
      (generationId) => this.#ended(entry, generationId, { phase: 'idle' }),
      async (problem: unknown) => {
        if (isListGone(problem, query.path)) await markListGone({ lists: store.lists, clock }, entry.key);
        this.#ended(entry, plan.generationId, refreshAfter(problem, controller.signal, clock.nowMs()));
      },
    );
    this.#track(controller, done);
    entry.job = { controller };
  }

  #ended(entry: ListEntry, generationId: number, refresh: Refresh): void {
    entry.job = null;
    entry.refresh = refresh;
    try {
      const { lists } = this.#deps.store;
      const shown = lists.find(entry.key)?.shown;
      if (shown?.id !== generationId) lists.discard(generationId);
      else if (refresh.phase === 'idle' && shown.isComplete) this.#deps.onComplete?.(entry.query, shown);
      this.#makeRoom();
    } catch (problem) {
      // The rows are stored in any case. The next reading cleans up.
      this.#deps.logger.warn('library not tidied', { reason: toAppError(problem).message });
    }
    if (entry.isTouched) {
      entry.isTouched = false;
      this.#readAgain(entry);
    } else this.#notify(entry);
    this.sweep();
  }

  /** Evicts lists beyond the limits that no tab shows, least recently opened first. */
  #makeRoom(): void {
    const { store, settings, logger } = this.#deps;
    const openTabIds = this.#openTabIds();
    if (openTabIds === null) return;
    const removed = store.lists.prune({
      mostBytes: settings().mostListBytes,
      mostLists: MAX_LISTS,
      openKeys: this.#openKeys(),
      openTabIds,
    });
    if (removed.length === 0) return;
    const sizeBytes = removed.reduce((sum, each) => sum + each.sizeBytes, 0);
    const operations = removed.map(({ query }) => storedQuery(query)?.operation ?? 'unknown');
    logger.info('stored lists removed to make room', {
      lists: removed.length,
      sizeBytes,
      operations: [...new Set(operations)].join(', '),
    });
  }

  /** Null if it is not known which tabs are open. */
  #openTabIds(): readonly string[] | null {
    try {
      return this.#deps.openTabIds();
    } catch (thrown) {
      this.#deps.logger.warn('stored lists not removed', { reason: toAppError(thrown).message });
      return null;
    }
  }

  fetchAhead(entry: ListEntry, generation: Generation, viewId: string, wanted: number): void {
    const { client, store, settings, clock } = this.#deps;
    const { pageRows } = settings();
    const offset = Math.max(generation.frontPosition, wanted - Math.floor(pageRows / LEAD_SHARE));
    const isComing = [...entry.ahead.keys()].some((start) => start <= wanted && wanted < start + pageRows);
    if (isComing || this.isStopped) return;
    const controller = new AbortController();
    entry.ahead.set(offset, controller);
    if (entry.job === null) entry.refresh = { phase: 'loading', fetchedRows: 0, startedAtMs: clock.nowMs() };
    const plan = { info: entry.info, query: entry.query, pageRows, group: viewId, signal: controller.signal };
    const ended = (refresh: Refresh) => {
      entry.ahead.delete(offset);
      if (entry.job === null && (entry.ahead.size === 0 || refresh.phase === 'failed'))
        entry.refresh = refresh;
      this.#notify(entry);
    };
    const done = fetchPage(client, plan, offset, 'click')
      .then(async (page) => {
        const rows = await newRows(store.longTexts, page.rows);
        store.lists.putAhead(generation.id, { ...page, rows });
      })
      .then(
        () => ended({ phase: 'idle' }),
        (problem: unknown) => ended(refreshAfter(problem, controller.signal, clock.nowMs())),
      );
    this.#track(controller, done);
  }

  #track(controller: AbortController, read: Promise<void>): void {
    this.#running.set(controller, read);
    read.finally(() => this.#running.delete(controller));
  }

  /** Cancels every read, including those of lists that no view has open any more, and prevents new ones. */
  stop(): void {
    this.isStopped = true;
    for (const controller of this.#running.keys()) controller.abort();
  }

  /** Resolves when nothing is being written any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
    await this.#sweeping;
  }

  /** Deletes replaced rows in small batches. */
  sweep(): void {
    if (this.#sweeping !== null || this.isStopped) return;
    const sweepAll = async () => {
      const slices = new Slices(this.#deps.clock);
      while (!this.isStopped && this.#deps.store.lists.sweep(SWEEP_ROWS) > 0) await slices.pause();
      await sweepLongTexts(this.#deps.store.longTexts, () => this.isStopped);
    };
    this.#sweeping = sweepAll()
      .catch((problem: unknown) => {
        this.#deps.logger.warn('library not swept', { reason: toAppError(problem).message });
      })
      .finally(() => {
        this.#sweeping = null;
      });
  }

  /** Cancels the reads of a list. With `error`, they count as failed. */
  cancel(entry: ListEntry, error?: AppError): void {
    entry.job?.controller.abort(error);
    for (const controller of entry.ahead.values()) controller.abort(error);
  }
}
