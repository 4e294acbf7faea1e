/**
 * Repeats of the jobs of one kind. A person sets, pauses and ends them; runs can also start after data for offline use
 * was read.
 */
import type { JobEvent } from '../core/jobs/job.ts';
import { isDueAfterSync, nextStart, REPEAT_PAUSED } from '../core/jobs/repeat.ts';
import { futureStart } from '../core/jobs/start-plan.ts';
import type { Logger } from '../core/ports.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import {
  activeRepeat,
  type Repeat,
  type RepeatChange,
  type RepeatRule,
  repeatText,
} from '../shared/repeat-model.ts';
import { systemZone } from '../shared/zone-time.ts';
import type { Jobs } from './jobs.ts';
import type { RepeatedRecord, RunPorts } from './repeating-ledger.ts';
import type { HostedLedger } from './types.ts';

interface RepeatingLedger<Stored> extends HostedLedger {
  readonly stored: Stored;
  apply(events: readonly JobEvent[], changes?: Partial<RepeatedRecord>): void;
}

interface RepeatsDeps<Stored extends RepeatedRecord, Ledger extends RepeatingLedger<Stored>>
  extends Omit<RunPorts<Stored>, 'onNext'> {
  logger: Pick<Logger, 'warn'>;
  jobs: Jobs<Ledger>;
  /** The reason why this job cannot repeat, as a sentence; null if it can. */
  obstacle: (stored: Stored) => string | null;
  /** Further fields of a job that gets a repeat; default: none. */
  repeating?: (stored: Stored) => Partial<Stored>;
  /** Wall time when data for offline use was last read; null if it never was, or if a reading is in progress. */
  lastSyncMs: () => number | null;
  /** Called with an earlier run after it was removed. */
  onRemoved: (stored: Stored) => void;
}

export class Repeats<Stored extends RepeatedRecord, Ledger extends RepeatingLedger<Stored>> {
  readonly #deps: RepeatsDeps<Stored, Ledger>;

  constructor(deps: RepeatsDeps<Stored, Ledger>) {
    this.#deps = deps;
  }

  /** True while another run writes to the same file or folder, because runs must not overlap. */
  isHeld(id: string): boolean {
    const { jobs } = this.#deps;
    const { stored } = jobs.ledger(id);
    return stored.repeat !== null && this.#besides(stored).some((other) => jobs.isBusy(other.id));
  }

  /** Throws CONFLICT while another run of the same repeat is in progress. */
  checkFree(id: string): void {
    if (!this.isHeld(id)) return;
    const place = this.#deps.subjectOf(this.#deps.jobs.ledger(id).stored);
    throw new AppError(
      'CONFLICT',
      `Another job is writing to ${place ?? 'the same place'}. Wait until it has ended, or cancel it.`,
    );
  }

