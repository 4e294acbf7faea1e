/** One kept entry as memory and disk hold it. */
import type { JobEvent } from '../core/jobs/job.ts';
import { isKeepIdle, type KeepCore, keepTransition } from '../core/jobs/keep-offline.ts';
import type { KeptQuestion, StoredKept } from '../db/kept-store.ts';
import { JobLedger } from '../jobs/ledger.ts';
import type { KeepCounts, Kept } from '../shared/keep-model.ts';
import type { Question } from './questions.ts';
import type { KeepDeps } from './types.ts';

const HOUR_MS = 3_600_000;

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

  protected step(core: KeepCore, event: JobEvent): KeepCore {
    return keepTransition(core, event);
  }

  protected isOver({ state }: KeepCore): boolean {
    return state === 'done';
  }

  /** Where nothing was read before: questions that the views of it ask. */
  addQuestions(questions: readonly Question[]): void {
    const { store, library } = this.#deps;
    const rows = questions.map((question) => ({ ...question, key: library.keyOf(question.query) }));
    this.apply([], {}, () => store.add(this.id, rows));
    this.#counts = store.counts(this.id);
  }

  /** Everything is read anew, or what failed. */
  again(what: 'all' | 'failed', event: JobEvent = { type: 'resume' }): void {
    const { store, clock } = this.#deps;
    const notBeforeMs = what === 'all' ? clock.nowMs() : this.stored.notBeforeMs;
    this.apply([event], { notBeforeMs }, () => store.readAgain(this.id, what === 'failed'));
    this.#counts = store.counts(this.id);
  }

  saveQuestion(question: KeptQuestion): void {
    const { store } = this.#deps;
    this.apply([], {}, () => store.save(this.id, question));
  }

  /** A question was answered or refused. */
  settle(question: KeptQuestion, before: KeptQuestion): void {
    this.saveQuestion(question);
    const { read, failed, rows, sizeBytes, oldestMs } = this.#counts;
    this.#counts = {
      ...this.#counts,
      read: read + Number(question.state === 'read') - Number(before.state === 'read'),
      failed: failed + Number(question.state === 'failed') - Number(before.state === 'failed'),
      rows: rows + question.rowCount - before.rowCount,
      sizeBytes: sizeBytes + question.sizeBytes - before.sizeBytes,
      oldestMs: oldestMs ?? question.readAtMs,
    };
    this.#reading = null;
    this.noteChange(false);
  }

  showReading(reading: Kept['reading']): void {
    this.#reading = reading;
    this.noteChange(false);
  }

  /** All was read: the next reading is planned where one is wished for. */
  end(): void {
    const { refreshHours } = this.stored;
    const nowMs = this.#deps.clock.nowMs();
    const next =
      refreshHours === null || refreshHours === 0
        ? []
        : [{ type: 'schedule' as const, startAtMs: nowMs + refreshHours * HOUR_MS, nowMs }];
    this.apply([{ type: 'settle' }, ...next]);
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
