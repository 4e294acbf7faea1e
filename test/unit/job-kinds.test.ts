/** The list of jobs of all kinds: a page is built without reading the jobs of other pages. */
import { expect, test } from 'vitest';
import { JobKinds } from '../../electron/engine/job-kinds.ts';
import type { AnyJobSource } from '../../electron/jobs/source.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { Job, JobKindId } from '../../electron/shared/job-contract.ts';

/** Jobs `kind-0`, `kind-1`, …, each created one minute before the next one. Jobs with odd numbers are done. */
function sourceOf(kind: JobKindId, count: number, offsetMs: number, read: string[]): AnyJobSource {
  const heads = Array.from({ length: count }, (_, at) => ({
    id: `${kind}-${at}`,
    title: `${kind} number ${at}`,
    state: at % 2 === 0 ? 'paused' : 'done',
    createdAtMs: offsetMs + at * 60_000,
  })).toReversed();
  const source = {
    kind,
    jobs: { starts: { listen: () => undefined, all: () => [] }, listed: () => heads, whenJudged: () => null },
    get: (id: string) => {
      read.push(id);
      const head = heads.find((each) => each.id === id);
      if (id === 'upload-98') throw new AppError('STORE_DAMAGED', 'It cannot be read.');
      return { kind, ...head } as unknown as Job;
    },
  };
  return source as unknown as AnyJobSource;
}

const ALL = { kinds: null, states: null, search: null };

test('newest first over all kinds; only the jobs of the page are read, and damaged ones are left out', () => {
  const read: string[] = [];
  const sources = [sourceOf('upload', 100, 0, read), sourceOf('build', 100, 30_000, read)];
  const jobs = new JobKinds(sources, () => undefined);
  const { jobs: page, total, failures } = jobs.list({ ...ALL, offset: 1, limit: 4 });
  expect(page.map(({ id }) => id)).toEqual(['upload-99', 'build-98', 'build-97']);
  expect(total).toBe(200);
  expect(failures).toEqual([]);
  expect(read).toHaveLength(4);
});

test('finds jobs by kind, title and state', () => {
  const jobs = new JobKinds([sourceOf('upload', 9, 0, []), sourceOf('build', 9, 0, [])], () => undefined);
  const found = jobs.list({
    ...{ kinds: ['build'], states: ['done'], search: ' NUMBER ' },
    ...{ offset: 0, limit: 2 },
  });
  expect(found.jobs.map(({ id }) => id)).toEqual(['build-7', 'build-5']);
  expect(found.total).toBe(4);
  expect(jobs.list({ ...ALL, search: 'upload number 3', offset: 0, limit: 9 }).jobs).toMatchObject([
    { id: 'upload-3' },
  ]);
});

test('a kind that cannot be read is named, and the others are listed', () => {
  const broken = {
    ...sourceOf('scores', 0, 0, []),
    jobs: {
      starts: { listen: () => undefined, all: () => [] },
      listed: () => {
        throw new AppError('STORE_FAILED', 'The disk does not answer.');
      },
    },
  } as unknown as AnyJobSource;
  const jobs = new JobKinds([broken, sourceOf('upload', 1, 0, [])], () => undefined);
  expect(jobs.list({ ...ALL, offset: 0, limit: 9 })).toMatchObject({
    jobs: [{ id: 'upload-0' }],
    total: 1,
    failures: [{ kind: 'scores', error: { code: 'STORE_FAILED' } }],
  });
});

test('an action on a job waits until it is known whether a silent process still runs the job', async () => {
  const { promise: judged, resolve } = Promise.withResolvers<void>();
  const acts: string[] = [];
  const act = (name: string) => () => {
    acts.push(name);
    return {} as Job;
  };
  const source = {
    ...sourceOf('upload', 1, 0, []),
    ...{ control: act('control'), decide: act('decide'), forget: act('forget') },
    jobs: { starts: { listen: () => undefined, all: () => [] }, listed: () => [], whenJudged: () => judged },
  } as unknown as AnyJobSource;
  const jobs = new JobKinds([source], () => undefined);
  const all = Promise.all([
    jobs.control('upload', 'upload-0', 'resume', null),
    jobs.decide('upload', 'upload-0', 0, 'resend'),
    jobs.forget('upload', 'upload-0'),
  ]);
  await Promise.resolve();
  expect(acts).toEqual([]);
  resolve();
  await all;
  expect(acts).toEqual(['control', 'decide', 'forget']);
});
