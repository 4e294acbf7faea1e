import type { ServiceTime } from '../core/budget-ledger.ts';
import type { BudgetStatements } from './budget-statements.ts';

/** What is written with the next commit: each only makes the picture that others have less cautious. */
export class PendingWrites {
  readonly finished = new Map<number, { doneAtMs: number; keepUntilMs: number }>();
  readonly released = new Set<number>();
  readonly extended = new Map<number, number>();
  readonly learned = new Map<number, string>();
  readonly times = new Map<string, ServiceTime>();

  get isEmpty(): boolean {
    const { finished, released, extended, learned, times } = this;
    return finished.size + released.size + extended.size + learned.size + times.size === 0;
  }

  /** Inside a transaction; `clear` after its commit. */
  write(sql: BudgetStatements, sequence: number, holder: number): void {
    for (const [id, untilMs] of this.extended) sql.extend.run(untilMs, untilMs, sequence, holder, id);
    for (const [id, { doneAtMs, keepUntilMs }] of this.finished) {
      sql.finish.run(doneAtMs, keepUntilMs, sequence, holder, id);
    }
    for (const id of this.released) sql.release.run(sequence, holder, id);
    for (const [id, learned] of this.learned) sql.saveLearned.run(learned, sequence, holder, id);
    for (const time of this.times.values()) {
      sql.saveTime.run(time.origin, time.dateMs, time.sentAtMs, time.receivedAtMs);
    }
  }

  clear(): void {
    this.extended.clear();
    this.finished.clear();
    this.released.clear();
    this.learned.clear();
    this.times.clear();
  }
}
