/**
 * Jobs without a timer: their state is worked out from the clock when somebody asks, and their effect is applied
 * before the first request at or after their end. A stopped service catches up when it runs again.
 */
import { z } from 'zod';
import type { Clock, Random } from '../core/ports.ts';
import type { ServiceSettings } from './settings.ts';
import type { JsonRecord } from './store.ts';
import type { EventSelection } from './store-events.ts';
import type { JobRow, JobStore } from './store-jobs.ts';

const effectSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('delete-events'),
    modelId: z.string(),
    upTo: z.number(),
    ids: z.array(z.string()).nullable(),
    timeRange: z.strictObject({ startMs: z.number(), endMs: z.number() }).nullable(),
  }),
]);
export type JobEffect = z.infer<typeof effectSchema>;

export interface JobParts {
  clock: Clock;
  random: Random;
  settings: ServiceSettings;
  inTransaction(work: () => void): void;
  removeEvents(selection: EventSelection): number;
}

export class JobRunner {
  readonly #store: JobStore;
  readonly #parts: JobParts;

  constructor(store: JobStore, parts: JobParts) {
    this.#store = store;
    this.#parts = parts;
  }

  /** Starts a job and gives its reference (INTERFACE 2.8). */
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
    });
    return { id, name };
  }

  /** Applies the effect of every job that has ended. */
  settle(): void {
    const due = this.#store.due(this.#parts.clock.nowMs());
    if (due.length === 0) return;
    this.#parts.inTransaction(() => {
      for (const job of due) {
        const effect = effectSchema.parse(job.effect);
        this.#parts.removeEvents(effect);
        this.#store.markDone(job.id);
      }
    });
  }

  /** The job record of API_FACTS 7.6 as it is now, or null. */
  read(id: string): JsonRecord | null {
    const job = this.#store.get(id);
    return job === null ? null : this.#record(job);
  }

  #record(job: JobRow): JsonRecord {
    const nowMs = this.#parts.clock.nowMs();
    const isStarted = nowMs >= job.startedMs;
    const isEnded = nowMs >= job.endsMs;
    const runMs = job.endsMs - job.startedMs;
    const share = isEnded ? 1 : isStarted && runMs > 0 ? (nowMs - job.startedMs) / runMs : 0;
    return {
      id: job.id,
      name: job.name,
      info: job.info,
      status: isEnded ? 'SUCCESS' : isStarted ? 'STARTED' : 'PENDING',
      progress: isEnded ? 100 : Math.min(99, Math.floor(share * 100)),
      error_message: null,
      error_reason: null,
      extras: null,
      created_at: new Date(job.createdMs).toISOString(),
      updated_at: new Date(isEnded ? job.endsMs : Math.floor(nowMs)).toISOString(),
      started_at: isStarted ? new Date(job.startedMs).toISOString() : null,
      completed_at: isEnded ? new Date(job.endsMs).toISOString() : null,
    };
  }
}
