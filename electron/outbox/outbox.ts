/** Manages pending changes of one connection, as a kind of durable job. */
import { NEW_ENTRY } from '../core/jobs/outbox.ts';
import { readable } from '../core/readable.ts';
import type { StoredOutboxEntry } from '../db/upload-store.ts';
import { Jobs } from '../jobs/jobs.ts';
import { STOP_GRACE_MS, USUAL_STEPS } from '../jobs/types.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { idsIn } from '../shared/ids-in-request.ts';
import type { PartDecision } from '../shared/job-contract.ts';
import type { JsonObject } from '../shared/json-body.ts';
import {
  isOutboxOver,
  type OutboxEntry,
  type OutboxPlan,
  type OutboxRequest,
  type OutboxState,
  outboxPlan,
} from '../shared/outbox-model.ts';
import { outboxSource } from './job-source.ts';
import { OutboxLedger } from './outbox-ledger.ts';
import { OutboxRunner } from './outbox-runner.ts';
import { namesIn } from './placeholder-ids.ts';
import type { Outbox, OutboxDeps } from './types.ts';

const DAY_MS = 86_400_000;
/** Time for which sent and discarded changes stay readable. */
const HISTORY_MS = 30 * DAY_MS;
const MAX_LISTED = 1_000;
/** Changes that were halted (by a refused token, or the end of the program) continue only if a person requests it. */
const BY_ITSELF: ReadonlySet<OutboxState> = new Set(['ready']);
const BY_HAND: ReadonlySet<OutboxState> = new Set(['ready', 'paused']);

export function createOutbox(deps: OutboxDeps): Outbox {
  const entries = new OutboxEntries(deps);
  const outbox: Omit<Outbox, 'source'> = {
    put: (plan, startAtMs) => entries.put(plan, startAtMs),
    create: async (plan, startAtMs) => {
      if (deps.checkRead !== undefined) await deps.checkRead(idsIn(plan.request));
      return entries.put(plan, startAtMs);
    },
    list: () => entries.list(),
    get: (entryId) => entries.jobs.ledger(entryId).view(),
    send: (entryId) => entries.send(entryId),
    sendAll: () => entries.sendAll(),
    edit: (entryId, body) => entries.edit(entryId, body),
    discard: (entryId) => entries.discard(entryId),
    restore: (entryId) => entries.restore(entryId),
    schedule: (entryId, startAtMs) => entries.schedule(entryId, startAtMs),
    unschedule: (entryId) => entries.unschedule(entryId),
    decide: (entryId, decision) => entries.decide(entryId, decision),
    forget: (entryId) => entries.forget(entryId),
    whenIdle: async (entryId) => (await entries.jobs.whenIdle(entryId)).view(),
    whenSent: () => entries.whenSent(),
    recover: (continues) => entries.recover(continues),
    wake: () => entries.wake(),
    suspend: (error) => entries.suspend(error),
    stop: () => entries.stop(),
  };
  return { ...outbox, source: outboxSource(outbox, entries.jobs) };
}

class OutboxEntries {
  readonly #deps: OutboxDeps;
  readonly jobs: Jobs<OutboxLedger>;
  /** The pass over the pending changes. It sends one after the other, until each has ended or waits. */
  #walk: Promise<void> = Promise.resolve();
  /**
   * Changes that the pass has skipped because they wait or depend on one that waits, with the promises of their ends.
   */
  readonly #left = new Map<string, Promise<void>>();
  /** Callbacks for the moment when a change starts to wait. */
  readonly #waiting = new Map<string, () => void>();
  #isStopping = false;

  constructor(given: OutboxDeps) {
    const onChanged = (entry: OutboxEntry) => {
      if (entry.state === 'waiting') this.#waiting.get(entry.entryId)?.();
      given.onChanged(entry);
    };
    const deps = { ...given, onChanged };
    this.#deps = deps;
    const { outbox } = deps.store;
    this.jobs = new Jobs<OutboxLedger>(deps, {
      what: 'change in the outbox',
      rows: outbox,
      load: (id) => new OutboxLedger(deps, outbox.load(id)),
      run: (ledger) => new OutboxRunner(deps, ledger),
      ...USUAL_STEPS,
      interrupt: (ledger) => ledger.interrupt(),
    });
  }

