/** Changes of several records at a real service: stored, continued, or started later. Each record is changed once. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { BulkAct } from '../../electron/shared/bulk-contract.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { BASELINES, BulkRig, type BulkRigOptions } from '../helpers/bulk-rig.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { listedJobs } from '../helpers/listed-jobs.ts';
import { Lives } from '../helpers/lives.ts';
import { READ_ONLY_TOKEN, TOKEN } from '../helpers/sample-service.ts';
import { baselineBody } from './sample-service-cases/monitoring.ts';
import { World } from './sample-service-cases/world.ts';

const HOUR_MS = 3_600_000;
let world: World;
let folder: DataFolder;
let rig: BulkRig;
let aheadMs = 0;
const lives = new Lives('bulk-child.ts');

const open = (options: Partial<BulkRigOptions> = {}) => {
  const { baseUrl } = world.raw.service;
  return new BulkRig({ baseUrl, token: TOKEN, folder, aheadMs: () => aheadMs, ...options });
};
const deletions = () => world.raw.service.report().operations['baselines.delete']?.requests ?? 0;
const make = (count: number) =>
  Promise.all(Array.from({ length: count }, () => world.make('baselines.create', baselineBody(world))));
const there = async (ids: readonly string[]) => {
  const found = await Promise.all(ids.map((id) => world.raw.raw('GET', `/v3/baselines/${id}`)));
  return ids.filter((_, index) => found[index]?.status === 200);
};
/** Resolves once the job has the wanted state, checked after each notification. */
async function until({ heard }: BulkRig, isTrue: (act: BulkAct) => boolean): Promise<BulkAct> {
  await expect.poll(() => heard.some(isTrue), { interval: 5 }).toBe(true);
  const found = heard.find(isTrue);
  if (found === undefined) throw new Error('It was just there.');
  return found;
}

beforeEach(async () => {
  aheadMs = 0;
  world = await World.start();
  folder = new DataFolder();
  rig = open();
});
afterEach(async () => {
  lives.killAll();
  await rig[Symbol.asyncDispose]();
  await world.stop();
  folder[Symbol.dispose]();
});

test('every record has its answer; rejections keep their reasons and can be retried', async () => {
  const ids = await make(6);
  world.raw.service.setFaults([
    {
      match: { operation: 'baselines.delete' },
      after: 2,
      times: 1,
      action: { type: 'status', status: 409, message: 'A rule uses it.' },
    },
  ]);
  const { bulkId } = await rig.delete(ids);
  const ended = await rig.bulk.whenIdle(bulkId);
  expect(ended).toMatchObject({ state: 'done', total: 6, requestsLeft: 0 });
  expect(ended.counts).toMatchObject({ done: 5, failed: 1, unknown: 0, waiting: 0 });
  const { items } = rig.bulk.listItems(bulkId, ['failed'], 0, 10);
  expect(items).toMatchObject([{ error: { code: 'CONFLICT', details: { status: 409 } } }]);
  expect(await there(ids)).toEqual(items.map(({ id }) => id));
  rig.bulk.control(bulkId, 'retry', null);
  expect((await rig.bulk.whenIdle(bulkId)).counts).toMatchObject({ done: 6, failed: 0 });
  expect(deletions()).toBe(7);
  rig.bulk.forget(bulkId);
  expect(rig.bulk.list()).toEqual([]);
});

test.each([
  ['carried out, connection lost', { type: 'drop-after' }, 4],
  ['never read, connection lost', { type: 'drop' }, 5],
  ['500 although it was done', { type: 'status', status: 500, isStored: true }, 4],
  ['503 of a proxy although it was done', { type: 'status', status: 503, isStored: true }, 4],
] as const)('a lost answer is resolved by reading the record: %s', async (_name, action, sent) => {
  const ids = await make(4);
  world.raw.service.setFaults([{ match: { operation: 'baselines.delete' }, after: 2, times: 1, action }]);
  const { bulkId } = await rig.delete(ids);
  const ended = await rig.bulk.whenIdle(bulkId);
  expect(ended).toMatchObject({ state: 'done', counts: { done: 4, unknown: 0, failed: 0 } });
  expect(await there(ids)).toEqual([]);
  expect(deletions()).toBe(sent);
});

