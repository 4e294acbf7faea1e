import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { guardTimers } from '../../electron/core/guard-timers.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

test('a timer that throws, or whose asynchronous work rejects, is reported by its name and ends nothing else', async () => {
  const failures: string[] = [];
  const virtual = new VirtualClock();
  const clock = guardTimers(virtual, (what, thrown) => failures.push(`${what}: ${String(thrown)}`));
  let isDone = false;
  clock.setTimer(
    () => {
      throw new Error('database or disk is full');
    },
    10,
    'sweeping',
  );
  clock.setTimer(
    async () => {
      await Promise.resolve();
      throw new Error('the job is gone');
    },
    10,
    'counting again',
  );
  clock.setTimer(() => {
    isDone = true;
  }, 10);
  virtual.advance(10);
  await new Promise((resolve) => setImmediate(resolve));
  expect(failures).toEqual([
    'sweeping: Error: database or disk is full',
    'counting again: Error: the job is gone',
  ]);
  expect(isDone).toBe(true);
});

test('a cancelled timer does not run', () => {
  const virtual = new VirtualClock();
  const clock = guardTimers(virtual, () => undefined);
  let count = 0;
  const cancel = clock.setTimer(() => {
    count += 1;
  }, 10);
  cancel();
  virtual.advance(20);
  expect(count).toBe(0);
});

/** Work of timers that needs no name, as it is written in the source. Ending a wait cannot fail. */
const UNNAMED =
  /[cC]lock\.setTimer\((?!end\b|resolve\b|\(\) => (?:\w+\.)?resolve\()(?:[^()']|\((?:[^()']|\([^()']*\))*\))*\)/g;

test('every timer of the engine that does work has a name', () => {
  const rooms = [
    'analysis',
    'api',
    'bulk',
    'connections',
    'core',
    'datasets',
    'db',
    'export',
    'jobs',
    'keep',
  ];
  const more = ['library', 'outbox', 'pack', 'resources', 'scheduler', 'uploads'];
  const files = [...rooms, ...more].flatMap((room) =>
    readdirSync(`electron/${room}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && name !== 'guard-timers.ts')
      .map((name) => `electron/${room}/${name}`),
  );
  const unnamed = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(UNNAMED)]
      .filter(([call]) => !/, what\)$/i.test(call))
      .map(([call]) => `${file}: ${call.slice(0, 80)}`),
  );
  expect(unnamed).toEqual([]);
});
