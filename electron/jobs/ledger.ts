/**
 * Holds the state of one job, in memory and on disk. Every change is a transition that is on disk before anyone is
 * notified.
 */

import type { StartPlan } from '../core/jobs/start-plan.ts';
import { Notices } from '../core/notices.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { AppError, type ErrorCode, toAppError, type WireError } from '../shared/errors.ts';
import { TurnGroup } from './turn-group.ts';
import type { HostedLedger, JobCore } from './types.ts';

/**
 * Errors (a full disk, a lease lost to another process) after which a running job must still be able to rest, with its
 * state in memory only.
 */
const KEPT_IN_MEMORY: ReadonlySet<ErrorCode> = new Set(['DISK_FULL', 'STORE_FAILED', 'CONFLICT']);
/** Minimum interval of notifications to views; a new state is reported at once. */
const NOTIFY_EVERY_MS = 250;

export interface LedgerPorts<Event, Stored, View> {
  id: string;
  /** The kind's name in messages, e.g. `score run`. */
  what: string;
  clock: Clock;
  logger: Logger;
  /** Runs `work` in one transaction. */
  commit: <T>(work: () => T) => T;
  /** Like `commit`, for shared transactions, which are on disk when `reachDisk` resolves. Default: `commit` alone. */
  commitSoon?: <T>(work: () => T) => T;
  reachDisk?: () => Promise<void>;
  save: (stored: Stored) => void;
  onChanged: (view: View) => void;
  /** The event that pauses the job with an error. */
  pause: (error: AppError) => Event;
  notifyEveryMs?: number;
}

/** A change that may share its transaction with other changes. */
interface SharedChange<Event, Stored> {
  events: readonly Event[];
  /** Changes in addition to those of the events. They may depend on the record stored by then. */
  changes?: (stored: Stored) => Partial<Stored>;
  also: () => void;
  /** Called right before writing. If it returns false, the change is skipped. */
  isWanted?: () => boolean;
  /** Called when the change is committed and so visible to every process, but may not be on disk yet. */
  onCommitted?: () => void;
}

/** The fields that the ledger stores for every job; the kind adds its own. */
export interface StoredHead extends StartPlan {
  state: string;
  reason: string;
  error: WireError | null;
  endedAtMs: number | null;
}

