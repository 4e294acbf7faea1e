/** The ledger of a job that may repeat. When a run ends, the next one is stored in the same transaction. */
import type { JobCore as Core, JobEvent } from '../core/jobs/job.ts';
import { interruption, latestStart, runAfter } from '../core/jobs/repeat.ts';
import type { Clock, Random } from '../core/ports.ts';
import { activeRepeat, type Repeat } from '../shared/repeat-model.ts';
import { planByRule } from './hastened-starts.ts';
import { JobLedger, type LedgerPorts, type StoredHead } from './ledger.ts';
import { USUAL_STEPS } from './types.ts';

/** Maximum number of ended runs of a repeat that stay listed. When another run ends, the oldest ones are removed. */
const MAX_ENDED_RUNS = 30;

export interface RepeatedRecord extends StoredHead {
  id: string;
  createdAtMs: number;
  /** Absent or null if the job runs once. */
  repeat?: Repeat | null | undefined;
}

/** The fields that a new run does not copy from an earlier one. */
export type RunHead = Pick<
  RepeatedRecord,
  'id' | 'reason' | 'error' | 'startAtMs' | 'lateStart' | 'createdAtMs' | 'endedAtMs' | 'repeat'
>;

/** The stored runs of one kind; `JobStore` implements it. */
interface RunRows<Stored> {
  create(run: Stored): void;
  /** Null for an unknown id. */
  get(id: string): Stored | null;
  /** Runs that were followed by another one and that no process holds, newest first. */
  followed(subject: string): Stored[];
  /** Newest first. `isUnfinished`: only runs that have not ended, or that a process holds. */
  list(of: { subject: string | null; isUnfinished: boolean }): Stored[];
  remove(id: string): void;
}

export interface RunPorts<Stored> {
  clock: Clock;
  random: Random;
  rows: RunRows<Stored>;
  /** The file or folder to which the job writes; null if none was chosen yet. */
  subjectOf: (stored: Stored) => string | null;
  /** A new run with the plan of an earlier one, but without its results. */
  another: (earlier: Stored, head: RunHead) => Stored;
  /** Called after the next run was stored. `removed`: earlier runs that were removed then. */
  onNext: (id: string, removed: readonly Stored[]) => void;
}

interface Interruptible {
  readonly core: { state: string };
  apply(events: readonly JobEvent[]): unknown;
  interrupt(): boolean;
  latestStart(nowMs: number): number | null;
}

/** The steps of a kind with this ledger. An interrupted run of a repeat has not ended. */
export const REPEATING_STEPS = {
  ...USUAL_STEPS,
  interrupt: (ledger: Interruptible): boolean => ledger.interrupt(),
  latestStart: (ledger: Interruptible, nowMs: number): number | null => ledger.latestStart(nowMs),
  planByRule,
  resume: (ledger: Interruptible): void =>
    void ledger.apply([{ type: ledger.core.state === 'ready' ? 'start' : 'resume' }]),
};

export abstract class RepeatingLedger<
  State extends string,
  Stored extends RepeatedRecord,
  View,
> extends JobLedger<Core<State>, JobEvent, Stored, View> {
  readonly #runs: RunPorts<Stored>;
  #next: { id: string; removed: readonly Stored[] } | null = null;

  constructor(
    ports: LedgerPorts<JobEvent, Stored, View>,
    runs: RunPorts<Stored>,
    stored: Stored,
    core: Core<State>,
  ) {
    super(ports, stored, core);
    this.#runs = runs;
  }

  protected abstract isIdleIn(core: Core<State>): boolean;

  get isIdle(): boolean {
    return this.isIdleIn(this.core);
  }

  /** Called if the program that was running the job has ended. Returns false if there was nothing to recover. */
  interrupt(): boolean {
    if (this.isIdle) return false;
    const nowMs = this.#runs.clock.nowMs();
    this.apply(interruption(activeRepeat(this.stored), nowMs), this.#plannedNow(nowMs));
    return true;
  }

  /** Notes when a run by times was planned. For runs after readings, that moment says which reading starts the next. */
  #plannedNow(nowMs: number): Partial<Stored> {
    const repeat = activeRepeat(this.stored);
    const changes: Partial<RepeatedRecord> =
      repeat?.rule.on === 'time' ? { repeat: { ...repeat, sinceMs: nowMs } } : {};
    return changes as Partial<Stored>;
  }

  /** The latest start that the rule of its repeat allows; null if any time is possible. */
  latestStart(nowMs: number): number | null {
    const repeat = activeRepeat(this.stored);
    return repeat === null ? null : latestStart(repeat, this.stored, nowMs);
  }

  protected override withFollowing(core: Core<State>, stored: Stored): Stored {
    const { repeat = null } = stored;
    const { clock, random, another, rows } = this.#runs;
    const nowMs = clock.nowMs();
    const { state, error, startAtMs } = core;
    const ended = { state, error, startAtMs, wasIdle: this.isIdle, isIdle: this.isIdleIn(core) };
    const next = runAfter(repeat, ended, nowMs);
    this.#next = null;
    if (repeat === null || next === null) return stored;
    const id = random.uuid();
    const head = { ...next, id };
    rows.create(another(stored, { ...head, lateStart: null, createdAtMs: nowMs, endedAtMs: null }));
    this.#next = { id, removed: this.#removeEarlier(stored) };
    return { ...stored, repeat: { ...repeat, nextId: id } };
  }

  /**
   * Removes the oldest runs. After a success, also removes those that failed, because resuming one would write older
   * rows.
   */
  #removeEarlier(stored: Stored): readonly Stored[] {
    const { rows, subjectOf } = this.#runs;
    const subject = subjectOf(stored);
    const others = subject === null ? [] : rows.followed(subject).filter(({ id }) => id !== stored.id);
    const isOutdated = ({ endedAtMs }: Stored) => stored.state === 'done' && endedAtMs === null;
    // One less than the maximum, because the run that ends now stays listed too.
    const removed = others.filter((run, at) => at >= MAX_ENDED_RUNS - 1 || isOutdated(run));
    for (const { id } of removed) rows.remove(id);
    return removed;
  }

  protected override onChange(): void {
    const next = this.#next;
    this.#next = null;
    // If the disk did not accept the change, the record in memory has no next run.
    if (next !== null && this.stored.repeat?.nextId === next.id) this.#runs.onNext(next.id, next.removed);
  }
}
