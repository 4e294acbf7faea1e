/**
 * Event deletions as a kind of durable job: never repeated automatically, and followed until the service has finished.
 */
import {
  type DeletionCore,
  type DeletionEvent,
  deletionStateOf,
  isDeletionIdle,
} from '../core/jobs/deletion.ts';
import { canPass } from '../core/jobs/send-outcome.ts';
import { futureStart } from '../core/jobs/start-plan.ts';
import type { StoredDeletion } from '../db/upload-store.ts';
import { Jobs } from '../jobs/jobs.ts';
import { TaskRunner } from '../jobs/service-task.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { momentText } from '../shared/local-time.ts';
import type { DeletionBudget, EventDeletion } from '../shared/upload-model.ts';
import { DeletionLedger, deletionView } from './deletion-ledger.ts';
import { bodyOf, checkStillProven, namedIds, wordsOf } from './deletion-request.ts';
import { DeletionTrace } from './deletion-trace.ts';
import { leaseProcess, type ProcessOptions } from './lease-process.ts';
import { sentAgainBy } from './sent-ids.ts';
import type { DeletionAction, DeletionRequest, UploadsDeps } from './types.ts';

type DeletionDeps = Pick<
  UploadsDeps,
  | 'store'
  | 'client'
  | 'clock'
  | 'random'
  | 'logger'
  | 'followJob'
  | 'readBudget'
  | 'blockingError'
  | 'checkRead'
  | 'onDeletionChanged'
> & {
  options: ProcessOptions;
  /** Called when the outcome of events of these uploads may have changed. */
  onUploadsConcerned: (jobIds: readonly string[]) => void;
};

/** One of the deletions that together cover the events of an upload. */
interface PlannedPart {
  request: DeletionRequest;
  what: string;
  /** Rows of the upload whose events this part names. */
  rows: number;
  startAtMs: number;
  /** When it was checked that its time range holds no other events; null for a deletion by ids. */
  provenAtMs: number | null;
}

/** Delay before retrying a planned deletion that could not be sent because the service was unreachable. */
const RETRY_DELAY_MS = 60_000;
const NEWEST = { limit: 500 };

export class Deletions {
  readonly #deps: DeletionDeps;
  readonly #trace: DeletionTrace;
  readonly jobs: Jobs<DeletionLedger>;
  /** The planned deletion that is being sent, or null. */
  #sendingId: string | null = null;
  /** When deletions that are being sent were planned. */
  readonly #plannedAtMs = new Map<string, number>();

  constructor(deps: DeletionDeps) {
    this.#deps = deps;
    const { store, options } = deps;
    this.#trace = new DeletionTrace({ ...deps, onTraced: (id) => this.jobs.ledger(id).announce() });
    this.jobs = new Jobs(
      { ...deps, process: leaseProcess(options) },
      {
        what: 'deletion of events',
        rows: store.deletions,
        load: (id) => this.#load(id),
        run: (ledger) => this.#run(ledger),
        interrupt: (ledger) => {
          const isLeft = ledger.core.state === 'sending';
          if (isLeft) ledger.apply([{ type: 'interrupt' }]);
          return isLeft;
        },
        // An interrupted deletion is not repeated.
        resume: () => undefined,
        due: (ledger, nowMs) => this.#due(ledger, nowMs),
        // The process that takes the job over sends nothing, so there is nothing to stop.
        lost: () => undefined,
        startAgain: (ended, own) => own.inheritSend(ended),
        isOpen: (state) => !isDeletionIdle(deletionStateOf(state, '')),
      },
    );
  }

  #load(deletionId: string): DeletionLedger {
    const deletion = this.#deps.store.deletions.load(deletionId);
    return new DeletionLedger({ ...this.#deps, onChanged: (view) => this.#notify(view) }, deletion);
  }

  #notify(view: EventDeletion): void {
    this.#deps.onDeletionChanged(view, this.#deps.readBudget());
    this.#deps.onUploadsConcerned(view.uploads.map(({ jobId }) => jobId));
  }

