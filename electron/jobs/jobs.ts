/**
 * Jobs of one kind: at most one runner for each, in one process, from any start to any end of the program. All that a
 * kind adds stands in its `JobKind`.
 */
import { LeaseKeeper } from '../core/lease.ts';
import { PlannedStarts } from '../core/planned-starts.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { HostedLedger, JobKind, JobRunner, JobsDeps } from './types.ts';

interface Active<Ledger, Runner> {
  ledger: Ledger;
  runner: Runner;
  /** Resolves when it has ended and the lease is free again. */
  ended: Promise<void>;
}

export class Jobs<Ledger extends HostedLedger, Runner extends JobRunner> {
  readonly #deps: JobsDeps;
  readonly #kind: JobKind<Ledger, Runner>;
  readonly #leases: LeaseKeeper;
  readonly #active = new Map<string, Active<Ledger, Runner>>();
  readonly starts: PlannedStarts;
  #isStopping = false;

  constructor(deps: JobsDeps, kind: JobKind<Ledger, Runner>) {
    this.#deps = deps;
    this.#kind = kind;
    const { what, leases: table } = kind;
    this.#leases = new LeaseKeeper({ ...deps, table, what, owner: deps.random.uuid() });
    this.starts = new PlannedStarts({
      ...deps,
      what,
      planned: () => kind.planned(),
      begin: (id, nowMs) => this.#beginDue(id, nowMs),
    });
  }

  /** What goes on with it here, or null. */
  runner(id: string): Runner | null {
    return this.#active.get(id)?.runner ?? null;
  }

  /** The job as its runner has it, or as it is stored. Throws INVALID_ARGUMENT for one that is not there. */
  ledger(id: string): Ledger {
    return this.#active.get(id)?.ledger ?? this.#kind.load(id);
  }

