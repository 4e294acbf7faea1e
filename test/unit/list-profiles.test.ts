/** Profiles are requested one at a time: the newest request is next, and it is repeated after a change. */
import { expect, test } from 'vitest';
import type { ListProfile } from '../../electron/shared/analysis-model.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { ListProfiles, type ProfileWish } from '../../renderer/state/list-profile.svelte.ts';

interface Asked {
  fields: string[];
  filters: unknown[];
}

/** A fake main process whose answers wait for the test. */
function fakeMain() {
  const asked: Asked[] = [];
  const waiting: { answer: (profile: ListProfile | null) => void; fail: (problem: unknown) => void }[] = [];
  let listener: ((payload: { connectionId: string }) => void) | null = null;
  const client = {
    invoke: (_channel: string, argument: unknown) => {
      asked.push(argument as Asked);
      const { promise, resolve, reject } = Promise.withResolvers<ListProfile | null>();
      waiting.push({ answer: resolve, fail: reject });
      return promise;
    },
    on: (_event: string, listen: (payload: { connectionId: string }) => void) => {
      listener = listen;
      return () => {
        listener = null;
      };
    },
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    asked,
    profiles: new ListProfiles('c', client as unknown as ConstructorParameters<typeof ListProfiles>[1]),
    answer: async (isSample = false) => {
      const fields = asked.at(-1)?.fields ?? [];
      waiting.shift()?.answer(profile(fields, isSample));
      await settle();
    },
    fail: async (problem: unknown) => {
      waiting.shift()?.fail(problem);
      await settle();
    },
    notify: async () => {
      listener?.({ connectionId: 'c' });
      await settle();
    },
    isHeard: () => listener !== null,
  };
}

const none = { total: 0, count: 0 };
function profile(fields: readonly string[], isSample: boolean): ListProfile {
  const columns = fields.map((field) => ({
    ...{ field, kind: 'text' as const, rows: none, absent: none, nulls: none, empty: none, others: none },
    ...{ distinct: 0, bars: [], tops: [] },
  }));
  const rows = { storedRows: 9, matchingRows: 9, totalRows: 9, isComplete: true };
  return { isSample, preparation: null, ...rows, columns };
}

const wish = (change: Partial<ProfileWish> = {}): ProfileWish => ({
  query: { operation: 'catalog.list', path: {}, query: {} },
  ...{ narrow: null, filters: [], fields: ['a', 'b'], rows: '1', isLoading: false },
  ...change,
});

const nulls = [{ kind: 'emptiness', field: 'a', is: 'null' } as const];

test('while one request is in flight the newest wish waits, and earlier ones are skipped', async () => {
  const main = fakeMain();
  main.profiles.want(wish());
  main.profiles.want(wish({ narrow: 'x' }));
  main.profiles.want(wish({ filters: nulls }));
  expect(main.asked).toHaveLength(1);
  await main.answer();
  expect(main.asked.map(({ filters }) => filters)).toEqual([[], nulls]);
  await main.answer();
  expect(main.asked).toHaveLength(2);
});

test('columns that come into view are requested alone; the others stay', async () => {
  const main = fakeMain();
  main.profiles.want(wish());
  await main.answer();
  main.profiles.want(wish({ fields: ['b', 'c'] }));
  await main.answer();
  expect(main.asked.map(({ fields }) => fields)).toEqual([['a', 'b'], ['c']]);
  expect([...main.profiles.columns.keys()]).toEqual(['a', 'b', 'c']);
});

test('a list that is loading is counted once all its rows are here', async () => {
  const main = fakeMain();
  main.profiles.want(wish());
  await main.answer();
  main.profiles.want(wish({ rows: '2', isLoading: true }));
  main.profiles.want(wish({ rows: '3', isLoading: true }));
  expect(main.asked).toHaveLength(1);
  main.profiles.want(wish({ rows: '3' }));
  expect(main.asked).toHaveLength(2);
});

test('a sample is requested again when more is prepared, an exact answer is not', async () => {
  const main = fakeMain();
  main.profiles.want(wish());
  await main.answer(true);
  await main.notify();
  expect(main.asked).toHaveLength(2);
  await main.answer();
  await main.notify();
  expect(main.asked).toHaveLength(2);
  main.profiles.want(null);
  expect(main.isHeard()).toBe(false);
});

test('a failure is shown once, and removed by the next answer', async () => {
  const main = fakeMain();
  main.profiles.want(wish());
  await main.fail(new AppError('DISK_FULL', 'No room.'));
  expect(main.profiles.error?.code).toBe('DISK_FULL');
  main.profiles.want(wish());
  expect(main.asked).toHaveLength(1);
  main.profiles.again();
  await main.answer();
  expect(main.profiles.error).toBeNull();
});
