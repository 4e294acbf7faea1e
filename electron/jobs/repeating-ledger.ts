/** The ledger of a job that may repeat: when a run ends, the next one is stored in the same transaction. */
import type { JobCore as Core, JobEvent } from '../core/jobs/job.ts';
import { runAfter } from '../core/jobs/repeat.ts';
import type { Clock, Random } from '../core/ports.ts';
import type { Repeat } from '../shared/repeat-model.ts';
import { JobLedger, type LedgerPorts, type StoredHead } from './ledger.ts';

export interface RepeatedRecord extends StoredHead {
  id: string;
  createdAtMs: number;
  /** Absent or null: it runs once. */
  repeat?: Repeat | null | undefined;
}

/** The fields that a run does not take from an earlier one. */
export type RunHead = Pick<
  RepeatedRecord,
  'id' | 'reason' | 'error' | 'startAtMs' | 'lateStart' | 'createdAtMs' | 'endedAtMs' | 'repeat'
>;

export interface RunPorts<Stored> {
  clock: Clock;
  random: Random;
  /** A run that has not started, with the plan of an earlier one and without its results. */
  another: (earlier: Stored, head: RunHead) => Stored;
  create: (run: Stored) => void;
  /** Called after the next run was stored. */
  onNext: (id: string) => void;
}

export abstract class RepeatingLedger<
  State extends string,
  Stored extends RepeatedRecord,
  View,
> extends JobLedger<Core<State>, JobEvent, Stored, View> {
  readonly #runs: RunPorts<Stored>;
  #next: string | null = null;

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

  protected override withFollowing(core: Core<State>, stored: Stored): Stored {
    const { repeat = null } = stored;
    const { clock, random, another, create } = this.#runs;
    const nowMs = clock.nowMs();
    const { state, error } = core;
    const ended = { state, error, wasIdle: this.isIdle, isIdle: this.isIdleIn(core) };
    const next = runAfter(repeat, ended, nowMs);
    this.#next = null;
    if (repeat === null || next === null) return stored;
    const id = random.uuid();
    const head = { ...next, id };
    create(another(stored, { ...head, lateStart: null, createdAtMs: nowMs, endedAtMs: null }));
    this.#next = id;
    return { ...stored, repeat: { ...repeat, nextId: id } };
  }

  protected override onChange(): void {
    const id = this.#next;
    this.#next = null;
    // The record in memory lacks it if the disk did not accept the change.
    if (id !== null && this.stored.repeat?.nextId === id) this.#runs.onNext(id);
  }
}
