/** A change of several records that was planned or delayed leaves records alone that somebody changed meanwhile. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CHANGE, DELETE } from '../../electron/cli/change-several.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { Resources } from '../../electron/resources/types.ts';
import type { BulkRequest } from '../../electron/shared/bulk-contract.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { plannedRequests } from '../../electron/shared/job-kinds/bulk.ts';
import { withMarks } from '../../electron/shared/seen-record.ts';
import { BulkRig } from '../helpers/bulk-rig.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { ruleBody } from './sample-service-cases/monitoring.ts';
import { World } from './sample-service-cases/world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ids = { place: 'path', name: 'alert_id' } as const;
const DELETION: BulkRequest = { operation: 'alert-rules.delete', path: {}, query: {}, body: null, ids };
const URGENT: BulkRequest = {
  ...{ operation: 'alert-rules.update', path: {}, query: {}, ids },
  body: { priority: 'HIGH' },
};
let world: World;
let folder: DataFolder;
let rig: BulkRig;
let aheadMs = 0;
/** Runs before each reading of a record. */
let beforeReading: (options: Parameters<Resources['readTarget']>[1]) => Promise<void> = async () => undefined;
/** Time in ms until one more request would be sent, by operation. */
let waitsMs: Record<string, number> = {};

beforeEach(async () => {
  aheadMs = 0;
  beforeReading = async () => undefined;
  waitsMs = {};
  world = await World.start();
  folder = new DataFolder();
  const { baseUrl } = world.raw.service;
  rig = new BulkRig({
    ...{ baseUrl, token: TOKEN, folder },
    aheadMs: () => aheadMs,
    waitMs: (operation) => waitsMs[operation] ?? 0,
    wrapResources: (resources) => ({
      ...resources,
      readTarget: async (request, options) => {
        await beforeReading(options);
        return resources.readTarget(request, options);
      },
    }),
  });
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await world.stop();
  folder[Symbol.dispose]();
});

async function makeRules(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let at = 0; at < count; at += 1) made.push(await world.make('alert-rules.create', ruleBody(world)));
  return made;
}

/** Stores a change of the rules as they are listed now. */
async function change(request: BulkRequest, rules: readonly string[], startAtMs: number | null) {
  const { items } = await world.raw.page('/v3/alert-rules?limit=100');
  const shown = rules.map((id) => items.find((item) => item['id'] === id) ?? null);
  expect(shown).not.toContain(null);
  const named = rules.map((id) => ({ id, name: id }));
  const { records, ...seen } = withMarks(named, shown, request.body);
  const deed = request.body === null ? DELETE : CHANGE;
  const words = { ...deed, title: `${deed.title} rules`, noun: 'alert rule', nouns: 'alert rules' };
  return rig.bulk.create({ request: { ...request, ...seen }, words, records, startAtMs });
}

/** Somebody else changes a rule. */
async function update(id: string, body: Record<string, unknown>): Promise<void> {
  const { status } = await world.raw.call('PATCH', `/v3/alert-rules/${id}`, { body });
  expect(status).toBe(200);
}

async function priorityOf(id: string): Promise<unknown> {
  return (await world.raw.call('GET', `/v3/alert-rules/${id}`)).envelope.data?.['priority'];
}
const statusOf = async (id: string) => (await world.raw.raw('GET', `/v3/alert-rules/${id}`)).status;
const reads = () => world.raw.service.report().operations['alert-rules.get']?.requests ?? 0;

test('a planned deletion leaves a rule alone that was changed meanwhile, and a retry deletes it as it is then', async () => {
  rig.bulk.recover(true);
  const [one = '', changed = '', other = ''] = await makeRules(3);
  const { bulkId } = await change(DELETION, [one, changed, other], systemClock.nowMs() + HOUR_MS);
  await update(changed, { name: 'In use now' });
  aheadMs = 2 * HOUR_MS;
  rig.bulk.wake();
  const ended = await rig.bulk.whenIdle(bulkId);
  expect(ended).toMatchObject({ state: 'done', counts: { done: 2, changed: 1, failed: 0 } });
  const { items } = rig.bulk.listItems(bulkId, ['changed'], 0, 10);
  expect(items).toMatchObject([{ id: changed, error: { code: 'CONFLICT' } }]);
  expect(items[0]?.error?.message).toBe(
    'Somebody else changed this alert rule meanwhile, so it was not deleted. Look at it, and retry if you still want this.',
  );
  expect([await statusOf(one), await statusOf(changed)]).toEqual([404, 200]);

  rig.bulk.control(bulkId, 'retry', null);
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ counts: { done: 3, changed: 0 } });
  expect(await statusOf(changed)).toBe(404);
});

