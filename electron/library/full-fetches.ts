/** Reads complete lists and records for offline use. */
import type { Generation } from '../db/library-rows.ts';
import type { StoredList } from '../db/list-store.ts';
import { AppError } from '../shared/errors.ts';
import type { ListQuery } from '../shared/model.ts';
import { rangeOfQuery } from '../shared/query-range.ts';
import { isReadSince, missingRowsOf } from './freshness.ts';
import { carryIntoLater, isListGone, markListGone, showWithGone } from './gone-rows.ts';
import { canonicalQuery, keyOf, readOperation } from './list-query.ts';
import { askRecord } from './records.ts';
import type { FetchRequest, FullFetch, Library, LibraryDeps } from './types.ts';
import { fill } from './whole-list.ts';

/** Maximum number of restarts of a reading that another one replaced before its end, e.g. that of a view. */
const MAX_READINGS = 3;

export class FullFetches {
  readonly #deps: LibraryDeps;
  readonly #onRead: (key: string) => void;

  constructor(deps: LibraryDeps, onRead: (key: string) => void) {
    this.#deps = deps;
    this.#onRead = onRead;
  }

  keyOf(query: ListQuery): string {
    return keyOf(this.#deps.connectionId, canonicalQuery(query));
  }

  read(reading: FetchRequest): Promise<FullFetch> {
    return reading.form === 'list' ? this.#readList(reading) : this.#readRecord(reading);
  }

  async carryIntoLater(earlier: ListQuery, later: ListQuery): ReturnType<Library['carryIntoLater']> {
    const { store, clock } = this.#deps;
    const key = this.keyOf(later);
    const range = rangeOfQuery(later);
    if (range === null) return null;
    const carried = await carryIntoLater({ lists: store.lists, clock }, this.keyOf(earlier), key, range);
    if (carried === null) return null;
    this.#onRead(key);
    return { rows: carried.rowCount, sizeBytes: carried.sizeBytes };
  }

  async #readList(reading: FetchRequest): Promise<FullFetch> {
    const { lists } = this.#deps.store;
    const query = canonicalQuery(reading.query);
    const key = this.keyOf(query);
    let begun = reading.generationId;
    for (let left = MAX_READINGS; ; left -= 1) {
      const stored = lists.open(key, JSON.stringify(query));
      const { shown } = stored;
      if (shown !== null && isEnough(shown, reading, this.#deps.clock.nowMs())) {
        // A view has read the list to its end, but the process was killed before it had added the rows that are gone.
        await showWithGone({ lists, clock: this.#deps.clock }, key, shown.id);
        return readOf(lists.generation(shown.id) ?? shown);
      }
      const { generation, isShown } = this.#take(stored, begun, reading.notBeforeMs);
      begun = null;
      const gone = await this.#fill(reading, key, generation.id, isShown).then(
        () => null,
        (problem: unknown) => this.#afterRefusal(key, query, problem),
      );
      if (gone !== null) return readOf(gone);
      this.#onRead(key);
      const now = lists.find(key)?.shown ?? null;
      // A view may have started its own reading, which is shown instead.
      if (now !== null && (reading.until === 'page' || now.isEnded)) {
        if (now.isComplete) this.#deps.onComplete?.(query, now);
        return readOf(now);
      }
      if (left > 1) continue;
      throw new AppError(
        'CONFLICT',
        'Expected to read this list to its end, but it changed during each attempt. Try again later.',
      );
    }
  }

  /** Resumes a reading that is recent enough, or starts a new one. */
  #take(
    { id, shown }: StoredList,
    begun: number | null,
    notBeforeMs: number,
  ): { generation: Generation; isShown: boolean } {
    const { lists } = this.#deps.store;
    const own = begun === null ? null : lists.generation(begun);
    if (own !== null && own.listId === id && canGoOn(own))
      return { generation: own, isShown: own.id === shown?.id };
    const isRecent = (atMs: number | null) =>
      atMs === null || isReadSince(atMs, notBeforeMs, this.#deps.clock.nowMs());
    if (shown !== null && canGoOn(shown) && isRecent(shown.oldestMs))
      return { generation: shown, isShown: true };
    const generation = lists.begin(id, shown === null);
    return { generation, isShown: shown === null };
  }

  /** The remaining rows of a kept list that no longer exists at the service. Throws any other rejection. */
  async #afterRefusal(key: string, { path }: ListQuery, problem: unknown): Promise<Generation> {
    const { store, clock } = this.#deps;
    const gone = isListGone(problem, path) ? await markListGone({ lists: store.lists, clock }, key) : null;
    if (gone === null) throw problem;
    this.#onRead(key);
    return gone;
  }

  async #fill(reading: FetchRequest, key: string, generationId: number, isShown: boolean): Promise<void> {
    const { store, settings, clock } = this.#deps;
    const { client, group, signal, onProgress, until } = reading;
    const query = canonicalQuery(reading.query);
    const isKept = store.lists.isKept(key);
    const report = () => {
      const generation = store.lists.generation(generationId);
      if (generation !== null)
        onProgress({ generationId, rows: generation.frontPosition, totalRows: generation.totalRows });
    };
    report();
    await fill(
      { client, clock, lists: store.lists, longTexts: store.longTexts, onPage: report },
      {
        info: readOperation(client, query.operation),
        query,
        generationId,
        showAtRows: isShown ? null : Number.POSITIVE_INFINITY,
        ...(isKept ? { keptKey: key } : {}),
        maxRows: until === 'page' ? 1 : Number.POSITIVE_INFINITY,
        pageRows: settings().pageRows,
        priorities: ['prefetch', 'prefetch'],
        group,
        signal,
      },
    );
  }

