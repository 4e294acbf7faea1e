import { describe, expect, test } from 'vitest';
import { answered, failed, lane, schedulerRig } from '../helpers/scheduler-rig.ts';

const many = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i));

describe('permits and sends', () => {
  test('the requests that fit in the windows are sent at once, the rest when capacity becomes free', async () => {
    const { world, submit, sent } = schedulerRig();
    const all = many(35, (i) => submit(`${i}`));
    await world.run();
    await Promise.all(all);
    expect(sent.filter(({ atMs }) => atMs === 0)).toHaveLength(30);
    expect(sent[30]?.atMs).toBeGreaterThanOrEqual(1_050);
    expect(sent[34]?.atMs).toBeLessThan(1_100);
  });

  test('the answer has its attempts, waiting and network time', async () => {
    const { world, submit } = schedulerRig(() => answered(200), { latencyMs: 70 });
    const all = many(31, (i) => submit(`${i}`));
    await world.run();
    expect(await all[0]).toMatchObject({ value: 'status 200', status: 200, attempts: 1 });
    const last = await all[30];
    expect(last?.queuedMs).toBeGreaterThan(1_000);
    expect(last?.networkMs).toBeCloseTo(70, 0);
  });

  test('each token and endpoint has its own lane: a full one does not slow another', async () => {
    const { world, submit, sent } = schedulerRig();
    for (const i of many(60, (index) => index)) submit(`full ${i}`);
    submit('other endpoint', { lane: lane('metadata-read', 'GET /v3/models') });
    submit('other token', { lane: { ...lane(), tokenId: 'second' } });
    await world.run(500);
    const others = sent.map(({ name }) => name).filter((name) => !name.startsWith('full'));
    expect(others).toEqual(['other endpoint', 'other token']);
    expect(sent).toHaveLength(32);
  });

  test('an attempt that throws is a failure with an unknown outcome', async () => {
    const { world, submit } = schedulerRig();
    const broken = submit('broken', {
      isRepeatSafe: false,
      attempt: () => Promise.reject(new TypeError('not a function')),
    });
    const check = expect(broken).rejects.toMatchObject({ code: 'INTERNAL', details: { outcome: 'unknown' } });
    await world.run();
    await check;
  });
});

describe('order of requests', () => {
  test('a visible view overtakes ten thousand uploads', async () => {
    const { world, submit, sent } = schedulerRig();
    for (const i of many(10_000, (index) => index)) void submit(`upload ${i}`, { priority: 'upload' });
    await world.run(500);
    submit('view');
    await world.run(1_200);
    expect(sent[30]?.name).toBe('view');
  });

  test('two uploads alternate', async () => {
    const { world, submit, names } = schedulerRig();
    for (const i of many(40, (index) => index)) submit(`a${i}`, { priority: 'upload', group: 'a' });
    for (const i of many(5, (index) => index)) submit(`b${i}`, { priority: 'upload', group: 'b' });
    await world.run(500);
    expect(names().slice(0, 10)).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2', 'a3', 'b3', 'a4', 'b4']);
  });

  test('no starvation: a prefetch is sent while views keep arriving', async () => {
    const { world, submit, sent } = schedulerRig();
    submit('first');
    const more = () => void submit('view').then(more);
    for (const _ of many(100, (index) => index)) more();
    submit('prefetch', { priority: 'prefetch' });
    await world.run(2_000);
    expect(sent.findIndex(({ name }) => name === 'prefetch')).toBeGreaterThan(0);
  });
});

describe('use of sockets', () => {
  test('no more requests in flight than sockets; two sockets are reserved for visible views', async () => {
    const { world, submit, names } = schedulerRig(() => answered(200), { settings: { maxInFlight: 6 } });
    for (const i of many(20, (index) => index)) submit(`${i}`, { priority: 'prefetch' });
    await world.run(10);
    expect(names()).toHaveLength(4);
    for (const i of many(3, (index) => index)) {
      submit(`view ${i}`, { lane: lane('metadata-read', 'GET /v3/models') });
    }
    await world.run(20);
    expect(names().slice(4)).toEqual(['view 0', 'view 1']);
  });

  test('lanes of equal priority alternate', async () => {
    const { world, submit, sent } = schedulerRig(() => answered(200), { settings: { maxInFlight: 3 } });
    for (const i of many(12, (index) => index)) submit(`a${i}`);
    for (const i of many(3, (index) => index))
      submit(`b${i}`, { lane: lane('metadata-read', 'GET /v3/models') });
    await world.run(120);
    expect(sent.map(({ name }) => name).slice(0, 6)).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'b2']);
  });

  test('another lane gets its share however busy the sockets are', async () => {
    const { world, submit, sent } = schedulerRig(() => answered(200), { settings: { maxInFlight: 2 } });
    for (const i of many(400, (index) => index)) {
      submit(`${i}`, { lane: lane('metadata-read', `GET /v3/${i % 8}`) });
    }
    submit('low', { lane: lane('metadata-read', 'GET /v3/low'), priority: 'prefetch' });
    await world.run(2_000);
    expect(sent.findIndex(({ name }) => name === 'low')).toBeGreaterThan(0);
    expect(sent.length).toBeLessThan(100);
  });
});

