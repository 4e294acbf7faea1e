/** Jobs in the state of the window: an event that follows a request overrides its answer, for every kind. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { DatasetBuild } from '../../electron/shared/dataset-model.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { Job, JobKindId } from '../../electron/shared/job-contract.ts';
import { JobsState } from '../../renderer/state/jobs.svelte.ts';
import { DatasetScores } from '../../renderer/state/scores.svelte.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

type Answer = PromiseWithResolvers<unknown>;
let answers: Map<string, Answer>;
/** Answers a request on a channel when the test tells it to. */
const answerOf = (channel: string): Answer => {
  const known = answers.get(channel) ?? Promise.withResolvers();
  answers.set(channel, known);
  return known;
};
let main: ReturnType<typeof numberedClient>;
let jobs: JobsState;
/** Requests with their arguments. */
let asked: [string, unknown][];

const job = (id: string, state = 'running', more: object = {}): Job =>
  ({ kind: 'scores', id, state, startAtMs: null, own: { plan: { datasetId: 'd' }, state }, ...more }) as Job;
const page = (...list: Job[]) => ({ jobs: list, total: list.length, failures: [] });
const say = (changed: Job, connectionId = 'c') =>
  main.emit('jobs:changed', { connectionId, kind: changed.kind, id: changed.id, job: changed });
const scores = (id: string) => ({ kind: 'scores', id }) as const;

beforeEach(() => {
  answers = new Map();
  asked = [];
  main = numberedClient(async (channel, argument, readsNow) => {
    asked.push([channel, argument]);
    const answer = await answerOf(channel).promise;
    // An action reads the job after the change, and a list reads it before.
    if (channel !== 'jobs:list') readsNow();
    return answer;
  });
  jobs = new JobsState(main.client);
  jobs.listen();
});

async function withJobs(...list: Job[]): Promise<void> {
  answerOf('jobs:list').resolve(page(...list));
  await jobs.watch('c');
  answers.clear();
}

describe('the answer to an action', () => {
  test('is shown, and a new job comes first', async () => {
    await withJobs(job('a'));
    answerOf('jobs:create').resolve(job('b'));
    await jobs.create('scores', {} as never);
    expect(jobs.list).toEqual([job('b'), job('a')]);
  });

  test('read before the end was reported does not restart the job', async () => {
    await withJobs();
    const early = main.order.next();
    say(job('a', 'done'));
    main.emit('jobs:changed', { connectionId: 'c', ...scores('a'), job: job('a') }, early);
    expect(jobs.list).toEqual([job('a', 'done')]);
  });

  test('is newer than an event from before the request', async () => {
    await withJobs(job('a'));
    say(job('a', 'paused'));
    answerOf('jobs:control').resolve(job('a', 'done'));
    await jobs.control(scores('a'), 'resume');
    expect(jobs.list).toEqual([job('a', 'done')]);
  });

  test('of a connection that was left is not shown in the next one', async () => {
    await withJobs();
    const creating = jobs.create('scores', {} as never);
    answerOf('jobs:list').resolve(page());
    await jobs.watch('d');
    answerOf('jobs:create').resolve(job('a'));
    await creating;
    expect(jobs.list).toEqual([]);
  });

  test('that is an error reloads the list, because the job differs from the one shown', async () => {
    await withJobs(job('a', 'paused', { startAtMs: 5 }));
    answerOf('jobs:control').reject(new AppError('INVALID_ARGUMENT', 'It has already started.'));
    answerOf('jobs:list').resolve(page(job('a')));
    await expect(jobs.control(scores('a'), 'unschedule')).rejects.toThrow('already started');
    expect(jobs.planned).toEqual([]);
  });
});

test('the error of a connection is not shown in the next one, whose jobs are still being read', async () => {
  answerOf('jobs:list').reject(new AppError('STORE_DAMAGED', 'The file is not a database.'));
  await jobs.watch('c');
  expect(jobs.error?.code).toBe('STORE_DAMAGED');
  answers.clear();
  const watching = jobs.watch('d');
  expect(jobs.error).toBeNull();
  answerOf('jobs:list').resolve(page());
  await watching;
});

