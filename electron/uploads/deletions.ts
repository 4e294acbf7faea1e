/** Deletions of events as a kind of durable job: never repeated by themselves, followed until the service is through. */
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
  | 'refusal'
  | 'onDeletionChanged'
> & {
  options: ProcessOptions;
  /** What became of events of these uploads may have changed. */
  onUploadsConcerned: (jobIds: readonly string[]) => void;
};

/** One of several deletions of the events of an upload. */
interface PlannedPart {
  request: DeletionRequest;
  what: string;
  /** Rows of the upload whose events it names. */
  rows: number;
  startAtMs: number;
}

/** What could not be sent at its time, as there was no way to the service, is tried again after so long. */
const AGAIN_MS = 60_000;
const NEWEST = { limit: 500 };

export class Deletions {
  readonly #deps: DeletionDeps;
  readonly #trace: DeletionTrace;
  readonly jobs: Jobs<DeletionLedger>;
  /** One that began by itself, and is being sent. */
  #sendingId: string | null = null;

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
        // What was on its way is not repeated.
        resume: () => undefined,
        due: (ledger, nowMs) => this.#due(ledger, nowMs),
        // Whoever takes it over sends nothing, so there is nothing to stop.
        lost: () => undefined,
        startAgain: (ended, own) => own.goOnFor(ended),
        isOpen: ({ state }) => !isDeletionIdle(deletionStateOf(state, '')),
        isWatched: true,
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
    if (this.jobs.runner(found.id) === null) return deletionView(this.#deps.store, found);
    return this.jobs.ledger(found.id).view();
  }

  /** The rows that the service counts say that it is through. Throws CONFLICT where somebody else changed it. */
  confirm(deletionId: string): void {
    this.jobs.change(deletionId, (ledger) => ledger.apply([{ type: 'counted' }]));
  }