describe('identical reads', () => {
  test('ten reads of the same page send one request, also while it is in flight', async () => {
    const { world, submit, sent } = schedulerRig();
    const first = many(9, () => submit('page', { shareKey: 'page' }));
    await world.run(20);
    const late = submit('page', { shareKey: 'page' });
    await world.run();
    expect(sent).toHaveLength(1);
    expect((await late).value).toBe((await first[0])?.value);
    submit('page', { shareKey: 'page' });
    await world.run();
    expect(sent).toHaveLength(2);
  });

  test('only the last cancel ends the request; the others get their answer', async () => {
    const { world, submit, outcome } = schedulerRig();
    const [one, two] = [new AbortController(), new AbortController()];
    const outcomes = Promise.all([
      outcome(submit('page', { shareKey: 'page', signal: one.signal })),
      outcome(submit('page', { shareKey: 'page', signal: two.signal })),
    ]);
    await world.run(10);
    one.abort();
    await world.run();
    expect(await outcomes).toEqual(['CANCELLED', 'status 200']);
  });

  test.each([
    ['was answered', () => answered(200)],
    ['has no answer', () => failed('unknown')],
  ])('a read after a change that %s is not answered from before it', async (_, end) => {
    const write = { isRepeatSafe: false, lane: lane('metadata-write', 'PATCH /v3/applications') };
    const { world, submit, sent, outcome } = schedulerRig(
      ({ name }) => (name === 'change' ? end() : answered(200)),
      { latencyMs: 60 },
    );
    void outcome(submit('change', write));
    await world.run(30);
    const before = submit('page', { shareKey: 'page' });
    await world.run(70);
    const after = submit('page', { shareKey: 'page' });
    const joined = submit('page', { shareKey: 'page' });
    await world.run();
    expect(sent.map(({ name }) => name)).toEqual(['change', 'page', 'page']);
    const [first, second, third] = await Promise.all([before, after, joined]);
    expect([first.attempts, second === third, first === second]).toEqual([1, true, false]);
  });

  test('a change cancelled in flight may have been applied: a later read is sent anew', async () => {
    const { world, submit, sent, outcome } = schedulerRig(undefined, { latencyMs: 60 });
    const abort = new AbortController();
    const change = outcome(submit('change', { isRepeatSafe: false, signal: abort.signal }));
    void outcome(submit('page', { shareKey: 'page' }));
    await world.run(30);
    abort.abort();
    expect(await change).toBe('CANCELLED');
    void outcome(submit('page', { shareKey: 'page' }));
    await world.run();
    expect(sent.map(({ name }) => name)).toEqual(['change', 'page', 'page']);
  });

  test('a shared request has the highest priority of its callers', async () => {
    const { world, submit, sent } = schedulerRig();
    for (const i of many(40, (index) => index)) submit(`upload ${i}`, { priority: 'upload' });
    submit('page', { priority: 'prefetch', shareKey: 'page' });
    await world.run(500);
    submit('page', { priority: 'view', shareKey: 'page' });
    await world.run(1_200);
    expect(sent[30]?.name).toBe('page');
  });
});

describe('cancelling a request', () => {
  test('a queued permit is free at once and nothing is sent', async () => {
    const { world, submit, scheduler, outcome, names } = schedulerRig();
    const abort = new AbortController();
    for (const i of many(30, (index) => index)) submit(`${i}`);
    const gone = outcome(submit('gone', { signal: abort.signal }));
    await world.run(10);
    abort.abort();
    expect(await gone).toBe('CANCELLED');
    expect(scheduler.status()[0]?.queued).toBe(0);
    await world.run();
    expect(names()).not.toContain('gone');
  });

  test('in flight it rejects at once, reports the outcome as unknown, and keeps the permit', async () => {
    const { world, submit, scheduler } = schedulerRig(() => answered(200), { latencyMs: 5_000 });
    const abort = new AbortController();
    const sent = submit('sent', { signal: abort.signal, isRepeatSafe: false });
    await world.run(10);
    abort.abort();
    await expect(sent).rejects.toMatchObject({ code: 'CANCELLED', details: { outcome: 'unknown' } });
    await world.run(1_500);
    expect(scheduler.status()[0]?.windows[0]).toMatchObject({ used: 1 });
  });

  test('stop ends queued and in-flight requests, once each', async () => {
    const { world, submit, scheduler, outcome } = schedulerRig();
    const all = Promise.all(many(40, (i) => outcome(submit(`${i}`))));
    await world.run(10);
    await scheduler.stop();
    expect(new Set(await all)).toEqual(new Set(['CANCELLED']));
    expect(await outcome(submit('late'))).toBe('CANCELLED');
  });

  test('the queue is bounded', async () => {
    const { submit, outcome } = schedulerRig(() => answered(200), { settings: { maxQueued: 10 } });
    const all = many(11, (i) => outcome(submit(`${i}`)));
    expect(await all[10]).toBe('QUEUE_FULL');
  });
});