test('a draft whose file is not chosen is removed from its own connection, although another is active by then', async () => {
  await withJobs();
  const saving = jobs.saveDraft({ kind: 'export', id: 'a' }, 'file', 'c');
  answerOf('jobs:list').resolve(page());
  await jobs.watch('d');
  answerOf('jobs:forget').resolve({});
  answerOf('jobs:save').resolve(null);
  expect(await saving).toBeNull();
  expect(asked).toContainEqual(['jobs:forget', { connectionId: 'c', kind: 'export', id: 'a' }]);
});

describe('a loaded list', () => {
  test('does not undo events that arrived while it was in flight', async () => {
    await withJobs(job('a'), job('b'));
    const done = jobs.load();
    say(job('b', 'done'));
    say(job('c'));
    answerOf('jobs:list').resolve(page(job('b'), job('a', 'paused')));
    await done;
    expect(jobs.list).toEqual([job('c'), job('b', 'done'), job('a', 'paused')]);
  });

  test('does not restore a job that was removed meanwhile, nor does a late event', async () => {
    await withJobs(job('a'), job('b'));
    const done = jobs.load();
    answerOf('jobs:forget').resolve(null);
    await jobs.forget(scores('a'));
    say(job('a', 'done'));
    answerOf('jobs:list').resolve(page(job('a'), job('b')));
    await done;
    expect(jobs.list).toEqual([job('b')]);
  });

  test('overrides earlier events', async () => {
    await withJobs(job('a'));
    say(job('a', 'paused'));
    answerOf('jobs:list').resolve(page(job('a', 'done')));
    await jobs.load();
    expect(jobs.list).toEqual([job('a', 'done')]);
  });

  test('keeps the jobs of a kind that cannot be read now, and says why', async () => {
    const upload = job('u', 'running', { kind: 'upload' satisfies JobKindId });
    await withJobs(upload, job('a'));
    const error = new AppError('STORE_DAMAGED', 'Not readable.').toWire();
    answerOf('jobs:list').resolve({ ...page(job('a', 'done')), failures: [{ kind: 'upload', error }] });
    await jobs.load();
    expect(jobs.ofKind('upload')).toEqual([upload]);
    expect(jobs.own('scores', 'a')).toMatchObject({ state: 'done' });
    expect([jobs.errorOf('upload')?.code, jobs.errorOf('scores')]).toEqual(['STORE_DAMAGED', null]);
  });
});

test('shows nothing about events of another connection', async () => {
  await withJobs(job('a'));
  say(job('a', 'done'), 'd');
  expect(jobs.list).toEqual([job('a')]);
});

test('planned jobs are listed by their start, as last reported', async () => {
  await withJobs(job('a', 'paused', { startAtMs: 5 }));
  say(job('b', 'paused', { startAtMs: 3 }));
  expect(jobs.planned.map(({ id }) => id)).toEqual(['b', 'a']);
  say(job('b', 'paused'));
  expect(jobs.planned.map(({ id }) => id)).toEqual(['a']);
});

test('a build changed through its own channel stays the same job', async () => {
  await withJobs();
  const own = { connectionId: 'c', buildId: 'b', state: 'editing', counts: {}, batches: {} };
  jobs.takeBuild({ value: { ...own, name: 'new' } as DatasetBuild, seq: main.order.next() });
  expect(jobs.find('build', 'b')).toMatchObject({ title: 'new', state: 'draft', own });
});

test('a dataset shows its own score runs', async () => {
  await withJobs(job('a'), job('b', 'done', { own: { plan: { datasetId: 'other' } } }));
  const dataset = new DatasetScores('c', 'd', jobs, main.client);
  expect(dataset.runs).toEqual([job('a').own]);
});
