/** Event deletions: stored before they are sent, never repeated by themselves, followed until their job ends. */
import type { StoredDeletion } from '../db/upload-store.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { DeletionBudget, EventDeletion } from '../shared/upload-model.ts';
import type { DeletionRequest, UploadsDeps } from './types.ts';

export type DeletionDeps = Pick<
  UploadsDeps,
  'store' | 'client' | 'clock' | 'random' | 'logger' | 'readBudget' | 'onDeletionChanged'
>;

/** Statuses of this application, beside those of the service's jobs (API_FACTS 7.6). */
const SENDING = 'sending';
const UNKNOWN = 'unknown';
const NOT_SENT = 'not-sent';
const REFUSED = 'refused';
const ENDED = new Set(['SUCCESS', 'FAILURE', 'REVOKED', UNKNOWN, NOT_SENT, REFUSED]);

const POLL_MS = 3_000;
const LONGEST_POLL_MS = 60_000;
const TIME = /^(\d{4})-(\d{2})-(\d{2}) (\d{2}):(\d{2}):(\d{2})$/;

export class Deletions {
  readonly #deps: DeletionDeps;
  readonly #timers = new Map<string, () => void>();
  #isStopped = false;

  constructor(deps: DeletionDeps) {
    this.#deps = deps;
  }

  list(): { deletions: EventDeletion[]; budget: DeletionBudget } {
    return { deletions: this.#deps.store.deletions.list().map(toView), budget: this.#deps.readBudget() };
  }

  /** What was being sent when the program ended may have been done; what the service is working on is followed. */
  recover(): void {
    for (const deletion of this.#deps.store.deletions.list()) {
      if (deletion.status === SENDING) this.#change(deletion, { status: UNKNOWN });
      else if (!ENDED.has(deletion.status)) this.#follow(deletion, POLL_MS);
    }
  }

  /** Throws INVALID_ARGUMENT, RATE_LIMITED (nothing sent), or what sending throws. */
  async delete(request: DeletionRequest): Promise<EventDeletion> {
    const body = bodyOf(request);
    checkBudget(this.#deps.readBudget());
    const deletion: StoredDeletion = {
      deletionId: this.#deps.random.uuid(),
      modelId: request.modelId,
      body,
      what: wordsOf(request),
      atMs: this.#deps.clock.nowMs(),
      serviceJobId: null,
      status: SENDING,
      progress: null,
      error: null,
    };
    this.#save(deletion);
    try {
      const group = `deletion ${deletion.deletionId}`;
      const { value } = await this.#deps.client.call('events.delete', { body }, { priority: 'click', group });
      const status = value.job.status ?? 'PENDING';
      const sent = this.#change(deletion, {
        serviceJobId: value.job.id,
        status,
        progress: value.job.progress ?? null,
      });
      if (!ENDED.has(status)) this.#follow(sent, POLL_MS);
      return toView(sent);
    } catch (problem) {
      const error = toAppError(problem);
      return toView(this.#change(deletion, { status: statusAfter(error), error: error.toWire() }));
    }
  }

  #follow(deletion: StoredDeletion, waitMs: number): void {
    if (this.#isStopped) return;
    const cancel = this.#deps.clock.setTimer(() => {
      this.#timers.delete(deletion.deletionId);
      this.#poll(deletion, waitMs);
    }, waitMs);
    this.#timers.set(deletion.deletionId, cancel);
  }

  async #poll(deletion: StoredDeletion, waitMs: number): Promise<void> {
    try {
      const jobId = deletion.serviceJobId;
      if (jobId === null) return;
      const group = `deletion ${deletion.deletionId}`;
      const { value } = await this.#deps.client.call(
        'jobs.get',
        { path: { job_id: jobId } },
        { priority: 'click', group },
      );
      const status = value.status ?? deletion.status;
      const progress = value.progress ?? deletion.progress;
      const failure = value.error_message ?? '';
      const error =
        status === 'FAILURE'
          ? new AppError('SERVICE_FAILED', `The deletion failed: ${failure}`).toWire()
          : null;
      const isNew = status !== deletion.status || progress !== deletion.progress;
      const next = isNew ? this.#change(deletion, { status, progress, error }) : deletion;
      if (!ENDED.has(status)) this.#follow(next, POLL_MS);
    } catch (problem) {
      // The deletion goes on without being watched; it is asked after more slowly.
      const error = toAppError(problem);
      this.#deps.logger.warn('deletion job not read', { deletion: deletion.deletionId, code: error.code });
      if (error.code !== 'NOT_FOUND') this.#follow(deletion, Math.min(waitMs * 2, LONGEST_POLL_MS));
    }
  }

  /** The service can be reached again. */
  wake(): void {
    for (const deletion of this.#deps.store.deletions.list()) {
      const cancel = this.#timers.get(deletion.deletionId);
      if (cancel === undefined) continue;
      cancel();
      this.#timers.delete(deletion.deletionId);
      this.#poll(deletion, POLL_MS);
    }
  }

  stop(): void {
    this.#isStopped = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
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

function toView(deletion: StoredDeletion): EventDeletion {
  const { deletionId, modelId, what, atMs, serviceJobId, status, progress, error } = deletion;
  return { deletionId, modelId, what, atMs, startAtMs: null, jobId: serviceJobId, status, progress, error };
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

function bodyOf(request: DeletionRequest): Record<string, unknown> {
  const { modelId, eventIds, timeRange, updateMetrics } = request;
  if ((eventIds === null) === (timeRange === null)) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'Expected either event ids or a time range, exactly one of the two.',
    );
  }
  if (eventIds !== null) {
    const ids = distinctIds(eventIds);
    if (ids.length === 0) throw new AppError('INVALID_ARGUMENT', 'Expected at least one event id, got none.');
    return { model_id: modelId, event_ids: ids, update_metrics: updateMetrics };
  }
  const start = checkTime(timeRange?.startTime ?? '', 'start');
  const end = checkTime(timeRange?.endTime ?? '', 'end');
  if (start >= end) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected a start before the end (the end itself is not deleted), got ${start} to ${end}.`,
    );
  }
  return {
    model_id: modelId,
    time_range: { start_time: start, end_time: end },
    update_metrics: updateMetrics,
  };
}

/** The documented form of a bound (API_FACTS 1.5). Texts in it compare as the times do. */
function checkTime(text: string, what: string): string {
  const parts = TIME.exec(text.trim());
  const [, year, month, day, hour, minute, second] = (parts ?? []).map(Number);
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day ?? 0, hour ?? 0, minute ?? 0, second ?? 0));
  const isReal = parts !== null && date.toISOString().slice(0, 19).replace('T', ' ') === text.trim();
  if (isReal) return text.trim();
  throw new AppError(
    'INVALID_ARGUMENT',
    `Expected the ${what} as YYYY-MM-DD HH:mm:ss, such as 2024-09-27 17:00:00, got “${text}”.`,
  );
}

function distinctIds(ids: readonly string[]): string[] {
  return [...new Set(ids.map((id) => id.trim()).filter((id) => id !== ''))];
}

function wordsOf({ eventIds, timeRange }: DeletionRequest): string {
  if (eventIds !== null) {
    const ids = distinctIds(eventIds);
    return ids.length === 1 ? `Event ${ids[0]}` : `${ids.length} events by id`;
  }
  return `Events from ${timeRange?.startTime} up to ${timeRange?.endTime}`;
}
