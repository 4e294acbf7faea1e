/** Many requests are retried together, but a service with problems receives only a few of them. */
import { describe, expect, test } from 'vitest';
import { answered, failed, lane, schedulerRig } from '../helpers/scheduler-rig.ts';

const QUOTA = 20;

describe('retries of requests', () => {
  test('of many requests that fail at once are few, and return with successes', async () => {
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

  test('use the same limits as all requests, and are sent before the queued requests', async () => {
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

  test('wait for their backoff alone, even while another lane waits for its day', async () => {
    const { world, submit, sent } = schedulerRig(({ name, attempt }) =>
      answered(name === 'bad' && attempt === 1 ? 500 : 200),
    );
    const deletion = { lane: lane('event-deletion', 'DELETE /v3/events'), priority: 'upload' } as const;
    for (let index = 0; index < 31; index++) submit('deletion', deletion);
    await world.run(1_000);
    submit('good');
    await world.run(1_030);
    submit('bad');
    await world.run(10_000);
    const [first, again] = sent.filter(({ name }) => name === 'bad');
    expect(first?.atMs).toBe(1_030);
    expect(again?.atMs).toBeLessThanOrEqual(1_080 + 400);
  });

  test('a late success releases requests that waited for a service assumed to be down', async () => {
    const { world, submit, outcome, sent } = schedulerRig(() => answered(502));
    const late = () =>
      new Promise<ReturnType<typeof answered>>((resolve) => {
        world.after(200, () => resolve(answered(200)));
      });
    submit('late', { attempt: late });
    for (let index = 0; index < 5; index++) void outcome(submit('down', { isRepeatSafe: false }));
    await world.run(100);
    void outcome(submit('next', { priority: 'upload', isRepeatSafe: false }));
    await world.run(5_000);
    expect(sent.find(({ name }) => name === 'next')?.atMs).toBe(200);
  });

  test('are not made for a stopped sample service, and nothing is delayed once it is started', async () => {
    const { world, submit, outcome } = schedulerRig(({ name }) =>
      name === 'stopped' ? failed('unsent', 'SAMPLE_STOPPED') : answered(200),
    );
    const stopped = Array.from({ length: 12 }, () => outcome(submit('stopped')));
    await world.run(100);
    expect(new Set(await Promise.all(stopped))).toEqual(new Set(['SAMPLE_STOPPED']));
    const started = outcome(submit('started', { priority: 'click' }));
    await world.run(200);
    expect(await started).toBe('status 200');
  });

  test('after a 503 with a wait, all requests wait that long, later ones too', async () => {
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

  test('wait increasingly long, at random', async () => {
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
