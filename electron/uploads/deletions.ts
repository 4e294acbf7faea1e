/** Event deletions: stored before they are sent, never repeated by themselves, followed until their job ends. */
import { PlannedStarts } from '../core/planned-starts.ts';
import { futureStart, lateStartOf } from '../core/start-plan.ts';
import type { StoredDeletion } from '../db/upload-store.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { JobState } from '../shared/resource-contract.ts';
import type { DeletionBudget, EventDeletion, LateStart } from '../shared/upload-model.ts';
import { bodyOf, wordsOf } from './deletion-request.ts';
import type { DeletionAction, DeletionRequest, UploadsDeps } from './types.ts';

export type DeletionDeps = Pick<
  UploadsDeps,
  'store' | 'client' | 'clock' | 'random' | 'logger' | 'followJob' | 'readBudget' | 'onDeletionChanged'
>;

/** Statuses of this application, beside those of the service's jobs (API_FACTS 7.6). */
const SENDING = 'sending';
const UNKNOWN = 'unknown';
const NOT_SENT = 'not-sent';
const REFUSED = 'refused';
const SCHEDULED = 'scheduled';
const CANCELLED = 'cancelled';
const ENDED = new Set(['SUCCESS', 'FAILURE', 'REVOKED', UNKNOWN, NOT_SENT, REFUSED, CANCELLED]);

/** What could not be sent at its time, as there was no way to the service, is tried again after so long. */
const AGAIN_MS = 60_000;

export class Deletions {
  readonly #deps: DeletionDeps;
  /** What ends the following of a deletion's job. */
  readonly #follows = new Map<string, () => void>();
  readonly starts: PlannedStarts;
  /** Those that this process sends now. */
  readonly #sending = new Map<string, Promise<unknown>>();
  #isStopped = false;

  constructor(deps: DeletionDeps) {
    this.#deps = deps;
    this.starts = new PlannedStarts({
      ...deps,
      what: 'deletion',
      planned: () => deps.store.deletions.scheduled(),
      begin: (id, nowMs) => this.#begin(id, nowMs),
    });
  }

  list(): { deletions: EventDeletion[]; budget: DeletionBudget } {
    return { deletions: this.#deps.store.deletions.list().map(toView), budget: this.#deps.readBudget() };
  }

  /**
   * What was being sent when the program ended may have been done; what the service is working on is followed.
   * `continues`: what is planned is sent by this process.
   */
  recover(continues: boolean): void {
    for (const deletion of this.#deps.store.deletions.list()) {
      if (deletion.status === SENDING) this.#change(deletion, { status: UNKNOWN });
      else if (deletion.status !== SCHEDULED && !ENDED.has(deletion.status)) this.#follow(deletion);
    }
    if (continues) this.starts.lookAfterAll();
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
      this.#save(deletion);
      return this.#send(deletion);
    }
    const planned = this.#change(deletion, {});
    this.starts.changed(deletion.deletionId);
    return toView(planned);
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
      return this.#send(this.#claim(deletionId, null));
    }
    const changes =
      action === 'schedule'
        ? { startAtMs: futureStart(startAtMs, this.#deps.clock.nowMs()) }
        : { startAtMs: null, status: CANCELLED };
    const changed = this.#change(deletion, { ...changes, error: null });
    this.starts.changed(deletionId);
    return toView(changed);
  }

  #planned(deletionId: string): StoredDeletion {
    const deletion = this.#deps.store.deletions.get(deletionId);
    if (deletion?.status === SCHEDULED) return deletion;
    const found = deletion === null ? 'there is none with this id' : `this one is ${deletion.status}`;
    throw new AppError('INVALID_ARGUMENT', `Expected a deletion that is to be sent later; ${found}.`);
  }

  /** From planned to being sent, in one step: of two processes one gets it. */
  #claim(deletionId: string, lateStart: LateStart | null): StoredDeletion {
    const { store, clock } = this.#deps;
    return store.commit(() => {
      const claimed = {
        ...this.#planned(deletionId),
        status: SENDING,
        atMs: clock.nowMs(),
        startAtMs: null,
        lateStart,
        error: null,
      };
      store.deletions.save(claimed);
      return claimed;
    });
  }

  #begin(deletionId: string, nowMs: number): void {
    const { startAtMs } = this.#planned(deletionId);
    if (startAtMs === null || startAtMs > nowMs) return;
    const sending = this.#sendPlanned(this.#claim(deletionId, lateStartOf(startAtMs, nowMs)), startAtMs)
      .catch((problem: unknown) => {
        const { code } = toAppError(problem);
        this.#deps.logger.warn('planned deletion not stored', { deletion: deletionId, code });
      })
      .finally(() => this.#sending.delete(deletionId));
    this.#sending.set(deletionId, sending);
  }

  /** Waits for a planned start, too, where this process looks after it; what the service then does is not waited for. */
  async whenSent(deletionId: string): Promise<EventDeletion> {
    for (;;) {
      const sending = this.#sending.get(deletionId);
      if (sending !== undefined) await sending;
      else if (!(await this.starts.wait(deletionId))) break;
    }
    const deletion = this.#deps.store.deletions.get(deletionId);
    if (deletion !== null) return toView(deletion);
    throw new AppError('INVALID_ARGUMENT', 'Expected a deletion; there is none with this id.');
  }

  /** Without a way to the service it stays planned; whatever else stands in its way is said and ends it. */
  async #sendPlanned(deletion: StoredDeletion, startAtMs: number): Promise<void> {
    try {
      checkBudget(this.#deps.readBudget());
    } catch (problem) {
      this.#change(deletion, { status: NOT_SENT, error: toAppError(problem).toWire() });
      return;
    }
    await this.#send(deletion, startAtMs);
  }

  /** `plannedAtMs`: it was planned, and stays so when it surely did not leave and may go later. */
  async #send(deletion: StoredDeletion, plannedAtMs: number | null = null): Promise<EventDeletion> {
    const { body } = deletion;
    try {
      const group = `deletion ${deletion.deletionId}`;
      const { value } = await this.#deps.client.call('events.delete', { body }, { priority: 'click', group });
      const status = value.job.status ?? 'PENDING';
      const sent = this.#change(deletion, {
        serviceJobId: value.job.id,
        status,
        progress: value.job.progress ?? null,
      });
      if (!ENDED.has(status)) this.#follow(sent);
      return toView(sent);
    } catch (problem) {
      const error = toAppError(problem);
      const status = statusAfter(error);
      if (plannedAtMs === null || status !== NOT_SENT || error.retry !== 'later')
        return toView(this.#change(deletion, { status, error: error.toWire() }));
      const again = { status: SCHEDULED, startAtMs: plannedAtMs, lateStart: null, error: error.toWire() };
      const planned = this.#change(deletion, again);
      this.starts.putOff(deletion.deletionId, AGAIN_MS);
      return toView(planned);
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

  stop(): void {
    this.#isStopped = true;
    this.starts.stop();
    for (const deletionId of [...this.#follows.keys()]) this.#unfollow(deletionId);
  }

  #change(deletion: StoredDeletion, changes: Partial<StoredDeletion>): StoredDeletion {
    const changed = { ...deletion, ...changes };
    this.#save(changed);
    this.#deps.onDeletionChanged(toView(changed), this.#deps.readBudget());
    return changed;
  }

  #save(deletion: StoredDeletion): void {
    const { store } = this.#deps;
    store.commit(() => store.deletions.save(deletion));
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

function toView(deletion: StoredDeletion): EventDeletion {
  const { body: _, serviceJobId, ...view } = deletion;
  return { ...view, jobId: serviceJobId };
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
