/** Read-through single records: returns stored data at once and requests new data in the background. */
import type { OperationInfo } from '../api/types.ts';
import type { StoredRecord } from '../db/library-rows.ts';
import type { LongTextStore } from '../db/long-text-store.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import type { ListQuery, RecordState } from '../shared/model.ts';
import { parseRecord } from '../shared/record-parts.ts';
import { freshnessOfRecord, isRecordStale, type Refresh } from './freshness.ts';
import { invalidationMark } from './invalidation.ts';
import { canonicalQuery, keyOf, readOperation } from './list-query.ts';
import { sweepLongTexts, toNewRow } from './long-rows.ts';
import { notStored, refreshAfter } from './refresh-state.ts';
import { storedRangeOf } from './stored-range.ts';
import type { Invalidation, LibraryDeps, RecordForm, RecordRequest } from './types.ts';

interface RecordEntry {
  key: string;
  info: OperationInfo;
  query: ListQuery;
  views: Set<string>;
  refresh: Refresh;
  /** True if something changed during a request, so that it is repeated afterwards. */
  isTouched: boolean;
  job: AbortController | null;
}

/**
 * Maximum number of records. Beyond it, the least recently read records are evicted, except those kept for offline use
 * or shown.
 */
const KEPT_RECORDS = 20_000;

export class Records {
  readonly #deps: LibraryDeps;
  readonly #entries = new Map<string, RecordEntry>();
  /** Every unfinished read, including those of closed views, with the promise of its end. */
  readonly #running = new Map<AbortController, Promise<void>>();
  #isStopped = false;

  constructor(deps: LibraryDeps) {
    this.#deps = deps;
  }

