/** Uploads are found by the name of their file and by their model. */
import { expect, test } from 'vitest';
import { searchedUploads } from '../../electron/engine/searched-uploads.ts';
import { createSearch } from '../../electron/library/search.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { SearchAnswer, SearchRequest } from '../../electron/shared/search-contract.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const DAY = 86_400_000;
const uploads = {
  listJobs: () => [
    {
      jobId: 'j1',
      fileName: 'churn_may.csv',
      state: 'done',
      plan: { modelName: 'Bank churn' },
      createdAtMs: 2 * DAY,
    },
    {
      jobId: 'j2',
      fileName: 'rows.parquet',
      state: 'paused',
      plan: { modelName: 'Bank churn' },
      createdAtMs: DAY,
    },
  ],
  wholeFiles: {
    list: () => [{ id: 'f1', name: 'churn_whole.parquet', state: 'done', startedAtMs: 3 * DAY }],
  },
} as never;
/** The results that the index returns. */
const stored: SearchAnswer['groups'] = [
  {
    ...{ kind: 'names', hits: [], count: 0, hasMore: false },
    reach: { storedRows: 1, totalRows: 1, isComplete: true, isAtLeast: false, oldestMs: null },
  },
];

async function groupsOf(
  typed: string,
  more: Partial<SearchRequest> = {},
  uploadsOf = () => searchedUploads(uploads),
) {
  const search = createSearch({
    changes: { listen: () => undefined, hasSome: () => false, clear: () => undefined } as never,
    startThread: () => ({
      find: () =>
        Promise.resolve({ groups: stored, applications: [], rowsLeft: 0, isCut: false, near: [], tookMs: 1 }),
      follow: () => Promise.resolve(),
      changed: () => undefined,
      hasEnded: false,
      close: () => Promise.resolve(),
    }),
    uploads: uploadsOf,
    isFollowing: false,
    clock: new VirtualClock(),
    logger: silentLogger,
  });
  const all = { kind: null, applicationId: null, sinceMs: null, untilMs: null, offset: 0, limit: 10 };
  return (await search.find({ ...all, typed, ...more })).groups;
}

const find = async (...asked: Parameters<typeof groupsOf>) =>
  (await groupsOf(...asked)).flatMap(({ kind, hits }) => (kind === 'uploads' ? hits : []));

test('uploads are found by the name of the file first, then by the model, which is shown as the match', async () => {
  const hits = await find('CHURN');
  expect(hits.map(({ title }) => title)).toEqual(['churn_may.csv', 'churn_whole.parquet', 'rows.parquet']);
  expect(hits[0]).toMatchObject({ titleRanges: [[0, 5]], found: null, target: { job: 'j1' } });
  expect(hits[1]).toMatchObject({ target: { file: 'f1' } });
  expect(hits[2]).toMatchObject({ found: { field: 'model', text: 'Bank churn', ranges: [[5, 10]] } });
  // One word is in the name of the file, and the other one in the name of the model.
  expect((await find('rows bank')).map(({ title }) => title)).toEqual(['rows.parquet']);
});

test('filters by a time and another kind; no match crosses the end of a name', async () => {
  expect((await find('churn', { sinceMs: 3 * DAY })).map(({ title }) => title)).toEqual([
    'churn_whole.parquet',
  ]);
  expect(await find('churn', { kind: 'spans' })).toEqual([]);
  expect(await find('csvbank')).toEqual([]);
});

test('unreadable uploads do not block other results; requested alone they show the reason', async () => {
  const damaged = () => {
    throw new AppError('STORE_DAMAGED', 'uploads.db is damaged.');
  };
  expect((await groupsOf('churn', {}, damaged)).map(({ kind }) => kind)).toEqual(['names']);
  await expect(groupsOf('churn', { kind: 'uploads' }, damaged)).rejects.toMatchObject({
    code: 'STORE_DAMAGED',
  });
});
