/** A stored change does not begin or continue while another one of the same records is in progress. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../electron/platform/system.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { BulkRig, type BulkRigOptions } from '../helpers/bulk-rig.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { baselineBody } from './sample-service-cases/monitoring.ts';
import { World } from './sample-service-cases/world.ts';

const HOUR_MS = 3_600_000;
const CONFLICT = /“Delete 2 baselines” is under way and still has 1 of these \d+ records? to change/;
let world: World;
let folder: DataFolder;
let rig: BulkRig;
let aheadMs = 0;

const open = (options: Partial<BulkRigOptions> = {}) => {
  const { baseUrl } = world.raw.service;
  return new BulkRig({ baseUrl, token: TOKEN, folder, aheadMs: () => aheadMs, ...options });
};
const make = (count: number) =>
  Promise.all(Array.from({ length: count }, () => world.make('baselines.create', baselineBody(world))));

/** Starts to delete two records, and holds the answers back until the faults of the service are removed. */
async function deleteSlowly(ids: readonly string[]): Promise<string> {
  world.raw.service.setFaults([{ match: { operation: 'baselines.delete' }, action: { type: 'hang' } }]);
  const { bulkId } = await rig.delete(ids);
  await expect.poll(() => rig.bulk.get(bulkId).counts.sending, { interval: 5 }).toBe(2);
  return bulkId;
}

/** Ends the slow change without its answers. */
async function halt(bulkId: string): Promise<void> {
  rig.bulk.control(bulkId, 'pause', null);
  await rig.bulk.whenIdle(bulkId);
  world.raw.service.setFaults([]);
}

beforeEach(async () => {
  aheadMs = 0;
  world = await World.start();
  folder = new DataFolder();
  rig = open();
});
afterEach(async () => {
  world.raw.service.setFaults([]);
  await rig[Symbol.asyncDispose]();
  await world.stop();
  folder[Symbol.dispose]();
});

test('a planned change is neither started nor sent when it is due, and starts once the other one has ended', async () => {
  const [one = '', two = ''] = await make(2);
  const { bulkId } = await rig.delete([one], systemClock.nowMs() + HOUR_MS);
  rig.bulk.recover(true);
  const slow = await deleteSlowly([one, two]);
  expect(() => rig.bulk.control(bulkId, 'start', null)).toThrow(CONFLICT);
  aheadMs = HOUR_MS + 1;
  rig.bulk.wake();
  const held = rig.bulk.get(bulkId);
  expect(held).toMatchObject({ state: 'scheduled', counts: { waiting: 1 } });
  expect(held.reason).toBe('until “Delete 2 baselines” ends, which changes some of the same records');
  rig.bulk.control(bulkId, 'schedule', systemClock.nowMs() + 3 * HOUR_MS);
  expect(rig.bulk.get(bulkId)).toMatchObject({ state: 'scheduled', reason: '' });
  await halt(slow);
  rig.bulk.control(slow, 'stop', null);
  aheadMs = 4 * HOUR_MS;
  rig.bulk.wake();
  await rig.bulk.whenIdle(bulkId);
  expect(rig.bulk.get(bulkId)).toMatchObject({ state: 'done', reason: '' });
});

test('a paused change is not resumed, and failed records are not repeated', async () => {
  const [one = '', two = ''] = await make(2);
  world.raw.service.setFaults([
    { match: { operation: 'baselines.delete' }, action: { type: 'status', status: 409, message: 'In use.' } },
  ]);
  const failed = await rig.delete([one]);
  expect(await rig.bulk.whenIdle(failed.bulkId)).toMatchObject({ state: 'done', counts: { failed: 1 } });
  const slow = await deleteSlowly([one, two]);
  expect(() => rig.bulk.control(failed.bulkId, 'retry', null)).toThrow(CONFLICT);
  await halt(slow);
  const mine = await deleteSlowly([two, 'other']);
  expect(() => rig.bulk.control(slow, 'resume', null)).toThrow(CONFLICT);
  expect(rig.bulk.get(slow).state).toBe('paused');
  await halt(mine);
  rig.bulk.control(failed.bulkId, 'retry', null);
  expect(await rig.bulk.whenIdle(failed.bulkId)).toMatchObject({ counts: { failed: 0 } });
});

test('a change of a killed process stays paused with the reason if another one of its records runs', async () => {
  const [one = '', two = ''] = await make(2);
  const { bulkId } = await rig.delete([one], systemClock.nowMs() + HOUR_MS);
  const slow = await deleteSlowly([one, two]);
  rig.store.bulk.save({ ...rig.store.bulk.load(bulkId), state: 'running', startAtMs: null });
  rig.bulk.recover(true);
  const { state, reason, error } = rig.bulk.get(bulkId);
  expect({ state, code: error?.code }).toEqual({ state: 'paused', code: 'CONFLICT' });
  expect(reason).toMatch(CONFLICT);
  await halt(slow);
});

test('a deletion that was never sent is not done because its record is missing', async () => {
  const [id = ''] = await make(1);
  let calls = 0;
  const unsent = new AppError('OFFLINE', 'No network.', { outcome: 'unsent' });
  await using mine = open({
    wrapResources: (resources) => ({
      ...resources,
      act: async (...given) => {
        calls += 1;
        if (calls === 1) {
          await world.raw.raw('DELETE', `/v3/baselines/${id}`);
          throw unsent;
        }
        return resources.act(...given);
      },
    }),
  });
  const { bulkId } = await mine.delete([id]);
  const ended = await mine.bulk.whenIdle(bulkId);
  expect(calls).toBe(2);
  expect(ended).toMatchObject({ state: 'done', counts: { done: 0, failed: 1 } });
});
