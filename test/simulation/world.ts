/**
 * Virtual time, and the only place that chooses the next step. Every pending operation, such as a timer, an answer, a
 * file operation or a message between threads, is a step, and a seeded random number chooses one of the steps that are
 * due.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { type Draw, drawOf } from './draw.ts';

/** A broken invariant. */
export interface Failure {
  invariant: string;
  detail: string;
  at: string;
}

export type StepKind = 'timer' | 'immediate' | 'file' | 'message' | 'thread' | 'network' | 'person';

/**
 * The owner of code: a process of the product, one of its threads, or the service. When it ends, its steps are dropped.
 */
export class Life {
  readonly name: string;
  readonly parent: Life | null;
  /** Whether its time stands still while the computer sleeps, and its wall clock is the clock of the computer. */
  readonly isOnComputer: boolean;
  readonly pid: number;
  isOver = false;
  /** Number of its pending steps. */
  pending = 0;
  /** Until this time, no step of this life or of its threads is done. */
  suspendedUntilMs = 0;
  /** Called after each of its steps. */
  afterStep: (() => void) | null = null;

  constructor(name: string, { parent = null, isOnComputer = true, pid = 0 }: LifeOptions = {}) {
    this.name = name;
    this.parent = parent;
    this.isOnComputer = parent?.isOnComputer ?? isOnComputer;
    this.pid = parent?.pid ?? pid;
  }

  get isGone(): boolean {
    return this.isOver || (this.parent?.isGone ?? false);
  }

  /** The time from which its steps may be done again. */
  get resumesAtMs(): number {
    return Math.max(this.suspendedUntilMs, this.parent?.resumesAtMs ?? 0);
  }

  /** The process to which this life belongs, which is the life itself if it is not a thread. */
  get process(): Life {
    return this.parent?.process ?? this;
  }

  isOf(other: Life): boolean {
    return this === other || (this.parent?.isOf(other) ?? false);
  }
}

interface LifeOptions {
  parent?: Life | null;
  isOnComputer?: boolean;
  pid?: number;
}

export interface Step {
  readonly life: Life;
  readonly kind: StepKind;
  readonly label: string;
  /** Steps of one lane run in order, and steps without a lane run in any order. */
  readonly lane: string | null;
  readonly order: number;
  dueMs: number;
  isCancelled: boolean;
  readonly run: () => void;
}

interface NewStep {
  life: Life;
  kind: StepKind;
  label: string;
  lane?: string | null;
  delayMs: number;
  run: () => void;
}

/** This number of steps at one moment indicates an endless loop. */
const MAX_STEPS_AT_ONCE = 300_000;
export const START_MS = Date.UTC(2026, 2, 2, 9, 0, 0);
const realImmediate = setImmediate;

export class World {
  readonly seed: number;
  readonly lives = new AsyncLocalStorage<Life>();
  /** True time since the start, in ms. */
  nowMs = 0;
  /** How far the wall clock of the computer is ahead of true time, in ms. */
  wallAheadMs = 0;
  /** How long the computer has slept so far, in ms. */
  sleptMs = 0;
  /**
   * Number of running operations that are real and cannot be steps, such as loading a module. No step is chosen while
   * there are any.
   */
  realWork = 0;
  steps = 0;
  /** Broken invariants in order. */
  readonly failures: Failure[] = [];
  readonly counts = new Map<StepKind, number>();
  /** Receives each line of the story, null if nothing listens. */
  log: ((line: string) => void) | null = null;
  /** Whether each step is a line of the story too. */
  logsSteps = false;
  readonly #pending: Step[] = [];
  readonly #choose: Draw;
  readonly #hash = createHash('sha256');
  #order = 0;
  #stepsAtOnce = 0;

  constructor(seed: number) {
    this.seed = seed;
    this.#choose = drawOf(seed, 'order of steps');
  }

  /** The life to which the running code belongs, undefined for the simulation itself. */
  life(): Life | undefined {
    return this.lives.getStore();
  }

  wallMs(life: Life | undefined): number {
    const ahead = life === undefined || life.isOnComputer ? this.wallAheadMs : 0;
    return Math.floor(START_MS + this.nowMs + ahead);
  }

  monotonicMs(life: Life | undefined): number {
    return this.nowMs - (life === undefined || life.isOnComputer ? this.sleptMs : 0);
  }

