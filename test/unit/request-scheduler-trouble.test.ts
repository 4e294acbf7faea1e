/** The scheduler during rejections and delays: retries, the token, and pauses. */
import { describe, expect, test } from 'vitest';
import type { Attempt } from '../../electron/core/limits/attempt.ts';
import { answered, failed, lane, ORIGIN, schedulerRig } from '../helpers/scheduler-rig.ts';
import { START_MS } from '../helpers/virtual-world.ts';

const TOKEN = { origin: ORIGIN, tokenId: 'token' };
const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

describe('retried failures', () => {
  const script = (...results: Attempt<string>[]) => {
    const rest = [...results];
    return () => rest.shift() ?? answered(200);
  };

  test.each([400, 401, 403, 404, 409, 422])('%i is returned once and never retried', async (status) => {
    const { world, submit, outcome, sent } = schedulerRig(script(answered(status)));
    const result = outcome(submit('one'));
    await world.run();
    expect(await result).toBe(`status ${status}`);
    expect(sent).toHaveLength(1);
  });

  test.each([
    ['500 of a read', answered(500), true, 2],
    ['500 of a publish', answered(500), false, 1],
    ['a lost answer of a read', failed('unknown'), true, 2],
    ['a lost answer of a publish', failed('unknown'), false, 1],
    ['a publish that surely never left', failed('unsent', 'CONNECTION_REFUSED'), false, 2],
    ['a certificate that is not accepted', failed('unsent', 'TLS_FAILED'), true, 1],
    ['429 of a publish', answered(429, { retryAfter: '1' }), false, 2],
    ['501', answered(501), true, 1],
  ])('%s', async (_title, first, isRepeatSafe, sends) => {
    const { world, submit, sent, outcome } = schedulerRig(script(first));
    const result = outcome(submit('one', { isRepeatSafe }));
    await world.run();
    await result;
    expect(sent).toHaveLength(sends);
  });

  test('a request that must not be repeated keeps its own error and states its outcome', async () => {
    const { world, submit } = schedulerRig(script(failed('unknown')));
    const check = expect(submit('publish', { isRepeatSafe: false })).rejects.toMatchObject({
      code: 'CONNECTION_LOST',
      details: { outcome: 'unknown' },
    });
    await world.run();
    await check;
  });

  test('attempts are bounded, each after a longer delay', async () => {
    const { world, submit, sent } = schedulerRig(() => answered(500));
    const check = expect(submit('one')).rejects.toMatchObject({
      code: 'SERVICE_FAILED',
      details: { status: 500 },
    });
    await world.run();
    await check;
    expect(sent).toHaveLength(4);
  });

  test('retries use the same budget', async () => {
    const { world, submit, scheduler } = schedulerRig(script(answered(500)));
    const result = submit('one');
    await world.run();
    await result;
    expect(scheduler.status()[0]?.windows[1]).toMatchObject({ used: 2 });
  });

  test('429 parks the lane for Retry-After, however long, and says until when', async () => {
    const { world, submit, scheduler, sent } = schedulerRig(script(answered(429, { retryAfter: '5000' })));
    const all = many(3, (i) => submit(`${i}`, { priority: 'upload' }));
    await world.run(1_000);
    const [status] = scheduler.status();
    expect(status?.reason).toBe('retry-after');
    expect(status?.parkedUntilMs).toBeGreaterThanOrEqual(START_MS + 5_000_000);
    await world.run();
    await Promise.all(all);
    expect(sent[3]?.atMs).toBeGreaterThanOrEqual(5_000_050);
  });

  test('after many consecutive 429 answers a request is given up', async () => {
    const { world, submit } = schedulerRig(() => answered(429, { retryAfter: '1' }), {
      settings: { maxRejections: 3 },
    });
    const check = expect(submit('one')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      details: { status: 429 },
    });
    await world.run();
    await check;
  });
});

describe('a rejected token', () => {
  test('pauses the token once, fails requests of visible views, keeps requests that can wait', async () => {
    const asked: string[] = [];
    let isAccepted = false;
    const { world, submit, scheduler, outcome } = schedulerRig(() => answered(isAccepted ? 200 : 401), {
      settings: { onUnauthorized: (origin, tokenId) => asked.push(`${origin} ${tokenId}`) },
    });
    const views = many(40, (i) => outcome(submit(`${i}`)));
    await world.run(100);
    const upload = outcome(submit('upload', { priority: 'upload' }));
    await world.run(10_000);
    expect(asked).toEqual([`${ORIGIN} token`]);
    expect(new Set(await Promise.all(views))).toEqual(new Set(['status 401', 'UNAUTHORIZED']));
    expect(scheduler.status()[0]).toMatchObject({ reason: 'paused', queued: 1 });
    isAccepted = true;
    scheduler.resume('unauthorized', ORIGIN, 'token');
    await world.run();
    expect(await upload).toBe('status 200');
  });
});