  /** Throws CONFLICT while another process is at work on it. */
  checkFree(id: string): void {
    if (!this.#active.has(id)) this.#leases.checkFree(id);
  }

  /** Throws CONFLICT while it is under way, here or in another process. */
  checkIdle(id: string): void {
    if (this.#active.has(id)) {
      throw new AppError('CONFLICT', `This ${this.#kind.what} is under way. Pause it first.`);
    }
    this.#leases.checkFree(id);
  }

  /**
   * The job as a person may change it: that of its runner here, or of nobody, after what a killed process left was
   * looked after. Throws CONFLICT while another process is at work on it.
   */
  own(id: string): Ledger {
    this.checkFree(id);
    const ledger = this.ledger(id);
    if (!this.#active.has(id)) this.#kind.interrupt(ledger);
    return ledger;
  }

  /**
   * Begins or resumes it. `begin` brings it into a state in which it runs, in one step with the claim of it: it is
   * read only once the lease is held, because another process may have ended it meanwhile. Throws what `begin` throws,
   * and CONFLICT; then nothing has changed.
   */
  start(id: string, begin: (ledger: Ledger) => void): Ledger {
    const active = this.#active.get(id);
    if (active !== undefined) {
      begin(active.ledger);
      active.runner.loop.wake();
      return active.ledger;
    }
    const held: { runner: Runner | null } = { runner: null };
    const release = this.#leases.take(id, () => held.runner?.loop.abort());
    try {
      const ledger = this.#kind.load(id);
      begin(ledger);
      if (!ledger.isIdle) held.runner = this.#run(ledger, release);
      return ledger;
    } finally {
      if (held.runner === null) release();
    }
  }

  #run(ledger: Ledger, release: () => void): Runner {
    const { id } = ledger;
    ledger.holdsLease = () => this.#leases.holds(id);
    const runner = this.#kind.run(ledger);
    if (this.#isStopping) runner.loop.stop();
    const ended = runner.loop.done
      .catch((problem: unknown) => this.#logFailure('job failed', id, problem))
      .then(() => {
        this.#active.delete(id);
        ledger.holdsLease = null;
        release();
        ledger.close();
        this.#startAgain(ledger);
      })
      .catch((problem: unknown) => this.#logFailure('job not ended in order', id, problem));
    this.#active.set(id, { ledger, runner, ended });
    return runner;
  }

  /** It was resumed while its last request was being answered. */
  #startAgain(ledger: Ledger): void {
    if (this.#isStopping || ledger.isIdle) return;
    try {
      this.start(ledger.id, () => undefined);
    } catch (problem) {
      ledger.rest(toAppError(problem));
    }
  }

  /** Changes what rests, or when it begins. The lease keeps another process from beginning it at the same moment. */
  change(id: string, work: (ledger: Ledger) => void): Ledger {
    const active = this.#active.get(id);
    if (active !== undefined) {
      work(active.ledger);
      return active.ledger;
    }
    const release = this.#leases.take(id, () => undefined);
    try {
      const ledger = this.#kind.load(id);
      this.#kind.interrupt(ledger);
      work(ledger);
      return ledger;
    } finally {
      release();
    }
  }

  /** Its time has come. Another process on the same folder may be quicker. */
  #beginDue(id: string, nowMs: number): void {
    if (this.#isStopping || this.#active.has(id) || this.#leases.isElsewhere(id)) return;
    this.start(id, (ledger) => {
      if (ledger.core.startAtMs !== null) this.#kind.due(ledger, nowMs);
    });
  }

  /**
   * After a start: looks after everything that no living process is at work on. `continues`: what was under way goes
   * on, and what is planned begins by itself. One that cannot be read keeps nobody from the others.
   */
  recover(continues: boolean): void {
    try {
      for (const id of this.#kind.ids()) this.#recoverOne(id, continues);
    } catch (problem) {
      this.#logFailure('jobs not recovered', null, problem);
    }
    if (continues) this.starts.lookAfterAll();
  }

  #recoverOne(id: string, continues: boolean): void {
    try {
      if (this.#active.has(id) || this.#leases.isElsewhere(id)) return;
      const ledger = this.#kind.load(id);
      const wasUnderWay = !ledger.isIdle;
      this.#kind.interrupt(ledger);
      ledger.close();
      if (wasUnderWay && continues) this.start(id, (own) => this.#kind.resume(own));
    } catch (problem) {
      this.#logFailure('job not recovered', id, problem);
    }
  }

  /** The service can be reached again. */
  wake(): void {
    for (const { runner } of this.#active.values()) runner.loop.wake();
    this.starts.wake();
  }

  /** Everything that goes on here. */
  runners(): Runner[] {
    return [...this.#active.values()].map(({ runner }) => runner);
  }

  /** Resolves once nothing of it goes on here any more: it is over, rests, or was put off to later. */
  async whenIdle(id: string): Promise<Ledger> {
    for (let active = this.#active.get(id); active !== undefined; active = this.#active.get(id)) {
      await active.ended;
    }
    return this.ledger(id);
  }

  /** The same, after a planned start of it as well where this process looks after that. */
  async whenOver(id: string): Promise<Ledger> {
    for (;;) {
      const ledger = await this.whenIdle(id);
      if (this.#isStopping || !(await this.starts.wait(id))) return ledger;
    }
  }

  /** Begins nothing more; what is on the wire has `graceMs` to be answered. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.starts.stop();
    const all = [...this.#active.values()];
    for (const { runner } of all) runner.loop.stop();
    const cancel = this.#deps.clock.setTimer(() => {
      for (const { runner } of all) runner.loop.abort();
    }, graceMs);
    await Promise.all(all.map(({ ended }) => ended));
    cancel();
  }

  #logFailure(message: string, id: string | null, problem: unknown): void {
    const { what } = this.#kind;
    this.#deps.logger.error(message, {
      what,
      ...(id === null ? {} : { id }),
      reason: toAppError(problem).message,
    });
  }
}