test('several ids in a request share their state and their permit', async () => {
  const ids = Array.from({ length: 5 }, (_, index) => (index + 1).toString(16).padStart(32, '0'));
  const act = await rig.bulk.create({
    request: {
      operation: 'traces.delete',
      path: {},
      query: {},
      body: { application_id: world.ids.application },
      ids: { place: 'body', name: 'trace_ids', most: 2 },
    },
    words: { title: 'Delete 5 traces', noun: 'trace', nouns: 'traces', going: 'Deleting', done: 'deleted' },
    records: ids.map((id) => ({ id, name: id })),
    startAtMs: null,
  });
  const { bulkId } = act;
  expect(act).toMatchObject({ state: 'running', requestsLeft: 3, total: 5 });
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ state: 'done', counts: { done: 5 } });
  expect(world.raw.service.report().operations['traces.delete']?.requests).toBe(3);
});

test('a change that a killed process did not store completely is invisible, and is deleted with its requests', async () => {
  const { bulkId } = await rig.delete(['a'], systemClock.nowMs() + HOUR_MS);
  const half = rig.store.bulk.load(bulkId);
  const [kept] = rig.bulk.list();
  rig.store.bulk.create({ ...half, id: 'half', createdAtMs: systemClock.nowMs() - HOUR_MS }, true);
  const records = [{ id: 'a', name: 'a' }];
  rig.store.bulkParts.save('half', { part: 0, records, state: 'waiting', attempts: 0, error: null });
  expect(rig.bulk.list()).toEqual([kept]);
  rig.bulk.recover(true);
  expect(rig.store.bulkParts.count('half', null)).toBe(0);
  expect(rig.bulk.list()).toEqual([kept]);
});

test('a change that must not be sent twice, or not at all, is rejected before anything is stored', async () => {
  const words = { title: 'x', noun: 'x', nouns: 'x', going: 'x', done: 'x' };
  const given = { words, records: [{ id: 'a', name: 'a' }], startAtMs: null };
  const asked = (operation: string) =>
    expect(rig.bulk.create({ ...given, request: { ...BASELINES, operation } })).rejects;
  await asked('baselines.create').toThrow('must not be sent twice');
  await asked('baselines.get').toThrow('changes nothing');
  await asked('events.delete').toThrow('is not sent alone');
  await asked('nothing.at.all').toThrow();
  await expect(rig.delete(['a'], systemClock.nowMs() - 1)).rejects.toThrow('a time that has passed');
  expect(rig.bulk.list()).toEqual([]);
});

