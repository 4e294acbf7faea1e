/** Keeps data of one connection for offline use, as a kind of durable job. */
import { NO_START } from '../core/jobs/start-plan.ts';
import { readable } from '../core/readable.ts';
import { planByRule } from '../jobs/hastened-starts.ts';
import { Jobs } from '../jobs/jobs.ts';
import { USUAL_STEPS } from '../jobs/types.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import {
  isSamePlan,
  type KeepEstimate,
  type KeepPlan,
  type KeepSpace,
  type KeepSync,
  type KeepTest,
  type Kept,
  keepPlan,
  planAt,
} from '../shared/keep-model.ts';
import { BudgetShare } from './budget-share.ts';
import { durationOf, estimateKeeping } from './estimate.ts';
import { keepSource } from './job-source.ts';
import { KeepLedger } from './keep-ledger.ts';
import { requestsOf } from './keep-requests.ts';
import { KeepRunner, withinShare } from './keep-runner.ts';
import { testOffline } from './offline-test.ts';
import type { Keep, KeepDeps } from './types.ts';

const MAX_LISTED = 500;
const SWEPT = 100;
/** Number of requests of an entry that are read from the store at once. */
const LISTED = 500;
/** Time for which an entry removed in the window can be restored. Afterwards its lists are deleted. */
const UNDO_WINDOW_MS = 600_000;
/** Operations whose limits are shared with interactive use. */
const SHARED = ['catalog.list', 'spans.query'];

export function createKeep(deps: KeepDeps): Keep {
  const kept = new KeptEntries(deps);
  const keep: Omit<Keep, 'source'> = {
    list: () => kept.list(),
    get: (keptId) => kept.jobs.ledger(keptId).view(),
    space: () => kept.space(),
    estimate: (plan, signal) => kept.estimate(plan, signal),
    start: (plan, hours) => kept.start(plan, hours),
    control: (keptId, action) => kept.control(keptId, action),
    setRefresh: (keptId, hours) => kept.setRefresh(keptId, hours),
    drop: (keptId) => kept.drop(keptId),
    softDelete: (keptId) => kept.softDelete(keptId),
    restore: (keptId) => kept.restore(keptId),
    planSync: (keptId) => kept.planSync(keptId),
    planDrop: (keptId) => deps.store.planDrop(kept.jobs.ledger(keptId).id),
    test: (keptId) => kept.test(keptId),
    whenIdle: async (keptId) => (await kept.jobs.whenIdle(keptId)).view(),
    recover: (continues) => kept.recover(continues),
    wake: () => kept.jobs.wake(),
    suspend: (error) => kept.suspend(error),
    stop: () => kept.stop(),
    damaged: deps.store.damaged,
  };
  return { ...keep, source: keepSource(keep, kept.jobs) };
}

class KeptEntries {
  readonly #deps: KeepDeps;
  readonly #share: BudgetShare;
  readonly jobs: Jobs<KeepLedger>;
  #sweeping: Promise<void> | null = null;
  #isSweepWanted = false;
  /** Functions that cancel the pending deletion of each removed entry. */
  readonly #aside = new Map<string, () => void>();
  #isStopping = false;

