/** Event deletions: stored before they are sent, never repeated by themselves, followed until their job ends. */
import { LeaseKeeper } from '../core/lease.ts';
import { PlannedStarts } from '../core/planned-starts.ts';
import { futureStart, lateStartOf } from '../core/start-plan.ts';
import type { StoredDeletion } from '../db/upload-store.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { JobState } from '../shared/resource-contract.ts';
import type { DeletionBudget, EventDeletion, LateStart } from '../shared/upload-model.ts';
import { bodyOf, wordsOf } from './deletion-request.ts';
import { DeletionTrace } from './deletion-trace.ts';
import type { DeletionAction, DeletionRequest, UploadOptions, UploadsDeps } from './types.ts';

export type DeletionDeps = Pick<
  UploadsDeps,
  'store' | 'client' | 'clock' | 'random' | 'logger' | 'followJob' | 'readBudget' | 'onDeletionChanged'
> & {
  options: Pick<UploadOptions, 'isProcessAlive' | 'processId'>;
  /** What became of events of these uploads may have changed. */
  onUploadsConcerned: (jobIds: readonly string[]) => void;
};

/** Statuses of this application, beside those of the service's jobs (SERVICE.md F7.6). */
const SENDING = 'sending';
const UNKNOWN = 'unknown';
const NOT_SENT = 'not-sent';
const REFUSED = 'refused';
const SCHEDULED = 'scheduled';
const CANCELLED = 'cancelled';
const LOST = new AppError(
  'CONNECTION_LOST',
  'The program that was sending it ended before the answer came.',
  {
    outcome: 'unknown',
  },
).toWire();
const NO_JOB = new AppError(
  'RECEIPT_DOUBTFUL',
  'The service accepted the deletion, but named no job for it: expected the id of a job, a blank one came. What it deletes cannot be followed. Nothing is sent again.',
  { outcome: 'unknown', reason: 'blank' },
).toWire();
const ENDED = new Set(['SUCCESS', 'FAILURE', 'REVOKED', UNKNOWN, NOT_SENT, REFUSED, CANCELLED]);

/** What could not be sent at its time, as there was no way to the service, is tried again after so long. */
const AGAIN_MS = 60_000;

export class Deletions {
  readonly #deps: DeletionDeps;
  /** What ends the following: of a deletion's job, or of the process that is sending it. */
  readonly #follows = new Map<string, () => void>();
  readonly #trace: DeletionTrace;
  readonly #leases: LeaseKeeper;
  /** Of those that this process sends now: what ends the lease. */
  readonly #held = new Map<string, () => void>();
  readonly starts: PlannedStarts;
  /** Those that this process sends now. They never reject. */
  readonly #sending = new Map<string, Promise<unknown>>();
  readonly #abort = new AbortController();
  #isStopped = false;

