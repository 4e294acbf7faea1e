/** Holds one kept entry, in memory and on disk. */
import type { JobEvent } from '../core/jobs/job.ts';
import { isKeepIdle, type KeepCore, keepTransition } from '../core/jobs/keep-offline.ts';
import type { KeptRequest, StoredKept } from '../db/kept-store.ts';
import { JobLedger } from '../jobs/ledger.ts';
import { type KeepCounts, type KeepPlan, type Kept, planAt } from '../shared/keep-model.ts';
import { rangeOfQuery, textWithoutRange } from '../shared/query-range.ts';
import type { KeepRequest } from './keep-request.ts';
import { requestsOf } from './keep-requests.ts';
import type { KeepDeps } from './types.ts';

const HOUR_MS = 3_600_000;
const OF_BINS = ['alert-rules.thresholds'];
/** Operations whose requests may have a time range. */
const RANGED = [
  'spans.query',
  'spans.fields',
  'alert-rules.summary',
  'alert-rules.history',
  'alert-rules.records',
  'queries.run',
];

export class KeepLedger extends JobLedger<KeepCore, JobEvent, StoredKept, Kept> {
  readonly #deps: KeepDeps;
  #counts: KeepCounts & { oldestMs: number | null };
  #reading: Kept['reading'] = null;

  constructor(deps: KeepDeps, kept: StoredKept) {
    const { store } = deps;
    super(
      {
        ...deps,
        id: kept.id,
        what: 'kept entry',
        commit: (work) => store.commit(work),
        save: (stored) => store.jobs.save(stored),
        pause: (error) => ({ type: 'pause', reason: error.message, error: error.toWire() }),
      },
      kept,
      coreOf(kept),
    );
    this.#deps = deps;
    this.#counts = store.counts(kept.id);
  }

  get isIdle(): boolean {
    return isKeepIdle(this.core.state);
  }

  get counts(): KeepCounts {
    return this.#counts;
  }

  /** Duration of the last complete reading of everything; null while it is in progress. */
  get takenMs(): number | null {
    const { createdAtMs, notBeforeMs, endedAtMs, takenMs = null } = this.stored;
    if (takenMs !== null || endedAtMs === null) return takenMs;
    const sinceMs = endedAtMs - Math.max(createdAtMs, notBeforeMs);
    return sinceMs < 0 ? null : sinceMs;
  }

  protected step(core: KeepCore, event: JobEvent): KeepCore {
    return keepTransition(core, event);
  }

  protected isOver({ state }: KeepCore): boolean {
    return state === 'done';
  }

