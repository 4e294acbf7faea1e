/**
 * A separate process that uses a budget file, for tests with several of them. It submits requests to one lane, and
 * writes a JSON line for each send and each answer. The argument is a JSON object, see `BudgetProcessOptions`.
 */
import { writeSync } from 'node:fs';
import type { Attempt } from '../../electron/core/limits/attempt.ts';
import type { LimitCategory } from '../../electron/core/limits/limits.ts';
import { openBudgetStore } from '../../electron/db/budget-store.ts';
import { bootMs } from '../../electron/db/process-identity.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { createScheduler } from '../../electron/scheduler/request-scheduler.ts';
import { silentLogger } from './virtual-world.ts';

export interface BudgetProcessOptions {
  file: string;
  category: LimitCategory;
  count: number;
  latencyMs: number;
}

const options: BudgetProcessOptions = JSON.parse(process.argv[2] ?? '{}');
const say = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`);

const budget = openBudgetStore({ file: options.file, clock: systemClock, logger: silentLogger });
const scheduler = createScheduler({ clock: systemClock, random: systemRandom, budget, logger: silentLogger });
const lane = {
  origin: 'http://127.0.0.1',
  tokenId: 'token',
  operation: 'DELETE /v3/events',
  category: options.category,
};

async function request(id: number): Promise<void> {
  await scheduler.submit({
    lane,
    priority: 'upload',
    isRepeatSafe: false,
    attempt: () => {
      say({ event: 'sent', id, atMs: bootMs() });
      return new Promise<Attempt<null>>((resolve) => {
        systemClock.setTimer(() => {
          say({ event: 'answered', id, atMs: bootMs() });
          const rate = { limit: null, remaining: null, reset: null, retryAfter: null, date: null };
          resolve({ kind: 'answered', status: 202, rate, value: null });
        }, options.latencyMs);
      });
    },
  });
}

const all = Promise.all(Array.from({ length: options.count }, (_, id) => request(id)));
// Reports repeatedly, until the end: how much of the lane's limit is used, and whether a request could be sent.
let cancelStatus: () => void;
function sayStatus(): void {
  const [status] = scheduler.status();
  say({
    event: 'status',
    used: status?.windows.at(-1)?.used,
    left: status?.windows.at(-1)?.left,
    reason: status?.reason,
  });
  cancelStatus = systemClock.setTimer(sayStatus, 20);
}
cancelStatus = systemClock.setTimer(sayStatus, 20);
await all;
cancelStatus();
await scheduler.stop();
budget.close();
say({ event: 'end' });