describe('a change is suspended automatically, with the reason', () => {
  test('a token without permission to delete ends the requests after the first rejections', async () => {
    const ids = await make(12);
    await using mine = open({ token: READ_ONLY_TOKEN, haste: 1 });
    const { bulkId } = await mine.delete(ids);
    const ended = await mine.bulk.whenIdle(bulkId);
    expect(ended).toMatchObject({ state: 'paused', error: { code: 'FORBIDDEN' } });
    expect(deletions()).toBeLessThanOrEqual(4);
    expect(await there(ids)).toHaveLength(12);
  });

  test('a token that is rejected', async () => {
    const ids = await make(8);
    await using mine = open({ token: 'no-such-token-0123456789', haste: 1 });
    const { bulkId } = await mine.delete(ids);
    const ended = await mine.bulk.whenIdle(bulkId);
    expect(ended).toMatchObject({ state: 'paused', error: { code: 'UNAUTHORIZED' }, counts: { waiting: 8 } });
    expect(await there(ids)).toHaveLength(8);
  });

  test('offline it waits and continues automatically; stopped meanwhile, nothing is sent later', async () => {
    const ids = await make(6);
    let blockingError: AppError | null = new AppError('OFFLINE', 'Working offline.', { outcome: 'unsent' });
    await using mine = open({ blockingError: () => blockingError });
    const { bulkId } = await mine.delete(ids.slice(0, 3));
    await until(mine, ({ state, reason }) => state === 'waiting' && reason === 'Working offline.');
    const stopped = await mine.delete(ids.slice(3));
    mine.bulk.control(stopped.bulkId, 'stop', null);
    expect(deletions()).toBe(0);
    blockingError = null;
    mine.bulk.wake();
    expect(await mine.bulk.whenIdle(bulkId)).toMatchObject({ state: 'done', counts: { done: 3 } });
    expect(await mine.bulk.whenIdle(stopped.bulkId)).toMatchObject({ state: 'stopped', counts: { left: 3 } });
    expect(await there(ids)).toEqual(ids.slice(3));
  });

  test('a read-only connection stores no change, and suspends a planned one at its time', async () => {
    const ids = await make(2);
    let blockingError: AppError | null = null;
    await using mine = open({ blockingError: () => blockingError });
    mine.bulk.recover(true);
    const { bulkId } = await mine.delete(ids, systemClock.nowMs() + HOUR_MS);
    blockingError = new AppError('READ_ONLY', 'A read-only connection.', { outcome: 'unsent' });
    await expect(mine.delete(ids)).rejects.toThrow('A read-only connection.');
    aheadMs = HOUR_MS;
    await until(mine, ({ state }) => state === 'paused');
    expect(mine.bulk.get(bulkId)).toMatchObject({
      reason: 'A read-only connection.',
      counts: { waiting: 2 },
    });
    expect(deletions()).toBe(0);
  });
});

describe('a change planned for later', () => {
  test('starts once at its time, after a restart too, and reports a late start', async () => {
    const ids = await make(3);
    const startAtMs = systemClock.nowMs() + HOUR_MS;
    const { bulkId } = await rig.delete(ids, startAtMs);
    expect(listedJobs(rig.bulk.source)).toMatchObject([
      {
        kind: 'bulk',
        id: bulkId,
        title: 'Delete 3 baselines',
        startAtMs,
        requests: [{ operation: 'baselines.delete', count: 3 }],
      },
    ]);
    await rig[Symbol.asyncDispose]();
    aheadMs = 2 * HOUR_MS;
    rig = open();
    expect(rig.bulk.get(bulkId).state).toBe('scheduled');
    rig.bulk.recover(true);
    const ended = await rig.bulk.whenIdle(bulkId);
    expect(ended).toMatchObject({
      state: 'done',
      counts: { done: 3 },
      lateStart: { plannedAtMs: startAtMs },
    });
    expect(deletions()).toBe(3);
  });

  test('is started by one of two processes on the same folder', async () => {
    const ids = await make(4);
    await using other = open();
    const { bulkId } = await rig.delete(ids, systemClock.nowMs() + HOUR_MS);
    rig.bulk.recover(true);
    other.bulk.recover(true);
    aheadMs = HOUR_MS;
    rig.bulk.wake();
    other.bulk.wake();
    await Promise.all([rig.bulk.whenIdle(bulkId), other.bulk.whenIdle(bulkId)]);
    expect(rig.bulk.get(bulkId)).toMatchObject({ state: 'done', counts: { done: 4 } });
    expect(deletions()).toBe(4);
  });

  test('is rescheduled, cancelled or started at once', async () => {
    const ids = await make(4);
    const later = systemClock.nowMs() + 5 * HOUR_MS;
    const first = await rig.delete(ids.slice(0, 2), later - HOUR_MS);
    expect(rig.bulk.control(first.bulkId, 'schedule', later)).toMatchObject({ startAtMs: later });
    expect(() => rig.bulk.control(first.bulkId, 'schedule', 1)).toThrow('a time that has passed');
    await rig.bulk.source.control(first.bulkId, 'unschedule', null);
    expect(rig.bulk.get(first.bulkId)).toMatchObject({ state: 'stopped', reason: 'Cancelled.' });
    const second = await rig.delete(ids.slice(2), later);
    await rig.bulk.source.control(second.bulkId, 'start', null);
    expect(await rig.bulk.whenIdle(second.bulkId)).toMatchObject({ state: 'done', counts: { done: 2 } });
    expect(rig.bulk.source.jobs.starts.all()).toEqual([]);
    expect(await there(ids)).toEqual(ids.slice(0, 2));
  });
});