  /** For the first reading: adds the requests that the entry's views make. */
  addRequests(questions: readonly KeepRequest[]): void {
    const { store } = this.#deps;
    this.apply([], {}, () => store.add(this.id, this.#keyed(questions)));
    this.#counts = store.counts(this.id);
  }

  /** Reads everything again, or only what failed before. */
  again(what: 'all' | 'failed', event: JobEvent = { type: 'resume' }): void {
    const { store, clock } = this.#deps;
    const nowMs = clock.nowMs();
    if (what === 'failed')
      this.apply([event], { takenMs: this.takenMs }, () => store.readAgain(this.id, true));
    else {
      const plan = planAt(this.stored.plan, nowMs);
      this.apply([event], { notBeforeMs: nowMs, plan, takenMs: null }, () => {
        const { past } = this.#byRange(plan);
        store.readAgain(this.id, false);
        // Bins leave the time range as new ones come. The bins of the new history are added after it was read.
        if (plan !== this.stored.plan)
          for (const { position } of store.ofOperations(this.id, OF_BINS)) store.remove(this.id, position);
        // Data of earlier days is kept until the data up to now was read.
        for (const request of past) {
          if (request.state === 'read') store.save(this.id, request);
          else store.remove(this.id, request.position);
        }
        store.add(this.id, this.#keyed(requestsOf(plan)));
      });
    }
    this.#counts = store.counts(this.id);
  }

  #keyed(questions: readonly KeepRequest[]) {
    return questions.map((request) => ({ ...request, key: this.#deps.library.keyOf(request.query) }));
  }

  /** Requests with a time range: those of the current range, and those of earlier days that it no longer covers. */
  #byRange({ range }: KeepPlan): { now: KeptRequest[]; past: KeptRequest[] } {
    if (range?.isRelative !== true) return { now: [], past: [] };
    const { store } = this.#deps;
    const ranged = store
      .ofOperations(this.id, RANGED)
      .map((request) => ({ request, endMs: rangeOfQuery(request.query)?.endMs ?? range.endMs }));
    const those = (isNow: boolean) =>
      ranged.filter(({ endMs }) => (endMs === range.endMs) === isNow).map(({ request }) => request);
    return { now: those(true), past: those(false) };
  }

  /** Lists of spans of earlier days, each with the same list for the current range if that was read. */
  passedSpans(): { earlier: KeptRequest; later: KeptRequest }[] {
    const { now, past } = this.#byRange(this.stored.plan);
    const isRead = ({ query, form, state }: KeptRequest) =>
      query.operation === 'spans.query' && form === 'list' && state === 'read';
    const textOf = ({ query }: KeptRequest) => textWithoutRange(query);
    return past.filter(isRead).flatMap((earlier) => {
      const later = now.filter(isRead).find((each) => textOf(each) === textOf(earlier));
      return later === undefined ? [] : [{ earlier, later }];
    });
  }

  saveRequest(request: KeptRequest): void {
    const { store } = this.#deps;
    this.apply([], {}, () => store.save(this.id, request));
  }

  /** Stores that a request was answered or rejected. */
  settle(request: KeptRequest, before: KeptRequest): void {
    this.saveRequest(request);
    const { read, failed, incomplete, rows, sizeBytes, oldestMs } = this.#counts;
    const isIncomplete = ({ error }: KeptRequest) => Number(error?.code === 'INCOMPLETE');
    this.#counts = {
      ...this.#counts,
      read: read + Number(request.state === 'read') - Number(before.state === 'read'),
      failed: failed + Number(request.state === 'failed') - Number(before.state === 'failed'),
      incomplete: incomplete + isIncomplete(request) - isIncomplete(before),
      rows: rows + request.rowCount - before.rowCount,
      sizeBytes: sizeBytes + request.sizeBytes - before.sizeBytes,
      oldestMs: oldestMs ?? request.readAtMs,
    };
    this.#reading = null;
    this.noteChange(false);
  }

  showReading(reading: Kept['reading']): void {
    this.#reading = reading;
    this.noteChange(false);
  }

  /** Called when everything was read. Schedules the next reading if the entry is refreshed regularly. */
  end(): void {
    const { refreshHours } = this.stored;
    const nowMs = this.#deps.clock.nowMs();
    const next =
      refreshHours === null || refreshHours === 0
        ? []
        : [{ type: 'schedule' as const, startAtMs: nowMs + refreshHours * HOUR_MS, nowMs }];
    const { store } = this.#deps;
    const { now, past } = this.#byRange(this.stored.plan);
    const isRead = now.every(({ state }) => state === 'read');
    this.apply([{ type: 'settle' }, ...next], {}, () => {
      if (isRead) for (const { position } of past) store.remove(this.id, position);
    });
    this.#counts = this.#deps.store.counts(this.id);
    this.noteChange(true);
  }

  setRefresh(hours: number | null): void {
    const nowMs = this.#deps.clock.nowMs();
    const rests = this.core.state === 'done';
    const events: JobEvent[] = this.core.startAtMs === null ? [] : [{ type: 'unschedule' }];
    if (rests && hours !== null && hours > 0)
      events.push({ type: 'schedule', startAtMs: nowMs + hours * HOUR_MS, nowMs });
    this.apply(events, { refreshHours: hours });
  }

  /** The latest time of the next reading, from now. */
  latestStart(nowMs: number): number {
    return nowMs + Math.max(0, this.stored.refreshHours ?? 0) * HOUR_MS;
  }

  /** Plans to read everything again as soon as planned readings may start. */
  planNow(): void {
    const nowMs = this.#deps.clock.nowMs();
    this.apply([{ type: 'schedule', startAtMs: nowMs + 1, nowMs }]);
  }

  view(): Kept {
    const { id: keptId, plan, refreshHours, createdAtMs, endedAtMs } = this.stored;
    const { state, reason, error, startAtMs, lateStart } = this.core;
    const { oldestMs, ...counts } = this.#counts;
    return {
      keptId,
      connectionId: this.#deps.connectionId,
      plan,
      state,
      reason,
      error,
      counts,
      reading: this.isIdle ? null : this.#reading,
      oldestMs,
      refreshHours,
      startAtMs,
      lateStart,
      createdAtMs,
      endedAtMs,
    };
  }
}

function coreOf({ state, reason, error, startAtMs, lateStart }: StoredKept): KeepCore {
  return { state, reason, error, startAtMs, lateStart };
}