  async open(request: RecordRequest, form: RecordForm): Promise<RecordState> {
    const info = readOperation(this.#deps.client, request.query.operation);
    const query = canonicalQuery(request.query);
    const key = keyOf(this.#deps.connectionId, query);
    const entry = this.#entries.get(key) ?? createEntry(key, info, query);
    this.#entries.set(key, entry);
    entry.views.add(request.viewId);
    this.#leave(request.viewId, entry);
    const stored = this.#deps.store.records.find(key);
    if (request.refresh === 'always' || (request.refresh === 'if-stale' && this.#isStale(key))) {
      this.#refresh(entry, request.viewId);
    } else if (request.refresh === 'never' && stored === null && entry.job === null) {
      entry.refresh = notStored(this.#deps.clock.nowMs(), null);
    }
    return this.#state(entry, form);
  }

  /** Returns a part of a long record; null if a different answer is stored by now. */
  read({ textId, from }: { textId: number; from: number }): string | null {
    return this.#deps.store.longTexts.part(textId, from);
  }

  release(viewId: string): void {
    this.#leave(viewId, null);
  }

  /**
   * Cancels requests for records that no view has open any more. `shown`: the record that the view shows from now on.
   */
  #leave(viewId: string, shown: RecordEntry | null): void {
    for (const entry of this.#entries.values()) {
      if (entry === shown || !entry.views.delete(viewId) || entry.views.size > 0) continue;
      entry.job?.abort();
      this.#entries.delete(entry.key);
    }
  }

  invalidate(invalidations: readonly Invalidation[]): void {
    for (const entry of this.#entries.values()) {
      const mark = invalidationMark(invalidations, entry.query);
      if (mark === null) continue;
      const isGone = mark === 'gone' && this.#deps.store.records.find(entry.key) !== null;
      if (isGone) this.#notify(entry);
      else if (entry.job === null) this.#refresh(entry, [...entry.views][0]);
      else entry.isTouched = true;
    }
  }

  wake(): void {
    for (const entry of this.#entries.values()) {
      // A request that was cancelled but has not ended yet is repeated at its end.
      if (entry.job?.signal.aborted === true) entry.isTouched = true;
      else if (entry.refresh.phase === 'failed' || this.#isStale(entry.key))
        this.#refresh(entry, [...entry.views][0]);
    }
  }

  suspend(error: AppError): void {
    for (const entry of this.#entries.values()) entry.job?.abort(error);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const controller of this.#running.keys()) controller.abort();
    await Promise.all(this.#running.values());
  }

  #isStale(key: string): boolean {
    const { clock, settings, store } = this.#deps;
    const now = { nowMs: clock.nowMs(), staleAfterMs: settings().staleAfterMs };
    return isRecordStale(store.records.find(key), now);
  }

  #state(entry: RecordEntry, form: RecordForm): RecordState {
    const { clock, settings, store } = this.#deps;
    const stored = store.records.find(entry.key);
    const now = { nowMs: clock.nowMs(), staleAfterMs: settings().staleAfterMs };
    const others = () => store.records.queriesOf(entry.query.operation);
    const storedRange = stored === null ? storedRangeOf(entry.query, others) : null;
    return {
      recordKey: entry.key,
      ...contentOf(store.longTexts, stored, form),
      goneAtMs: stored?.goneAtMs ?? null,
      freshness: freshnessOfRecord(stored, entry.refresh, now, storedRange),
    };
  }

  #refresh(entry: RecordEntry, viewId: string | undefined): void {
    if (entry.job !== null || this.#isStopped) return;
    const controller = new AbortController();
    entry.refresh = { phase: 'loading', fetchedRows: 0, startedAtMs: this.#deps.clock.nowMs() };
    const done = this.#ask(entry, viewId ?? 'library', controller.signal).then(
      () => this.#ended(entry, { phase: 'idle' }),
      (problem: unknown) =>
        this.#ended(entry, refreshAfter(problem, controller.signal, this.#deps.clock.nowMs())),
    );
    entry.job = controller;
    this.#running.set(controller, done);
    done.finally(() => this.#running.delete(controller));
  }

  async #ask(entry: RecordEntry, group: string, signal: AbortSignal): Promise<void> {
    const { store } = this.#deps;
    if (!(await askRecord(this.#deps, entry, { priority: 'view', group, signal }))) return;
    const removed = store.records.prune(KEPT_RECORDS, [...this.#entries.keys()]);
    if (removed > 0) this.#deps.logger.info('stored records removed to make room', { records: removed });
    await sweepLongTexts(store.longTexts, () => signal.aborted);
  }

  /** Called when another part has read this record. Views that have it open show the new answer. */
  noteRead(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) this.#notify(entry);
  }

  #ended(entry: RecordEntry, refresh: Refresh): void {
    entry.job = null;
    entry.refresh = refresh;
    if (this.#entries.get(entry.key) !== entry) return;
    if (entry.isTouched) {
      entry.isTouched = false;
      this.#refresh(entry, [...entry.views][0]);
    }
    this.#notify(entry);
  }

  #notify(entry: RecordEntry): void {
    try {
      this.#deps.onRecordChanged(this.#state(entry, 'message'));
    } catch (problem) {
      this.#deps.logger.warn('record not told', {
        operation: entry.info.id,
        reason: toAppError(problem).message,
      });
    }
  }
}

/**
 * Requests a record and stores it. Returns false if the service no longer has it; the stored record is then marked as
 * gone.
 */
export async function askRecord(
  { client, clock, store }: Pick<LibraryDeps, 'client' | 'clock' | 'store'>,
  { key, info, query: asked }: Pick<RecordEntry, 'key' | 'info' | 'query'>,
  options: { priority: 'view' | 'prefetch'; group: string; signal: AbortSignal },
): Promise<boolean> {
  const { path, query, body } = asked;
  const input = body === undefined ? { path, query } : { path, query, body };
  const answer = await client.rows('record', info.id, input, options).catch((problem: unknown) => {
    // A stored record that is no longer found was deleted. This is an answer, not a failure.
    if (toAppError(problem).code !== 'NOT_FOUND' || store.records.find(key) === null) throw problem;
    store.records.markGone(key, clock.nowMs());
    return null;
  });
  const [item] = answer?.value.rows ?? [];
  if (answer === null || item === undefined) return false;
  const { record, textId } = await toNewRow(store.longTexts, item);
  store.records.save(key, JSON.stringify(asked), {
    record,
    textId,
    fetchedAtMs: answer.receivedAtMs,
    requestId: answer.requestId,
  });
  return true;
}

function contentOf(
  longTexts: LongTextStore,
  stored: StoredRecord | null,
  form: RecordForm,
): Pick<RecordState, 'record' | 'parts'> {
  if (stored === null) return { record: null, parts: null };
  const { record, textId } = stored;
  if (textId === null) return { record: parseRecord(record), parts: null };
  if (form === 'message') {
    return { record: null, parts: { textId, characters: longTexts.characters(textId) ?? 0 } };
  }
  return { record: parseRecord(longTexts.whole(textId) ?? record), parts: null };
}

function createEntry(key: string, info: OperationInfo, query: ListQuery): RecordEntry {
  return { key, info, query, views: new Set(), refresh: { phase: 'idle' }, isTouched: false, job: null };
}
