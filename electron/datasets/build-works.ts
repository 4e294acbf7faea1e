/** What is being done with builds: one thing at a time for each, and by one process. */
import { isIdle } from '../core/build-job.ts';
import { LeaseKeeper } from '../core/lease.ts';
import type { DatasetBuild } from '../shared/dataset-model.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { BuildLedger, BuildLedgers } from './build-ledger.ts';
import { BuildRunner } from './build-runner.ts';
import type { DatasetOptions, DatasetsDeps } from './types.ts';

export interface WorksDeps extends DatasetsDeps {
  options: DatasetOptions;
  ledgers: BuildLedgers;
}

/** Sending a build, filling its basket, reading its items back. */
interface Active {
  ledger: BuildLedger;
  /** Where it is sent. */
  runner: BuildRunner | null;
  abort: AbortController;
  /** Gives the lease back. */
  release: () => void;
  /** Resolves when it has ended and the lease is free again. */
  ended: Promise<void>;
}

export class BuildWorks {
  readonly #deps: WorksDeps;
  readonly #leases: LeaseKeeper;
  readonly #active = new Map<string, Active>();
  #isStopping = false;

  constructor(deps: WorksDeps) {
    this.#deps = deps;
    const owner = deps.random.uuid();
    this.#leases = new LeaseKeeper({ ...deps, table: deps.store.leases, what: 'build', owner });
  }

  get(buildId: string): Active | undefined {
    return this.#active.get(buildId);
  }

  /** Is something of it on its way, here or in another process? */
  isBusy(buildId: string): boolean {
    return this.#active.has(buildId) || this.#leases.isElsewhere(buildId);
  }

  /** The ledger of a build that a person may change now. Throws CONFLICT while something of it is on its way. */
  idle(buildId: string): BuildLedger {
    if (this.#active.has(buildId)) {
      throw new AppError('CONFLICT', 'This build is being worked on. Pause it or wait until it has ended.');
    }
    this.#leases.checkFree(buildId);
    const ledger = this.#deps.ledgers.get(buildId);
    this.#recoverOne(ledger);
    return ledger;
  }

  /** The ledger of a build that is worked on here, or by nobody. */
  own(buildId: string): BuildLedger {
    return this.#active.get(buildId)?.ledger ?? this.idle(buildId);
  }

  /** Resumes it: at once, or when what is on its way has ended. */
  goOn(ledger: BuildLedger): void {
    const resume = () => ledger.apply([{ type: 'resume' }]);
    const active = this.#active.get(ledger.id);
    if (active === undefined) {
      this.send(ledger, resume);
      return;
    }
    resume();
    active.runner?.loop.wake();
  }

  /** Sends a build from here on. `begin`: what brings it into a state in which it is sent. */
  send(ledger: BuildLedger, begin: () => void): void {
    const active = this.#begin(ledger, begin);
    const runner = new BuildRunner(this.#deps, ledger);
    active.runner = runner;
    active.abort.signal.addEventListener('abort', () => runner.loop.abort(), { once: true });
    if (this.#isStopping) runner.loop.stop();
    active.ended = this.#ending(active, runner.loop.done);
  }

  /** Does something else with a build. `work` deals with its own failures. */
  run(ledger: BuildLedger, work: (signal: AbortSignal) => Promise<void>, begin: () => void): void {
    const active = this.#begin(ledger, begin);
    active.ended = this.#ending(active, work(active.abort.signal));
  }

  /** The same, waited for; rejects as `work` does. */
  async alone(
    buildId: string,
    work: (ledger: BuildLedger, signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const ledger = this.idle(buildId);
    const active = this.#begin(ledger, () => undefined);
    const done = work(ledger, active.abort.signal);
    active.ended = this.#ending(
      active,
      done.catch(() => undefined),
    );
    await active.ended;
    await done;
  }

  #begin(ledger: BuildLedger, begin: () => void): Active {
    const abort = new AbortController();
    const release = this.#leases.take(ledger.id, () => abort.abort());
    ledger.holdsLease = () => this.#leases.holds(ledger.id);
    const active: Active = { ledger, runner: null, abort, release, ended: Promise.resolve() };
    try {
      begin();
    } catch (problem) {
      this.#end(active);
      throw problem;
    }
    this.#active.set(ledger.id, active);
    return active;
  }

  #end({ ledger, release }: Active): void {
    this.#active.delete(ledger.id);
    ledger.holdsLease = null;
    release();
    ledger.close();
  }

  async #ending(active: Active, done: Promise<void>): Promise<void> {
    const { ledger } = active;
    try {
      await done;
    } catch (problem) {
      const { message } = toAppError(problem);
      this.#deps.logger.error('work on a build failed', { build: ledger.id, reason: message });
    }
    this.#end(active);
    this.#sendAgain(ledger);
  }

  /** It was resumed while its last call was being answered. */
  #sendAgain(ledger: BuildLedger): void {
    if (this.#isStopping || isIdle(ledger.core.state)) return;
    try {
      this.send(ledger, () => undefined);
    } catch (problem) {
      const error = toAppError(problem);
      ledger.applyAnyhow([{ type: 'pause', reason: error.message, error: error.toWire() }]);
    }
  }

  /** Calls that a process left on their way: nobody knows what became of them. */
  #recoverOne(ledger: BuildLedger): void {
    const { store } = this.#deps;
    const left = store.batches.list(ledger.id, ['sending'], 0, 1_000);
    const { state, tallies } = ledger.core;
    const isInterrupted = !isIdle(state);
    const { fill } = ledger.build;
    if (left.length === 0 && !isInterrupted && fill?.phase !== 'running') return;
    const error = new AppError('CONNECTION_LOST', 'The program ended before the answer came.', {
      outcome: 'unknown',
    }).toWire();
    const reason = 'It was interrupted: the program that was sending it ended.';
    ledger.apply(
      [
        { type: 'move', from: 'sending', to: 'unknown', count: tallies.sending },
        ...(isInterrupted ? [{ type: 'interrupt' as const, reason }] : []),
      ],
      fill?.phase === 'running' ? { fill: { ...fill, phase: 'stopped' } } : {},
      () => {
        for (const batch of left) store.batches.save(ledger.id, { ...batch, state: 'unknown', error });
        store.spans.move(ledger.id, { from: 'sending', to: 'unknown' }, 0, ledger.build.nextPosition);
      },
    );
  }

  recover(continues: boolean): void {
    for (const { buildId, state } of this.#deps.store.builds.list()) {
      if (this.#active.has(buildId) || this.#leases.isElsewhere(buildId)) continue;
      const ledger = this.#deps.ledgers.get(buildId);
      this.#recoverOne(ledger);
      if (continues && !isIdle(state)) this.goOn(ledger);
    }
  }

  wake(): void {
    for (const { runner, ledger } of this.#active.values()) {
      if (ledger.core.state === 'waiting') runner?.loop.wake();
    }
  }

  async whenIdle(buildId: string): Promise<DatasetBuild> {
    for (let active = this.#active.get(buildId); active !== undefined; active = this.#active.get(buildId)) {
      await active.ended;
    }
    return this.#deps.ledgers.get(buildId).view();
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    const all = [...this.#active.values()];
    for (const { runner, abort } of all) {
      // What only reads ends at once; a call on its way may still be answered.
      if (runner === null) abort.abort();
      else runner.loop.stop();
    }
    const cancel = this.#deps.clock.setTimer(() => {
      for (const { abort } of all) abort.abort();
    }, graceMs);
    await Promise.all(all.map(({ ended }) => ended));
    cancel();
  }
}
