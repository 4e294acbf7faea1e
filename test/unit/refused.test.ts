/**
 * Lists, records and other data that could not be read because of the token are requested again when a token is
 * accepted.
 */
import { expect, test } from 'vitest';
import { AppError, type ErrorCode } from '../../electron/shared/errors.ts';
import type { NetworkState as Network } from '../../electron/shared/model.ts';
import { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { NetworkState } from '../../renderer/state/network.svelte.ts';
import { RecordModel } from '../../renderer/state/record-state.svelte.ts';
import { Refused, refused } from '../../renderer/state/refused.ts';
import { nothingStored } from '../helpers/freshness.ts';

const QUERY = { operation: 'models.list', path: {}, query: {} };
const OWNER = { connectionId: 'c', viewId: 'v' };

/** A fake main process that answers with this failure until its `code` is null. */
function failing(code: ErrorCode) {
  const main = { code: code as ErrorCode | null, asked: [] as string[] };
  const freshness = nothingStored({ phase: 'idle' });
  const client = {
    ask: (channel: string) => {
      main.asked.push(channel);
      if (main.code !== null) return Promise.reject(new AppError(main.code, 'GET /v3/models failed.'));
      const list = { state: { listKey: 'l', freshness }, page: { rows: [], matchingRows: 0 } };
      const record = { recordKey: 'r', record: {}, parts: null, goneAtMs: null, freshness };
      return Promise.resolve({ value: channel === 'library:open-list' ? list : record, seq: 1 });
    },
    invoke: () => Promise.resolve(null),
    on: () => () => undefined,
  } as never;
  return { main, client };
}

test.each(['UNAUTHORIZED', 'NO_TOKEN'] as const)(
  'a list and a record that failed with %s are requested again automatically, once',
  async (code) => {
    const { main, client } = failing(code);
    const list = new ListModel({ ...OWNER, isOnline: () => true, client });
    const record = new RecordModel({ ...OWNER, client });
    await list.open(QUERY);
    await record.open(QUERY);
    expect([list.phase, record.phase]).toEqual(['failed', 'failed']);
    main.code = null;
    await refused.retry(0, true);
    await expect.poll(() => [list.phase, record.phase]).toEqual(['ready', 'ready']);
    await refused.retry(0, true);
    expect(main.asked).toHaveLength(4);
    list.dispose();
    record.dispose();
  },
);

test('a part that failed for another reason, or is no longer shown, is not requested again', async () => {
  const { main, client } = failing('TIMEOUT');
  const list = new ListModel({ ...OWNER, isOnline: () => true, client });
  await list.open(QUERY);
  main.code = 'UNAUTHORIZED';
  const gone = new RecordModel({ ...OWNER, client });
  await gone.open(QUERY);
  gone.dispose();
  await refused.retry(0, true);
  expect(main.asked).toHaveLength(2);
  list.dispose();
});

test('an operation that stays rejected is retried at intervals, and at once with another token', async () => {
  const all = new Refused();
  const owner = {};
  let tries = 0;
  const again = () => {
    tries += 1;
    all.note(owner, 'UNAUTHORIZED', again);
  };
  all.note(owner, 'UNAUTHORIZED', again);
  for (const atMs of [0, 1_000, 29_999]) await all.retry(atMs, false);
  expect(tries).toBe(1);
  await all.retry(30_000, false);
  expect(tries).toBe(2);
  await all.retry(30_001, true);
  expect(tries).toBe(3);
});

test('the panel of a failure does not retry beside the list whose failure it shows', async () => {
  const all = new Refused();
  const [list, panel, other] = [{}, {}, {}];
  const asked: string[] = [];
  all.note(panel, 'UNAUTHORIZED', () => asked.push('panel'), true);
  all.note(other, 'UNAUTHORIZED', () => asked.push('other'), true);
  all.note(list, 'UNAUTHORIZED', () => {
    asked.push('list');
    all.drop(panel);
  });
  await all.retry(0, true);
  expect(asked).toEqual(['list', 'other']);
});

test('a token counts as accepted when its rejection ends, not when the network is switched off', () => {
  let notify: (state: Network, seq: number) => void = () => undefined;
  const network = new NetworkState({
    ask: () => Promise.reject(new Error('Nothing is asked here.')),
    on: (_channel: string, listener: typeof notify) => {
      notify = listener;
      return () => undefined;
    },
  } as never);
  const accepted: string[] = [];
  network.onaccepted = (connectionId) => accepted.push(connectionId);
  network.listen();
  const states = [
    'online',
    'unauthorized',
    'switched-off',
    'unauthorized',
    'unauthorized',
    'online',
    'online',
  ];
  for (const [seq, state] of states.entries())
    notify({ connectionId: 'c', state } as unknown as Network, seq + 1);
  expect(accepted).toEqual(['c']);
});
