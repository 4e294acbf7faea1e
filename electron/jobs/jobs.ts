/**
 * Runs jobs of one kind, from start to end and across restarts. Each job has at most one runner, in one process only.
 * Everything specific to a kind is in its `JobKind`.
 */
import { LeaseKeeper } from '../core/jobs/lease.ts';
import { toAppError } from '../shared/errors.ts';
import { loadFree } from './free-job.ts';
import { HastenedStarts } from './hastened-starts.ts';
import { LoggedOnce } from './logged-once.ts';
import { LOOK_EVERY_MS, PlannedStarts } from './schedule.ts';
import { pollWithin } from './shared-poll.ts';
import { busyError, taskRunner } from './task-runner.ts';
import type { HostedLedger, JobKind, JobRunner, JobsDeps, ListedJob } from './types.ts';
import { UnwrittenStates } from './unwritten-states.ts';

/** Work on a job other than running it, for example reading back its results. */
type Task<Ledger> = (ledger: Ledger, signal: AbortSignal) => Promise<void>;

interface Active<Ledger> {
  ledger: Ledger;
  /** Runs the job, or a task of the job. */
  runner: JobRunner;
  /** Resolves when the runner has ended and the lease is free again. */
  ended: Promise<void>;
}

export class Jobs<Ledger extends HostedLedger> {
  readonly #deps: JobsDeps;
  readonly #kind: JobKind<Ledger>;
  readonly #leases: LeaseKeeper;
  readonly #active = new Map<string, Active<Ledger>>();
  /** Functions that stop watching jobs run by another process. */
  readonly #watches = new Map<string, () => void>();
  readonly #unrecovered = new LoggedOnce();
  readonly #forgotten = new WeakSet<Ledger>();
  readonly #unwritten: UnwrittenStates<Ledger>;
  readonly starts: PlannedStarts;
  /** True for the window, which continues the running jobs of processes that have ended. */
  #continues = false;
  #cancelLook: () => void = () => undefined;
  #isStopping = false;

  constructor(deps: JobsDeps, kind: JobKind<Ledger>) {
    this.#deps = deps;
    this.#kind = kind;
    const { what, rows } = kind;
    this.#leases = new LeaseKeeper({ ...deps, table: rows.leases, what, owner: deps.random.uuid() });
    this.#unwritten = new UnwrittenStates({ leases: this.#leases, revision: (id) => rows.revision(id) });
    const change = (id: string, work: (ledger: Ledger) => void) => void this.change(id, work);
    const hastened = new HastenedStarts({ ...deps, kind, change });
    this.starts = new PlannedStarts({
      ...deps,
      what,
      planned: () => rows.scheduled(),
      correct: (planned) => hastened.correct(planned),
      begin: (id, nowMs) => this.#beginDue(id, nowMs),
    });
  }

  /** The fields by which a list of jobs is sorted and searched. Newest first. */
  listed(): readonly ListedJob[] {
    const { isOpen, rows } = this.#kind;
    const listed = rows.heads();
    for (const { id, state } of listed) if (isOpen(state)) this.recoverJob(id);
    return listed;
  }

  /** True if the job is running, here or in another process. */
  isBusy(id: string): boolean {
    return this.#active.has(id) || this.#leases.isElsewhere(id);
  }

  /** The runner of the job in this process, or null. */
  runner(id: string): JobRunner | null {
    return this.#active.get(id)?.runner ?? null;
  }

  /**
   * The runner's ledger of the job; after its end, the state that the disk did not accept, or the stored one. Throws
   * INVALID_ARGUMENT if there is none.
   */
  ledger(id: string): Ledger {
    return this.held(id) ?? this.#kind.load(id);
  }

  /** Null if the store has the state of the job. */
  held(id: string): Ledger | null {
    return this.#active.get(id)?.ledger ?? this.#unwritten.find(id);
  }