  async #readRecord(reading: FetchRequest): Promise<FullFetch> {
    const { client, group, signal, notBeforeMs, until } = reading;
    const { store } = this.#deps;
    const query = canonicalQuery(reading.query);
    const key = this.keyOf(query);
    const before = store.records.find(key);
    const isEnough =
      before !== null &&
      (until === 'page' ||
        (!before.isOutdated && isReadSince(before.fetchedAtMs, notBeforeMs, this.#deps.clock.nowMs())));
    if (!isEnough) {
      const info = readOperation(client, query.operation);
      await askRecord(
        { ...this.#deps, client },
        { key, info, query },
        { priority: 'prefetch', group, signal },
      );
      this.#onRead(key);
    }
    const found = store.records.find(key);
    if (found === null) return { rows: 0, totalRows: 1, isComplete: false, sizeBytes: 0, readAtMs: null };
    const { record, textId, fetchedAtMs } = found;
    const sizeBytes = textId === null ? record.length : (store.longTexts.characters(textId) ?? 0);
    return { rows: 1, totalRows: 1, isComplete: true, sizeBytes, readAtMs: fetchedAtMs };
  }
}

function canGoOn({ isEnded, isOutdated, isDiscarded }: Generation): boolean {
  return !isEnded && !isOutdated && !isDiscarded;
}

function isEnough(shown: Generation, { until, notBeforeMs }: FetchRequest, nowMs: number): boolean {
  if (until === 'page') return shown.newestMs !== null;
  const { isComplete, isOutdated, oldestMs } = shown;
  return isComplete && !isOutdated && oldestMs !== null && isReadSince(oldestMs, notBeforeMs, nowMs);
}

function readOf(shown: Generation): FullFetch {
  const { rowCount, totalRows, isComplete, sizeBytes, oldestMs } = shown;
  const missingRows = missingRowsOf(shown);
  return {
    ...{ rows: rowCount, totalRows, isComplete, sizeBytes, readAtMs: oldestMs },
    ...(missingRows === undefined ? {} : { missingRows }),
  };
}
