/**
 * Jobs of one kind: at most one runner for each, in one process, from any start to any end of the program. All that a
 * kind adds stands in its `JobKind`.
 */
import { LeaseKeeper } from '../core/jobs/lease.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { PlannedStarts } from './schedule.ts';
import type { HostedLedger, JobKind, JobRunner, JobsDeps, ListedJob } from './types.ts';

/** Something that is done with a job instead of going on with it, e.g. reading what it made back. */
type Task<Ledger> = (ledger: Ledger, signal: AbortSignal) => Promise<void>;

interface Active<Ledger> {
  ledger: Ledger;
  /** Goes on with the job, or does a task with it. */
  runner: JobRunner;
  /** Resolves when it has ended and the lease is free again. */
  ended: Promise<void>;
}

export class Jobs<Ledger extends HostedLedger> {
  readonly #deps: JobsDeps;
  readonly #kind: JobKind<Ledger>;
  readonly #leases: LeaseKeeper;
  readonly #active = new Map<string, Active<Ledger>>();
  /** Of what another process is at work on: what ends the watching. */
  readonly #watches = new Map<string, () => void>();
  readonly #forgotten = new WeakSet<Ledger>();
  readonly starts: PlannedStarts;
  #isStopping = false;

  constructor(deps: JobsDeps, kind: JobKind<Ledger>) {
    this.#deps = deps;
    this.#kind = kind;
    const { what, rows } = kind;
    this.#leases = new LeaseKeeper({ ...deps, table: rows.leases, what, owner: deps.random.uuid() });
    this.starts = new PlannedStarts({
      ...deps,
      what,
      planned: () => rows.scheduled(),
      begin: (id, nowMs) => this.#beginDue(id, nowMs),
    });
  }

  /** What a list of jobs is ordered and found by, newest first. */
  listed(): ListedJob[] {
    const { isListed, isOpen, rows } = this.#kind;
    const listed = rows.heads().filter((head) => isListed?.(head) ?? true);
    for (const head of listed) if (isOpen?.(head) === true) this.lookAfter(head.id);
    return listed;
  }

  /** Is something of it on its way, here or in another process? */
  isBusy(id: string): boolean {
    return this.#active.has(id) || this.#leases.isElsewhere(id);
  }

