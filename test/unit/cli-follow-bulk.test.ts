import { expect, test } from 'vitest';
import type { CommandContext } from '../../electron/cli/context.ts';
import { followBulk } from '../../electron/cli/follow-bulk.ts';
import type { Session } from '../../electron/engine/session.ts';
import type { BulkAct } from '../../electron/shared/bulk-contract.ts';
import { AppError } from '../../electron/shared/errors.ts';

/** Following ends after this many reads, so that a loop without a pause fails the test instead of hanging. */
const MAX_READS = 1_000;

test('a running change is read after events about it, not constantly', async () => {
  let reads = 0;
  const act = (state: BulkAct['state']) =>
    ({
      bulkId: 'change',
      state,
      counts: { done: 0 },
      total: 1,
      error: null,
      lateStart: null,
      etaMs: MAX_READS - reads,
    }) as BulkAct;
  const ended = Promise.withResolvers<BulkAct>();
  const bulk = {
    // The remaining time is different each time it is read.
    get: () => {
      reads += 1;
      return act(reads < MAX_READS ? 'running' : 'paused');
    },
    list: () => [act('paused')],
    listItems: () => ({ items: [] }),
    whenIdle: () => ended.promise,
  };
  const context = {
    signal: new AbortController().signal,
    listen: () => () => undefined,
    output: { note: () => undefined, progress: () => undefined },
  };
  const followed = followBulk(
    context as unknown as CommandContext,
    { bulk } as unknown as Session,
    act('running'),
  );
  await new Promise((resolve) => setImmediate(resolve));
  expect(reads).toBeLessThan(5);
  ended.resolve(act('paused'));
  await followed;
});

test('a change that another process completes and removes while it is followed has ended here, too', async () => {
  const act = { bulkId: 'change', state: 'running', total: 1, words: { title: 'Change 2' } };
  let isRemoved = false;
  const bulk = {
    get: () => {
      if (isRemoved) throw new AppError('INVALID_ARGUMENT', 'None has this id.');
      return act;
    },
    list: () => (isRemoved ? [] : [act]),
    listItems: () => ({ items: [] }),
    whenIdle: () => {
      isRemoved = true;
      return Promise.resolve({ ...act, state: 'done' });
    },
  };
  const answers: object[] = [];
  const output = {
    note: () => undefined,
    progress: () => undefined,
    answer: (answer: object) => answers.push(answer),
  };
  const context = { signal: new AbortController().signal, listen: () => () => undefined, output };
  await followBulk(
    context as unknown as CommandContext,
    { bulk } as unknown as Session,
    act as unknown as BulkAct,
  );
  expect(answers).toEqual([{ id: 'change', what: 'Change 2', state: 'over' }]);
});

/** Prints the outcomes of a change that ended with these records. */
async function linesOf(act: object, items: object[]): Promise<{ said: string[]; failure: unknown }> {
  const said: string[] = [];
  const ended = { bulkId: 'change', counts: { done: 0 }, lateStart: null, startAtMs: null, ...act };
  const bulk = {
    get: () => ended,
    list: () => [ended],
    listItems: () => ({ items }),
    whenIdle: () => Promise.resolve(ended),
  };
  const output = {
    note: () => undefined,
    progress: () => undefined,
    answer: (_answer: object, lines: () => string[]) => said.push(...lines()),
  };
  const context = {
    ...{ signal: new AbortController().signal, output, args: { flag: () => false } },
    listen: () => () => undefined,
  };
  const failure = await followBulk(
    context as unknown as CommandContext,
    { bulk } as unknown as Session,
    ended as unknown as BulkAct,
  ).catch((thrown: unknown) => thrown);
  return { said, failure };
}

test('a record whose answer could not be written is not called unsent', async () => {
  const error = { code: 'DISK_FULL', message: 'The disk is full.', details: {} };
  const { said, failure } = await linesOf({ state: 'paused', total: 1, error }, [
    { id: 'one', state: 'sending', error: null, job: null },
  ]);
  expect(failure).toMatchObject({ code: 'DISK_FULL' });
  expect(said).toEqual(['one  CONNECTION_LOST: No answer came: the change may or may not have been made.']);
});

test('records that others changed meanwhile do not count as failed', async () => {
  const error = { code: 'CONFLICT', message: 'Somebody else changed it.', details: {} };
  const changed = ['one', 'two'].map((id) => ({ id, state: 'changed', error, job: null }));
  const lost = { id: 'three', state: 'failed', error: { ...error, message: 'In use.' }, job: null };
  const ended = { state: 'done', error: null };
  const both = await linesOf({ ...ended, total: 3 }, [...changed, lost]);
  expect(both.said).toEqual([
    'one  Somebody else changed it.',
    'two  Somebody else changed it.',
    'three  CONFLICT: In use.',
  ]);
  expect(both.failure).toMatchObject({
    code: 'HTTP_ERROR',
    message: '1 of 3 failed, 2 left as others changed them; each line gives the reason.',
  });
  expect((await linesOf({ ...ended, total: 2 }, changed.slice(0, 1))).failure).toMatchObject({
    code: 'CONFLICT',
    message: '1 of 2 left as others changed it; each line gives the reason.',
  });
});