  list(): { deletions: EventDeletion[]; budget: DeletionBudget } {
    const { store, readBudget } = this.#deps;
    this.jobs.listed();
    const deletions = store.deletions.list(NEWEST).map((found) => this.#viewOf(found));
    return { deletions, budget: readBudget() };
  }

  #viewOf(found: StoredDeletion): EventDeletion {
    return this.jobs.held(found.id)?.view() ?? deletionView(this.#deps.store, found);
  }

  /**
   * Marks the deletion as done because the service's row counts prove it. Throws CONFLICT if it was changed meanwhile.
   */
  confirm(deletionId: string): void {
    this.jobs.change(deletionId, (ledger) => ledger.apply([{ type: 'counted' }]));
  }

  /** Recovers all unfinished deletions after a start. `continues`: this process sends the planned ones. */
  recover(continues: boolean): void {
    this.jobs.recover(continues);
    for (const deletion of this.#deps.store.deletions.untraced()) this.#trace.trace(deletion);
  }

  /**
   * Sends the deletion, or stores it to be sent at `startAtMs`. If the service cannot be reached, the deletion waits.
   * Throws INVALID_ARGUMENT, RATE_LIMITED (nothing sent), or the store's errors.
   */
  async delete(request: DeletionRequest, startAtMs: number | null = null): Promise<EventDeletion> {
    const { store, clock, random, readBudget, checkRead } = this.#deps;
    const body = bodyOf(request);
    if (checkRead !== undefined) await checkRead([request.modelId]);
    if (startAtMs === null) checkBudget(readBudget());
    else futureStart(startAtMs, clock.nowMs());
    const deletionId = random.uuid();
    const beginsAtMs = startAtMs ?? (this.#offlineError() === null ? null : clock.nowMs());
    const deletion = newDeletion(
      { id: deletionId, modelId: request.modelId, body, what: wordsOf(request), provenAtMs: null },
      clock.nowMs(),
      beginsAtMs,
    );
    store.commit(() => store.deletions.create(deletion));
    if (beginsAtMs === null) return this.#send(deletionId, 'resume');
    const ledger = this.jobs.ledger(deletionId);
    ledger.announce();
    this.jobs.starts.changed(deletionId);
    return ledger.view();
  }

  /** Ids of the deletions that name events of this upload. */
  idsOf(jobId: string): ReadonlySet<string> {
    return new Set(this.#deps.store.deletions.ofUpload(jobId).map(({ deletionId }) => deletionId));
  }

  /**
   * Stores all deletions or none, then sends those that are due. Throws CONFLICT if deletions other than `known` exist
   * because another undo began meanwhile. Throws the store's errors.
   */
  planAll(jobId: string, parts: readonly PlannedPart[], known: ReadonlySet<string>): string[] {
    const { store, clock, random } = this.#deps;
    const nowMs = clock.nowMs();
    const created = parts.map(({ request, what, rows, startAtMs, provenAtMs }) => ({
      deletion: newDeletion(
        { id: random.uuid(), modelId: request.modelId, body: bodyOf(request), what, provenAtMs },
        nowMs,
        startAtMs,
      ),
      rows,
    }));
    store.commit(() => {
      if ([...this.idsOf(jobId)].some((id) => !known.has(id))) {
        throw new AppError(
          'CONFLICT',
          'Another deletion of events of this upload began meanwhile. Nothing more was deleted. Review the new plan and undo again.',
          { outcome: 'unsent' },
        );
      }
      for (const { deletion, rows } of created) {
        store.deletions.create(deletion);
        store.deletions.saveTrace(deletion.id, [{ jobId, rows }]);
      }
    });
    const ids = created.map(({ deletion }) => deletion.id);
    for (const id of ids) {
      this.jobs.ledger(id).announce();
      this.jobs.starts.changed(id);
    }
    return ids;
  }

  /**
   * `resume`: continues a deletion that a refused token paused. Throws INVALID_ARGUMENT if the deletion is not scheduled, RATE_LIMITED (nothing sent), or CONFLICT if the proof for an
   * undo by time would be outdated at its start.
   */
  async control(
    deletionId: string,
    action: DeletionAction,
    startAtMs: number | null = null,
  ): Promise<EventDeletion> {
    const { clock } = this.#deps;
    if (action === 'schedule' && startAtMs !== null)
      this.#checkProof(this.jobs.ledger(deletionId), startAtMs);
    if (action === 'start') {
      const ledger = this.jobs.ledger(deletionId);
      if (ledger.core.state === 'scheduled') this.#checkNow(ledger, clock.nowMs());
      return this.#send(deletionId, 'start');
    }
    if (action === 'resume') return this.#continue(deletionId);
    const event: DeletionEvent =
      action === 'schedule' ? { type: 'schedule', startAtMs, nowMs: clock.nowMs() } : { type: 'cancel' };
    const changed = this.jobs.change(deletionId, (ledger) => ledger.apply([event])).view();
    this.jobs.starts.changed(deletionId);
    return changed;
  }

  /** Does not wait until it is sent, because all paused deletions continue one after another. */
  #continue(deletionId: string): EventDeletion {
    const nowMs = this.#deps.clock.nowMs();
    const continued = this.jobs.change(deletionId, (ledger) => {
      ledger.apply([{ type: 'continue', nowMs }], {}, () => this.#checkNow(ledger, nowMs));
    });
    this.jobs.starts.changed(deletionId);
    return continued.view();
  }

  /** Throws RATE_LIMITED, or CONFLICT if the proof for an undo by time may be outdated. */
  #checkNow(ledger: DeletionLedger, nowMs: number): void {
    checkBudget(this.#deps.readBudget());
    this.#checkProof(ledger, nowMs);
  }

  /** Throws CONFLICT if the proof for an undo by time may be outdated at `startAtMs`. */
  #checkProof({ id, stored: { createdAtMs, provenAtMs, body } }: DeletionLedger, startAtMs: number): void {
    // A time range that a person typed belongs to no upload and needs no proof.
    const isUndo = namedIds(body) === null && this.#deps.store.deletions.uploadsOf(id).length > 0;
    // Earlier versions did not store the time of the proof.
    if (isUndo) checkStillProven(provenAtMs ?? createdAtMs, startAtMs);
  }

  async #send(deletionId: string, type: 'start' | 'resume'): Promise<EventDeletion> {
    const nowMs = this.#deps.clock.nowMs();
    this.jobs.start(deletionId, (ledger) => {
      this.#plannedAtMs.set(deletionId, ledger.stored.createdAtMs);
      ledger.apply([{ type, nowMs }], { createdAtMs: nowMs });
    });
    // If the service cannot be reached, the deletion starts automatically later. This call does not wait for that.
    this.jobs.starts.changed(deletionId);
    await this.jobs.runner(deletionId)?.sent;
    return this.jobs.ledger(deletionId).view();
  }

  /** The reason why a deletion would have to wait now, or null. */
  #offlineError(): AppError | null {
    const blockingError = this.#deps.blockingError();
    return blockingError !== null && canPass(blockingError) ? blockingError : null;
  }

  /**
   * Resolves when the deletion was sent, including a planned start if this process runs it. Does not wait for the
   * service's job.
   */
  async whenSent(deletionId: string): Promise<EventDeletion> {
    return (await this.jobs.whenSent(deletionId)).view();
  }

  /**
   * Sends one deletion at a time, so that a crash leaves at most one with unknown outcome. If the service cannot be
   * reached, the deletion stays planned; any other error ends it with that error.
   */
  #due(ledger: DeletionLedger, nowMs: number): void {
    if (this.#sendingId !== null) return;
    const offlineError = this.#offlineError();
    if (offlineError !== null) {
      ledger.apply([{ type: 'put-off', error: offlineError }]);
      this.jobs.starts.postpone(ledger.id, RETRY_DELAY_MS);
      return;
    }
    const events: DeletionEvent[] = [{ type: 'due', nowMs }];
    try {
      this.#checkNow(ledger, nowMs);
    } catch (problem) {
      events.push({ type: 'fail', error: toAppError(problem), mayPass: false });
    }
    this.#plannedAtMs.set(ledger.id, ledger.stored.createdAtMs);
    ledger.apply(events, { createdAtMs: this.#deps.clock.nowMs() });
    if (ledger.core.state === 'sending') this.#sendingId = ledger.id;
  }

  #run(ledger: DeletionLedger): TaskRunner {
    return new TaskRunner(
      {
        send: async (signal, isStopping) => {
          if (ledger.claimSend()) await this.#sendNext(ledger, signal, isStopping);
          else if (ledger.core.state === 'sending') ledger.applyAnyhow([{ type: 'interrupt' }]);
        },
        taskId: () => (ledger.core.state === 'following' ? ledger.core.taskId : null),
        look: (task) => {
          if (ledger.core.state === 'following') ledger.look(task);
        },
        isWithdrawable: () => false,
      },
      this.#deps.followJob,
    );
  }

  async #sendNext(ledger: DeletionLedger, signal: AbortSignal, isStopping: () => boolean): Promise<void> {
    try {
      await this.#sendNow(ledger, signal, isStopping);
    } finally {
      if (this.#sendingId === ledger.id) this.#sendingId = null;
      this.jobs.starts.look();
    }
  }

  async #sendNow(ledger: DeletionLedger, signal: AbortSignal, isStopping: () => boolean): Promise<void> {
    const { client } = this.#deps;
    const { body } = ledger.stored;
    const options = { priority: 'click', group: `deletion ${ledger.id}`, signal } as const;
    let event: DeletionEvent;
    let changes: Partial<StoredDeletion> = {};
    try {
      const unsent = await this.#unsentBecause(ledger, () => signal.aborted || isStopping());
      // The next check covers the same time, because this one may not have found everything.
      if (unsent !== null) changes = { createdAtMs: unsent.sinceMs };
      if (unsent !== null) throw unsent.error;
      const { value } = await client.call('events.delete', { body }, options);
      const { id: taskId, status = null, progress = null } = value.job;
      event = { type: 'answered', taskId, status, progress };
    } catch (problem) {
      const error = toAppError(problem);
      event = { type: 'fail', error, mayPass: canPass(error) || (isStopping() && error.code !== 'CONFLICT') };
    }
    const { state, taskId } = this.#settle(ledger, event, changes);
    if (state === 'scheduled') this.jobs.starts.postpone(ledger.id, RETRY_DELAY_MS);
    if (taskId !== null || state === 'unknown') this.#trace.trace(ledger.stored);
  }

  /** The error that prevents the deletion, and the start of the checked time; null if nothing prevents it. */
  async #unsentBecause(
    ledger: DeletionLedger,
    isStopped: () => boolean,
  ): Promise<{ error: AppError; sinceMs: number } | null> {
    const sinceMs = this.#plannedAtMs.get(ledger.id) ?? ledger.stored.createdAtMs;
    this.#plannedAtMs.delete(ledger.id);
    try {
      await this.#checkSentAgain(ledger, sinceMs, isStopped);
      return null;
    } catch (problem) {
      const { code, message, details } = toAppError(problem);
      return { error: new AppError(code, message, { ...details, outcome: 'unsent' }, problem), sinceMs };
    }
  }

