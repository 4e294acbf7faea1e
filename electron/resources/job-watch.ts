/** Follows the service's asynchronous jobs for the views that show them: polls with growing pauses until they end. */
import { isUnknownToService, toAppError } from '../shared/errors.ts';
import { isJobOver } from '../shared/job-status.ts';
import type { JobState } from '../shared/resource-contract.ts';
import type { ResourcesDeps } from './types.ts';

/**
 * Pauses between polls. The service's own client polls every 3 s (SERVICE.md F7.6); a job that takes hours can be
 * polled less often.
 */
const FIRST_PAUSE_MS = 1_000;
const FOLLOW_PAUSE_MS = 3_000;
const LONGEST_PAUSE_MS = 30_000;
const GROWTH = 1.5;

interface Watch {
  state: JobState;
  views: Set<string>;
  followers: Set<(job: JobState) => void>;
  pauseMs: number;
  cancelTimer: (() => void) | null;
  asking: { controller: AbortController; done: Promise<void> } | null;
}

interface JobWatchDeps extends Pick<ResourcesDeps, 'client' | 'clock' | 'logger'> {
  onChanged: (job: JobState) => void;
}

export class JobWatch {
  readonly #deps: JobWatchDeps;
  readonly #watches = new Map<string, Watch>();
  #isSuspended = false;
  #isStopped = false;

  constructor(deps: JobWatchDeps) {
    this.#deps = deps;
  }

  watch({ viewId, jobId }: { viewId: string; jobId: string }): JobState {
    const watch = this.#watches.get(jobId) ?? newWatch(jobId);
    this.#watches.set(jobId, watch);
    watch.views.add(viewId);
    if (!watch.state.isOver) this.#askNow(watch);
    return watch.state;
  }

  /**
   * Follows a job for a component that stores its result. The follower is notified of every poll, the first one after a
   * pause; of a finished job, once.
   */
  follow(jobId: string, follower: (job: JobState) => void): () => void {
    const watch = this.#watches.get(jobId) ?? newWatch(jobId);
    this.#watches.set(jobId, watch);
    watch.followers.add(follower);
    if (watch.state.isOver) this.#notifyLater(watch, follower);
    else if (watch.asking === null && watch.cancelTimer === null) {
      watch.pauseMs = FOLLOW_PAUSE_MS;
      this.#pause(watch);
    }
    return () => {
      watch.followers.delete(follower);
      this.#endUnwanted(watch);
    };
  }

  /** Notifies later, so that the follower first gets the function that ends following. */
  #notifyLater(watch: Watch, follower: (job: JobState) => void): void {
    queueMicrotask(() => {
      if (watch.followers.has(follower)) this.#tell(watch, follower);
    });
  }

  /** A listener that throws does not prevent the others from being notified. */
  #tell({ state }: Watch, listener: (job: JobState) => void): void {
    try {
      listener(state);
    } catch (problem) {
      this.#deps.logger.warn('job not told', { job: state.jobId, reason: toAppError(problem).message });
    }
  }

  release(viewId: string): void {
    for (const watch of this.#watches.values()) {
      if (watch.views.delete(viewId)) this.#endUnwanted(watch);
    }
  }

  #endUnwanted(watch: Watch): void {
    if (watch.views.size + watch.followers.size > 0) return;
    this.#end(watch);
    if (this.#watches.get(watch.state.jobId) === watch) this.#watches.delete(watch.state.jobId);
  }

  wake(): void {
    this.#isSuspended = false;
    for (const watch of this.#watches.values()) if (!watch.state.isOver) this.#askNow(watch);
  }

  suspend(): void {
    this.#isSuspended = true;
    for (const watch of this.#watches.values()) this.#end(watch);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const answers = [...this.#watches.values()].map(({ asking }) => asking?.done);
    for (const watch of this.#watches.values()) this.#end(watch);
    await Promise.all(answers);
  }

  #end(watch: Watch): void {
    watch.cancelTimer?.();
    watch.cancelTimer = null;
    watch.asking?.controller.abort();
  }

  #askNow(watch: Watch): void {
    watch.pauseMs = FIRST_PAUSE_MS;
    if (watch.asking !== null || this.#isSuspended || this.#isStopped) return;
    watch.cancelTimer?.();
    watch.cancelTimer = null;
    this.#ask(watch);
  }

  #ask(watch: Watch): void {
    const controller = new AbortController();
    const done = this.#read(watch, controller.signal).then(() => {
      watch.asking = null;
      if (!this.#isWanted(watch)) return;
      // Aborted while the service was unreachable, which it no longer is.
      if (controller.signal.aborted) this.#ask(watch);
      else this.#pause(watch);
    });
    watch.asking = { controller, done };
  }

  #isWanted(watch: Watch): boolean {
    const { jobId, isOver } = watch.state;
    return this.#watches.get(jobId) === watch && !isOver && !this.#isSuspended && !this.#isStopped;
  }

  #pause(watch: Watch): void {
    if (!this.#isWanted(watch)) return;
    watch.cancelTimer = this.#deps.clock.setTimer(
      () => {
        watch.cancelTimer = null;
        this.#ask(watch);
      },
      watch.pauseMs,
      'following a task of the service',
    );
    watch.pauseMs = Math.min(watch.pauseMs * GROWTH, LONGEST_PAUSE_MS);
  }

  async #read(watch: Watch, signal: AbortSignal): Promise<void> {
    const { client, clock } = this.#deps;
    const { jobId } = watch.state;
    try {
      const { value } = await client.call(
        'jobs.get',
        { path: { job_id: jobId } },
        { priority: 'view', group: `job ${jobId}`, signal },
      );
      const status = value.status ?? null;
      this.#change(watch, {
        name: value.name ?? watch.state.name,
        status,
        progress: value.progress ?? watch.state.progress,
        errorMessage: value.error_message ?? null,
        isOver: isJobOver(status),
        checkedAtMs: clock.nowMs(),
        error: null,
      });
    } catch (problem) {
      if (signal.aborted) return;
      const error = toAppError(problem);
      // An unknown job stays unknown; all other errors may be temporary.
      this.#change(watch, { error: error.toWire(), isOver: isUnknownToService(error) });
    }
  }

  #change(watch: Watch, changes: Partial<JobState>): void {
    const before = watch.state;
    watch.state = { ...before, ...changes };
    for (const listener of [this.#deps.onChanged, ...watch.followers]) this.#tell(watch, listener);
  }
}

function newWatch(jobId: string): Watch {
  const state = {
    jobId,
    name: null,
    status: null,
    progress: null,
    errorMessage: null,
    isOver: false,
    checkedAtMs: null,
    error: null,
  };
  return {
    state,
    views: new Set(),
    followers: new Set(),
    pauseMs: FIRST_PAUSE_MS,
    cancelTimer: null,
    asking: null,
  };
}
