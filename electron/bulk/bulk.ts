/** Changes of many records of one connection: written down, begun, gone on with after any end of the program. */

import { type BulkEvent, isBulkIdle, isBulkOver } from '../core/bulk-act.ts';
import { LeaseKeeper } from '../core/lease.ts';
import { PlannedStarts } from '../core/planned-starts.ts';
import { stopAll } from '../core/work-loop.ts';
import type { StoredBulkAct } from '../db/upload-store.ts';
import type { BulkAct, BulkAction, BulkRecord } from '../shared/bulk-contract.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { BulkLedger } from './bulk-ledger.ts';
import { BulkRunner } from './bulk-runner.ts';
import { addRecords, writeDown } from './new-bulk.ts';
import type { Bulk, BulkDeps, NewBulk } from './types.ts';

/** What is on its way when the program ends has so long to be answered. */
const STOP_GRACE_MS = 3_000;
/** An act whose records were not all named within this time was given up by whoever began it. */
const ABANDONED_MS = 3_600_000;

interface Active {
  ledger: BulkLedger;
  runner: BulkRunner;
  ended: Promise<void>;
}

export function createBulk(deps: BulkDeps): Bulk & { suspend(error: AppError): void } {
  const acts = new BulkActs(deps);
  const { store } = deps;
  return {
    create: (given) => acts.create(given),
    add: (bulkId, records) => acts.add(bulkId, records),
    list: () => acts.list(),
    get: (bulkId) => acts.ledger(bulkId).view(),
    listItems: (bulkId, states, offset, limit) => ({
      items: store.bulk.page(bulkId, states, offset, limit).map(({ part: _, attempts: __, ...item }) => item),
      total: store.bulk.count(bulkId, states),
    }),
    control: (bulkId, action, startAtMs) => acts.control(bulkId, action, startAtMs),
    forget: (bulkId) => acts.forget(bulkId),
    whenIdle: (bulkId) => acts.whenIdle(bulkId),
    whenBegun: async (bulkId) => {
      await acts.starts.wait(bulkId);
    },
    planned: {
      kind: 'bulk',
      starts: acts.starts,
      list: () => acts.planned(),
      control: async (id, action, startAtMs) =>
        acts.control(id, action === 'cancel' ? 'stop' : action, startAtMs),
    },
    recover: (continues) => acts.recover(continues),
    wake: () => acts.wake(),
    suspend: (error) => acts.suspend(error),
    stop: () => acts.stop(),
  };
}

class BulkActs {
  readonly #deps: BulkDeps;
  readonly #leases: LeaseKeeper;
  readonly starts: PlannedStarts;
  readonly #active = new Map<string, Active>();
  #isStopping = false;

  constructor(deps: BulkDeps) {
    this.#deps = deps;
    const { store, clock, logger, random } = deps;
    const owner = random.uuid();
    const what = 'change of many records';
    this.#leases = new LeaseKeeper({ ...deps, table: store.bulk.leases, what, owner });
    this.starts = new PlannedStarts({
      clock,
      logger,
      what,
      planned: () => store.bulk.scheduled(),
      begin: (id, nowMs) => void this.#start(id, [{ type: 'due', nowMs }]),
    });
  }