  add({ life, kind, label, lane = null, delayMs, run }: NewStep): Step {
    this.#order += 1;
    const dueMs = Math.max(this.nowMs + Math.max(0, delayMs), life.resumesAtMs);
    const step: Step = { life, kind, label, lane, order: this.#order, dueMs, isCancelled: false, run };
    if (life.isGone) step.isCancelled = true;
    else {
      this.#pending.push(step);
      life.pending += 1;
    }
    return step;
  }

  cancel(step: Step): void {
    if (step.isCancelled) return;
    step.isCancelled = true;
    const at = this.#pending.indexOf(step);
    if (at < 0) return;
    this.#remove(at);
  }

  /** Ends a life and its threads, so that their code does not run any more. */
  end(life: Life): void {
    life.isOver = true;
    for (const step of [...this.#pending]) if (step.life.isOf(life)) this.cancel(step);
  }

  /** Pending steps of a life and its threads, for messages. */
  pendingOf(life: Life): Step[] {
    return this.#pending.filter((step) => step.life.isOf(life));
  }

  /** Lets the computer sleep, while time passes only for the service. */
  sleep(forMs: number): void {
    this.sleptMs += forMs;
    for (const step of this.#pending)
      if (step.life.isOnComputer && step.kind !== 'person') step.dueMs += forMs;
  }

  /** Stops a process for a while, as SIGSTOP does, while time passes for all others. */
  suspend(life: Life, forMs: number): void {
    life.suspendedUntilMs = this.nowMs + forMs;
    for (const step of this.pendingOf(life)) step.dueMs = Math.max(step.dueMs, life.suspendedUntilMs);
  }

  /** Called for each unhandled rejection. */
  rejected(reason: unknown): void {
    this.fail('no promise is rejected unheard', stackOf(reason));
  }

  fail(invariant: string, detail: string): void {
    this.failures.push({ invariant, detail, at: this.clockText() });
    this.note(`NOT HELD: ${invariant}: ${detail}`);
  }

  note(line: string): void {
    this.#hash.update(`${line}\n`);
    this.log?.(`${this.clockText()} ${line}`);
  }

  clockText(): string {
    return new Date(START_MS + this.nowMs).toISOString().slice(5, 23).replace('T', ' ');
  }

  /** Hash of the story so far. */
  traceHash(): string {
    return this.#hash.copy().digest('hex');
  }

  /** Does steps until `isDone` returns true, nothing is pending, or the true time `untilMs` is reached. */
  async run(isDone: () => boolean, untilMs: number): Promise<'done' | 'quiet' | 'late'> {
    for (;;) {
      await this.#settle();
      if (isDone()) return 'done';
      const step = this.#next(untilMs);
      if (step === 'quiet' || step === 'late') {
        if (step === 'late') this.nowMs = untilMs;
        return step;
      }
      this.#do(step);
    }
  }

  /** Resolves when all real asynchronous work and its effects have ended. */
  async #settle(): Promise<void> {
    do await new Promise((resolve) => realImmediate(resolve));
    while (this.realWork > 0);
  }

  #next(untilMs: number): Step | 'quiet' | 'late' {
    if (this.#pending.length === 0) return 'quiet';
    const heads = new Map<string, Step>();
    const ready: Step[] = [];
    let soonest = Number.POSITIVE_INFINITY;
    for (const step of this.#pending) {
      if (step.dueMs < soonest) soonest = step.dueMs;
      if (step.dueMs > this.nowMs) continue;
      if (step.lane === null) {
        ready.push(step);
        continue;
      }
      const head = heads.get(step.lane);
      if (head === undefined || isBefore(step, head)) heads.set(step.lane, step);
    }
    if (ready.length + heads.size === 0) {
      if (soonest > untilMs) return 'late';
      this.nowMs = soonest;
      this.#stepsAtOnce = 0;
      return this.#next(untilMs);
    }
    this.#stepsAtOnce += 1;
    if (this.#stepsAtOnce > MAX_STEPS_AT_ONCE)
      throw new Error(`More than ${MAX_STEPS_AT_ONCE} steps at ${this.clockText()} without an end.`);
    ready.push(...heads.values());
    return this.#choose.of(ready);
  }

  #do(step: Step): void {
    const at = this.#pending.indexOf(step);
    this.#remove(at);
    this.steps += 1;
    this.counts.set(step.kind, (this.counts.get(step.kind) ?? 0) + 1);
    this.#hash.update(`${this.nowMs.toFixed(3)} ${step.life.name} ${step.kind} ${step.label}\n`);
    if (this.logsSteps) this.log?.(`${this.clockText()}   ${step.life.name}: ${step.kind} ${step.label}`);
    try {
      this.lives.run(step.life, step.run);
    } catch (thrown) {
      this.fail('nothing is thrown where nobody catches it', stackOf(thrown));
    }
    step.life.afterStep?.();
  }

  #remove(at: number): void {
    const step = this.#pending[at];
    if (step === undefined) return;
    step.life.pending -= 1;
    const last = this.#pending.pop();
    if (last !== undefined && last !== step) this.#pending[at] = last;
  }
}

export function stackOf(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}

function isBefore(first: Step, second: Step): boolean {
  return first.dueMs < second.dueMs || (first.dueMs === second.dueMs && first.order < second.order);
}