test('a rule that is changed again before a retry is left alone again', async () => {
  rig.bulk.recover(true);
  const [rule = ''] = await makeRules(1);
  const { bulkId } = await change(DELETION, [rule], systemClock.nowMs() + HOUR_MS);
  await update(rule, { name: 'First' });
  aheadMs = 2 * HOUR_MS;
  rig.bulk.wake();
  await rig.bulk.whenIdle(bulkId);
  await update(rule, { name: 'Second' });
  rig.bulk.control(bulkId, 'retry', null);
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ counts: { done: 0, changed: 1 } });
  expect(await statusOf(rule)).toBe(200);
});

test('a planned change of one field overwrites no value of that field that nobody saw', async () => {
  rig.bulk.recover(true);
  const [plain = '', renamed = '', raised = '', already = ''] = await makeRules(4);
  const { bulkId } = await change(URGENT, [plain, renamed, raised, already], systemClock.nowMs() + HOUR_MS);
  await update(renamed, { name: 'Another name' });
  await update(raised, { priority: 'MEDIUM' });
  await update(already, { priority: 'HIGH' });
  aheadMs = 2 * HOUR_MS;
  rig.bulk.wake();
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ counts: { done: 3, changed: 1 } });
  expect(rig.bulk.listItems(bulkId, ['changed'], 0, 10).items[0]?.error?.message).toBe(
    'Somebody else changed this alert rule meanwhile, so your change was not made to it. Look at it, and retry if you still want this.',
  );
  expect(await Promise.all([plain, renamed, raised, already].map(priorityOf))).toEqual([
    ...['HIGH', 'HIGH', 'MEDIUM', 'HIGH'],
  ]);
});

test('a change that was planned compares the records even if it starts a few minutes later', async () => {
  rig.bulk.recover(true);
  const [planned = '', postponed = ''] = await makeRules(2);
  const { bulkId } = await change(DELETION, [planned], systemClock.nowMs() + MINUTE_MS);
  // Another one was to start at once, and was paused and planned.
  const { switches } = rig.library.clientRig;
  switches.isOffline = true;
  const other = await change(DELETION, [postponed], null);
  await expect.poll(() => rig.bulk.get(other.bulkId).state).toBe('waiting');
  rig.bulk.control(other.bulkId, 'pause', null);
  await rig.bulk.whenIdle(other.bulkId);
  rig.bulk.control(other.bulkId, 'schedule', systemClock.nowMs() + MINUTE_MS);
  switches.isOffline = false;
  for (const rule of [planned, postponed]) await update(rule, { name: 'In use now' });
  aheadMs = 2 * MINUTE_MS;
  rig.bulk.wake();
  for (const id of [bulkId, other.bulkId])
    expect(await rig.bulk.whenIdle(id)).toMatchObject({ counts: { done: 0, changed: 1 } });
  expect([await statusOf(planned), await statusOf(postponed)]).toEqual([200, 200]);
});

test('a change that is sent at once reads no record first; one that waited for hours does', async () => {
  const [one = '', changed = '', other = ''] = await makeRules(3);
  const { bulkId } = await change(URGENT, [one], null);
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ counts: { done: 1 } });
  expect(reads()).toBe(0);

  const { switches } = rig.library.clientRig;
  switches.isOffline = true;
  const waiting = await change(DELETION, [changed, other], null);
  await expect.poll(() => rig.bulk.get(waiting.bulkId).state).toBe('waiting');
  await update(changed, { name: 'In use now' });
  aheadMs = 5 * HOUR_MS;
  switches.isOffline = false;
  rig.bulk.wake();
  expect(await rig.bulk.whenIdle(waiting.bulkId)).toMatchObject({ counts: { done: 1, changed: 1 } });
  expect(await statusOf(changed)).toBe(200);
});

test('a record that cannot be read at the time is not changed', async () => {
  rig.bulk.recover(true);
  const [rule = ''] = await makeRules(1);
  const { bulkId } = await change(DELETION, [rule], systemClock.nowMs() + HOUR_MS);
  world.raw.service.setFaults([
    { match: { operation: 'alert-rules.get' }, action: { type: 'status', status: 403 } },
  ]);
  aheadMs = 2 * HOUR_MS;
  rig.bulk.wake();
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ counts: { done: 0, failed: 1 } });
  expect(world.raw.service.report().operations['alert-rules.delete']).toBeUndefined();
  world.raw.service.setFaults([]);
  rig.bulk.control(bulkId, 'resume', null);
  await rig.bulk.whenIdle(bulkId);
  rig.bulk.control(bulkId, 'retry', null);
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ state: 'done', counts: { done: 1 } });
});

