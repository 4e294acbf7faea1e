/** Runs the job of one ledger until nothing more can be done. A kind defines its work and the meaning of a failure. */
import { bindSendPermission, SendPermission } from '../core/jobs/send-permission.ts';
import type { Clock, Random } from '../core/ports.ts';
import type { AppError } from '../shared/errors.ts';
import type { HostedLedger, JobRunner } from './types.ts';
import { type Work, WorkLoop } from './work-loop.ts';

/** States to which a person or an error has brought the job and in which no pending request may be sent. */
const HELD: ReadonlySet<string> = new Set(['paused', 'cancelled', 'stopped']);

interface RunLedger extends HostedLedger {
  onMoved: (() => void) | null;
  apply(events: readonly { type: 'wake' }[]): void;
}

export abstract class LedgerRunner<Ledger extends RunLedger> implements Work<AbortSignal>, JobRunner {
  readonly loop: WorkLoop<AbortSignal>;
  protected readonly ledger: Ledger;
  readonly #ending = new AbortController();
  readonly sendPermission = new SendPermission();

  constructor({ clock, random }: { clock: Clock; random: Random }, ledger: Ledger) {
    this.ledger = ledger;
    bindSendPermission(this.sendPermission, this.#ending.signal);
    ledger.onMoved = () => this.#updateSendPermission();
    this.loop = new WorkLoop({ clock, random, work: this, ending: this.#ending });
  }

  abstract run(signal: AbortSignal): Promise<void>;
  abstract handleFailure(error: AppError): void;

  phase(): 'running' | 'waiting' | 'resting' {
    if (this.ledger.isIdle) return 'resting';
    return this.ledger.core.state === 'waiting' ? 'waiting' : 'running';
  }

  /** Called when the job was resumed or halted, or when the program is ending. */
  look(): void {
    this.#updateSendPermission();
  }

  #updateSendPermission(): void {
    if (this.loop.isStopping || HELD.has(this.ledger.core.state)) this.sendPermission.withdraw();
    else this.sendPermission.allow();
  }

  /** Aborted when requests that wait to be sent are withdrawn. */
  protected get ending(): AbortSignal {
    return this.#ending.signal;
  }

  /**
   * True if the job was not halted, the program is not ending, and no other process has taken the job over, for example
   * while this one was suspended. Ask it before each effect outside the store, such as replacing a file.
   */
  protected get shouldContinue(): boolean {
    if (this.phase() !== 'running' || this.loop.isStopping) return false;
    if (this.isHeld) return true;
    this.loop.stop();
    return false;
  }

  /** False once another process has taken the job over. */
  protected get isHeld(): boolean {
    return this.ledger.holdsLease?.() !== false;
  }

  retryAfterMs(): number {
    return this.ledger.core.error?.details.retryAfterMs ?? 0;
  }

  wakeUp(): void {
    this.ledger.apply([{ type: 'wake' }]);
  }
}