  constructor(deps: KeepDeps) {
    this.#deps = deps;
    this.#share = new BudgetShare({
      clock: deps.clock,
      share: () => deps.settings().keepShare,
      windowsOf: deps.windowsOf,
    });
    const { jobs } = deps.store;
    this.jobs = new Jobs<KeepLedger>(deps, {
      what: 'kept entry',
      rows: jobs,
      load: (id) => new KeepLedger(deps, jobs.load(id)),
      run: (ledger) => new KeepRunner(deps, this.#share, ledger),
      ...USUAL_STEPS,
      due: (ledger, nowMs) => ledger.again('all', { type: 'due', nowMs }),
      latestStart: (ledger, nowMs) => ledger.latestStart(nowMs),
      planByRule,
      heldBy: () => deps.heldBy(),
    });
  }

  list(): Kept[] {
    return readable(this.#deps.store.jobs.list({ limit: MAX_LISTED }), ({ id }) =>
      this.jobs.ledger(id).view(),
    );
  }

  space(): KeepSpace {
    const { store, settings, windowsOf } = this.#deps;
    const shares = SHARED.flatMap((operation) =>
      windowsOf(operation).map(({ count, lengthMs }) => {
        const allowed = this.#share.allowed({ count, lengthMs });
        return { operation, count, lengthMs, allowed };
      }),
    );
    return { ...store.space(), limitBytes: settings().mostListBytes, shares };
  }

  estimate(plan: KeepPlan, signal = new AbortController().signal): Promise<KeepEstimate> {
    const client = withinShare(this.#deps.client, this.#share, signal);
    return estimateKeeping({ ...this.#deps, client, share: this.#share, signal }, plan);
  }

  planSync(keptId: string): KeepSync {
    const { store, settings, windowsOf } = this.#deps;
    const { takenMs, isIdle } = this.jobs.ledger(keptId);
    const requests = new Map<string, number>();
    let [left, all] = [0, 0];
    for (let after = -1; ; ) {
      const page = store.page(keptId, after, LISTED);
      for (const { request } of page) {
        if (request === null) continue;
        const { query, form, rowCount, state } = request;
        const pages = form === 'list' ? Math.max(1, Math.ceil(rowCount / settings().pageRows)) : 1;
        all += pages;
        if (!isIdle && state !== 'waiting') continue;
        left += pages;
        requests.set(query.operation, (requests.get(query.operation) ?? 0) + pages);
      }
      const last = page.at(-1);
      if (last === undefined) break;
      after = last.position;
    }
    return {
      requests: left,
      byLimitsMs: durationOf({ windowsOf, share: this.#share }, requests),
      lastMs: takenMs === null ? null : Math.round((takenMs * left) / Math.max(1, all)),
    };
  }

  start(given: KeepPlan, chosenHours: number | null | undefined): Kept {
    const plan = planAt(keepPlan.parse(given), this.#deps.clock.nowMs());
    const questions = requestsOf(plan);
    if (questions.length === 0) {
      throw new AppError('INVALID_ARGUMENT', 'Expected the question of the chart that is to be kept.');
    }
    const { store, random, clock, library, settings } = this.#deps;
    const nowMs = clock.nowMs();
    const id = random.uuid();
    const refreshHours = chosenHours ?? null;
    const head = { id, plan, refreshHours, state: 'running' as const, reason: '', error: null };
    const times = { createdAtMs: nowMs, endedAtMs: null, notBeforeMs: nowMs - settings().staleAfterMs };
    const rows = questions.map((request) => ({ ...request, key: library.keyOf(request.query) }));
    // In one transaction, because another process may start to keep the same data.
    const same = store.commit(() => {
      const found = store.jobs.list({ subject: plan.id }).find((each) => isSamePlan(each.plan, plan));
      if (found !== undefined) return found.id;
      store.jobs.create({ ...head, ...NO_START, ...times });
      store.add(id, rows);
      return null;
    });
    if (same !== null) {
      const isOther = chosenHours !== undefined && this.jobs.ledger(same).stored.refreshHours !== chosenHours;
      if (isOther) this.setRefresh(same, chosenHours);
      return this.control(same, 'refresh');
    }
    return this.jobs.start(id, () => undefined).view();
  }

  control(keptId: string, action: 'pause' | 'resume' | 'refresh' | 'retry'): Kept {
    this.jobs.checkFree(keptId);
    if (action === 'pause') {
      this.jobs.toHalt(keptId).apply([{ type: 'pause', reason: 'Paused.', error: null }]);
      const runner = this.jobs.runner(keptId);
      if (runner instanceof KeepRunner) runner.recall();
    } else {
      this.jobs.own(keptId);
      this.jobs.start(keptId, (ledger) => {
        if (action === 'refresh' || action === 'retry') {
          if (ledger.isIdle) ledger.again(action === 'refresh' ? 'all' : 'failed');
        } else if (ledger.isIdle) ledger.apply([{ type: 'resume' }]);
      });
    }
    return this.#changed(keptId);
  }

  setRefresh(keptId: string, hours: number | null): Kept {
    this.jobs.change(keptId, (ledger) => ledger.setRefresh(hours));
    return this.#changed(keptId);
  }

  #changed(keptId: string): Kept {
    this.jobs.starts.changed(keptId);
    return this.jobs.ledger(keptId).view();
  }

  drop(keptId: string): void {
    this.#forget(keptId, () => this.#deps.store.jobs.forget(keptId));
    this.#sweep();
  }

  softDelete(keptId: string): void {
    const { store, clock, logger } = this.#deps;
    this.#forget(keptId, () => store.softDelete(keptId));
    const remove = () => {
      this.#aside.delete(keptId);
      try {
        store.purgeDeleted(keptId);
      } catch (thrown) {
        // If the disk is full, the entry stays invisible and the next start deletes it.
        const { code, message } = toAppError(thrown);
        logger.warn('dropped entry not removed', { kept: keptId, code, reason: message });
      }
      this.#sweep();
    };
    this.#aside.set(keptId, clock.setTimer(remove, UNDO_WINDOW_MS, 'removing a dropped entry'));
  }

  #forget(keptId: string, hide: () => void): void {
    this.jobs.checkFree(keptId);
    this.jobs.ledger(keptId);
    this.jobs.forget(keptId, hide);
    this.jobs.starts.changed(keptId);
    this.#deps.onDropped();
  }

  restore(keptId: string): Kept {
    const { store } = this.#deps;
    if (!store.restore(keptId))
      throw new AppError(
        'INVALID_ARGUMENT',
        'This kept entry is gone: it was dropped too long ago. Keep it again.',
      );
    this.#aside.get(keptId)?.();
    this.#aside.delete(keptId);
    this.jobs.restored(keptId);
    return this.#changed(keptId);
  }

  test(keptId: string | null): Promise<KeepTest> {
    const ids = keptId === null ? this.list().map((each) => each.keptId) : [this.jobs.ledger(keptId).id];
    return testOffline(this.#deps, ids);
  }

  recover(continues: boolean): void {
    this.jobs.recover(continues);
    // A window can restore only entries that it removed itself, so it deletes older ones. A command line deletes none,
    // because a window may restore them.
    if (continues) this.#deps.store.purgeDeleted(null);
    this.#sweep();
    if (!continues) return;
    for (const { id, refreshHours, state } of this.#deps.store.jobs.list()) {
      if (refreshHours !== 0 || state !== 'done' || this.jobs.isBusy(id)) continue;
      try {
        if (this.#deps.heldBy() === null) this.control(id, 'refresh');
        else this.#refreshWhenFree(id);
      } catch (thrown) {
        this.#deps.logger.warn('kept entry not refreshed', { id, reason: toAppError(thrown).message });
      }
    }
  }

  /** Plans the reading due at the start of the program for the time at which the state of the computer allows it. */
  #refreshWhenFree(keptId: string): void {
    this.jobs.change(keptId, (ledger) => ledger.planNow());
    this.#changed(keptId);
  }

  /** Deletes removed entries in small batches. */
  #sweep(): void {
    this.#isSweepWanted = this.#sweeping !== null;
    if (this.#isSweepWanted || this.#isStopping) return;
    const { store, library, openTabIds, logger, clock } = this.#deps;
    const sweepAll = async () => {
      while (!this.#isStopping && store.sweepDropped(SWEPT, openTabIds()) > 0)
        await new Promise<void>((resolve) => void clock.setTimer(resolve, 0));
      library.sweep();
    };
    this.#sweeping = sweepAll()
      .catch((thrown: unknown) => {
        logger.warn('dropped lists not removed', { reason: toAppError(thrown).message });
      })
      .finally(() => {
        this.#sweeping = null;
        // Entries removed meanwhile need another pass.
        if (this.#isSweepWanted) this.#sweep();
      });
  }

  suspend(error: AppError): void {
    for (const runner of this.jobs.runners()) if (runner instanceof KeepRunner) runner.handleFailure(error);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const end of this.#aside.values()) end();
    for (const runner of this.jobs.runners()) if (runner instanceof KeepRunner) runner.recall();
    // Reading has no side effects, so requests are simply repeated later.
    await this.jobs.stop(0);
    await this.#sweeping;
  }
}