export abstract class JobLedger<Core extends JobCore, Event, Stored extends StoredHead, View>
  implements HostedLedger
{
  readonly #ports: LedgerPorts<Event, Stored, View>;
  readonly #notices: Notices;
  #core: Core;
  #stored: Stored;
  #isUnwritten = false;
  readonly #shared = new TurnGroup<SharedChange<Event, Stored> & { isDone: boolean }>(
    (changes) => this.#applyAll(changes),
    () => this.reachDisk(),
  );
  holdsLease: (() => boolean) | null = null;
  isCurrent: (() => boolean) | null = null;
  #writes = 0;
  /** Notifies the runner of every change at once. */
  onMoved: (() => void) | null = null;

  constructor(ports: LedgerPorts<Event, Stored, View>, stored: Stored, core: Core) {
    this.#ports = ports;
    this.#stored = stored;
    this.#core = core;
    const { clock, notifyEveryMs = NOTIFY_EVERY_MS, onChanged } = ports;
    this.#notices = new Notices(clock, notifyEveryMs, () => onChanged(this.view()));
  }

  /** Returns the state after an event. Throws INVALID_ARGUMENT if the event is not possible in this state. */
  protected abstract step(core: Core, event: Event): Core;
  /** True if the job is over and continues only if a person starts it again. */
  protected abstract isOver(core: Core): boolean;
  abstract get isIdle(): boolean;
  abstract view(): View;

  get id(): string {
    return this.#ports.id;
  }

  get core(): Core {
    return this.#core;
  }

  get isUnwritten(): boolean {
    return this.#isUnwritten;
  }

  get writes(): number {
    return this.#writes;
  }

  get stored(): Stored {
    return this.#stored;
  }

  /**
   * Applies events and writes the job and `also` in one transaction. `counted`: events that are only known after `also`
   * was written. Throws the errors of `step`, DISK_FULL, STORE_FAILED, and CONFLICT if another process took the job
   * over. After an error nothing has changed, neither on disk nor in memory.
   */
  apply(
    events: readonly Event[],
    changes: Partial<Stored> = {},
    also: () => void = () => undefined,
    counted: () => readonly Event[] = () => [],
  ): void {
    this.#apply(events, { changes, also, counted, commit: this.#ports.commit });
  }

  #apply(
    events: readonly Event[],
    {
      changes,
      also,
      counted,
      commit,
    }: {
      changes: Partial<Stored>;
      also: () => void;
      counted: () => readonly Event[];
      commit: <T>(work: () => T) => T;
    },
  ): void {
    const step = (core: Core, event: Event) => this.step(core, event);
    const before = events.reduce(step, this.#core);
    const { core, stored } = commit(() => {
      this.checkOwn();
      also();
      const core = counted().reduce(step, before);
      const stored = this.withFollowing(core, this.#record(core, changes));
      this.#ports.save(stored);
      return { core, stored };
    });
    this.#isUnwritten = false;
    this.#writes += 1;
    this.#accept(core, stored, events);
  }

  checkOwn(): void {
    const { what } = this.#ports;
    if (this.holdsLease?.() === false) throw takenOver(what);
    if (this.holdsLease === null && this.isCurrent?.() === false) throw changedElsewhere(what);
  }

  /**
   * Like `apply`, but in one transaction with the other changes of this turn of the event loop. Resolves when the
   * change is on disk, or to false if it was no longer wanted. Rejects with the errors of `apply` for this change
   * alone, and with those of `reachDisk`.
   */
  async applyShared(change: SharedChange<Event, Stored>): Promise<boolean> {
    const entry = { ...change, isDone: false };
    await this.#shared.add(entry);
    return entry.isDone;
  }

  #applyAll(entries: readonly (SharedChange<Event, Stored> & { isDone: boolean })[]): void {
    const wanted = entries.filter(({ isWanted }) => isWanted?.() !== false);
    if (wanted.length === 0) return;
    let changes: Partial<Stored> = {};
    for (const entry of wanted) changes = { ...changes, ...entry.changes?.({ ...this.#stored, ...changes }) };
    const also = () => {
      for (const entry of wanted) entry.also();
    };
    this.#apply(
      wanted.flatMap(({ events }) => events),
      { changes, also, counted: () => [], commit: this.#ports.commitSoon ?? this.#ports.commit },
    );
    for (const entry of wanted) {
      entry.isDone = true;
      entry.onCommitted?.();
    }
  }

  /** Resolves when everything committed would survive a power failure. Rejects with STORE_FAILED, DISK_FULL. */
  reachDisk(): Promise<void> {
    return this.#ports.reachDisk?.() ?? Promise.resolve();
  }

  /** Like `apply`, but a full disk or a lost lease does not prevent the change. It is then kept in memory only. */
  applyAnyhow(events: readonly Event[]): void {
    try {
      this.apply(events);
    } catch (problem) {
      const { code } = toAppError(problem);
      if (!KEPT_IN_MEMORY.has(code)) throw problem;
      const { what, logger, id } = this.#ports;
      logger.error('job state not written', { what, id, code });
      this.#isUnwritten = code !== 'CONFLICT';
      const core = events.reduce((before, event) => this.step(before, event), this.#core);
      this.#accept(core, this.#record(core, {}), events);
    }
  }

  writeDown(): void {
    this.apply([]);
  }

  rest(error: AppError): void {
    if (!this.isIdle) this.applyAnyhow([this.#ports.pause(error)]);
  }

  /** The record to store. */
  #record(core: Core, changes: Partial<Stored>): Stored {
    const { state, reason, error, startAtMs, lateStart } = core;
    const stored = this.#stored;
    const endedAtMs = this.isOver(core) ? (stored.endedAtMs ?? this.#ports.clock.nowMs()) : null;
    const head = { state, reason, error, startAtMs, lateStart, endedAtMs };
    return { ...stored, ...changes, ...head, ...this.kept(core) };
  }

  /** Fields other than the common ones that the kind derives from the state and stores. */
  protected kept(_core: Core): Partial<Stored> {
    return {};
  }

  /**
   * Called in the transaction of a change. Stores further consequences of the change, and returns the record to store.
   */
  protected withFollowing(_core: Core, stored: Stored): Stored {
    return stored;
  }

  #accept(core: Core, stored: Stored, events: readonly Event[]): void {
    const before = this.#core;
    const stood = this.#stored;
    this.#core = core;
    this.#stored = stored;
    this.onChange(before, events);
    this.noteChange(this.isUrgent(before, stood));
    this.onMoved?.();
  }

  /** Called when memory contains the change, before views are notified. */
  protected onChange(_before: Core, _events: readonly Event[]): void {
    // Does nothing by default, because most kinds derive nothing else.
  }

  /** True if the change must be shown in views at once. */
  protected isUrgent(before: Core, _stood: Stored): boolean {
    return this.#core.state !== before.state || this.#core.startAtMs !== before.startAtMs;
  }

  /** Shows a state that is not stored, for example the current activity. */
  protected show(core: Core): void {
    this.#core = core;
    this.noteChange(true);
  }

  /** Notifies views of a change. `isUrgent`: at once. */
  protected noteChange(isUrgent: boolean): void {
    this.#notices.note(isUrgent);
  }

  announce(): void {
    this.noteChange(true);
  }

  close(): void {
    this.#notices.flush();
  }

  /** Called when the job was removed or read again. This ledger reports nothing any more. */
  discard(): void {
    this.#notices.discard();
  }
}

function takenOver(what: string): AppError {
  return new AppError(
    'CONFLICT',
    `Another Spandeck (a window or a command line) has taken over this ${what}. It continues there.`,
    { outcome: 'unsent' },
  );
}

function changedElsewhere(what: string): AppError {
  return new AppError(
    'CONFLICT',
    `Another Spandeck (a window or a command line) has changed this ${what} at the same moment. Look at it again, then repeat.`,
    { outcome: 'unsent' },
  );
}
