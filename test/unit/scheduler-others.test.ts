/** How the requests of another process affect a waiting lane. */
import { afterEach, describe, expect, test } from 'vitest';
import { forgotten, initialState, merged, moveBack } from '../../electron/core/limits/learned-state.ts';
import { closeComputers, processesRig, STORES } from '../helpers/processes-rig.ts';
import { answered, dateAt, lane } from '../helpers/scheduler-rig.ts';
import { START_MS } from '../helpers/virtual-world.ts';

afterEach(closeComputers);

const ONE_A_MINUTE = { limit: '1 per 1 minute' };

describe.each(STORES)('requests of another process in flight (%s)', (store) => {
  test('count as long as they last, however long that is', async () => {
    const minutes = 60_000;
    const { world, send, sent } = processesRig(store, 2, 'spans-query');
    for (let index = 0; index < 10; index++) send(0, 'slow', undefined, { latencyMs: 20 * minutes });
    await world.run(10 * minutes);
    send(1, 'next');
    await world.run(30 * minutes);
    const slow = sent.filter(({ name }) => name === 'slow');
    const next = sent.find(({ name }) => name === 'next');
    expect(slow.at(-1)?.atMs).toBeLessThan(10 * minutes);
    expect((next?.atMs ?? 0) - (slow[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(20 * minutes);
  });

  test('are not said to be in progress here', async () => {
    const { world, scheduler, send } = processesRig(store, 2);
    for (let index = 0; index < 3; index++) send(0, 'slow', undefined, { latencyMs: 60_000 });
    await world.run(1_000);
    send(1, 'own', undefined, { latencyMs: 60_000 });
    await world.run(2_000);
    const { inFlight, inFlightOfOthers } = scheduler(1).status()[0] ?? {};
    expect(inFlight).toBe(1);
    // There may be more, as the file may also count permits in stock.
    expect(inFlightOfOthers).toBeGreaterThanOrEqual(3);
  });

  test('count once, even if that process moved them because of a sleep', async () => {
    const { world, computer, scheduler, send } = processesRig(store, 2, 'event-deletion');
    const dated = () => answered(200, { date: dateAt(world) });
    for (const index of [1, 0]) send(index, 'evening', dated);
    await world.run(1_000);
    const used = (index: number) => scheduler(index).status()[0]?.windows[0]?.used;
    expect([used(0), used(1)]).toEqual([2, 2]);
    computer.sleep(3_600_000, false);
    await world.run(3_700_000);
    send(1, 'morning', dated);
    await world.run(3_701_000);
    expect([used(0), used(1)]).toEqual([3, 3]);
  });

  test('limits in its answers are known at once: nothing is sent in between', async () => {
    const { world, send, sent } = processesRig(store, 2);
    send(1, 'warm');
    await world.run(1_000);
    send(0, 'refused', () => answered(429, { retryAfter: '60' }));
    await world.run(1_062);
    send(1, 'next');
    await world.run(100_000);
    expect(sent.find(({ name }) => name === 'next')?.atMs).toBeGreaterThanOrEqual(61_000);
  });
});

describe.each(STORES)('limits that another process deletes (%s)', (store) => {
  test('are deleted here as well, and stay so', async () => {
    const { world, scheduler, send } = processesRig(store, 2);
    send(0, 'first', () => answered(200, ONE_A_MINUTE));
    await world.run(1_000);
    scheduler(1).plan([{ lane: lane(), count: 0 }]);
    const minute = (index: number) => scheduler(index).status()[0]?.windows.at(-1)?.count;
    expect([minute(0), minute(1)]).toEqual([1, 1]);
    scheduler(1).forget(lane());
    expect([minute(0), minute(1)]).toEqual([1_000, 1_000]);
    send(0, 'second');
    await world.run(2_000);
    expect([minute(0), minute(1)]).toEqual([1_000, 1_000]);
  });

  test.each([
    ['an answer in another lane', 'answer'],
    ['somebody looks at the lanes', 'status'],
  ])('release requests that waited for the old limit, as soon as %s', async (_what, by) => {
    const { world, scheduler, send, sent } = processesRig(store, 2);
    send(0, 'first', () => answered(200, ONE_A_MINUTE));
    await world.run(1_000);
    send(0, 'waiting', () => answered(200));
    // The answer to this request is the next event in this process.
    if (by === 'answer') send(0, 'other', undefined, { operation: 'GET /v3/other', latencyMs: 1_150 });
    await world.run(2_000);
    scheduler(1).forget(lane());
    expect(sent.map(({ name }) => name)).not.toContain('waiting');
    if (by === 'status') scheduler(0).status();
    await world.run(2_200);
    expect(sent.map(({ name }) => name)).toContain('waiting');
  });

  test('are reported at once, even to a process that checked a moment ago and was alone', async () => {
    const { world, computer, scheduler, send } = processesRig(store, 1);
    send(0, 'first', () => answered(200, ONE_A_MINUTE));
    await world.run(1_000);
    const minute = () => scheduler(0).status()[0]?.windows.at(-1)?.count;
    expect(minute()).toBe(1);
    computer.start(1);
    scheduler(1).forget(lane());
    expect(minute()).toBe(1_000);
  });

  test('after the computer slept, a Retry-After is not shortened twice for one sleep', async () => {
    const { world, computer, scheduler, send, sent } = processesRig(store, 2);
    const dated = () => answered(200, { date: dateAt(world) });
    let refusals = 0;
    const refusedOnce = () =>
      refusals++ === 0 ? answered(429, { retryAfter: '3600', date: dateAt(world) }) : dated();
    send(0, 'before', dated);
    send(1, 'before', dated, { operation: 'GET /v3/other' });
    await world.run(1_000);
    computer.sleep(1_800_000, false);
    await world.run(1_801_000);
    send(1, 'morning', dated, { operation: 'GET /v3/other' });
    send(0, 'refused', refusedOnce);
    await world.run(1_803_000);
    scheduler(1).plan([{ lane: lane(), count: 0 }]);
    scheduler(1).forget(lane());
    for (const index of [0, 1]) send(index, `later ${index}`, dated);
    await world.run(10_000_000);
    const later = sent.filter(({ name }) => name.startsWith('later'));
    expect(later).toHaveLength(2);
    for (const { atMs } of later) expect(atMs).toBeGreaterThanOrEqual(1_801_000 + 3_600_000);
  });
});

test('a park moved by a sleep is not moved again by a process that deletes limits and reads it again', () => {
  const unseen = { untilMs: START_MS + 1_000, byMs: 900_000, atMs: START_MS + 1_500 };
  const state = { ...initialState('metadata-read', START_MS), parkedUntilMs: START_MS + 3_600_000 };
  moveBack(state, unseen);
  const before = state.parkedUntilMs;
  const after = forgotten(state, 'metadata-read', START_MS + 2_000);
  expect(merged(after, state).parkedUntilMs).toBe(before);
  expect(moveBack(after, unseen)).toBe(false);
  expect(after.parkedUntilMs).toBe(before);
});

test('an absurd wait that one process deleted is not restored by another', () => {
  const state = {
    ...initialState('metadata-read', 0),
    ...{ refusals: 1, changedAtMs: START_MS, parkedUntilMs: START_MS + 86_400_000, isWaitCut: true },
    cap: { left: 0, afterMs: START_MS, untilMs: START_MS + 86_400_000, isCut: true },
  };
  const after = forgotten(state, 'metadata-read', START_MS + 2_000);
  const answered = { ...after, changedAtMs: START_MS + 3_000, isProbing: false };
  for (const both of [merged(after, state), merged(state, after), merged(state, answered)]) {
    expect(both).toMatchObject({ parkedUntilMs: null, cap: null, isProbing: true });
  }
});

test('rejections that one process deleted are not restored by another', () => {
  const state = { ...initialState('metadata-read', 0), refusals: 3, changedAtMs: START_MS };
  const after = forgotten(state, 'metadata-read', START_MS + 2_000);
  for (const both of [merged(after, state), merged(state, after)]) {
    expect(both).toMatchObject({ refusals: 0, changedAtMs: null, isProbing: true });
  }
});

test('a reset announced during a sleep, before or after it, is not tried: it may be too early', () => {
  const unseen = { untilMs: START_MS, byMs: 900_000, atMs: START_MS + 10_000 };
  const said = (saidAtMs: number) => {
    const state = initialState('event-deletion', START_MS - 60_000);
    for (const window of state.windows) {
      window.resetAtMs = START_MS + 3_600_000;
      window.resetSaidAtMs = saidAtMs;
    }
    moveBack(state, unseen);
    return state.windows[0]?.resetAtMs;
  };
  expect(said(START_MS)).toBe(START_MS + 2_700_000);
  expect(said(START_MS + 5_000)).toBe(null);
  expect(said(START_MS + 10_000)).toBe(START_MS + 3_600_000);
});
