/** Budget files in virtual time, each with any number of processes. Each test file has its own folder. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BudgetLedger } from '../../electron/core/limits/budget-ledger.ts';
import { openBudgetStore } from '../../electron/db/budget-store.ts';
import type { ProcessIdentity } from '../../electron/db/process-identity.ts';
import { silentLogger, type VirtualWorld } from './virtual-world.ts';

export const KEY = { origin: 'http://127.0.0.1', tokenId: 'token', operation: 'GET /v3/applications' };
export const DAY_MS = 86_400_000;
const HERE = { computer: 'here', start: '' };

export class BudgetRig {
  readonly folder = mkdtempSync(join(tmpdir(), 'spandeck-budget-'));
  readonly file = join(this.folder, 'budget.db');
  /** Numbers of the killed processes. */
  readonly #killed = new Set<number>();
  readonly #opened: BudgetLedger[] = [];
  #lastPid = 0;

  /** Opens another process. The computer started at `bootedAtMs`; that start may have a name. */
  open(
    world: VirtualWorld,
    bootedAtMs = 0,
    { computer, start }: Pick<ProcessIdentity, 'computer' | 'start'> = HERE,
    wasUsed = false,
  ): BudgetLedger {
    this.#lastPid += 1;
    const identity = {
      ...{ computer, start },
      pid: this.#lastPid,
      space: computer,
      isRunning: (pid: number) => !this.#killed.has(pid),
      isStopped: () => false,
    };
    const ledger = openBudgetStore({
      file: this.file,
      clock: world.process(),
      logger: silentLogger,
      bootMs: () => world.trueMs - bootedAtMs,
      identity,
      wasUsed,
    });
    this.#opened.push(ledger);
    return ledger;
  }

  /** Ends the process of `ledger` at once. Its changes in memory are not written. */
  kill(ledger: BudgetLedger): void {
    this.#killed.add(this.#opened.indexOf(ledger) + 1);
  }

  close(): void {
    for (const ledger of this.#opened) ledger.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const grant = (ledger: BudgetLedger, laneId: number) =>
  ledger.transact(false, (_changes, writer) =>
    writer.permit(laneId, ledger.nowMs() + 1_000, ledger.nowMs() + DAY_MS),
  );
