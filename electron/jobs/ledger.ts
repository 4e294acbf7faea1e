/** One job as memory and disk hold it. Every change is a transition, on the disk before anyone hears of it. */

import type { StartPlan } from '../core/jobs/start-plan.ts';
import { Notices } from '../core/notices.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { AppError, type ErrorCode, toAppError, type WireError } from '../shared/errors.ts';
import { TurnGroup } from './turn-group.ts';
import type { HostedLedger, JobCore } from './types.ts';

/** A disk that takes no more, or a lease that went to another process: what runs has to rest all the same. */
const KEPT_IN_MEMORY: ReadonlySet<ErrorCode> = new Set(['DISK_FULL', 'STORE_FAILED', 'CONFLICT']);
/** Views hear of a job at most this often, and of a new state at once. */
const NOTIFY_EVERY_MS = 250;

interface LedgerPorts<Event, Stored, View> {
  id: string;
  /** As messages name it, e.g. `score run`. */
  what: string;
  clock: Clock;
  logger: Logger;
  /** One transaction. */
  commit: <T>(work: () => T) => T;
  /** The same for what is shared: on the disk when `reachDisk` resolves. `commit` alone where there are none. */
  commitSoon?: <T>(work: () => T) => T;
  reachDisk?: () => Promise<void>;
  save: (stored: Stored) => void;
  onChanged: (view: View) => void;
  /** What brings it to rest with an error, and what was interrupted. */
  pause: (error: AppError) => Event;
  notifyEveryMs?: number;
}

/** A change that may share its transaction with others. */
interface SharedChange<Event, Stored> {
  events: readonly Event[];
  /** Beside what the events change, from what is stored by then. */
  changes?: (stored: Stored) => Partial<Stored>;
  also: () => void;
  /** Asked right before it is written; false: it is left out. */
  isWanted?: () => boolean;
  /** Memory holds it, and every process that looks; it is not on the disk yet. */
  onCommitted?: () => void;
}

/** What the ledger keeps of every job; the kind adds its own. */
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
  readonly #shared = new TurnGroup<SharedChange<Event, Stored> & { isDone: boolean }>(
    (changes) => this.#applyAll(changes),
    () => this.reachDisk(),
  );
  holdsLease: (() => boolean) | null = null;
  /** Hears of every change at once: whoever is at work on it. */
  onMoved: (() => void) | null = null;

  constructor(ports: LedgerPorts<Event, Stored, View>, stored: Stored, core: Core) {
    this.#ports = ports;
    this.#stored = stored;
    this.#core = core;
    const { clock, notifyEveryMs = NOTIFY_EVERY_MS, onChanged } = ports;
    this.#notices = new Notices(clock, notifyEveryMs, () => onChanged(this.view()));
  }

  /** What follows from an event. Throws INVALID_ARGUMENT where it is not possible in this state. */
  protected abstract step(core: Core, event: Event): Core;
  /** It is over: nothing of it goes on unless a person begins it again. */
  protected abstract isOver(core: Core): boolean;
  abstract get isIdle(): boolean;
  abstract view(): View;

  get id(): string {
    return this.#ports.id;
  }

  get core(): Core {
    return this.#core;
  }

  get stored(): Stored {
    return this.#stored;
  }

  /**
   * Applies events and writes the job and `also` in one transaction. `counted`: events that are known only once `also`
   * was written. Throws what `step` throws, DISK_FULL, STORE_FAILED, and CONFLICT where another process took the job
   * over; then nothing has changed, in memory neither.
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
      if (this.holdsLease?.() === false) throw takenOver(this.#ports.what);
      also();
      const core = counted().reduce(step, before);
      const stored = this.#record(core, changes);
      this.#ports.save(stored);
      return { core, stored };
    });
    this.#accept(core, stored, events);
  }

  /**
   * As `apply`, in one transaction with whatever else comes in this turn of the event loop. Resolves once it is on the
   * disk; false where it was not wanted any more. Rejects with what `apply` throws for it alone, and with what `reachDisk`
   * throws.
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

  /** Resolves when everything that was committed would survive a power cut. Rejects with STORE_FAILED, DISK_FULL. */
  reachDisk(): Promise<void> {
    return this.#ports.reachDisk?.() ?? Promise.resolve();
  }

  /** As `apply`, but a full disk or a lost lease does not stop it: the state then holds in memory only. */
  applyAnyhow(events: readonly Event[]): void {
    try {
      this.apply(events);
    } catch (problem) {
      const { code } = toAppError(problem);
      if (!KEPT_IN_MEMORY.has(code)) throw problem;
      const { what, logger, id } = this.#ports;
      logger.error('job state not written', { what, id, code });
      const core = events.reduce((before, event) => this.step(before, event), this.#core);
      this.#accept(core, this.#record(core, {}), events);
    }
  }

  rest(error: AppError): void {
    if (!this.isIdle) this.applyAnyhow([this.#ports.pause(error)]);
  }

  /** The record as it is to be stored. */
  #record(core: Core, changes: Partial<Stored>): Stored {
    const { state, reason, error, startAtMs, lateStart } = core;
    const stored = this.#stored;
    const endedAtMs = this.isOver(core) ? (stored.endedAtMs ?? this.#ports.clock.nowMs()) : null;
    const head = { state, reason, error, startAtMs, lateStart, endedAtMs };
    return { ...stored, ...changes, ...head, ...this.kept(core) };
  }

  /** What its kind keeps of the state beside that. */
  protected kept(_core: Core): Partial<Stored> {
    return {};
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

  /** Memory holds the change, and no view has heard of it yet. */
  protected onChange(_before: Core, _events: readonly Event[]): void {
    // Most kinds derive nothing else.
  }

  /** Is what changed something that views show at once? */
  protected isUrgent(before: Core, _stood: Stored): boolean {
    return this.#core.state !== before.state || this.#core.startAtMs !== before.startAtMs;
  }

  /** Shows a state that is not written down, e.g. what it is doing just now. */
  protected show(core: Core): void {
    this.#core = core;
    this.noteChange(true);
  }

  /** Something that views show has changed. `isUrgent`: they hear of it now. */
  protected noteChange(isUrgent: boolean): void {
    this.#notices.note(isUrgent);
  }

  announce(): void {
    this.noteChange(true);
  }

  close(): void {
    this.#notices.flush();
  }

  /** It is gone, or read anew: nothing is told of it any more. */
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
