/** Retries of many requests together: a service in trouble gets few of them. */
import { describe, expect, test } from 'vitest';
import { answered, lane, schedulerRig } from '../helpers/scheduler-rig.ts';

const QUOTA = 20;

describe('retries', () => {
  test('of many requests that fail at once are few, and come back with successes', async () => {
    let isBroken = true;
    const { world, submit, outcome, sent } = schedulerRig(() => answered(isBroken ? 500 : 200));
    const failing = Array.from({ length: 200 }, (_, index) =>
      outcome(submit(`${index}`, { priority: 'upload' })),
    );
    await world.run(300_000);
    expect(new Set(await Promise.all(failing))).toEqual(new Set(['SERVICE_FAILED']));
    expect(sent.length).toBeGreaterThan(200);
    expect(sent.length).toBeLessThanOrEqual(200 + QUOTA);
    isBroken = false;
    for (let index = 0; index < 50; index++) submit('well', { priority: 'upload' });
    await world.run(400_000);
    isBroken = true;
    const before = sent.length;
    const again = outcome(submit('again', { priority: 'upload' }));
    await world.run(500_000);
    expect(await again).toBe('SERVICE_FAILED');
    expect(sent.length - before).toBe(4);
  });

  test('go with the same limits as everything else, and before what waits behind them', async () => {
    const { world, submit, sent } = schedulerRig(({ attempt }) => answered(attempt === 1 ? 500 : 200));
    const at = { lane: lane('metadata-write'), priority: 'upload' } as const;
    const all = Array.from({ length: 15 }, (_, index) => submit(`${index}`, at));
    await world.run();
    await Promise.all(all);
    expect(sent).toHaveLength(30);
    for (const { atMs } of sent) {
      expect(
        sent.filter((other) => other.atMs > atMs - 1_000 && other.atMs <= atMs).length,
      ).toBeLessThanOrEqual(10);
    }
  });

  test('after a 503 that says how long wait so long, also what comes later', async () => {
    const { world, submit, sent } = schedulerRig(({ atMs }) =>
      atMs < 1_000 ? answered(503, { retryAfter: '120' }) : answered(200),
    );
    const first = submit('first', { priority: 'upload' });
    await world.run(500);
    const later = submit('later', { priority: 'upload' });
    await world.run();
    await Promise.all([first, later]);
    expect(sent[0]?.name).toBe('first');
    expect(sent).toHaveLength(3);
    for (const { atMs } of sent.slice(1)) expect(atMs).toBeGreaterThanOrEqual(120_050);
  });

  test('wait ever longer, at random', async () => {
    const gapsOf = async (seed: number) => {
      const { world, submit, outcome, sent } = schedulerRig(() => answered(500), { seed, latencyMs: 1 });
      void outcome(submit('one', { priority: 'upload' }));
      await world.run();
      return sent.slice(1).map(({ atMs }, index) => atMs - (sent[index]?.atMs ?? 0));
    };
    const runs = await Promise.all(Array.from({ length: 60 }, (_, index) => gapsOf(index + 1)));
    const mean = (rank: number) => runs.reduce((sum, gaps) => sum + (gaps[rank] ?? 0), 0) / runs.length;
    expect(mean(1)).toBeGreaterThan(mean(0) * 1.3);
    expect(mean(2)).toBeGreaterThan(mean(1) * 1.3);
    expect(new Set(runs.map(([first]) => first)).size).toBeGreaterThan(40);
  });
});