  /** Throws CONFLICT if events of a planned undo were sent again since it was planned; CANCELLED if it is stopped. */
  async #checkSentAgain(
    { id, stored: { modelId, body } }: DeletionLedger,
    sinceMs: number,
    isStopped: () => boolean,
  ): Promise<void> {
    const { store, clock } = this.#deps;
    const ids = namedIds(body);
    if (ids === null || store.deletions.uploadsOf(id).length === 0) return;
    const fileName = await sentAgainBy(store, { modelId, ids, sinceMs }, clock, isStopped);
    if (fileName === null) return;
    throw new AppError(
      'CONFLICT',
      `Events of this undo were sent again with ${fileName} since ${momentText(sinceMs)}, and would be deleted too. Nothing was sent. Undo the upload again to delete the others.`,
      { outcome: 'unsent' },
    );
  }

  /** Stores the outcome of a sent deletion. */
  #settle(ledger: DeletionLedger, event: DeletionEvent, changes: Partial<StoredDeletion>): DeletionCore {
    try {
      ledger.apply([event], changes);
      return ledger.core;
    } catch (problem) {
      if (toAppError(problem).code === 'CONFLICT') return this.#correct(ledger, event, changes);
      ledger.applyAnyhow([event]);
      if (ledger.isIdle) throw problem;
      return ledger.core;
    }
  }

  /** Another process assumed that the sending process was gone. The real outcome is stored nevertheless. */
  #correct({ id }: DeletionLedger, event: DeletionEvent, changes: Partial<StoredDeletion>): DeletionCore {
    return this.jobs.correct(id, (own) => own.apply([event], changes)).core;
  }

  /** Recalls deletions that wait to be sent by this process. Requests already in flight still get their answers. */
  recall(): void {
    for (const runner of this.jobs.runners()) runner.sendPermission?.withdraw();
  }

  /** Requests in flight get `graceMs` to be answered. */
  async stop(graceMs: number): Promise<void> {
    await this.jobs.stop(graceMs);
    await this.#trace.stop();
  }
}

function newDeletion(
  asked: Pick<StoredDeletion, 'id' | 'modelId' | 'body' | 'what' | 'provenAtMs'>,
  createdAtMs: number,
  startAtMs: number | null,
): StoredDeletion {
  return {
    ...asked,
    createdAtMs,
    endedAtMs: null,
    startAtMs,
    lateStart: null,
    serviceJobId: null,
    // The state that is stored if the program ends before the deletion is sent.
    state: startAtMs === null ? 'not-sent' : 'scheduled',
    reason: '',
    progress: null,
    error: null,
  };
}

function checkBudget(budget: DeletionBudget): void {
  if (budget.usedToday < budget.limit) return;
  const again = budget.resetsAtMs === null ? 'tomorrow' : `after ${momentText(budget.resetsAtMs)}`;
  throw new AppError(
    'RATE_LIMITED',
    `All ${budget.limit} event deletions of the day are used. Nothing was sent. Try again ${again}.`,
    { outcome: 'unsent' },
  );
}
