/** Jobs that begin by themselves: which of them this process looks after, and who waits for them to begin. */
import type { Clock, Logger } from '../core/ports.ts';
import type { UploadStore } from '../db/upload-store.ts';
import { toAppError } from '../shared/errors.ts';
import { PlannedStarts } from './planned-starts.ts';

export interface JobStartsDeps {
  store: UploadStore;
  clock: Clock;
  logger: Logger;
  /** Begins a job whose time has come, unless another process did. */
  start: (jobId: string, nowMs: number) => void;
}

export class JobStarts {
  readonly #deps: JobStartsDeps;
  readonly #timer: PlannedStarts;
  readonly #own = new Set<string>();
  readonly #waiting = new Map<string, (() => void)[]>();
  #looksAfterAll = false;

  constructor(deps: JobStartsDeps) {
    this.#deps = deps;
    this.#timer = new PlannedStarts(
      deps.clock,
      () => this.#earliestMs(),
      (nowMs) => this.#startDue(nowMs),
    );
  }

  /** For the window. A command line looks after those it planned itself: see `changed`. */
  lookAfterAll(): void {
    this.#looksAfterAll = true;
    this.#timer.look();
  }

  /** A person did something with this job, here: its plan may be another. */
  changed(jobId: string): void {
    this.#own.add(jobId);
    this.#timer.look();
    this.#tell(jobId);
  }

  /** Resolves when a job that is to begin later has begun, or its plan was changed; false where there is no plan. */
  async wait(jobId: string): Promise<boolean> {
    if (!this.#planned().some(({ id }) => id === jobId)) return false;
    await new Promise<void>((resolve) => {
      const waiting = this.#waiting.get(jobId);
      if (waiting === undefined) this.#waiting.set(jobId, [resolve]);
      else waiting.push(resolve);
    });
    return true;
  }

  stop(): void {
    this.#timer.stop();
    for (const jobId of [...this.#waiting.keys()]) this.#tell(jobId);
  }

  #planned(): { id: string; startAtMs: number }[] {
    const all = this.#deps.store.jobs.scheduled();
    return this.#looksAfterAll ? all : all.filter(({ id }) => this.#own.has(id));
  }

  #earliestMs(): number | null {
    const planned = this.#planned();
    // Another process may have begun it, or changed its plan.
    for (const jobId of [...this.#waiting.keys()])
      if (!planned.some(({ id }) => id === jobId)) this.#tell(jobId);
    const times = planned.map(({ startAtMs }) => startAtMs);
    return times.length === 0 ? null : Math.min(...times);
  }

  #startDue(nowMs: number): void {
    for (const { id, startAtMs } of this.#planned()) {
      if (startAtMs > nowMs) continue;
      try {
        this.#deps.start(id, nowMs);
      } catch (problem) {
        // It stays planned and is tried again; another process may have taken it meanwhile.
        this.#deps.logger.warn('upload not started', { job: id, code: toAppError(problem).code });
      }
      this.#tell(id);
    }
  }

  #tell(jobId: string): void {
    const waiting = this.#waiting.get(jobId) ?? [];
    this.#waiting.delete(jobId);
    for (const resolve of waiting) resolve();
  }
}
