/** If answers and events overtake each other, the newest one is shown. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { Freshness, ListState, RecordState } from '../../electron/shared/model.ts';
import { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { RecordModel } from '../../renderer/state/record-state.svelte.ts';
import { nothingStored } from '../helpers/freshness.ts';

const FAILED = { phase: 'failed', error: { code: 'OFFLINE' }, atMs: 1 } as Freshness['refresh'];
const LOADING: Freshness['refresh'] = { phase: 'loading', fetchedRows: 0, startedAtMs: 1 };
const NO_ROWS = { rows: [], matchingRows: 0 };
const list = (listKey: string, refresh: Freshness['refresh']): ListState => ({
  listKey,
  freshness: nothingStored(refresh),
});
const record = (recordKey: string, refresh: Freshness['refresh']): RecordState => ({
  recordKey,
  record: null,
  parts: null,
  goneAtMs: null,
  freshness: nothingStored(refresh),
});

type State = ListState | RecordState;
let answer: PromiseWithResolvers<{ seq: number; state: State }>;
let notify: (seq: number, state: State) => void;
const answers = (seq: number, state: State) => answer.resolve({ seq, state });
/** The test sets the sequence numbers of answers and events. */
const client = {
  ask: async (channel: string) => {
    const { seq, state } = await answer.promise;
    return { value: channel === 'library:open-list' ? { state, page: NO_ROWS } : state, seq };
  },
  invoke: () => Promise.resolve(NO_ROWS),
  on: (_channel: string, listener: (payload: unknown, seq: number) => void) => {
    notify = (seq, state) => listener({ connectionId: 'c', state }, seq);
    return () => undefined;
  },
} as never;
const query = { operation: 'models.list', path: {}, query: {} };

beforeEach(() => {
  answer = Promise.withResolvers();
});

describe('an opened list', () => {
  const opening = () => {
    const model = new ListModel({ connectionId: 'c', viewId: 'v', isOnline: () => true, client });
    return { model, done: model.open(query) };
  };

  test('that failed before the answer "loading" arrives has failed', async () => {
    const { model, done } = opening();
    notify(9, list('other', LOADING));
    notify(2, list('k', FAILED));
    answers(1, list('k', LOADING));
    await done;
    expect(model.freshness?.refresh.phase).toBe('failed');
  });

  test('reported before its answer was made follows the answer', async () => {
    const { model, done } = opening();
    notify(1, list('k', LOADING));
    answers(2, list('k', FAILED));
    await done;
    expect(model.freshness?.refresh.phase).toBe('failed');
  });

  test('a late message from an earlier moment does not replace newer state', async () => {
    const { model, done } = opening();
    answers(1, list('k', LOADING));
    await done;
    notify(3, list('k', FAILED));
    notify(2, list('k', LOADING));
    expect(model.freshness?.refresh.phase).toBe('failed');
    answer = Promise.withResolvers();
    const refreshed = model.refresh();
    notify(5, list('k', FAILED));
    answers(4, list('k', LOADING));
    await refreshed;
    expect(model.freshness?.refresh.phase).toBe('failed');
  });

  test('after another query, events of the previous one are ignored and events of the new one apply', async () => {
    const { model, done } = opening();
    answers(1, list('k', LOADING));
    await done;
    answer = Promise.withResolvers();
    const next = model.open({ ...query, operation: 'projects.list' });
    notify(9, list('k', { phase: 'idle' }));
    expect(model.freshness?.refresh.phase).toBe('loading');
    notify(3, list('n', FAILED));
    answers(2, list('n', LOADING));
    await next;
    expect(model.freshness?.refresh.phase).toBe('failed');
  });
});

describe('an opened record', () => {
  test('that failed before the answer "loading" arrives has failed, when it is opened and read again', async () => {
    const model = new RecordModel({ connectionId: 'c', viewId: 'v', client });
    const done = model.open(query);
    notify(2, record('k', FAILED));
    answers(1, record('k', LOADING));
    await done;
    expect([model.phase, model.freshness?.refresh.phase]).toEqual(['ready', 'failed']);
    answer = Promise.withResolvers();
    const again = model.refresh();
    notify(4, record('k', FAILED));
    answers(3, record('k', LOADING));
    await again;
    expect([model.phase, model.freshness?.refresh.phase]).toEqual(['ready', 'failed']);
  });
});