  /** Looks after all that have not ended. `continues`: what is planned is sent by this process. */
  recover(continues: boolean): void {
    this.jobs.recover(continues);
    for (const deletion of this.#deps.store.deletions.untraced()) this.#trace.trace(deletion);
  }

  /**
   * Sends it, or with `startAtMs` stores it to be sent then; without a way to the service it waits. Throws INVALID_ARGUMENT, RATE_LIMITED (nothing sent),
   * or what storing throws.
   */
  async delete(request: DeletionRequest, startAtMs: number | null = null): Promise<EventDeletion> {
    const { store, clock, random, readBudget } = this.#deps;
    const body = bodyOf(request);
    if (startAtMs === null) checkBudget(readBudget());
    else futureStart(startAtMs, clock.nowMs());
    const deletionId = random.uuid();
    const beginsAtMs = startAtMs ?? (this.#noWay() === null ? null : clock.nowMs());
    const deletion = newDeletion(
      { id: deletionId, modelId: request.modelId, body, what: wordsOf(request) },
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

  /** Stores all of them or none; those whose time has come are sent at once. Throws what storing throws. */
  planAll(jobId: string, parts: readonly PlannedPart[]): string[] {
    const { store, clock, random } = this.#deps;
    const nowMs = clock.nowMs();
    const created = parts.map(({ request, what, rows, startAtMs }) => ({
      deletion: newDeletion(
        { id: random.uuid(), modelId: request.modelId, body: bodyOf(request), what },
        nowMs,
        startAtMs,
      ),
      rows,
    }));
    store.commit(() => {
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

  /** Throws INVALID_ARGUMENT for one that is not to be sent later, RATE_LIMITED (nothing sent). */
  async control(
    deletionId: string,
    action: DeletionAction,
    startAtMs: number | null = null,
  ): Promise<EventDeletion> {
    const { clock } = this.#deps;
    if (action === 'start') {
      const ledger = this.jobs.ledger(deletionId);
      if (ledger.core.state === 'scheduled') this.#checkNow(ledger, clock.nowMs());
      return this.#send(deletionId, 'start');
    }
    const event: DeletionEvent =
      action === 'schedule' ? { type: 'schedule', startAtMs, nowMs: clock.nowMs() } : { type: 'cancel' };
    const changed = this.jobs.change(deletionId, (ledger) => ledger.apply([event])).view();
    this.jobs.starts.changed(deletionId);
    return changed;
  }

  /** Throws RATE_LIMITED, or CONFLICT where what was proven of an undo by time need not hold any more. */
  #checkNow({ id, stored: { startAtMs, body } }: DeletionLedger, nowMs: number): void {
    const { store, readBudget } = this.#deps;
    checkBudget(readBudget());
    // A person's own range means whatever lies in it: it belongs to no upload.
    const isUndo = namedIds(body) === null && store.deletions.uploadsOf(id).length > 0;
    if (isUndo) checkStillProven(startAtMs ?? nowMs, nowMs);
  }

  async #send(deletionId: string, type: 'start' | 'resume'): Promise<EventDeletion> {
    const nowMs = this.#deps.clock.nowMs();
    this.jobs.start(deletionId, (ledger) => ledger.apply([{ type, nowMs }], { createdAtMs: nowMs }));
    // Without a way to the service it begins again by itself, from here too; that is not waited for.
    this.jobs.starts.changed(deletionId);
    await this.jobs.runner(deletionId)?.sent;
    return this.jobs.ledger(deletionId).view();
  }

  /** Why it would wait now, or null. */
  #noWay(): AppError | null {
    const refusal = this.#deps.refusal();
    return refusal !== null && canPass(refusal) ? refusal : null;
  }

  /** Waits for a planned start, too, where this process looks after it; what the service then does is not waited for. */
  async whenSent(deletionId: string): Promise<EventDeletion> {
    return (await this.jobs.whenSent(deletionId)).view();
  }

  /**
   * One at a time: where the program is killed, at most one is of unknown outcome. Without a way to the service it stays
   * planned; whatever else stands in its way is said and ends it.
   */
  #due(ledger: DeletionLedger, nowMs: number): void {
    if (this.#sendingId !== null) return;
    const noWay = this.#noWay();
    if (noWay !== null) {
      ledger.apply([{ type: 'put-off', error: noWay }]);
      this.jobs.starts.putOff(ledger.id, AGAIN_MS);
      return;
    }
    const events: DeletionEvent[] = [{ type: 'due', nowMs }];
    try {
      this.#checkNow(ledger, nowMs);
    } catch (problem) {
      events.push({ type: 'fail', error: toAppError(problem), mayPass: false });
    }
    ledger.apply(events, { createdAtMs: this.#deps.clock.nowMs() });
    if (ledger.core.state === 'sending') this.#sendingId = ledger.id;
  }

  #run(ledger: DeletionLedger): TaskRunner {
    return new TaskRunner(
      {
        send: async (signal, isStopping) => {
          if (ledger.takeLeave()) await this.#sendNext(ledger, signal, isStopping);
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
    try {
      const { value } = await client.call('events.delete', { body }, options);
      const { id: taskId, status = null, progress = null } = value.job;
      event = { type: 'answered', taskId, status, progress };
    } catch (problem) {
      const error = toAppError(problem);
      event = { type: 'fail', error, mayPass: canPass(error) || isStopping() };
    }
    const { state, taskId } = this.#settle(ledger, event);
    if (state === 'scheduled') this.jobs.starts.putOff(ledger.id, AGAIN_MS);
    if (taskId !== null || state === 'unknown') this.#trace.trace(ledger.stored);
  }

  /** What came of sending it. */
  #settle(ledger: DeletionLedger, event: DeletionEvent): DeletionCore {
    try {
      ledger.apply([event]);
      return ledger.core;
    } catch (problem) {
      if (toAppError(problem).code === 'CONFLICT') return this.#correct(ledger, event);
      ledger.applyAnyhow([event]);
      if (ledger.isIdle) throw problem;
      return ledger.core;
    }
  }

  /** Another process took the one that was sending it for gone: what came of it is the truth all the same. */
  #correct({ id }: DeletionLedger, event: DeletionEvent): DeletionCore {
    return this.jobs.correct(id, (own) => own.apply([event])).core;
  }

  /** What is on its way has `graceMs` to be answered. */
  async stop(graceMs: number): Promise<void> {
    await this.jobs.stop(graceMs);
    await this.#trace.stop();
  }
}

function newDeletion(
  asked: Pick<StoredDeletion, 'id' | 'modelId' | 'body' | 'what'>,
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
    // What it is should the program end here.
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
