/** Changes many records of one connection at once, as a kind of durable job. */
import { type BulkCore, isBulkOver } from '../core/jobs/bulk-act.ts';
import type { StoredBulkAct } from '../db/upload-store.ts';
import { Jobs } from '../jobs/jobs.ts';
import { STOP_GRACE_MS, USUAL_STEPS } from '../jobs/types.ts';
import {
  BULK_ITEM_STATES,
  type BulkAct,
  type BulkAction,
  type BulkItem,
  type BulkItemState,
} from '../shared/bulk-contract.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { BulkLedger, countsOf, recordsPerRequest } from './bulk-ledger.ts';
import { BulkRunner } from './bulk-runner.ts';
import { bulkSource } from './job-source.ts';
import { writeDown } from './new-bulk.ts';
import { SameRecords, SameRecordsError, STILL_TO_CHANGE } from './same-records.ts';
import type { Bulk, BulkDeps, NewBulk } from './types.ts';

/** Age after which a change that was not stored completely must have been left by a killed process. */
const ABANDONED_MS = 15 * 60_000;
const MAX_LISTED = 500;
/** States of records that a person's retry changes again. */
const REPEATED: readonly BulkItemState[] = ['failed', 'changed', 'left'];

export function createBulk(deps: BulkDeps): Bulk {
  const acts = new BulkActs(deps);
  const { store } = deps;
  const bulk: Omit<Bulk, 'source'> = {
    create: (given) => acts.create(given),
    list: () => acts.list(),
    get: (bulkId) => acts.jobs.ledger(bulkId).view(),
    listItems: (bulkId, states, offset, limit) => ({
      items: itemsOf(store, acts.jobs.ledger(bulkId).stored, states, { offset, limit }),
      total: countOf(countsOf(store, bulkId), states),
    }),
    control: (bulkId, action, startAtMs) => acts.control(bulkId, action, startAtMs),
    forget: (bulkId) => acts.forget(bulkId),
    whenIdle: async (bulkId) => (await acts.jobs.whenIdle(bulkId)).view(),
    whenBegun: async (bulkId) => {
      await acts.jobs.starts.wait(bulkId);
    },
    recover: (continues) => acts.recover(continues),
    wake: () => acts.jobs.wake(),
    suspend: (error) => acts.suspend(error),
    stop: () => acts.jobs.stop(STOP_GRACE_MS),
  };
  return { ...bulk, source: bulkSource(bulk, acts.jobs) };
}

class BulkActs {
  readonly #deps: BulkDeps;
  readonly jobs: Jobs<BulkLedger>;
  /** The reasons why planned changes did not start when they were due, by id. Their starts are retried. */
  readonly #held = new Map<string, string>();

  constructor(deps: BulkDeps) {
    this.#deps = deps;
    const { bulk } = deps.store;
    this.jobs = new Jobs<BulkLedger>(deps, {
      what: 'change of many records',
      rows: bulk,
      load: (bulkId) => new BulkLedger(deps, bulk.load(bulkId), () => this.#held.get(bulkId) ?? ''),
      run: (ledger) => new BulkRunner(deps, ledger),
      ...USUAL_STEPS,
      interrupt: (ledger) => ledger.interrupt(),
      resume: (ledger) => this.#resumeRecovered(ledger),
      due: (ledger, nowMs) => this.#startDue(ledger, nowMs),
    });
  }

  async create(given: NewBulk): Promise<BulkAct> {
    const ids = given.records.map(({ id }) => id);
    const same = given.startAtMs === null ? new SameRecords(this.#sameDeps(), ids) : null;
    await same?.check();
    const bulkId = await writeDown(this.#deps, given);
    if (same !== null) return this.#begin(bulkId, same);
    const ledger = this.jobs.ledger(bulkId);
    ledger.announce();
    this.jobs.starts.changed(bulkId);
    return ledger.view();
  }

  #sameDeps() {
    return { ...this.#deps, isBusy: (id: string) => this.jobs.isBusy(id) };
  }

  /**
   * Begins a stored change, unless another one of the same records is in progress. `also`: states whose records are
   * changed again, besides those that are still to change.
   */
  #checked(ledger: BulkLedger, also: readonly BulkItemState[], begin: () => void): void {
    this.#deps.store.commit(() => {
      SameRecords.checkStored(this.#sameDeps(), ledger.id, [...STILL_TO_CHANGE, ...also]);
      begin();
    });
  }

  /** A planned change waits until the other change of the same records has ended. Its view states the reason. */
  #startDue(ledger: BulkLedger, nowMs: number): void {
    this.#held.delete(ledger.id);
    try {
      this.#checked(ledger, [], () => ledger.apply([{ type: 'due', nowMs }]));
    } catch (thrown) {
      if (thrown instanceof SameRecordsError) {
        this.#held.set(ledger.id, `until “${thrown.title}” ends, which changes some of the same records`);
        ledger.announce();
      }
      throw thrown;
    }
  }

