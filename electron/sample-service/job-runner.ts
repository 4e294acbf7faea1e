/**
 * Jobs without timers: their state is computed from the clock on request, and their effect is applied before the first
 * request at or after their end. A service that was stopped catches up when it runs again.
 */
import type { Clock, Random } from '../core/ports.ts';
import { type JobEffect, jobEffect } from './job-effects.ts';
import type { ServiceSettings } from './settings.ts';
import type { JsonRecord } from './store.ts';
import type { JobRow, JobStore } from './store-jobs.ts';

interface JobParts {
  clock: Clock;
  random: Random;
  settings: ServiceSettings;
  inTransaction(work: () => void): void;
  /** Applies an effect; null on success, otherwise the reason of the failure. */
  apply(effect: JobEffect): string | null;
}

export class JobRunner {
  readonly #store: JobStore;
  readonly #parts: JobParts;

  constructor(store: JobStore, parts: JobParts) {
    this.#store = store;
    this.#parts = parts;
  }

  /** Starts a job and returns its reference (SERVICE.md S2.8). */
  start(name: string, info: JsonRecord, effect: JobEffect): { id: string; name: string } {
    const { clock, random, settings } = this.#parts;
    const createdMs = Math.floor(clock.nowMs());
    const startedMs = createdMs + settings.jobPendingMs;
    const id = random.uuid();
    this.#store.add({
      id,
      name,
      info,
      effect,
      createdMs,
      startedMs,
      endsMs: startedMs + settings.jobRunMs,
      errorMessage: null,
    });
    return { id, name };
  }

  /** The running job with a matching effect. */
  underWay(isWanted: (effect: JobEffect) => boolean): { id: string; name: string } | null {
    const job = this.#store.open().find(({ effect }) => isWanted(jobEffect.parse(effect)));
    return job === undefined ? null : { id: job.id, name: job.name };
  }

  /** Applies the effects of all jobs that have ended. */
  settle(): void {
    const due = this.#store.due(this.#parts.clock.nowMs());
    if (due.length === 0) return;
    this.#parts.inTransaction(() => {
      for (const job of due) {
        this.#store.markDone(job.id, this.#parts.apply(jobEffect.parse(job.effect)));
      }
    });
  }

  /** The current job record (SERVICE.md F7.6), or null. */
  read(id: string): JsonRecord | null {
    const job = this.#store.get(id);
    return job === null ? null : this.#record(job);
  }

  /** All jobs as in lists: newest first, without progress. */
  list(): JsonRecord[] {
    return this.#store.all().map((job) => {
      const { progress, ...record } = this.#record(job);
      return record;
    });
  }

  #record(job: JobRow): JsonRecord {
    const nowMs = this.#parts.clock.nowMs();
    const isStarted = nowMs >= job.startedMs;
    const isEnded = nowMs >= job.endsMs;
    const runMs = job.endsMs - job.startedMs;
    const share = isEnded ? 1 : isStarted && runMs > 0 ? (nowMs - job.startedMs) / runMs : 0;
    const outcome = job.errorMessage === null ? 'SUCCESS' : 'FAILURE';
    return {
      id: job.id,
      name: job.name,
      info: job.info,
      status: isEnded ? outcome : isStarted ? 'STARTED' : 'PENDING',
      progress: isEnded ? 100 : Math.min(99, Math.floor(share * 100)),
      error_message: job.errorMessage,
      error_reason: job.errorMessage === null ? null : 'JobFailed',
      extras: null,
      created_at: new Date(job.createdMs).toISOString(),
      updated_at: new Date(isEnded ? job.endsMs : Math.floor(nowMs)).toISOString(),
      started_at: isStarted ? new Date(job.startedMs).toISOString() : null,
      completed_at: isEnded ? new Date(job.endsMs).toISOString() : null,
    };
  }
}
