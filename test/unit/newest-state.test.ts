/** Answers and events that overtake each other: what was made last is what is shown. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Freshness, ListState, RecordState } from '../../electron/shared/model.ts';
import { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { RecordModel } from '../../renderer/state/record-state.svelte.ts';
import { nothingStored } from '../helpers/freshness.ts';

const FAILED = { phase: 'failed', error: { code: 'OFFLINE' }, atMs: 1 } as Freshness['refresh'];
const LOADING: Freshness['refresh'] = { phase: 'loading', fetchedRows: 0, startedAtMs: 1 };
const list = (key: string, madeAtMs: number, refresh: Freshness['refresh']): ListState => ({
  listKey: key,
  madeAtMs,
  freshness: nothingStored(refresh),
});
const record = (key: string, madeAtMs: number, refresh: Freshness['refresh']): RecordState => ({
  recordKey: key,
  madeAtMs,
  record: null,
  parts: null,
  goneAtMs: null,
  freshness: nothingStored(refresh),
});

let answer: PromiseWithResolvers<unknown>;
let tell: (state: unknown) => void;
const client = {
  invoke: (channel: string) =>
    channel === 'library:read-rows' ? Promise.resolve({ rows: [], matchingRows: 0 }) : answer.promise,
  on: (_channel: string, listener: (payload: unknown) => void) => {
    tell = (state) => listener({ connectionId: 'c', state });
    return () => undefined;
  },
} as never;
const query = { operation: 'models.list', path: {}, query: {} };

beforeEach(() => {
  answer = Promise.withResolvers();
});

describe('a list', () => {
  const opening = () => {
    const model = new ListModel({ connectionId: 'c', viewId: 'v', isOnline: () => true, client });
    return { model, done: model.open(query) };
  };

  test('that failed before the answer says it is loading has failed', async () => {
    const { model, done } = opening();
    tell(list('other', 9, LOADING));
    tell(list('k', 2, FAILED));
    answer.resolve(list('k', 1, LOADING));
    await done;
    expect(model.freshness?.refresh.phase).toBe('failed');
  });

  test('that was told of before its answer was made is as the answer says', async () => {
    const { model, done } = opening();
    tell(list('k', 1, LOADING));
    answer.resolve(list('k', 2, FAILED));
    await done;
    expect(model.freshness?.refresh.phase).toBe('failed');
  });

  test('what comes late of an earlier moment does not replace what is known', async () => {
    const { model, done } = opening();
    answer.resolve(list('k', 1, LOADING));
    await done;
    tell(list('k', 3, FAILED));
    tell(list('k', 2, LOADING));
    expect(model.freshness?.refresh.phase).toBe('failed');
    answer = Promise.withResolvers();
    const refreshed = model.refresh();
    tell(list('k', 5, FAILED));
    answer.resolve(list('k', 4, LOADING));
    await refreshed;
    expect(model.freshness?.refresh.phase).toBe('failed');
  });

  test('of another question: what is told of the one before is nothing, what is told of it holds', async () => {
    const { model, done } = opening();
    answer.resolve(list('k', 1, LOADING));
    await done;
    answer = Promise.withResolvers();
    const next = model.open({ ...query, operation: 'projects.list' });
    tell(list('k', 9, { phase: 'idle' }));
    expect(model.freshness?.refresh.phase).toBe('loading');
    tell(list('n', 3, FAILED));
    answer.resolve(list('n', 2, LOADING));
    await next;
    expect(model.freshness?.refresh.phase).toBe('failed');
  });
});

describe('a record', () => {
  test('that failed before the answer says it is loading has failed, when it is opened and read again', async () => {
    const model = new RecordModel({ connectionId: 'c', viewId: 'v', client });
    const done = model.open(query);
    tell(record('k', 2, FAILED));
    answer.resolve(record('k', 1, LOADING));
    await done;
    expect([model.phase, model.freshness?.refresh.phase]).toEqual(['ready', 'failed']);
    answer = Promise.withResolvers();
    const again = model.refresh();
    tell(record('k', 4, FAILED));
    answer.resolve(record('k', 3, LOADING));
    await again;
    expect([model.phase, model.freshness?.refresh.phase]).toEqual(['ready', 'failed']);
  });
});