  /** See `LeaseKeeper.whenJudged`. To be called before a change by a person. */
  whenJudged = (id: string) => (this.#active.has(id) ? null : this.#leases.whenJudged(id));

  /** Throws CONFLICT while another process is running the job. */
  checkFree(id: string): void {
    if (!this.#active.has(id)) this.#leases.checkFree(id);
  }

  /** Throws CONFLICT while the job is running, here or in another process. */
  checkIdle(id: string): void {
    const active = this.#active.get(id);
    if (active !== undefined) throw busyError(this.#kind.what, active);
    this.#leases.checkFree(id);
  }

  /** The job, for a change that requires it to be idle. Throws CONFLICT while it is running. */
  idle(id: string): Ledger {
    this.checkIdle(id);
    return this.own(id);
  }

  /**
   * The job, for a change that requires its state to be idle. A task, for example a check of its results, may be in
   * progress. Throws CONFLICT while the job is running.
   */
  resting(id: string): Ledger {
    const active = this.#active.get(id);
    if (active !== undefined && !active.ledger.isIdle) throw busyError(this.#kind.what, active);
    return this.own(id);
  }

  /**
   * The job, for a change by a person: the ledger of its runner here, or that of an idle job. If a killed process was
   * running it, it is recovered first. Throws CONFLICT while another process is running it.
   */
  own(id: string): Ledger {
    this.checkFree(id);
    const active = this.#active.get(id);
    if (active !== undefined) return active.ledger;
    this.#unwritten.writeDown(id);
    const ledger = loadFree(this.#kind, this.#leases, id);
    this.#kind.interrupt(ledger);
    return ledger;
  }

  /** Like `own`, but the job keeps its state if a killed process was running it, so that a person can halt it. */
  toHalt(id: string): Ledger {
    this.checkFree(id);
    return this.held(id) ?? loadFree(this.#kind, this.#leases, id);
  }

  /**
   * Starts or resumes the job. `begin` brings it into a running state, in one transaction with taking the lease. The
   * job is read only once the lease is held, because another process may have ended it meanwhile. Throws the errors of
   * `begin`, and CONFLICT; then nothing has changed.
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

  /** Runs a task on an idle job. `begin` as in `start`; `task` handles its own failures. */
  startTask(id: string, begin: (ledger: Ledger) => void, task: Task<Ledger>): Ledger {
    this.idle(id);
    return this.#claim(id, (ledger) => {
      begin(ledger);
      return taskRunner((signal) => task(ledger, signal));
    });
  }

  /** Like `startTask`, but waits for the task and rejects with its error. */
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
    // Not until the job is idle: a person may resume it meanwhile, and the end of the task is then not that of the job.
    await this.#active.get(id)?.ended;
    await done;
  }

  /** Takes the lease and reads the job; `work` returns the runner that takes over, or null. */
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
    if (runner.sendPermission !== undefined) runner.sendPermission.holdsLease = () => this.#leases.holds(id);
    if (this.#isStopping) runner.loop.stop();
    const ended = runner.loop.done
      .catch((problem: unknown) => this.#logFailure('job failed', id, problem))
      .then(() => {
        this.#active.delete(id);
        try {
          this.#unwritten.keep(ledger);
        } finally {
          release();
        }
        ledger.close();
        this.#startAgain(ledger);
        // From here on, the ledger must not write, because another process may have taken the job over.
        if (this.#active.get(id)?.ledger !== ledger) ledger.holdsLease = null;
      })
      .catch((problem: unknown) => this.#logFailure('job not ended in order', id, problem));
    this.#active.set(id, { ledger, runner, ended });
  }

  /** Starts the job again if it was resumed while its last request was being answered. */
  #startAgain(ledger: Ledger): void {
    if (this.#isStopping || ledger.isIdle || this.#forgotten.has(ledger)) return;
    try {
      this.start(ledger.id, (own) => this.#kind.startAgain?.(ledger, own));
    } catch (problem) {
      ledger.rest(toAppError(problem));
    }
  }

  /** Changes an idle job or its planned start. The lease keeps another process from starting it at the same time. */
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
   * Writes the real outcome that a runner here learned for a job that another process has recovered meanwhile. Possible
   * once that process has released the job. Throws CONFLICT before.
   */
  correct(id: string, work: (ledger: Ledger) => void): Ledger {
    return this.#claim(id, (ledger) => {
      work(ledger);
      return null;
    });
  }

  /**
   * Changes the job even if another process is running it. That process can write nothing more, and aborts its requests.
   * Must be called in a transaction: if `work` throws, the other process keeps the job.
   */
  takeOver(id: string, work: (ledger: Ledger) => void): Ledger {
    const release = this.#leases.takeOver(id);
    try {
      const ledger = this.#kind.load(id);
      work(ledger);
      ledger.close();
      return ledger;
    } finally {
      release();
    }
  }

  /** Removes the job. A service task of the job is no longer followed. */
  forget(id: string, remove: () => void): void {
    const active = this.#active.get(id);
    remove();
    this.#unwritten.forget(id);
    this.#unwatch(id);
    this.#unrecovered.forget(id);
    if (active === undefined) return;
    this.#forgotten.add(active.ledger);
    active.ledger.discard();
    active.runner.loop.abort();
  }

  /** Continues a job that was running when it was removed, after it was restored in the store. */
  restored(id: string): void {
    const active = this.#active.get(id);
    // Its requests are still being aborted. It starts again when that has ended.
    if (active !== undefined) this.#forgotten.delete(active.ledger);
    else this.recoverJob(id);
  }

  /**
   * Starts a job whose planned time has come, unless the state of the computer (e.g. its power supply) delays it.
   * Another process on the same folder may start it first.
   */
  #beginDue(id: string, nowMs: number): 'postponed' | undefined {
    if (this.#isStopping || this.isBusy(id) || this.#kind.isHeld?.(id) === true) return undefined;
    if ((this.#kind.heldBy?.(id) ?? null) !== null) return 'postponed';
    this.start(id, (ledger) => {
      this.#kind.interrupt(ledger);
      const { startAtMs } = ledger.core;
      if (startAtMs !== null && startAtMs <= nowMs) this.#kind.due(ledger, nowMs);
    });
    return undefined;
  }

  /**
   * Call after a start. Recovers every unfinished job that no living process is running, and returns the recovered
   * jobs. Ended jobs are not read, so that the start of the program does not get slower with their number. `continues`:
   * running jobs continue, and planned ones start automatically. A job that cannot be read does not affect the others.
   */
  recover(continues: boolean): Ledger[] {
    const recovered: Ledger[] = [];
    this.#continues = continues;
    try {
      for (const { id } of this.#kind.rows.unfinished()) {
        const ledger = this.#recoverJobNow(id);
        if (ledger !== null) recovered.push(ledger);
      }
    } catch (problem) {
      this.#logFailure('jobs not recovered', null, problem);
    }
    if (continues) {
      this.starts.startAllDue();
      this.#lookLater();
    }
    return recovered;
  }

  /**
   * Checks again later. Other processes may start jobs and be killed at any time, and only this process recovers their
   * jobs.
   */
  #lookLater(): void {
    this.#cancelLook();
    if (this.#isStopping) return;
    this.#cancelLook = pollWithin(this.#deps.clock, LOOK_EVERY_MS, 'looking for abandoned jobs', () => {
      this.#lookForAbandoned();
      this.#lookLater();
    });
  }

  #lookForAbandoned(): void {
    const { rows, isOpen } = this.#kind;
    try {
      for (const { id, state, isLeased } of rows.unfinished())
        if (isLeased || isOpen(state)) this.recoverJob(id);
      this.#unrecovered.forget(null);
    } catch (problem) {
      this.#logUnrecovered('abandoned jobs not looked for', null, problem);
    }
  }

  /** Checks one job again, because another process may have started or abandoned it since this process started. */
  recoverJob(id: string): void {
    this.#recoverJobNow(id);
  }

  #recoverJobNow(id: string): Ledger | null {
    try {
      const recovered = this.#recoverIfLeft(id);
      this.#unrecovered.forget(id);
      return recovered;
    } catch (problem) {
      this.#logUnrecovered('job not recovered', id, problem);
      return null;
    }
  }

  #recoverIfLeft(id: string): Ledger | null {
    if (this.#isStopping || this.#active.has(id) || this.#watches.has(id)) return null;
    if (this.#leases.isElsewhere(id)) {
      this.#watch(id);
      return null;
    }
    this.#unwritten.writeDown(id);
    const ledger = loadFree(this.#kind, this.#leases, id);
    if (!ledger.isIdle || this.#leases.isLeft(id)) return this.#recoverActive(id);
    const wasLeft = this.#kind.interrupt(ledger);
    ledger.close();
    return wasLeft ? ledger : null;
  }

  /** Read only once the lease is held, because its last holder may have stored the end of the job meanwhile. */
  #recoverActive(id: string): Ledger {
    return this.#claim(id, (ledger) => {
      const wasUnderWay = !ledger.isIdle;
      this.#kind.interrupt(ledger);
      if (wasUnderWay && ledger.isIdle && this.#continues) this.#kind.resume(ledger);
      return ledger.isIdle ? null : this.#kind.run(ledger);
    });
  }

  #watch(id: string): void {
    let known = JSON.stringify(this.#kind.load(id).core);
    const stop = this.#leases.watch(id, (isFree) => {
      const isRemoved = isFree && this.#kind.rows.revision(id) === null;
      if (!isRemoved) {
        const ledger = this.#kind.load(id);
        const now = JSON.stringify(ledger.core);
        if (now !== known) ledger.announce();
        known = now;
      }
      if (!isFree) return;
      this.#watches.delete(id);
      if (!isRemoved) this.recoverJob(id);
    });
    this.#watches.set(id, stop);
  }

  #unwatch(id: string): void {
    this.#watches.get(id)?.();
    this.#watches.delete(id);
  }