test('paused, resumed, cancelled: the remaining records can be sent again', async () => {
  await using mine = open({ haste: 1 });
  const ids = await make(20);
  world.raw.service.setFaults([
    { match: { operation: 'baselines.delete' }, action: { type: 'delay', delayMs: 20 } },
  ]);
  const { bulkId } = await mine.delete(ids);
  await until(mine, ({ counts }) => counts.done > 0);
  mine.bulk.control(bulkId, 'pause', null);
  const paused = await mine.bulk.whenIdle(bulkId);
  expect(paused).toMatchObject({ state: 'paused', counts: { sending: 0, unknown: 0 } });
  expect(() => mine.bulk.forget(bulkId)).toThrow('Stop it first.');
  mine.bulk.control(bulkId, 'resume', null);
  mine.bulk.control(bulkId, 'stop', null);
  const stopped = await mine.bulk.whenIdle(bulkId);
  expect(stopped.counts.done + stopped.counts.left).toBe(20);
  expect(await there(ids)).toHaveLength(stopped.counts.left);
  mine.bulk.control(bulkId, 'retry', null);
  expect(await mine.bulk.whenIdle(bulkId)).toMatchObject({ state: 'done', counts: { done: 20 } });
  expect(deletions()).toBe(20);
});

/** Runs a process with a change, which is killed after this many lines. Resolves with the last line. */
const live = (bulkId: string, killAfter: number | null) =>
  lives.live(
    { url: world.raw.service.baseUrl, token: TOKEN, folder: folder.path, change: bulkId },
    killAfter,
  );

test('killed three times while running: every record is deleted, none twice', async () => {
  const next = seededNumbers(20_261);
  const ids = await make(40);
  // Every second line means that a request is in flight when its process is killed. Some answers never arrive.
  world.raw.service.setFaults([
    { match: { operation: 'baselines.delete' }, after: 5, every: 7, action: { type: 'drop-after' } },
    { match: { operation: 'baselines.delete' }, action: { type: 'delay', delayMs: 40 } },
  ]);
  const { bulkId } = await rig.delete(ids, systemClock.nowMs() + HOUR_MS);
  rig.bulk.control(bulkId, 'start', null);
  await until(rig, ({ counts }) => counts.done > 0);
  await rig[Symbol.asyncDispose]();
  for (let kill = 0; kill < 3; kill += 1) await live(bulkId, 2 + Math.floor(next() * 9));
  expect(await live(bulkId, null)).toBe('ended done');
  rig = open();
  expect(rig.bulk.get(bulkId)).toMatchObject({
    state: 'done',
    counts: { done: 40, failed: 0, unknown: 0, left: 0, waiting: 0, sending: 0 },
  });
  expect(await there(ids)).toEqual([]);
  const { statuses = {} } = world.raw.service.report().operations['baselines.delete'] ?? {};
  expect(statuses['404'] ?? 0).toBe(0);
});

test('a change that a killed process was sending can be paused, and then continued', async () => {
  const ids = await make(2);
  const { bulkId } = await rig.delete(ids, systemClock.nowMs() + HOUR_MS);
  rig.store.bulk.save({ ...rig.store.bulk.load(bulkId), state: 'running', startAtMs: null });
  rig.store.bulkParts.change(bulkId, 0, { state: 'sending', error: null }, 1);
  expect(rig.bulk.control(bulkId, 'pause', null)).toMatchObject({
    ...{ state: 'paused', reason: 'Paused.', counts: { waiting: 1, sending: 0, unknown: 1 } },
  });
  rig.bulk.control(bulkId, 'resume', null);
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ state: 'done', counts: { done: 2 } });
});
