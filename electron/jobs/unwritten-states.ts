/** The states of jobs that ended here while the disk did not accept them. */
import type { LeaseKeeper } from '../core/jobs/lease.ts';
import type { HostedLedger } from './types.ts';

interface UnwrittenDeps {
  leases: Pick<LeaseKeeper, 'take'>;
  /** The revision that the store has; null if there is no such job. */
  revision: (id: string) => number | null;
}

export class UnwrittenStates<Ledger extends HostedLedger> {
  readonly #deps: UnwrittenDeps;
  readonly #kept = new Map<string, { ledger: Ledger; revision: number | null }>();

  constructor(deps: UnwrittenDeps) {
    this.#deps = deps;
  }

  /** Call when the job has ended here. Does nothing if the store has its state. */
  keep(ledger: Ledger): void {
    const { id } = ledger;
    if (ledger.isUnwritten) this.#kept.set(id, { ledger, revision: this.#deps.revision(id) });
  }

  /** Null once the store has this state, or a newer one of another process. */
  find(id: string): Ledger | null {
    const kept = this.#kept.get(id);
    if (kept === undefined) return null;
    if (kept.ledger.isUnwritten && kept.revision === this.#deps.revision(id)) return kept.ledger;
    this.#kept.delete(id);
    return null;
  }

  forget(id: string): void {
    this.#kept.delete(id);
  }

  /** Throws DISK_FULL, STORE_FAILED, and CONFLICT while another process is running the job. */
  writeDown(id: string): void {
    const ledger = this.find(id);
    if (ledger === null) return;
    const release = this.#deps.leases.take(id, () => undefined);
    try {
      if (this.find(id) === ledger) ledger.writeDown();
    } finally {
      release();
    }
  }

  /** One more attempt for each. */
  writeAll(onFailure: (id: string, problem: unknown) => void): void {
    for (const id of [...this.#kept.keys()]) {
      try {
        this.writeDown(id);
      } catch (problem) {
        onFailure(id, problem);
      }
    }
  }
}