  /** Throws INVALID_ARGUMENT for one that is not there. */
  ledger(bulkId: string): BulkLedger {
    const active = this.#active.get(bulkId);
    if (active !== undefined) return active.ledger;
    const act = this.#deps.store.bulk.get(bulkId);
    if (act !== null) return new BulkLedger(this.#deps, act);
    const message = `Expected a change of many records; there is none with the id ${bulkId}.`;
    throw new AppError('INVALID_ARGUMENT', message);
  }

  create(given: NewBulk): BulkAct {
    return this.#beginIfWhole(writeDown(this.#deps, given), given.records.length);
  }

  add(bulkId: string, records: readonly BulkRecord[]): BulkAct {
    return this.#beginIfWhole(bulkId, addRecords(this.#deps, this.ledger(bulkId).act, records));
  }

  #beginIfWhole(bulkId: string, known: number): BulkAct {
    const ledger = this.ledger(bulkId);
    const { total, startAtMs } = ledger.act;
    if (known < total) return ledger.view();
    if (startAtMs === null) return this.#start(bulkId, [{ type: 'begin' }]);
    ledger.apply([{ type: 'schedule', startAtMs, nowMs: this.#deps.clock.nowMs() }]);
    this.starts.changed(bulkId);
    return ledger.view();
  }

  list(): BulkAct[] {
    const stored = this.#deps.store.bulk.list().filter(({ state }) => state !== 'collecting');
    return stored.map(({ bulkId }) => this.ledger(bulkId).view());
  }

  planned() {
    return this.list().flatMap(({ bulkId, words, error, startAtMs, operation, requestsLeft }) => {
      if (startAtMs === null) return [];
      const { title } = words;
      const requests = [{ operation, count: requestsLeft }];
      return [{ kind: 'bulk' as const, id: bulkId, title, startAtMs, error, requests, of: null }];
    });
  }

  forget(bulkId: string): void {
    const { state } = this.ledger(bulkId).act;
    if (this.#active.has(bulkId) || !isBulkOver(state)) {
      throw new AppError('CONFLICT', 'This change is not over. Stop it first.');
    }
    this.#leases.checkFree(bulkId);
    const { store } = this.#deps;
    store.commit(() => store.bulk.remove(bulkId));
  }

  control(bulkId: string, action: BulkAction, startAtMs: number | null): BulkAct {
    const active = this.#active.get(bulkId);
    if (active === undefined) this.#leases.checkFree(bulkId);
    const ledger = this.ledger(bulkId);
    switch (action) {
      case 'pause':
        ledger.apply([{ type: 'pause', reason: 'Paused.', error: null }]);
        break;
      case 'stop': {
        const { events, also } = ledger.moveAll(['waiting'], 'left');
        ledger.apply([{ type: 'stop' }, ...events], also);
        break;
      }
      case 'schedule':
        if (active !== undefined)
          throw new AppError('CONFLICT', 'Requests of it are on their way. Pause it first.');
        ledger.apply([{ type: 'schedule', startAtMs, nowMs: this.#deps.clock.nowMs() }]);
        break;
      case 'start':
        return this.#start(bulkId, [{ type: 'begin' }]);
      case 'resume':
        return this.#start(bulkId, [{ type: 'resume' }]);
      case 'retry':
        return this.#retry(bulkId, ledger);
    }
    active?.runner.takeBack();
    this.starts.changed(bulkId);
    return ledger.view();
  }

  #retry(bulkId: string, ledger: BulkLedger): BulkAct {
    const { failed, left, unknown } = ledger.core.counts;
    if (failed + left + unknown === 0) throw new AppError('INVALID_ARGUMENT', 'Nothing failed or was left.');
    const { events, also } = ledger.moveAll(['failed', 'left'], 'waiting');
    return this.#start(bulkId, [{ type: 'resume' }, ...events], () => {
      also();
      this.#deps.store.bulk.forgetAttempts(bulkId);
    });
  }

  /** Begins or goes on, in one step with the claim of it: another process may try at the same moment. */
  #start(bulkId: string, events: readonly BulkEvent[], also?: () => void): BulkAct {
    const active = this.#active.get(bulkId);
    if (active !== undefined) {
      active.ledger.apply(events, also);
      active.runner.goOn();
      return active.ledger.view();
    }
    const runner: { now: BulkRunner | null } = { now: null };
    const release = this.#leases.take(bulkId, () => runner.now?.loop.abort());
    // Read once it is ours: another process may have ended it meanwhile.
    const { ledger, error } = this.#tryApply(bulkId, events, also);
    if (error !== null) {
      release();
      throw error;
    }
    const started = new BulkRunner(this.#deps, ledger);
    runner.now = started;
    if (this.#isStopping) started.loop.stop();
    const failed = (thrown: unknown) => {
      const reason = toAppError(thrown).message;
      this.#deps.logger.error('change of many records failed', { bulk: bulkId, reason });
    };
    const ended = started.loop.done
      .catch(failed)
      .then(() => {
        this.#active.delete(bulkId);
        release();
        ledger.close();
        // Gone on with while its last request ended.
        if (!this.#isStopping && !isBulkIdle(ledger.act.state)) this.#start(bulkId, []);
      })
      .catch(failed);
    this.#active.set(bulkId, { ledger, runner: started, ended });
    this.starts.changed(bulkId);
    return ledger.view();
  }

  #tryApply(bulkId: string, events: readonly BulkEvent[], also?: () => void) {
    const ledger = this.ledger(bulkId);
    try {
      ledger.apply(events, also);
      return { ledger, error: null };
    } catch (thrown) {
      return { ledger, error: toAppError(thrown) };
    }
  }

  recover(continues: boolean): void {
    try {
      for (const act of this.#deps.store.bulk.list()) this.#tryRecover(act, continues);
    } catch (thrown) {
      // A file that cannot be read keeps nobody from what the others hold.
      this.#deps.logger.error('changes not recovered', { reason: toAppError(thrown).message });
    }
    if (continues) this.starts.lookAfterAll();
  }

  #tryRecover({ bulkId, state, createdAtMs }: StoredBulkAct, continues: boolean): void {
    const { store, clock, logger } = this.#deps;
    if (this.#active.has(bulkId) || this.#leases.isElsewhere(bulkId)) return;
    try {
      if (state === 'collecting') {
        if (clock.nowMs() - createdAtMs > ABANDONED_MS) store.commit(() => store.bulk.remove(bulkId));
      } else this.#recoverOne(this.ledger(bulkId), continues);
    } catch (thrown) {
      logger.error('change not recovered', { bulk: bulkId, reason: toAppError(thrown).message });
    }
  }

  #recoverOne(ledger: BulkLedger, continues: boolean): void {
    const { bulkId, state } = ledger.act;
    const { events, also } = ledger.moveAll(['sending'], 'unknown');
    const wasUnderWay = !isBulkIdle(state);
    if (wasUnderWay) ledger.apply([{ type: 'interrupt' }, ...events], also);
    else if (ledger.core.counts.sending > 0) ledger.apply(events, also);
    ledger.close();
    if (wasUnderWay && continues) this.#start(bulkId, [{ type: 'resume' }]);
  }

  wake(): void {
    for (const { runner } of this.#active.values()) runner.loop.wake();
    this.starts.wake();
  }

  /** No way to the service: it is said by what is under way, and nothing waits in the queue of requests. */
  suspend(error: AppError): void {
    for (const { runner } of this.#active.values()) runner.stumble(error);
  }

  async whenIdle(bulkId: string): Promise<BulkAct> {
    for (let active = this.#active.get(bulkId); active !== undefined; active = this.#active.get(bulkId)) {
      await active.ended;
    }
    return this.ledger(bulkId).view();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.starts.stop();
    const all = [...this.#active.values()].map(({ runner, ended }) => ({ loop: runner.loop, ended }));
    await stopAll(all, this.#deps.clock, STOP_GRACE_MS);
  }
}
