/** A computer in virtual time with several processes on one budget, which are killed and restarted. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BudgetLedger } from '../../electron/core/limits/budget-ledger.ts';
import type { Random } from '../../electron/core/ports.ts';
import { openBudgetStore } from '../../electron/db/budget-store.ts';
import { createScheduler } from '../../electron/scheduler/request-scheduler.ts';
import type { RequestScheduler, SchedulerSettings } from '../../electron/scheduler/types.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { MemoryBudget } from './memory-budget.ts';
import { START_MS, silentLogger, type VirtualWorld } from './virtual-world.ts';

export interface SimulatedProcess {
  scheduler: RequestScheduler;
  /** A number that changes with each start. */
  life: number;
  isAlive: boolean;
  /** Cancels submissions when the process ends. */
  waiting: Set<() => void>;
  /** For each lane, whether the user paused it. */
  isPaused: boolean[];
  /** Number of prompts for a token that are not answered. */
  questions: number;
}

type Settings = Partial<SchedulerSettings>;

export class SimulatedComputer {
  readonly processes: SimulatedProcess[] = [];
  readonly #world: VirtualWorld;
  readonly #random: Random;
  readonly #settingsOf: (index: number) => Settings;
  readonly #memory: MemoryBudget | null;
  readonly #folder: string | null;
  readonly #opened: BudgetLedger[] = [];
  readonly #alive = new Set<number>();
  readonly #kills = new Map<number, () => void>();
  /** Indices of processes that die when their next permits are recorded. */
  readonly #doomed = new Set<number>();
  #bootedAtMs = 0;
  #lives = 0;

  constructor(
    world: VirtualWorld,
    options: {
      store: 'memory' | 'sqlite';
      /** Number of processes that start at once. Others are started by `start`. */
      processes: number;
      random: Random;
      settingsOf: (index: number) => Settings;
    },
  ) {
    this.#world = world;
    this.#random = options.random;
    this.#settingsOf = options.settingsOf;
    const isFile = options.store === 'sqlite';
    this.#memory = isFile ? null : new MemoryBudget(() => START_MS + world.monotonicMs);
    this.#folder = isFile ? mkdtempSync(join(tmpdir(), 'spandeck-schedule-')) : null;
    for (let index = 0; index < options.processes; index++) this.start(index);
  }

  start(index: number): void {
    const clock = this.#world.process();
    const life = ++this.#lives;
    this.#alive.add(life);
    const process: SimulatedProcess = {
      scheduler: createScheduler({
        clock,
        random: this.#random,
        budget: this.#ledger(index, life, clock),
        logger: silentLogger,
        settings: this.#settingsOf(index),
      }),
      life,
      isAlive: true,
      waiting: new Set(),
      isPaused: [],
      questions: 0,
    };
    this.processes[index] = process;
    this.#kills.set(index, () => {
      clock.kill();
      process.isAlive = false;
      this.#alive.delete(life);
      for (const forget of process.waiting) forget();
    });
  }

  /** Kills a process: timers and pending writes are lost, but requests on the wire still arrive. */
  kill(index: number, restartAfterMs: number): boolean {
    const process = this.processes[index];
    if (process === undefined || !process.isAlive) return false;
    this.#kills.get(index)?.();
    this.#world.after(restartAfterMs, () => this.#world.whenAwake(() => this.start(index)));
    return true;
  }

  /** Kills a process between the next commit of its permits and the sending of its requests. */
  doom(index: number): void {
    this.#doomed.add(index);
  }

  sleep(forMs: number, isRestart: boolean): void {
    this.#world.sleep(forMs);
    if (!isRestart) return;
    for (const index of this.processes.keys()) this.kill(index, forMs);
    this.#bootedAtMs = this.#world.monotonicMs;
  }

  /** Closes the computer, and deletes its files. */
  close(): void {
    for (const ledger of this.#opened) ledger.close();
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
  }

  #ledger(index: number, life: number, clock: ReturnType<VirtualWorld['process']>): BudgetLedger {
    const ledger = this.#memory?.open() ?? this.#open(life, clock);
    const isAlive = () => this.#alive.has(life);
    const transact: BudgetLedger['transact'] = (isDurable, work) => {
      if (!isAlive()) throw gone();
      const result = ledger.transact(isDurable, work);
      if (!this.#doomed.delete(index)) return result;
      this.kill(index, 1_000);
      throw gone();
    };
    // Pending writes of a dead process are lost.
    return {
      nowMs: () => ledger.nowMs(),
      get isShared() {
        return ledger.isShared;
      },
      readyAtMs: ledger.readyAtMs,
      take: (...given) => (isAlive() ? ledger.take(...given) : null),
      lane: (key) => ledger.lane(key),
      lastToken: (origin) => ledger.lastToken(origin),
      holdersOf: (laneId) => ledger.holdersOf(laneId),
      refresh: () => ledger.refresh(),
      transact,
      finish: (...given) => isAlive() && ledger.finish(...given),
      release: (id) => isAlive() && ledger.release(id),
      extend: (...given) => isAlive() && ledger.extend(...given),
      saveLearned: (...given) => isAlive() && ledger.saveLearned(...given),
      serviceTime: (origin) => ledger.serviceTime(origin),
      saveServiceTime: (time) => isAlive() && ledger.saveServiceTime(time),
      shiftBack: (...given) => isAlive() && ledger.shiftBack(...given),
      flush: () => isAlive() && ledger.flush(),
      close: () => undefined,
    };
  }

  #open(life: number, clock: ReturnType<VirtualWorld['process']>): BudgetLedger {
    const ledger = openBudgetStore({
      file: join(this.#folder ?? '', 'budget.db'),
      clock,
      logger: silentLogger,
      bootMs: () => this.#world.monotonicMs - this.#bootedAtMs,
      identity: {
        computer: 'simulated',
        start: '',
        pid: life,
        space: 'simulated',
        isRunning: (pid) => this.#alive.has(pid),
        isStopped: () => false,
      },
    });
    this.#opened.push(ledger);
    return ledger;
  }
}

const gone = () => new AppError('STORE_FAILED', 'Expected a process, got one that was killed in a test.');