  /** A change that cannot continue yet stays paused, with the reason. */
  #resumeRecovered(ledger: BulkLedger): void {
    try {
      this.#checked(ledger, [], () => ledger.apply([{ type: 'resume' }]));
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code !== 'CONFLICT') throw error;
      ledger.apply([{ type: 'resume' }, { type: 'pause', reason: error.message, error: error.toWire() }]);
    }
  }

  /** If two changes of the same records begin at the same time, only one of them succeeds. */
  #begin(bulkId: string, same: SameRecords): BulkAct {
    const { store } = this.#deps;
    try {
      return this.#start(bulkId, (own) =>
        store.commit(() => {
          same.checkAgain(bulkId);
          own.apply([{ type: 'resume' }]);
        }),
      );
    } catch (thrown) {
      if (this.jobs.runner(bulkId) === null) store.commit(() => store.bulk.remove(bulkId));
      throw thrown;
    }
  }

  list(): BulkAct[] {
    const stored = this.#deps.store.bulk.list({ limit: MAX_LISTED });
    return stored.map(({ id }) => this.jobs.ledger(id).view());
  }

  forget(bulkId: string): void {
    if (!isBulkOver(this.jobs.ledger(bulkId).core.state))
      throw new AppError('CONFLICT', 'This change is not finished. Stop it first.');
    const { store } = this.#deps;
    const ledger = this.jobs.idle(bulkId);
    store.commit(() => {
      ledger.checkOwn();
      store.bulk.remove(bulkId);
    });
    this.#held.delete(bulkId);
  }

  control(bulkId: string, action: BulkAction, startAtMs: number | null): BulkAct {
    if (action === 'pause')
      this.jobs.toHalt(bulkId).apply([{ type: 'pause', reason: 'Paused.', error: null }]);
    // If a full disk or an ended program left the job unfinished, it is recovered first.
    const ledger = this.jobs.own(bulkId);
    const runner = this.#runner(bulkId);
    this.#held.delete(bulkId);
    switch (action) {
      case 'pause':
        break;
      case 'stop': {
        const { events, also } = ledger.moveAll(['waiting'], 'left');
        ledger.apply([{ type: 'cancel' }, ...events], {}, also);
        break;
      }
      case 'schedule':
        this.jobs.checkIdle(bulkId);
        ledger.apply([{ type: 'schedule', startAtMs, nowMs: this.#deps.clock.nowMs() }]);
        break;
      case 'start':
        return this.#start(bulkId, (own) => this.#checked(own, [], () => own.apply([{ type: 'start' }])));
      case 'resume':
        return this.#start(bulkId, (own) => this.#checked(own, [], () => own.apply([{ type: 'resume' }])));
      case 'retry':
        return this.#start(bulkId, (own) => this.#retry(own));
    }
    runner?.recall();
    this.jobs.starts.changed(bulkId);
    return ledger.view();
  }

  #retry(ledger: BulkLedger): void {
    const { failed, changed, left, unknown } = ledger.core.counts;
    if (failed + changed + left + unknown === 0)
      throw new AppError('INVALID_ARGUMENT', 'No record failed or was skipped.');
    const { events, also } = ledger.moveAll(REPEATED, 'waiting');
    this.#checked(ledger, REPEATED, () =>
      ledger.apply([{ type: 'resume' }, ...events], {}, () => {
        also();
        this.#deps.store.bulkParts.forgetAttempts(ledger.id, 'unknown');
      }),
    );
  }

  #start(bulkId: string, begin: (ledger: BulkLedger) => void): BulkAct {
    const ledger = this.jobs.start(bulkId, begin);
    this.#runner(bulkId)?.resume();
    this.jobs.starts.changed(bulkId);
    return ledger.view();
  }

  #runner(bulkId: string): BulkRunner | null {
    const runner = this.jobs.runner(bulkId);
    return runner instanceof BulkRunner ? runner : null;
  }

  recover(continues: boolean): void {
    this.#dropAbandoned();
    this.jobs.recover(continues);
  }

  /** Deletes changes that a killed process did not store completely. */
  #dropAbandoned(): void {
    const { store, clock, logger } = this.#deps;
    try {
      for (const id of store.bulk.unshown(clock.nowMs() - ABANDONED_MS))
        store.commit(() => store.bulk.remove(id));
    } catch (thrown) {
      logger.error('abandoned changes not removed', { reason: toAppError(thrown).message });
    }
  }

  /** Called when the service is unreachable. Running jobs report it, and nothing stays in the request queue. */
  suspend(error: AppError): void {
    for (const runner of this.jobs.runners()) if (runner instanceof BulkRunner) runner.handleFailure(error);
  }
}

/**
 * Every request except the last has as many records as fit, so an offset in records can be converted to one in
 * requests.
 */
function itemsOf(
  { bulkParts }: BulkDeps['store'],
  { id, request }: StoredBulkAct,
  states: readonly BulkItemState[] | null,
  { offset, limit }: { offset: number; limit: number },
): BulkItem[] {
  const perRequest = recordsPerRequest(request);
  const first = Math.floor(offset / perRequest);
  const skipped = offset - first * perRequest;
  const parts = bulkParts.list(id, states, first, Math.ceil((skipped + limit) / perRequest));
  const items = parts.flatMap(({ part, records, state, error }) => {
    const job = bulkParts.receipt(id, part);
    return records.map((record, at) => ({ ...record, position: part * perRequest + at, state, error, job }));
  });
  return items.slice(skipped, skipped + limit);
}

function countOf(counts: BulkCore['counts'], states: readonly BulkItemState[] | null): number {
  const wanted = states ?? BULK_ITEM_STATES;
  return wanted.reduce((sum, state) => sum + counts[state], 0);
}