test('a change that waited while the clock was set back compares the records too', async () => {
  const [one = '', changed = ''] = await makeRules(2);
  const { switches } = rig.library.clientRig;
  switches.isOffline = true;
  const { bulkId } = await change(DELETION, [one, changed], null);
  await expect.poll(() => rig.bulk.get(bulkId).state).toBe('waiting');
  await update(changed, { name: 'In use now' });
  aheadMs = -5 * HOUR_MS;
  switches.isOffline = false;
  rig.bulk.wake();
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ counts: { done: 1, changed: 1 } });
  expect(await statusOf(changed)).toBe(200);
});

/** Resolves when a reading begins; the reading itself never ends before it is aborted. */
function hangingReading(): Promise<void> {
  const begun = Promise.withResolvers<void>();
  beforeReading = (options) => {
    begun.resolve();
    return new Promise((_, reject) => {
      options?.signal?.addEventListener('abort', () =>
        reject(new AppError('CANCELLED', 'Taken back.', { outcome: 'unknown' })),
      );
    });
  };
  return begun.promise;
}

test('a record that is still being read does not count as sent', async () => {
  rig.bulk.recover(true);
  const [rule = ''] = await makeRules(1);
  const { bulkId } = await change(DELETION, [rule], systemClock.nowMs() + HOUR_MS);
  const begun = hangingReading();
  aheadMs = 2 * HOUR_MS;
  rig.bulk.wake();
  await begun;
  // A kill at this moment leaves nothing of unknown outcome.
  expect(rig.store.bulkParts.list(bulkId, null, 0, 10)).toMatchObject([{ state: 'waiting', attempts: 0 }]);
  rig.bulk.control(bulkId, 'pause', null);
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ counts: { waiting: 1, sending: 0, unknown: 0 } });
  beforeReading = async () => undefined;
  rig.bulk.control(bulkId, 'resume', null);
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ state: 'done', counts: { done: 1 } });
});

test('a change that is stopped while a record is read leaves the record as it is', async () => {
  rig.bulk.recover(true);
  const [rule = ''] = await makeRules(1);
  const { bulkId } = await change(DELETION, [rule], systemClock.nowMs() + HOUR_MS);
  const [begun, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  beforeReading = () => {
    begun.resolve();
    return answered.promise;
  };
  aheadMs = 2 * HOUR_MS;
  rig.bulk.wake();
  await begun.promise;
  rig.bulk.control(bulkId, 'stop', null);
  answered.resolve();
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ state: 'stopped', counts: { left: 1, done: 0 } });
  expect(await statusOf(rule)).toBe(200);
});

test('the change waits for the limit of reading before it claims a record', async () => {
  rig.bulk.recover(true);
  const [rule = ''] = await makeRules(1);
  const { bulkId } = await change(DELETION, [rule], systemClock.nowMs() + HOUR_MS);
  waitsMs = { 'alert-rules.get': HOUR_MS };
  aheadMs = 2 * HOUR_MS;
  rig.bulk.wake();
  await expect
    .poll(() => rig.bulk.get(bulkId))
    .toMatchObject({
      state: 'waiting',
      counts: { waiting: 1 },
      error: { code: 'RATE_LIMITED' },
    });
  expect(reads()).toBe(0);
});

test('each record is read once, although readings fail and end in another order', async () => {
  rig.bulk.recover(true);
  const rules = await makeRules(6);
  const { bulkId } = await change(DELETION, rules, systemClock.nowMs() + HOUR_MS);
  let begun = 0;
  let reading = 0;
  let most = 0;
  beforeReading = async () => {
    begun += 1;
    reading += 1;
    most = Math.max(most, reading);
    // The first one fails while others are read.
    await new Promise((resolve) => systemClock.setTimer(() => resolve(null), begun === 1 ? 5 : 20));
    reading -= 1;
    if (begun <= 4) throw new AppError('CONNECTION_REFUSED', 'Nothing left.', { outcome: 'unsent' });
  };
  aheadMs = 2 * HOUR_MS;
  rig.bulk.wake();
  expect(await rig.bulk.whenIdle(bulkId)).toMatchObject({ state: 'done', counts: { done: 6, unknown: 0 } });
  expect(most).toBeLessThanOrEqual(4);
  expect(reads()).toBe(6);
  expect(world.raw.service.report().operations['alert-rules.delete']).toMatchObject({ requests: 6 });
});

test('a planned change names the requests that read its records', async () => {
  const rules = await makeRules(2);
  const planned = await change(DELETION, rules, systemClock.nowMs() + HOUR_MS);
  expect(plannedRequests(planned)).toEqual([
    { operation: 'alert-rules.get', count: 2 },
    { operation: 'alert-rules.delete', count: 2 },
  ]);
});
