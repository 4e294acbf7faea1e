/**
 * Corrects planned starts of jobs that start by a rule, for example every day. A start that was planned while the clock
 * was ahead would come far too late after the clock was set back.
 */
import { earlierStart } from '../core/jobs/start-plan.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { toAppError } from '../shared/errors.ts';
import { LoggedOnce } from './logged-once.ts';
import type { PlannedThing } from './schedule.ts';
import type { HostedLedger, JobKind } from './types.ts';

interface HastenedStartsDeps<Ledger extends HostedLedger> {
  clock: Pick<Clock, 'nowMs'>;
  logger: Pick<Logger, 'warn'>;
  kind: Pick<JobKind<Ledger>, 'what' | 'load' | 'latestStart' | 'planByRule'>;
  /** Changes the job while no other process can. */
  change: (id: string, work: (ledger: Ledger) => void) => void;
}

export class HastenedStarts<Ledger extends HostedLedger> {
  readonly #deps: HastenedStartsDeps<Ledger>;
  /** The starts that were right at a wall time. They stay right unless the clock is set back behind it. */
  #right = new Map<string, { startAtMs: number; atMs: number }>();
  readonly #failures = new LoggedOnce();

  constructor(deps: HastenedStartsDeps<Ledger>) {
    this.#deps = deps;
  }

  /** Plans jobs anew whose start is too far ahead. Returns whether there were any. */
  correct(planned: readonly PlannedThing[]): boolean {
    if (this.#deps.kind.latestStart === undefined) return false;
    const nowMs = this.#deps.clock.nowMs();
    const before = this.#right;
    this.#right = new Map();
    let isChanged = false;
    for (const { id, startAtMs } of planned) {
      const known = before.get(id);
      const isRight = startAtMs <= nowMs || (known?.startAtMs === startAtMs && known.atMs <= nowMs);
      if (isRight && known !== undefined) this.#right.set(id, known);
      else if (isRight) continue;
      else {
        const outcome = this.#correctOne(id, nowMs);
        if (outcome === 'right') this.#right.set(id, { startAtMs, atMs: nowMs });
        else if (outcome === 'corrected') isChanged = true;
      }
    }
    return isChanged;
  }

  #correctOne(id: string, nowMs: number): 'right' | 'corrected' | 'failed' {
    const { kind, logger, change } = this.#deps;
    try {
      const ledger = kind.load(id);
      const isLate = this.#earlier(ledger, nowMs) !== null;
      ledger.close();
      if (!isLate) {
        this.#failures.forget(id);
        return 'right';
      }
      change(id, (own) => {
        const startAtMs = this.#earlier(own, nowMs);
        if (startAtMs !== null) kind.planByRule?.(own, startAtMs, nowMs);
      });
      this.#failures.forget(id);
      return 'corrected';
    } catch (problem) {
      // Another process may be working on it. A later check tries again.
      this.#failures.note(id, problem, () =>
        logger.warn('planned start not corrected', {
          what: kind.what,
          id,
          reason: toAppError(problem).message,
        }),
      );
      return 'failed';
    }
  }

  #earlier(ledger: Ledger, nowMs: number): number | null {
    const { startAtMs } = ledger.core;
    const latestMs = this.#deps.kind.latestStart?.(ledger, nowMs) ?? null;
    return startAtMs === null ? null : earlierStart(startAtMs, latestMs, nowMs);
  }
}

/** Plans a job for another time. */
export function planByRule(
  ledger: { apply(events: readonly { type: 'schedule'; startAtMs: number; nowMs: number }[]): unknown },
  startAtMs: number,
  nowMs: number,
): void {
  ledger.apply([{ type: 'schedule', startAtMs, nowMs }]);
}