  put(given: OutboxPlan, startAtMs: number | null): OutboxEntry {
    const { request, base } = outboxPlan.parse(given);
    const { store, random, clock, blockingError, resources } = this.#deps;
    const refused = blockingError();
    if (refused?.code === 'READ_ONLY') throw refused;
    const { change, title } = resources.describe(request);
    const all = store.outbox.list();
    const id = random.uuid();
    const target = change === 'update' || change === 'delete' ? targetOf(request) : null;
    const entry: StoredOutboxEntry = {
      ...NEW_ENTRY,
      id,
      change,
      title: titleOf(title, request, base),
      target,
      request,
      base: expectedVersion(all, target, base),
      theirs: null,
      question: null,
      known: [],
      sentAtMs: null,
      attempts: 0,
      needs: this.#needsOf(all, request),
      result: null,
      // Changes are ordered by creation time, so the times must increase.
      createdAtMs: Math.max(clock.nowMs(), 1 + Math.max(0, ...all.map(({ createdAtMs }) => createdAtMs))),
      endedAtMs: null,
    };
    store.commit(() => store.outbox.create(entry));
    if (startAtMs !== null) return this.schedule(id, startAtMs);
    const ledger = this.jobs.ledger(id);
    ledger.announce();
    return ledger.view();
  }