  constructor(deps: DeletionDeps) {
    this.#deps = deps;
    const { store, random, clock, logger, options } = deps;
    this.#trace = new DeletionTrace({ ...deps, onTraced: (deletionId) => this.#traced(deletionId) });
    this.#leases = new LeaseKeeper({
      table: store.deletions.leases,
      what: 'deletion of events',
      owner: random.uuid(),
      clock,
      logger,
      process: { pid: options.processId, isRunning: options.isProcessAlive },
    });
    this.starts = new PlannedStarts({
      ...deps,
      what: 'deletion',
      planned: () => deps.store.deletions.scheduled(),
      begin: (id, nowMs) => this.#begin(id, nowMs),
    });
  }

  list(): { deletions: EventDeletion[]; budget: DeletionBudget } {
    const found = this.#deps.store.deletions.list();
    // Another process may have begun one meanwhile.
    const deletions = found.map((deletion) => this.#view(this.#lookAfter(deletion)));
    return { deletions, budget: this.#deps.readBudget() };
  }

  #view(deletion: StoredDeletion): EventDeletion {
    const { body: _, serviceJobId, ...view } = deletion;
    const uploads = this.#deps.store.deletions.uploadsOf(deletion.deletionId);
    return { ...view, jobId: serviceJobId, uploads };
  }

  /** Looks after all that have not ended. `continues`: what is planned is sent by this process. */
  recover(continues: boolean): void {
    for (const deletion of this.#deps.store.deletions.list()) this.#lookAfter(deletion);
    for (const deletion of this.#deps.store.deletions.untraced()) this.#trace.trace(deletion);
    if (continues) this.starts.lookAfterAll();
  }

  /**
   * What another process is sending is followed, and so is what the service is working on; what was being sent by a
   * process that is gone may have been done.
   */
  #lookAfter(deletion: StoredDeletion): StoredDeletion {
    const { deletionId, status } = deletion;
    const isResting = status === SCHEDULED || ENDED.has(status);
    if (this.#isStopped || isResting || this.#follows.has(deletionId) || this.#held.has(deletionId))
      return deletion;
    if (status !== SENDING) this.#follow(deletion);
    else if (this.#leases.isElsewhere(deletionId)) this.#followSender(deletionId);
    else return this.#giveUp(deletion);
    return deletion;
  }

  #followSender(deletionId: string): void {
    const stop = this.#leases.whenFree(deletionId, () => {
      this.#follows.delete(deletionId);
      const deletion = this.#deps.store.deletions.get(deletionId);
      if (deletion === null) return;
      if (this.#lookAfter(deletion) === deletion) this.#notify(deletion);
    });
    this.#follows.set(deletionId, stop);
  }

  /** Nobody is sending it any more, and nobody wrote down what came of it. */
  #giveUp({ deletionId }: StoredDeletion): StoredDeletion {
    const { store } = this.#deps;
    const given = store.commit(() => {
      const now = this.#get(deletionId);
      // Its process may have written the answer, and ended, since it was read.
      if (now.status !== SENDING || this.#leases.isElsewhere(deletionId)) return now;
      const unknown = { ...now, status: UNKNOWN, error: LOST };
      store.deletions.save(unknown);
      return unknown;
    });
    this.#notify(given);
    return given.status === UNKNOWN ? given : this.#lookAfter(given);
  }

  /**
   * Sends it, or with `startAtMs` stores it to be sent then. Throws INVALID_ARGUMENT, RATE_LIMITED (nothing sent),
   * or what storing throws.
   */
  async delete(request: DeletionRequest, startAtMs: number | null = null): Promise<EventDeletion> {
    const body = bodyOf(request);
    if (startAtMs === null) checkBudget(this.#deps.readBudget());
    else futureStart(startAtMs, this.#deps.clock.nowMs());
    const deletion: StoredDeletion = {
      deletionId: this.#deps.random.uuid(),
      modelId: request.modelId,
      body,
      what: wordsOf(request),
      atMs: this.#deps.clock.nowMs(),
      startAtMs,
      lateStart: null,
      serviceJobId: null,
      status: startAtMs === null ? SENDING : SCHEDULED,
      progress: null,
      error: null,
    };
    if (startAtMs === null) {
      this.#store(deletion);
      return this.#track(deletion.deletionId, this.#send(deletion));
    }
    const planned = this.#change(deletion, {});
    this.starts.changed(deletion.deletionId);
    return this.#view(planned);
  }

  /** Throws INVALID_ARGUMENT for one that is not to be sent later, RATE_LIMITED (nothing sent). */
  async control(
    deletionId: string,
    action: DeletionAction,
    startAtMs: number | null = null,
  ): Promise<EventDeletion> {
    const deletion = this.#planned(deletionId);
    if (action === 'start') {
      checkBudget(this.#deps.readBudget());
      return this.#track(deletionId, this.#send(this.#claim(deletionId, null)));
    }
    const changes =
      action === 'schedule'
        ? { startAtMs: futureStart(startAtMs, this.#deps.clock.nowMs()) }
        : { startAtMs: null, status: CANCELLED };
    const changed = this.#change(deletion, { ...changes, error: null });
    this.starts.changed(deletionId);
    return this.#view(changed);
  }

  #planned(deletionId: string): StoredDeletion {
    const deletion = this.#get(deletionId);
    if (deletion.status === SCHEDULED) return deletion;
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected a deletion that is to be sent later; this one is ${deletion.status}.`,
    );
  }

  #get(deletionId: string): StoredDeletion {
    const deletion = this.#deps.store.deletions.get(deletionId);
    if (deletion !== null) return deletion;
    throw new AppError('INVALID_ARGUMENT', 'Expected a deletion; there is none with this id.');
  }

  /** From planned to being sent, in one step: of two processes one gets it. */
  #claim(deletionId: string, lateStart: LateStart | null): StoredDeletion {
    return this.#deps.store.commit(() => {
      const claimed = {
        ...this.#planned(deletionId),
        status: SENDING,
        atMs: this.#deps.clock.nowMs(),
        startAtMs: null,
        lateStart,
        error: null,
      };
      this.#store(claimed);
      return claimed;
    });
  }

  /** Written as being sent together with who sends it: no process may see the one without the other. */
  #store(deletion: StoredDeletion): void {
    const { store } = this.#deps;
    const { deletionId } = deletion;
    const release = store.commit(() => {
      store.deletions.save(deletion);
      // Whoever takes it over sends nothing, so there is nothing to stop.
      return this.#leases.take(deletionId, () => undefined);
    });
    this.#held.set(deletionId, release);
  }

  #begin(deletionId: string, nowMs: number): void {
    const { startAtMs } = this.#planned(deletionId);
    if (startAtMs === null || startAtMs > nowMs) return;
    this.#track(
      deletionId,
      this.#sendPlanned(this.#claim(deletionId, lateStartOf(startAtMs, nowMs)), startAtMs),
    );
  }

  #track<T>(deletionId: string, sending: Promise<T>): Promise<T> {
    const ended = sending
      .catch((problem: unknown) => {
        const { code } = toAppError(problem);
        this.#deps.logger.warn('outcome of a deletion not stored', { deletion: deletionId, code });
      })
      .finally(() => this.#sending.delete(deletionId));
    this.#sending.set(deletionId, ended);
    return sending;
  }

  /** Waits for a planned start, too, where this process looks after it; what the service then does is not waited for. */
  async whenSent(deletionId: string): Promise<EventDeletion> {
    for (;;) {
      const sending = this.#sending.get(deletionId);
      if (sending !== undefined) await sending;
      else if (!(await this.starts.wait(deletionId))) break;
    }
    return this.#view(this.#get(deletionId));
  }

  /** Without a way to the service it stays planned; whatever else stands in its way is said and ends it. */
  async #sendPlanned(deletion: StoredDeletion, startAtMs: number): Promise<void> {
    try {
      checkBudget(this.#deps.readBudget());
    } catch (problem) {
      this.#settle(deletion, { status: NOT_SENT, error: toAppError(problem).toWire() });
      return;
    }
    await this.#send(deletion, startAtMs);
  }

  /** `plannedAtMs`: it was planned, and stays so when it surely did not leave and may go later. */
  async #send(deletion: StoredDeletion, plannedAtMs: number | null = null): Promise<EventDeletion> {
    const { body, deletionId } = deletion;
    const { client } = this.#deps;
    const group = `deletion ${deletionId}`;
    const options = { priority: 'click', group, signal: this.#abort.signal } as const;
    let outcome: Partial<StoredDeletion>;
    try {
      const { value } = await client.call('events.delete', { body }, options);
      const { id, status, progress } = value.job;
      outcome =
        id.trim() === ''
          ? { status: UNKNOWN, error: NO_JOB }
          : { serviceJobId: id, status: status ?? 'PENDING', progress: progress ?? null };
    } catch (problem) {
      const error = toAppError(problem);
      const status = statusAfter(error);
      const mayPass = error.retry === 'later' || this.#isStopped;
      const isAgain = plannedAtMs !== null && status === NOT_SENT && mayPass;
      outcome = { status, error: error.toWire() };
      if (isAgain) outcome = { ...outcome, status: SCHEDULED, startAtMs: plannedAtMs, lateStart: null };
    }
    const settled = this.#settle(deletion, outcome);
    if (settled.status === SCHEDULED) this.starts.putOff(deletionId, AGAIN_MS);
    else this.#lookAfter(settled);
    if (settled.serviceJobId !== null || settled.status === UNKNOWN) this.#trace.trace(settled);
    return this.#view(settled);
  }

  /** What came of sending it is on the disk before the lease is free. */
  #settle(deletion: StoredDeletion, outcome: Partial<StoredDeletion>): StoredDeletion {
    try {
      return this.#change(deletion, outcome);
    } finally {
      this.#held.get(deletion.deletionId)?.();
      this.#held.delete(deletion.deletionId);
    }
  }

  /** Until its job has ended; a look that did not work leaves it as it was, and there will be another. */
  #follow(deletion: StoredDeletion): void {
    const { deletionId, serviceJobId } = deletion;
    if (this.#isStopped || serviceJobId === null) return;
    let known = deletion;
    const stop = this.#deps.followJob(serviceJobId, (job) => {
      const next = afterLook(known, job);
      if (next.status !== known.status || next.progress !== known.progress) known = this.#change(known, next);
      if (job.isOver || ENDED.has(known.status)) this.#unfollow(deletionId);
    });
    this.#follows.set(deletionId, stop);
  }

  #unfollow(deletionId: string): void {
    this.#follows.get(deletionId)?.();
    this.#follows.delete(deletionId);
  }

  /** The service can be reached again. */
  wake(): void {
    this.starts.wake();
  }

  /** What is on its way has `graceMs` to be answered. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    this.starts.stop();
    for (const deletionId of [...this.#follows.keys()]) this.#unfollow(deletionId);
    const cancelTimer = this.#deps.clock.setTimer(() => this.#abort.abort(), graceMs);
    await Promise.all([...this.#sending.values(), this.#trace.stop()]);
    cancelTimer();
  }

  #change(deletion: StoredDeletion, changes: Partial<StoredDeletion>): StoredDeletion {
    const changed = { ...deletion, ...changes };
    const { store } = this.#deps;
    store.commit(() => store.deletions.save(changed));
    this.#notify(changed);
    return changed;
  }

  #traced(deletionId: string): void {
    const deletion = this.#deps.store.deletions.get(deletionId);
    if (deletion !== null) this.#notify(deletion);
  }

  #notify(deletion: StoredDeletion): void {
    const view = this.#view(deletion);
    this.#deps.onDeletionChanged(view, this.#deps.readBudget());
    this.#deps.onUploadsConcerned(view.uploads.map(({ jobId }) => jobId));
  }
}

/** A job that the service does not know any more says nothing of what it did. */
function afterLook(
  { status, progress, error }: StoredDeletion,
  job: JobState,
): Pick<StoredDeletion, 'status' | 'progress' | 'error'> {
  if (job.isOver && job.error !== null) return { status: UNKNOWN, progress, error: job.error };
  if (job.error !== null) return { status, progress, error };
  const failed = job.status === 'FAILURE';
  return {
    status: job.status ?? status,
    progress: job.progress ?? progress,
    error: failed
      ? new AppError('SERVICE_FAILED', `The deletion failed: ${job.errorMessage ?? ''}`).toWire()
      : null,
  };
}

/** A lost answer leaves open whether events are gone; only what surely did not leave counts as not sent. */
function statusAfter(error: AppError): string {
  const { outcome, status } = error.details;
  if (outcome === 'unsent') return NOT_SENT;
  if (status !== undefined && status >= 400 && status < 500) return REFUSED;
  return UNKNOWN;
}

function checkBudget(budget: DeletionBudget): void {
  if (budget.usedToday < budget.limit) return;
  const again = budget.resetsAtMs === null ? 'tomorrow' : `at ${new Date(budget.resetsAtMs).toISOString()}`;
  throw new AppError(
    'RATE_LIMITED',
    `All ${budget.limit} event deletions of the day are used. Nothing was sent. Try again ${again}.`,
    { outcome: 'unsent' },
  );
}