  /** Called when the service is reachable again. */
  wake(): void {
    for (const { runner } of this.#active.values()) runner.loop.wake();
    this.starts.wake();
  }

  /** All runners of this process. */
  runners(): JobRunner[] {
    return [...this.#active.values()].map(({ runner }) => runner);
  }

  /** Resolves when the job is no longer active here: it has ended, rests, or was postponed. */
  async whenIdle(id: string): Promise<Ledger> {
    for (let active = this.#active.get(id); active !== undefined; active = this.#active.get(id)) {
      await active.ended;
    }
    return this.ledger(id);
  }

  /** Like `whenIdle`, but also waits for a planned start if this process handles it. */
  async whenOver(id: string): Promise<Ledger> {
    for (;;) {
      const ledger = await this.whenIdle(id);
      if (this.#isStopping || !(await this.starts.wait(id))) return ledger;
    }
  }

  /** Like `whenOver`, but does not wait for work that the service continues alone. */
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

  /** Starts no further jobs. Requests in flight get `graceMs` to be answered. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#cancelLook();
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
    this.#unwritten.writeAll((id, problem) => this.#logFailure('job state not written', id, problem));
  }

  #logUnrecovered(message: string, id: string | null, problem: unknown): void {
    this.#unrecovered.note(id, problem, () => this.#logFailure(message, id, problem));
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
