/** Requests are cancelled in large numbers and at every moment of their life. */
import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import type { AppError } from '../../electron/shared/errors.ts';
import { answered, lane, schedulerRig } from '../helpers/scheduler-rig.ts';

describe('cancelling requests', () => {
  test('one signal for a hundred thousand requests has one listener, frees all permits at once, and ends all sending', async () => {
    const { world, submit, scheduler, sent } = schedulerRig();
    const abort = new AbortController();
    const codes = new Map<string, number>();
    const count = ({ code }: AppError) => void codes.set(code, (codes.get(code) ?? 0) + 1);
    for (let index = 0; index < 100_000; index++) {
      submit('bulk', { priority: 'upload', group: 'bulk', signal: abort.signal }).catch(count);
    }
    submit('other', { priority: 'upload', group: 'other' }).catch(count);
    expect(getEventListeners(abort.signal, 'abort').length).toBeLessThanOrEqual(1);
    await world.run(10);
    expect(scheduler.status()[0]?.queued).toBe(100_001 - sent.length);
    const before = sent.length;
    abort.abort();
    expect(scheduler.status()[0]?.queued).toBeLessThanOrEqual(1);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    await world.run();
    expect(codes).toEqual(new Map([['CANCELLED', 100_000]]));
    expect(sent.slice(before).filter(({ name }) => name !== 'other')).toEqual([]);
  });

  test('a shared request is not sent once all its callers have cancelled, in any order', async () => {
    for (const order of [
      [1, 2, 0],
      [2, 0, 1],
      [0, 1, 2],
      [1, 0, 2],
    ]) {
      const { world, submit, outcome, names } = schedulerRig();
      const at = { lane: lane('metadata-write'), priority: 'upload' } as const;
      for (let index = 0; index < 10; index++) submit('before', at);
      await world.run(10);
      const wanted = Array.from({ length: 3 }, () => new AbortController());
      const outcomes = wanted.map(({ signal }) =>
        outcome(submit('shared', { ...at, shareKey: 'one', signal })),
      );
      for (const index of order) wanted[index]?.abort();
      await world.run();
      expect(await Promise.all(outcomes)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
      expect(names()).not.toContain('shared');
    }
  });

  test('a listener is removed once its request has ended', async () => {
    const { world, submit } = schedulerRig();
    const abort = new AbortController();
    await Promise.all([
      submit('one', { signal: abort.signal }),
      submit('two', { signal: abort.signal }),
      world.run(),
    ]);
    expect(getEventListeners(abort.signal, 'abort')).toHaveLength(0);
    abort.abort();
  });

  test('while it waits for a retry: nothing more is sent', async () => {
    const { world, submit, outcome, sent, scheduler } = schedulerRig(() => answered(500));
    const abort = new AbortController();
    const result = outcome(submit('one', { priority: 'upload', signal: abort.signal }));
    await world.run(60);
    expect(sent).toHaveLength(1);
    expect(scheduler.status()[0]).toMatchObject({ queued: 0, inFlight: 0 });
    abort.abort();
    expect(await result).toBe('CANCELLED');
    await world.run();
    expect(sent).toHaveLength(1);
  });

  test('while the lane is parked: the permit is free, the lane stays parked', async () => {
    const { world, submit, outcome, sent, scheduler } = schedulerRig(({ atMs }) =>
      atMs < 60_000 ? answered(429, { retryAfter: '60' }) : answered(200),
    );
    const abort = new AbortController();
    const result = outcome(submit('one', { priority: 'upload', signal: abort.signal }));
    await world.run(1_000);
    abort.abort();
    expect(await result).toBe('CANCELLED');
    const next = submit('two', { priority: 'upload' });
    expect(scheduler.status()[0]).toMatchObject({ queued: 1, reason: 'retry-after' });
    await world.run();
    await next;
    expect(sent[1]?.atMs).toBeGreaterThanOrEqual(60_050);
  });

  test('the probe of a service that is down: the next request probes instead', async () => {
    let isDown = true;
    const { world, submit, outcome } = schedulerRig(() => answered(isDown ? 503 : 200), { latencyMs: 400 });
    const abort = new AbortController();
    for (let index = 0; index < 5; index++) {
      void outcome(submit(`${index}`, { priority: 'upload', isRepeatSafe: false }));
    }
    await world.run(500);
    const probe = outcome(submit('probe', { priority: 'upload', signal: abort.signal }));
    await world.run(1_450);
    isDown = false;
    abort.abort();
    expect(await probe).toBe('CANCELLED');
    const next = outcome(submit('next', { priority: 'upload' }));
    await world.run(10_000);
    expect(await next).toBe('status 200');
  });

  test('one of two callers of a waiting read: the other still gets it, by its own priority', async () => {
    const { world, submit, outcome, sent } = schedulerRig();
    for (let index = 0; index < 40; index++) submit(`${index}`, { priority: 'upload' });
    const abort = new AbortController();
    const view = outcome(submit('page', { shareKey: 'page', priority: 'view', signal: abort.signal }));
    const prefetch = outcome(submit('page', { shareKey: 'page', priority: 'prefetch' }));
    abort.abort();
    expect(await view).toBe('CANCELLED');
    await world.run();
    expect(await prefetch).toBe('status 200');
    expect(sent.filter(({ name }) => name === 'page')).toHaveLength(1);
  });

  test('frees capacity for another lane if sockets were missing', async () => {
    const { world, submit, outcome, names } = schedulerRig(() => answered(200), {
      latencyMs: 60_000,
      settings: { maxInFlight: 3 },
    });
    const abort = new AbortController();
    const first = [0, 1, 2].map((index) => outcome(submit(`${index}`, { signal: abort.signal })));
    await world.run(10);
    submit('other', { lane: lane('metadata-read', 'GET /v3/other') });
    await world.run(100);
    expect(names()).toEqual(['0', '1', '2']);
    abort.abort();
    expect(await Promise.all(first)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED']);
    await world.run(200);
    expect(names()).toEqual(['0', '1', '2', 'other']);
  });
});

describe('between the permit and the send, by a request sent earlier in the same turn', () => {
  test('cancelled: never sent, its permit and the permit of the day free again', async () => {
    for (const category of ['metadata-read', 'event-deletion'] as const) {
      const { world, submit, outcome, names, scheduler } = schedulerRig();
      const abort = new AbortController();
      const cancelling = async () => {
        abort.abort();
        return answered(200);
      };
      const at = { lane: lane(category), priority: 'upload', isRepeatSafe: false } as const;
      const first = outcome(submit('first', { ...at, attempt: cancelling }));
      const second = submit('second', { ...at, signal: abort.signal });
      await expect(second).rejects.toMatchObject({ code: 'CANCELLED', details: { outcome: 'unsent' } });
      await world.run(1);
      expect(await first).toBe('status 200');
      expect(names()).toEqual([]);
      const [status] = scheduler.status();
      expect(status).toMatchObject({ inFlight: 0, queued: 0 });
      expect(status?.windows.at(-1)).toMatchObject({ used: 1 });
      for (let index = 0; index < 50; index++) void outcome(submit('next', at));
      await world.run(2_000);
      expect(names()).toHaveLength(category === 'event-deletion' ? 29 : 50);
    }
  });

  test('cancelled: its permit is returned, and the next in the queue uses it at once', async () => {
    const never = () => new Promise<never>(() => undefined);
    const { world, submit, outcome, names, budget } = schedulerRig();
    const abort = new AbortController();
    const cancelling = () => {
      abort.abort();
      return never();
    };
    void submit('first', { priority: 'upload', attempt: cancelling });
    const second = outcome(submit('second', { priority: 'upload', signal: abort.signal }));
    for (let index = 0; index < 29; index++) void submit(`${index}`, { priority: 'upload' });
    await world.run(1);
    expect(await second).toBe('CANCELLED');
    expect(names()).toHaveLength(29);
    await world.run(500);
    expect([...budget.permits.values()].filter(({ isReleased }) => isReleased)).toHaveLength(1);
  });

  test('the permit of a cancelled request is returned without any other event', async () => {
    const { world, submit, outcome, budget } = schedulerRig();
    const abort = new AbortController();
    const cancelling = () => {
      abort.abort();
      return new Promise<never>(() => undefined);
    };
    void submit('first', { attempt: cancelling });
    const second = outcome(submit('second', { signal: abort.signal }));
    await world.run(500);
    expect(await second).toBe('CANCELLED');
    expect([...budget.permits.values()].map(({ isReleased }) => isReleased)).toEqual([false, true]);
  });

  test('cancelled: the next request probes the service instead', async () => {
    let isDown = true;
    const { world, submit, outcome, names } = schedulerRig(() => answered(isDown ? 503 : 200));
    const upload = { priority: 'upload', isRepeatSafe: false } as const;
    for (let index = 0; index < 5; index++) void outcome(submit(`${index}`, upload));
    await world.run(1_200);
    isDown = false;
    const abort = new AbortController();
    const cancelling = async () => {
      abort.abort();
      return answered(200);
    };
    // This request was sent to another service just before the probe.
    const elsewhere = { ...lane(), origin: 'http://elsewhere' };
    void outcome(submit('first', { ...upload, lane: elsewhere, attempt: cancelling }));
    const probe = outcome(submit('probe', { ...upload, signal: abort.signal }));
    await world.run(1_210);
    expect(await probe).toBe('CANCELLED');
    const next = outcome(submit('next', upload));
    await world.run(5_000);
    expect(await next).toBe('status 200');
    expect(names().slice(5)).toEqual(['next']);
  });

  test('stopped: never sent', async () => {
    const { world, submit, outcome, names, scheduler } = schedulerRig();
    let stopped: Promise<void> | null = null;
    const stopping = async () => {
      stopped = scheduler.stop();
      return answered(200);
    };
    const all = [outcome(submit('first', { attempt: stopping })), outcome(submit('second'))];
    await world.run();
    await stopped;
    expect(await Promise.all(all)).toEqual(['CANCELLED', 'CANCELLED']);
    expect(names()).toEqual([]);
  });

  test('joined by an urgent caller: sent once, both have the answer', async () => {
    const { world, submit, outcome, names } = schedulerRig();
    const joined: Promise<string>[] = [];
    const joining = async () => {
      joined.push(outcome(submit('page', { shareKey: 'page', priority: 'view' })));
      return answered(200);
    };
    const first = outcome(submit('first', { priority: 'upload', attempt: joining }));
    const page = outcome(submit('page', { shareKey: 'page', priority: 'prefetch' }));
    await world.run();
    expect(await Promise.all([first, page, ...joined])).toEqual(Array(3).fill('status 200'));
    expect(names()).toEqual(['page']);
  });
});

describe('a bounded queue', () => {
  test('says how many it contains and what to do, accepts requests that share a queued one, and accepts more once there is room', async () => {
    const { world, submit, outcome, sent } = schedulerRig(() => answered(200), {
      settings: { maxQueued: 40 },
    });
    const all = Array.from({ length: 39 }, (_, index) => submit(`${index}`, { priority: 'upload' }));
    all.push(submit('page', { priority: 'upload', shareKey: 'page' }));
    await expect(submit('over')).rejects.toMatchObject({
      code: 'QUEUE_FULL',
      message: expect.stringContaining('40 requests are waiting already'),
      details: { outcome: 'unsent', operation: 'GET /v3/applications' },
    });
    const joined = submit('page', { priority: 'upload', shareKey: 'page' });
    await world.run(500);
    const late = outcome(submit('late'));
    await world.run();
    await Promise.all([...all, joined]);
    expect(await late).toBe('status 200');
    expect(sent).toHaveLength(41);
  });
});
