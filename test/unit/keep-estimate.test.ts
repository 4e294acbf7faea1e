/** The estimated cost of keeping data: whole numbers, also if some lists are refused. */
import { expect, test } from 'vitest';
import { BudgetShare } from '../../electron/keep/budget-share.ts';
import { estimateKeeping } from '../../electron/keep/estimate.ts';
import type { FullFetch } from '../../electron/library/types.ts';
import { AppError, type ErrorCode } from '../../electron/shared/errors.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { planFor } from '../helpers/keep-rig.ts';
import { madeUpClient, notAsked } from '../helpers/made-up-client.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const WINDOW = { count: 100, lengthMs: 60_000 };

/** `entities`: number of entities of the application. `answer` answers the first page of a list. */
function estimate(
  entities: number,
  answer: (query: ListQuery) => Partial<FullFetch> = () => ({}),
  withValues = true,
) {
  const share = new BudgetShare({ clock: new VirtualClock(), share: () => 1, windowsOf: () => [WINDOW] });
  return estimateKeeping(
    {
      client: madeUpClient({ call: notAsked, list: notAsked, rows: notAsked }),
      share,
      signal: new AbortController().signal,
      windowsOf: () => [WINDOW],
      settings: () => ({ keepShare: 1, staleAfterMs: 0, mostListBytes: 1e9, pageRows: 100 }),
      library: {
        fetchAll: async ({ query }) => ({
          ...{ generationId: 1, rows: 20, totalRows: 20, sizeBytes: 3_000, isComplete: true, readAtMs: 0 },
          ...answer(query),
        }),
        readStored: async (_query, from) =>
          Array.from({ length: Math.max(0, entities - from) }, (_, at) => ({
            position: from + at,
            record: { name: `entity ${from + at}`, entity_type: 'attribute' },
          })),
        openRecord: notAsked,
        release: () => undefined,
      },
    },
    planFor({ kind: 'application', id: 'a', withValues }),
  );
}

test.each([41, 29, 23, 240])('the requests and lists of %i entities are whole numbers', async (entities) => {
  // Some lists of values have several pages, and some have no total.
  const found = await estimate(entities, ({ query }) => {
    const number = Number(query['name']?.split(' ')[1] ?? -1);
    if (number % 3 === 0) return { totalRows: 250 };
    return number % 3 === 1 ? { totalRows: null, isComplete: false } : {};
  });
  const { requests, questions, withoutTotal, limits } = found;
  const counts = [requests, questions, withoutTotal, ...limits.map((limit) => limit.requests)];
  expect(counts.filter((count) => !Number.isInteger(count))).toEqual([]);
  expect(questions).toBe((await estimate(0)).questions + entities);
  expect(requests).toBe(limits.reduce((sum, limit) => sum + limit.requests, 0));
});

test.each<[ErrorCode, number | undefined]>([
  ['FORBIDDEN', 403],
  ['NOT_FOUND', 404],
  ['HTTP_ERROR', 414],
  ['SERVICE_FAILED', 500],
  ['ANSWER_INVALID', undefined],
  ['ANSWER_TOO_LARGE', undefined],
])('a list refused with %s %s counts as one request without rows', async (code, status) => {
  const whole = await estimate(0, () => ({}), false);
  const refused = await estimate(
    0,
    ({ operation }) => {
      if (operation !== 'datasets.list') return {};
      throw new AppError(code, 'Not this one.', status === undefined ? {} : { status });
    },
    false,
  );
  expect(refused.requests).toBe(whole.requests);
  expect(refused.rows).toBe(whole.rows - 20);
});

test('a busy or refusing service has no estimate', async () => {
  for (const [code, status] of [
    ['UNAUTHORIZED', 401],
    ['SERVICE_UNAVAILABLE', 503],
  ] as const) {
    const asking = estimate(0, () => {
      throw new AppError(code, 'Not now.', { status });
    });
    await expect(asking).rejects.toMatchObject({ code });
  }
});