  /** What is at work on it here, or null. */
  runner(id: string): JobRunner | null {
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
      throw new AppError('CONFLICT', `This ${this.#kind.what} is running. Pause it first.`);
    }
    this.#leases.checkFree(id);
  }

  /** The job as a person may change it while nothing of it is on its way. Throws CONFLICT while something is. */
  idle(id: string): Ledger {
    this.checkIdle(id);
    return this.own(id);
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
    return this.#claim(id, (ledger) => {
      begin(ledger);
      return ledger.isIdle ? null : this.#kind.run(ledger);
    });
  }

  /**
   * Does something else with a job of which nothing is on its way. `begin` as in `start`; `task` deals with its own
   * failures.
   */
  startTask(id: string, begin: (ledger: Ledger) => void, task: Task<Ledger>): Ledger {
    this.idle(id);
    return this.#claim(id, (ledger) => {
      begin(ledger);
      return taskRunner((signal) => task(ledger, signal));
    });
  }

  /** The same, waited for; rejects as `task` does. */
  async doTask(id: string, task: Task<Ledger>): Promise<void> {
    let done: Promise<void> = Promise.resolve();
    this.startTask(
      id,
      () => undefined,
      (ledger, signal) => {
        done = task(ledger, signal);
        return done.catch(() => undefined);
      },
    );
    await this.whenIdle(id);
    await done;
  }

  /** Takes the lease and reads the job; `work` answers what is at work on it from here on, or null. */
  #claim(id: string, work: (ledger: Ledger) => JobRunner | null): Ledger {
    const held: { runner: JobRunner | null } = { runner: null };
    const { lost = (loop) => loop.abort() } = this.#kind;
    const release = this.#leases.take(id, () => {
      if (held.runner !== null) lost(held.runner.loop);
    });
    let ledger: Ledger | null = null;
    try {
      ledger = this.#kind.load(id);
      ledger.holdsLease = () => this.#leases.holds(id);
      const runner = work(ledger);
      held.runner = runner;
      if (runner !== null) this.#follow(ledger, runner, release);
      return ledger;
    } finally {
      if (held.runner === null) {
        if (ledger !== null) ledger.holdsLease = null;
        release();
        ledger?.close();
      }
    }
  }

  #follow(ledger: Ledger, runner: JobRunner, release: () => void): void {
    const { id } = ledger;
    if (runner.departure !== undefined) runner.departure.holdsLease = () => this.#leases.holds(id);
    if (this.#isStopping) runner.loop.stop();
    const ended = runner.loop.done
      .catch((problem: unknown) => this.#logFailure('job failed', id, problem))
      .then(() => {
        this.#active.delete(id);
        release();
        ledger.close();
        this.#startAgain(ledger);
        // Until here it may not write: another process may have taken it over.
        if (this.#active.get(id)?.ledger !== ledger) ledger.holdsLease = null;
      })
      .catch((problem: unknown) => this.#logFailure('job not ended in order', id, problem));
    this.#active.set(id, { ledger, runner, ended });
  }

  /** It was resumed while its last request was being answered. */
  #startAgain(ledger: Ledger): void {
    if (this.#isStopping || ledger.isIdle || this.#forgotten.has(ledger)) return;
    try {
      this.start(ledger.id, (own) => this.#kind.startAgain?.(ledger, own));
    } catch (problem) {
      ledger.rest(toAppError(problem));
    }
  }

  /** Changes what rests, or when it begins. The lease keeps another process from beginning it at the same moment. */
  change(id: string, work: (ledger: Ledger) => void): Ledger {
    const active = this.#active.get(id);
    if (active === undefined) {
      return this.#claim(id, (ledger) => {
        this.#kind.interrupt(ledger);
        work(ledger);
        return null;
      });
    }
    work(active.ledger);
    return active.ledger;
  }

  /**
   * For a runner that learned the truth about what another process took for left: writes it once that process has let
   * go of it. Throws CONFLICT before.
   */
  correct(id: string, work: (ledger: Ledger) => void): Ledger {
    return this.#claim(id, (ledger) => {
      work(ledger);
      return null;
    });
  }

  /**
   * Changes it whoever is at work on it: another process can write nothing more, and lets go of what it sends. To be
   * called in a transaction: where `work` throws, the other process still has it.
   */
  seize(id: string, work: (ledger: Ledger) => void): Ledger {
    const release = this.#leases.seize(id);
    try {
      const ledger = this.#kind.load(id);
      work(ledger);
      ledger.close();
      return ledger;
    } finally {
      release();
    }
  }

  /** Removes it; a task of the service that is followed for it is not followed any more. */
  forget(id: string, remove: () => void): void {
    const active = this.#active.get(id);
    remove();
    this.#unwatch(id);
    if (active === undefined) return;
    this.#forgotten.add(active.ledger);
    active.ledger.discard();
    active.runner.loop.abort();
  }

  /** Its time has come. Another process on the same folder may be quicker. */
  #beginDue(id: string, nowMs: number): void {
    if (this.#isStopping || this.isBusy(id)) return;
    this.start(id, (ledger) => {
      this.#kind.interrupt(ledger);
      const { startAtMs } = ledger.core;
      if (startAtMs !== null && startAtMs <= nowMs) this.#kind.due(ledger, nowMs);
    });
  }

  /**
   * After a start: looks after everything that no living process is at work on, and answers what there was to look
   * after. `continues`: what was under way goes on, and what is planned begins by itself. One that cannot be read keeps
   * nobody from the others.
   */
  recover(continues: boolean): Ledger[] {
    const recovered: Ledger[] = [];
    try {
      for (const id of this.#kind.rows.ids()) {
        const ledger = this.#recoverOne(id, continues);
        if (ledger !== null) recovered.push(ledger);
      }
    } catch (problem) {
      this.#logFailure('jobs not recovered', null, problem);
    }
    if (continues) this.starts.lookAfterAll();
    return recovered;
  }

  /** Another process may have begun it, or have left it, since this one started. */
  lookAfter(id: string): void {
    this.#recoverOne(id, false);
  }

  #recoverOne(id: string, continues: boolean): Ledger | null {
    try {
      if (this.#isStopping || this.#active.has(id) || this.#watches.has(id)) return null;
      if (this.#leases.isElsewhere(id)) {
        if (this.#kind.isWatched === true) this.#watch(id);
        return null;
      }
      const ledger = this.#kind.load(id);
      if (!ledger.isIdle) return this.#takeOver(id, continues);
      const wasLeft = this.#kind.interrupt(ledger);
      ledger.close();
      return wasLeft ? ledger : null;
    } catch (problem) {
      this.#logFailure('job not recovered', id, problem);
      return null;
    }
  }

  /** Read only once the lease is held: whoever had it may have written its end meanwhile. */
  #takeOver(id: string, continues: boolean): Ledger {
    return this.#claim(id, (ledger) => {
      const wasUnderWay = !ledger.isIdle;
      this.#kind.interrupt(ledger);
      if (wasUnderWay && ledger.isIdle && continues) this.#kind.resume(ledger);
      return ledger.isIdle ? null : this.#kind.run(ledger);
    });
  }

  #watch(id: string): void {
    let known = JSON.stringify(this.#kind.load(id).core);
    const stop = this.#leases.watch(id, (isFree) => {
      const isRemoved = isFree && !this.#kind.rows.ids().includes(id);
      if (!isRemoved) {
        const ledger = this.#kind.load(id);
        const now = JSON.stringify(ledger.core);
        if (now !== known) ledger.announce();
        known = now;
      }
      if (!isFree) return;
      this.#watches.delete(id);
      if (!isRemoved) this.lookAfter(id);
    });
    this.#watches.set(id, stop);
  }

  #unwatch(id: string): void {
    this.#watches.get(id)?.();
    this.#watches.delete(id);
  }

  /** The service can be reached again. */
  wake(): void {
    for (const { runner } of this.#active.values()) runner.loop.wake();
    this.starts.wake();
  }

  /** Everything that is at work here. */
  runners(): JobRunner[] {
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

  /** As `whenOver`, but what the service goes on with by itself is not waited for. */
  async whenSent(id: string): Promise<Ledger> {
    for (;;) {
      const active = this.#active.get(id);
      if (active === undefined) {
        if (this.#isStopping || !(await this.starts.wait(id))) return this.ledger(id);
      } else {
        if (await active.runner.sent) return active.ledger;
        await active.ended;
      }
    }
  }

  /** Begins nothing more; what is on the wire has `graceMs` to be answered. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.starts.stop();
    for (const id of [...this.#watches.keys()]) this.#unwatch(id);
    const all = [...this.#active.values()];
    for (const { runner } of all) runner.loop.stop();
    const cancel = this.#deps.clock.setTimer(
      () => {
        for (const { runner } of all) runner.loop.abort();
      },
      graceMs,
      'ending jobs',
    );
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

/** A task only reads: it ends at once where everything ends. */
function taskRunner(task: (signal: AbortSignal) => Promise<void>): JobRunner {
  const ending = new AbortController();
  const abort = () => ending.abort();
  return { loop: { done: task(ending.signal), wake: () => undefined, stop: abort, abort } };
}
