/** Goes on with the job of one ledger until it rests; a kind says what it works at, and what a failure means. */
import type { Clock, Random } from '../core/ports.ts';
import type { AppError } from '../shared/errors.ts';
import type { HostedLedger, JobRunner } from './types.ts';
import { type Work, WorkLoop } from './work-loop.ts';

interface RunLedger extends HostedLedger {
  apply(events: readonly { type: 'wake' }[]): void;
}

export abstract class LedgerRunner<Ledger extends RunLedger> implements Work<AbortSignal>, JobRunner {
  readonly loop: WorkLoop<AbortSignal>;
  protected readonly ledger: Ledger;
  readonly #ending = new AbortController();

  constructor({ clock, random }: { clock: Clock; random: Random }, ledger: Ledger) {
    this.ledger = ledger;
    this.loop = new WorkLoop({ clock, random, work: this, ending: this.#ending });
  }

  abstract run(signal: AbortSignal): Promise<void>;
  abstract stumble(error: AppError): void;

  phase(): 'running' | 'waiting' | 'resting' {
    if (this.ledger.isIdle) return 'resting';
    return this.ledger.core.state === 'waiting' ? 'waiting' : 'running';
  }

  /** Aborted once what is on its way is withdrawn. */
  protected get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /** Nobody halted it, and the program does not end. */
  protected get goesOn(): boolean {
    return this.phase() === 'running' && !this.loop.isStopping;
  }

  retryAfterMs(): number {
    return this.ledger.core.error?.details.retryAfterMs ?? 0;
  }

  wakeUp(): void {
    this.ledger.apply([{ type: 'wake' }]);
  }
}