  #needsOf(all: readonly StoredOutboxEntry[], request: OutboxRequest): string[] {
    const makers = all.filter(({ change }) => change === 'create').map(({ id }) => id);
    return namesIn(request, makers);
  }

  list(): OutboxEntry[] {
    const stored = this.#deps.store.outbox.list({ limit: MAX_LISTED });
    return readable(stored.toReversed(), ({ id }) => this.jobs.ledger(id).view());
  }

  send(entryId: string): OutboxEntry {
    const refused = this.#deps.blockingError();
    if (refused !== null) throw refused;
    const { question } = this.jobs.own(entryId).stored;
    if (question !== null)
      throw new AppError(
        'CONFLICT',
        'It needs a decision first: the record at the service has not been read here.',
      );
    return this.#start(entryId);
  }

  #start(entryId: string): OutboxEntry {
    return this.jobs
      .start(entryId, (ledger) => {
        if (!ledger.isIdle) return;
        ledger.apply([{ type: ledger.core.state === 'ready' ? 'start' : 'resume' }], { attempts: 0 });
      })
      .view();
  }

  sendAll(): number {
    const refused = this.#deps.blockingError();
    if (refused !== null) throw refused;
    return this.#sendIn(BY_HAND);
  }

  wake(): void {
    this.jobs.wake();
    const { sendsWhenBack, blockingError, logger } = this.#deps;
    if (this.#isStopping || !sendsWhenBack() || blockingError() !== null) return;
    try {
      this.#sendIn(BY_ITSELF);
    } catch (thrown) {
      logger.error('outbox not sent', { reason: toAppError(thrown).message });
    }
  }

  /**
   * Sends changes one after the other in the order of creation. A waiting change only delays those that depend on it.
   */
  #sendIn(states: ReadonlySet<OutboxState>): number {
    const ids = this.#deps.store.outbox
      .list()
      .toReversed()
      .filter(({ state, startAtMs }) => states.has(state) && startAtMs === null)
      .map(({ id }) => id);
    const before = this.#walk;
    const sendEach = async () => {
      await before;
      for (const id of ids) {
        if (this.#isStopping) return;
        if (this.#left.has(id)) continue;
        try {
          const earlier = this.#earlierOf(id);
          if (earlier.length === 0) await this.#untilWaiting(id, this.#sendOne(id, states));
          else
            this.#leave(
              id,
              Promise.all(earlier).then(() => this.#sendOne(id, states)),
            );
        } catch (thrown) {
          this.#reportUnsent(id, thrown);
        }
      }
    };
    // It never rejects, because every later pass waits for it.
    this.#walk = sendEach();
    return ids.length;
  }

  #reportUnsent(id: string, thrown: unknown): void {
    this.#deps.logger.warn('change in the outbox not sent', { id, code: toAppError(thrown).code });
  }

  /**
   * Promises for the ends of skipped changes on which this one depends: the creation of a record that it refers to, and
   * earlier changes of its record.
   */
  #earlierOf(id: string): Promise<void>[] {
    const { outbox } = this.#deps.store;
    const entry = outbox.get(id);
    if (entry === null) return [];
    const isEarlier = (other: string) =>
      entry.needs.includes(other) || (entry.target !== null && outbox.get(other)?.target === entry.target);
    return [...this.#left].filter(([other]) => isEarlier(other)).map(([, end]) => end);
  }

  async #untilWaiting(id: string, sent: Promise<void>): Promise<void> {
    const waiting = Promise.withResolvers<'waiting'>();
    this.#waiting.set(id, () => waiting.resolve('waiting'));
    const reached = await Promise.race([sent, waiting.promise]);
    this.#waiting.delete(id);
    if (reached === 'waiting') this.#leave(id, sent);
  }

  #leave(id: string, sent: Promise<void>): void {
    this.#left.set(
      id,
      sent.finally(() => this.#left.delete(id)),
    );
  }

  /** Resolves when all sends that were requested have ended. */
  async whenSent(): Promise<void> {
    await this.#walk;
    while (this.#left.size > 0) await Promise.all(this.#left.values());
  }

  /** Another process or a person may have handled the change meanwhile. */
  async #sendOne(id: string, states: ReadonlySet<OutboxState>): Promise<void> {
    if (this.#isStopping) return;
    try {
      const entry = this.#deps.store.outbox.get(id);
      if (entry === null || !states.has(entry.state) || entry.startAtMs !== null) return;
      this.send(id);
      await this.jobs.whenIdle(id);
    } catch (thrown) {
      this.#reportUnsent(id, thrown);
    }
  }

  edit(entryId: string, body: JsonObject | null): OutboxEntry {
    const ledger = this.jobs.idle(entryId);
    const request = outboxPlan.shape.request.parse({ ...ledger.stored.request, body });
    this.#deps.resources.describe(request);
    if (ledger.stored.sentAtMs !== null && ledger.stored.question === null)
      throw new AppError(
        'CONFLICT',
        'It was sent, and it is not known whether it was done. Send it first, to find out.',
      );
    const needs = this.#needsOf(this.#deps.store.outbox.list(), request);
    return this.jobs.change(entryId, (own) => own.rebase([{ type: 'edit' }], request, needs)).view();
  }

  discard(entryId: string): OutboxEntry {
    const ledger = this.jobs.own(entryId);
    ledger.apply([{ type: 'cancel' }], { question: null });
    this.jobs.runner(entryId)?.loop.wake();
    this.#changed(entryId);
    return ledger.view();
  }

  restore(entryId: string): OutboxEntry {
    this.jobs.change(entryId, (ledger) => ledger.apply([{ type: 'restore' }]));
    // If an entry only asked because this one was discarded, its question is removed.
    for (const { id, needs, question, request } of this.#deps.store.outbox.list()) {
      if (question !== 'need-gone' || !needs.includes(entryId)) continue;
      this.jobs.change(id, (own) => own.rebase([{ type: 'edit' }], request, needs));
    }
    this.#changed(entryId);
    return this.jobs.ledger(entryId).view();
  }

  /** Entries that refer to this one report a change, too. */
  #changed(entryId: string): void {
    this.jobs.starts.changed(entryId);
    for (const { id, needs } of this.#deps.store.outbox.list())
      if (needs.includes(entryId)) this.jobs.ledger(id).announce();
  }

  schedule(entryId: string, startAtMs: number | null): OutboxEntry {
    if (this.jobs.runner(entryId) !== null) throw new AppError('CONFLICT', 'It is being sent.');
    const nowMs = this.#deps.clock.nowMs();
    this.jobs.change(entryId, (ledger) =>
      ledger.apply([{ type: 'schedule', startAtMs, nowMs }], { attempts: 0 }),
    );
    this.jobs.starts.changed(entryId);
    return this.jobs.ledger(entryId).view();
  }

  unschedule(entryId: string): OutboxEntry {
    this.jobs.change(entryId, (ledger) => ledger.apply([{ type: 'unschedule' }]));
    this.jobs.starts.changed(entryId);
    return this.jobs.ledger(entryId).view();
  }

  decide(entryId: string, decision: PartDecision): OutboxEntry {
    const ledger = this.jobs.idle(entryId);
    const { question, request, needs, theirs } = ledger.stored;
    if (question === null) throw new AppError('INVALID_ARGUMENT', 'It does not wait for a decision.');
    if (decision === 'give-up') return this.discard(entryId);
    if (decision === 'stored') {
      if (question !== 'no-answer')
        throw new AppError('INVALID_ARGUMENT', 'It was not sent: send it, change it, or discard it.');
      const result = { how: 'said' as const, status: null, requestId: null, record: theirs };
      return this.jobs.change(entryId, (own) => own.succeed(result)).view();
    }
    if (question === 'need-gone')
      throw new AppError(
        'INVALID_ARGUMENT',
        'It refers to a record that will not be created: change it, or discard it.',
      );
    if (question === 'need-unknown')
      throw new AppError(
        'INVALID_ARGUMENT',
        'It refers to a record whose ID is not known here: put that ID into it, or discard it.',
      );
    const refused = this.#deps.blockingError();
    if (refused !== null) throw refused;
    this.jobs.change(entryId, (own) => own.rebase([{ type: 'edit' }], request, needs));
    return this.#start(entryId);
  }

  forget(entryId: string): void {
    this.jobs.checkIdle(entryId);
    if (!isOutboxOver(this.jobs.ledger(entryId).core.state))
      throw new AppError('CONFLICT', 'This change waits to be sent. Discard it first.');
    const { store } = this.#deps;
    const ledger = this.jobs.idle(entryId);
    store.commit(() => {
      ledger.checkOwn();
      store.outbox.remove(entryId);
    });
  }

  recover(continues: boolean): void {
    this.#dropOld();
    this.jobs.recover(continues);
  }

  #dropOld(): void {
    const { store, clock, logger } = this.#deps;
    const before = clock.nowMs() - HISTORY_MS;
    try {
      const all = store.outbox.list();
      const needed = new Set(all.filter(({ state }) => !isOutboxOver(state)).flatMap(({ needs }) => needs));
      const old = all.filter(
        ({ id, state, endedAtMs }) => isOutboxOver(state) && (endedAtMs ?? 0) < before && !needed.has(id),
      );
      if (old.length === 0) return;
      store.commit(() => {
        for (const { id } of old) store.outbox.remove(id);
      });
    } catch (thrown) {
      logger.error('history of the outbox not removed', { reason: toAppError(thrown).message });
    }
  }

  suspend(error: AppError): void {
    for (const runner of this.jobs.runners()) if (runner instanceof OutboxRunner) runner.handleFailure(error);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.jobs.stop(STOP_GRACE_MS);
    await this.whenSent();
  }
}

/** A key for the record of an entry that does not depend on the operation. */
function targetOf({ operation, path }: OutboxRequest): string {
  const [resource] = operation.split('.');
  const what = operation.includes('notification') ? 'notification' : '';
  return [resource, what, ...Object.entries(path).toSorted().flat()].join(' ');
}

/** A title such as `Change an alert rule: Churn drift`. */
function titleOf(title: string, { body, path }: OutboxRequest, base: JsonObject | null): string {
  const name = base?.['name'] ?? body?.['name'] ?? Object.values(path).at(-1);
  return typeof name === 'string' ? `${title}: ${name}`.slice(0, 300) : title;
}

/** The record as the person sees it, with the earlier pending changes applied. */
function expectedVersion(
  all: readonly StoredOutboxEntry[],
  target: string | null,
  base: JsonObject | null,
): JsonObject | null {
  if (base === null || target === null) return base;
  const before = all.filter((entry) => entry.target === target && !isOutboxOver(entry.state)).toReversed();
  return Object.assign({}, base, ...before.map(({ request }) => request.body));
}