describe('a pause of requests', () => {
  test('by the user: queued requests keep waiting, new requests of visible views fail with the reason', async () => {
    const { world, submit, scheduler, outcome, sent } = schedulerRig();
    const kept = many(40, (i) => outcome(submit(`${i}`)));
    await world.run(10);
    expect(sent).toHaveLength(30);
    scheduler.pauseLanes(TOKEN, null);
    const upload = outcome(submit('upload', { priority: 'upload', shareKey: 'page' }));
    expect(await outcome(submit('view'))).toBe('PAUSED');
    expect(await outcome(submit('view', { shareKey: 'page' }))).toBe('PAUSED');
    await world.run(60_000);
    expect(sent).toHaveLength(30);
    expect(scheduler.status()[0]).toMatchObject({
      isPaused: true,
      queued: 11,
      queuedBy: { view: 10, upload: 1 },
      reason: 'paused',
      wait: { pausedBy: 'user', untilMs: null },
    });
    scheduler.resumeLanes(TOKEN, null);
    await world.run();
    expect(await Promise.all(kept)).toEqual(many(40, () => 'status 200'));
    expect(await upload).toBe('status 200');
  });

  test('of one lane leaves the others alone; after a pause of all, one resumed by name runs, and new ones are paused', async () => {
    const { world, submit, scheduler, sent } = schedulerRig();
    const at = (operation: string) => ({
      lane: lane('metadata-read', operation),
      priority: 'upload' as const,
    });
    scheduler.pauseLanes(TOKEN, 'GET /v3/a');
    submit('a', at('GET /v3/a'));
    submit('b', at('GET /v3/b'));
    await world.run(1_000);
    expect(sent.map(({ name }) => name)).toEqual(['b']);
    expect(scheduler.areLanesPaused(TOKEN)).toBe(false);
    scheduler.pauseLanes(TOKEN, null);
    scheduler.resumeLanes(TOKEN, 'GET /v3/a');
    submit('c', at('GET /v3/c'));
    await world.run(2_000);
    expect(sent.map(({ name }) => name)).toEqual(['b', 'a']);
    expect(scheduler.areLanesPaused(TOKEN)).toBe(true);
    submit('another token', { ...at('GET /v3/c'), lane: { ...lane(), tokenId: 'other' } });
    await world.run(3_000);
    expect(sent.map(({ name }) => name)).toEqual(['b', 'a', 'another token']);
    scheduler.pauseLanes(TOKEN, 'GET /v3/b');
    scheduler.resumeLanes(TOKEN, null);
    submit('b again', at('GET /v3/b'));
    await world.run();
    expect(sent.map(({ name }) => name)).toEqual(['b', 'a', 'another token', 'c', 'b again']);
  });

  test('by the user is still shown while working offline blocks the lane too', async () => {
    const { world, submit, scheduler } = schedulerRig();
    scheduler.pauseLanes(TOKEN, null);
    submit('upload', { priority: 'upload' });
    await world.run(10);
    scheduler.pause('offline', ORIGIN);
    expect(scheduler.status()[0]).toMatchObject({ isPaused: true, wait: { pausedBy: 'offline' } });
    scheduler.resume('offline', ORIGIN);
    expect(scheduler.status()[0]).toMatchObject({ isPaused: true, wait: { pausedBy: 'user' } });
    scheduler.resumeLanes(TOKEN, null);
    await world.run();
    expect(scheduler.status()[0]).toMatchObject({ isPaused: false, wasUsed: true });
  });

  test('offline: requests of visible views fail at once, the rest waits', async () => {
    const { world, submit, scheduler, outcome } = schedulerRig();
    scheduler.pause('offline', ORIGIN);
    expect(await outcome(submit('view'))).toBe('OFFLINE');
    const upload = outcome(submit('upload', { priority: 'upload' }));
    await world.run(60_000);
    scheduler.resume('offline');
    await world.run();
    expect(await upload).toBe('status 200');
  });
});