  /** The other jobs for the same file or folder that have not ended. */
  #besides(stored: Stored): Stored[] {
    const { subjectOf, rows } = this.#deps;
    const subject = subjectOf(stored);
    if (subject === null) return [];
    return rows.list({ subject, isUnfinished: true }).filter(({ id }) => id !== stored.id);
  }

  /**
   * Throws CONFLICT if this file or folder already has a repeat of another job, and INVALID_ARGUMENT if the job cannot
   * repeat.
   */
  #checkNew(stored: Stored): void {
    const reason = this.#deps.obstacle(stored);
    if (reason !== null) throw new AppError('INVALID_ARGUMENT', reason);
    const other = this.#besides(stored).find((each) => activeRepeat(each) !== null);
    const repeat = other === undefined ? null : activeRepeat(other);
    if (other === undefined || repeat === null) return;
    throw new AppError(
      'CONFLICT',
      `Expected a place without a repeat, but this one is written ${repeatText(repeat.rule, systemZone())} already. Change or end that repeat.`,
      { nextStep: `jobs repeat ${other.id}` },
    );
  }

  /** The id of the last run that followed this one, as far as the runs in between are still stored. */
  #newest(id: string): string {
    const { jobs, rows } = this.#deps;
    const { nextId = null } = jobs.ledger(id).stored.repeat ?? {};
    return nextId === null || rows.get(nextId) === null ? id : this.#newest(nextId);
  }

  /**
   * Changes the repeat of this job, or of the last run that followed it. Returns the id of the job that then has the
   * repeat, which is another run if this one has ended. Throws like `first`.
   */
  change(id: string, change: RepeatChange): string {
    const { jobs } = this.#deps;
    const { stored } = jobs.own(this.#newest(id));
    const changed = change.type === 'set' ? this.#set(stored, change) : this.#alter(stored, change.type);
    jobs.starts.changed(changed);
    jobs.ledger(changed).announce();
    return changed;
  }

  /**
   * The plan of the first run of a repeat. `startAtMs`: wall time; null for the first time of the rule. Throws like
   * `checkNew`, and INVALID_ARGUMENT for a time that has passed, or for a time if the rule has none.
   */
  first(
    stored: Stored,
    rule: RepeatRule,
    startAtMs: number | null,
  ): { startAtMs: number | null; repeat: Repeat } {
    this.#checkNew(stored);
    if (rule.on === 'sync' && startAtMs !== null)
      throw new AppError(
        'INVALID_ARGUMENT',
        'Expected no first start for a repeat after each sync, but one was given. Leave it out: the first run starts after the next sync.',
      );
    const nowMs = this.#deps.clock.nowMs();
    return {
      startAtMs:
        rule.on === 'sync'
          ? null
          : startAtMs === null
            ? nextStart(rule, nowMs)
            : futureStart(startAtMs, nowMs),
      repeat: { rule, sinceMs: nowMs, failures: 0, isPaused: false, nextId: null },
    };
  }

  #set(stored: Stored, { rule, startAtMs }: Extract<RepeatChange, { type: 'set' }>): string {
    const { clock, random, jobs, rows, another, repeating = () => ({}) } = this.#deps;
    if (stored.state === 'draft')
      throw new AppError('INVALID_ARGUMENT', 'Expected a job with a chosen file or folder. Choose it first.');
    const first = this.first(stored, rule, startAtMs);
    const { repeat } = first;
    const nowMs = clock.nowMs();
    const isUnderWay = jobs.isBusy(stored.id);
    if (isUnderWay && startAtMs !== null)
      throw new AppError(
        'INVALID_ARGUMENT',
        'Expected no first start for a job that is running: its next run starts by the rule. Leave it out, or wait until this run has ended.',
      );
    if (isUnderWay || stored.state === 'ready') {
      const changes = { ...repeating(stored), repeat };
      jobs.change(stored.id, (ledger) =>
        ledger.apply(isUnderWay ? [] : restart(ledger.core.startAtMs, first.startAtMs, nowMs), changes),
      );
      return stored.id;
    }
    // A new job is created, because the ended run keeps its result.
    const id = random.uuid();
    const head = { ...first, id, reason: '', error: null, lateStart: null };
    rows.create(another(stored, { ...head, createdAtMs: nowMs, endedAtMs: null }));
    return id;
  }

  #alter(stored: Stored, type: 'pause' | 'resume' | 'end'): string {
    const { clock, jobs } = this.#deps;
    const { id } = stored;
    const repeat = activeRepeat(stored);
    if (repeat === null)
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected the last run of a repeat to ${type}, but this job has no repeat or was followed by another run. Look at the newest one.`,
      );
    const nowMs = clock.nowMs();
    const isUnderWay = jobs.isBusy(id);
    jobs.change(id, (ledger) => {
      const { startAtMs } = ledger.core;
      if (type === 'end') ledger.apply(isUnderWay ? [] : [{ type: 'cancel' }], { repeat: null });
      else if (isUnderWay)
        throw new AppError('INVALID_ARGUMENT', 'It is running. End the repeat, or wait for the next run.');
      else if (type === 'pause')
        ledger.apply([...halted(startAtMs, nowMs), { type: 'unschedule', reason: REPEAT_PAUSED }], {
          repeat: { ...repeat, isPaused: true },
        });
      else
        ledger.apply(restart(startAtMs, nextStart(repeat.rule, nowMs), nowMs), {
          repeat: { ...repeat, isPaused: false, failures: 0, sinceMs: nowMs },
        });
    });
    return id;
  }

  /** Throws CONFLICT if removing this job would end a repeat. */
  checkRemovable({ core, stored }: Ledger): void {
    if (activeRepeat(stored) !== null)
      throw new AppError('CONFLICT', 'It repeats, and removing it would end that. End the repeat first.');
    if (core.startAtMs !== null) throw new AppError('CONFLICT', 'It starts later. Cancel that first.');
  }

  /** True if a person can only end the repeat of this job. Cancelling its start would leave the repeat without one. */
  isPlanned(id: string): boolean {
    return activeRepeat(this.#deps.jobs.ledger(id).stored) !== null;
  }

  /** Called when a run has ended and `id` follows it. `removed`: earlier runs that were removed then. */
  noteNext(id: string, removed: readonly Stored[]): void {
    const { jobs, onRemoved } = this.#deps;
    jobs.ledger(id).announce();
    for (const run of removed) {
      jobs.forget(run.id, () => undefined);
      onRemoved(run);
    }
    // Data for offline use may have been read during the run.
    this.startDueAfterSync();
    jobs.starts.lookSoon();
  }

  /** Plans runs that follow the reading of data for offline use to start now. */
  startDueAfterSync(): void {
    const { rows, lastSyncMs, logger } = this.#deps;
    try {
      const lastMs = lastSyncMs();
      if (lastMs === null) return;
      for (const stored of rows.list({ subject: null, isUnfinished: true })) this.#startIfDue(stored, lastMs);
    } catch (problem) {
      logger.warn('repeats after a reading not looked for', { reason: toAppError(problem).message });
    }
  }

  #startIfDue({ id, repeat = null, startAtMs, state }: Stored, lastMs: number): void {
    if (state !== 'ready' || startAtMs !== null || repeat === null) return;
    const { jobs, clock, logger } = this.#deps;
    const nowMs = clock.nowMs();
    if (!isDueAfterSync(repeat, lastMs, nowMs)) return;
    try {
      jobs.change(id, (ledger) =>
        ledger.apply([{ type: 'schedule', startAtMs: nowMs + 1, nowMs }], {
          repeat: { ...repeat, sinceMs: lastMs },
        }),
      );
      jobs.starts.lookSoon();
    } catch (problem) {
      // Another process may be doing the same. The next reading of data tries again.
      logger.warn('run after a reading not started', { id, reason: toAppError(problem).message });
    }
  }
}

/** Events that plan a start at `firstMs`, or cancel the plan if it is null, whatever was planned before. */
function restart(startAtMs: number | null, firstMs: number | null, nowMs: number): JobEvent[] {
  if (firstMs !== null) return [{ type: 'schedule', startAtMs: firstMs, nowMs }];
  return [...halted(startAtMs, nowMs), { type: 'unschedule', reason: '' }];
}

/** Only the event that cancels a plan can carry a reason, so a plan is made first if there is none. */
const halted = (startAtMs: number | null, nowMs: number): JobEvent[] =>
  startAtMs === null ? [{ type: 'schedule', startAtMs: nowMs + 1, nowMs }] : [];
