/** A process that sends nothing and its budget file. */
import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Logger } from '../../electron/core/ports.ts';
import { openScheduler } from '../../electron/engine/open-scheduler.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

function schedulerOn(budgetFile: string, isOffline: boolean, logger: Logger = silentLogger) {
  return openScheduler({
    ...{ budgetFile, isOffline, clock: systemClock, random: systemRandom, logger },
    ...{
      wasUsed: false,
      mostAttempts: () => 4,
      onTimeUnconfirmed: () => undefined,
      onDown: () => undefined,
      onChange: () => undefined,
    },
  });
}
const service = { origin: 'https://service.invalid', tokenId: 'none' };

/** Creates a budget file that its last process has closed. */
async function closedBudget(file: string): Promise<void> {
  const { scheduler, close } = schedulerOn(file, false);
  await scheduler.stop();
  close();
}

test('a budget with counters of limits is opened only once they are read', async () => {
  using folder = new DataFolder();
  const file = folder.file('budget.db');
  await closedBudget(file);
  const { scheduler, budget, close } = schedulerOn(file, true);
  scheduler.resume('unauthorized', service.origin, service.tokenId);
  scheduler.allowAttempts(3);
  expect(existsSync(`${file}-shm`)).toBe(false);

  expect(scheduler.status()).toEqual([]);
  expect(budget().error).toBeNull();
  expect(existsSync(`${file}-shm`)).toBe(true);
  await scheduler.stop();
  close();
  expect(existsSync(`${file}-shm`)).toBe(false);
});

test('a damaged one is reported at once', async () => {
  using folder = new DataFolder();
  const file = folder.file('budget.db');
  writeFileSync(file, 'no store');
  const logged: string[] = [];
  const logger = { ...silentLogger, error: (message: string) => logged.push(message) };
  const { scheduler, budget, close } = schedulerOn(file, true, logger);
  expect(logged).toEqual(['budget file not opened']);
  expect(budget().error).toMatchObject({ code: 'STORE_DAMAGED' });
  await scheduler.stop();
  close();
});

test('one that a killed process has left is opened at once', async () => {
  using folder = new DataFolder();
  const file = folder.file('budget.db');
  await closedBudget(file);
  writeFileSync(`${file}-wal`, '');
  const { scheduler, close } = schedulerOn(file, true);
  expect(existsSync(`${file}-shm`)).toBe(true);
  await scheduler.stop();
  close();
});

test('counters and pauses work as in a process that sends', async () => {
  using folder = new DataFolder();
  const file = folder.file('budget.db');
  await closedBudget(file);
  const { scheduler, budget, close } = schedulerOn(file, true);
  scheduler.pauseLanes(service, null);
  expect(scheduler.areLanesPaused(service)).toBe(true);
  expect(budget().error).toBeNull();
  await scheduler.stop();
  close();
});

test('a missing file is created at once, as it would be taken for a lost one later', async () => {
  using folder = new DataFolder();
  const file = folder.file('budget.db');
  const { scheduler, close } = schedulerOn(file, true);
  expect(existsSync(file)).toBe(true);
  await scheduler.stop();
  close();
});
