/** Lists that can never be read: the rest of a kept entry is read, and its reading ends. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OperationId } from '../../electron/api/endpoints.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { AppError, type ErrorCode } from '../../electron/shared/errors.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { KeepRig, type KeepRigOptions, planFor } from '../helpers/keep-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

let raw: RawService;
let folder: DataFolder;
let rig: KeepRig;
let id: string;
/** True once the service answers again. */
let isBack: boolean;
/** The operation whose next request finds the service back. */
let backWith: OperationId | null;

beforeEach(async () => {
  raw = await RawService.start();
  folder = new DataFolder();
  isBack = false;
  backWith = null;
  rig = open();
  const { items } = await raw.page(raw.path('datasets.list', {}, '?limit=1'));
  id = String(items[0]?.['id']);
});
afterEach(async () => {
  await rig[Symbol.asyncDispose]();
  await raw.service.stop();
  folder[Symbol.dispose]();
});

function open(options: Partial<KeepRigOptions> = {}): KeepRig {
  return new KeepRig({
    ...{ baseUrl: raw.service.baseUrl, token: TOKEN, folder },
    // Waits are shortened. Requests take their real time.
    setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs / 1_000),
    ...options,
  });
}

/**
 * Requests of some operations, or all, fail before they are sent, because the client would delay those to a busy service.
 */
async function failing(
  operations: readonly OperationId[] | null,
  error: () => AppError,
): Promise<{ count: number }> {
  const failed = { count: 0 };
  await rig[Symbol.asyncDispose]();
  rig = open({
    wrapClient: (client) => ({
      ...client,
      rows: async (...asked) => {
        if (asked[1] === backWith) isBack = true;
        if (!isBack && (operations === null || operations.includes(asked[1]))) {
          failed.count += 1;
          throw error();
        }
        return client.rows(...asked);
      },
    }),
  });
  return failed;
}

const answers = (status: number) =>
  raw.service.setFaults([{ match: { operation: 'datasets.schema' }, action: { type: 'status', status } }]);
const busy = () => new AppError('SERVICE_UNAVAILABLE', 'Busy.', { status: 503, outcome: 'answered' });
const ended = async () => rig.keep.whenIdle(rig.keep.start(planFor({ kind: 'dataset', id }), 6).keptId);
const ONE_FAILED = { state: 'done', startAtMs: expect.any(Number), counts: { read: 3, failed: 1 } };

test.each([406, 413, 414, 431, 451])('a list answered with %i fails alone', async (status) => {
  answers(status);
  expect(await ended()).toMatchObject(ONE_FAILED);
});

test.each<ErrorCode>(['ANSWER_TOO_LARGE', 'INVALID_ARGUMENT'])('a list with %s fails alone', async (code) => {
  await failing(['datasets.schema'], () => new AppError(code, 'Not this one.'));
  expect(await ended()).toMatchObject(ONE_FAILED);
});

test.each([502, 503, 504])(
  'a list always answered with %i fails while others are answered',
  async (status) => {
    answers(status);
    expect(await ended()).toMatchObject(ONE_FAILED);
  },
);

test.each<ErrorCode>(['TIMEOUT', 'CONNECTION_LOST'])(
  'a list that always ends with %s fails while others are answered',
  async (code) => {
    await failing(['datasets.schema'], () => new AppError(code, 'No answer.', { outcome: 'unknown' }));
    expect(await ended()).toMatchObject(ONE_FAILED);
  },
);

test.each<[OperationId[], { read: number; failed: number }]>([
  [['datasets.get', 'datasets.schema'], { read: 2, failed: 2 }],
  [['datasets.list', 'datasets.get', 'datasets.schema'], { read: 1, failed: 3 }],
  [['datasets.get', 'datasets.items'], { read: 2, failed: 2 }],
])('the lists %j without answers do not keep the others from being read', async (operations, counts) => {
  await failing(operations, busy);
  expect(await ended()).toMatchObject({ state: 'done', counts });
});

test('more lists without answers than are asked for in one run do not keep the others from being read', async () => {
  const { items } = await raw.page(raw.path('experiments.list', {}, '?limit=1'));
  await failing(
    ['experiments.list', 'experiments.get', 'experiments.metrics', 'experiments.metric-rows'],
    busy,
  );
  const { keptId } = rig.keep.start(planFor({ kind: 'experiment', id: String(items[0]?.['id']) }), null);
  expect(await rig.keep.whenIdle(keptId)).toMatchObject({ state: 'done', counts: { read: 1, failed: 4 } });
});

test('the last list fails after more attempts, since no other is left to be answered', async () => {
  const failed = await failing(['datasets.items'], busy);
  expect(await ended()).toMatchObject(ONE_FAILED);
  expect(failed.count).toBe(10);
});

test('a service that answers nothing fails no list, and everything is read once it is back', async () => {
  const failed = await failing(null, busy);
  const { keptId } = rig.keep.start(planFor({ kind: 'dataset', id }), null);
  await expect.poll(() => failed.count, { timeout: 20_000 }).toBeGreaterThan(20);
  expect(rig.keep.get(keptId).counts).toMatchObject({ read: 0, failed: 0 });
  // At the start of a run, because its first list would fail if only later ones were answered.
  backWith = 'datasets.list';
  expect(await rig.keep.whenIdle(keptId)).toMatchObject({ state: 'done', counts: { read: 4, failed: 0 } });
});
