/** Lists and records that stay open in the window while the session of their connection is closed and opened again. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { shownViews } from '../../renderer/state/open-again.ts';
import { RecordModel } from '../../renderer/state/record-state.svelte.ts';
import { LibraryRows } from '../../renderer/state/uploads-library.svelte.ts';
import { freshRows } from '../helpers/freshness.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

interface Argument {
  viewId: string;
  refresh: string;
}

let opened: [channel: string, viewId: string, refresh: string][];
let name: string;
let main: ReturnType<typeof numberedClient>;
const wholeAnswer = (channel: string) => {
  const freshness = { ...freshRows(0), storedRows: 1, totalRows: 1, isComplete: true };
  const page = { rows: [{ position: 0, record: { name } }], matchingRows: 1 };
  const record = { recordKey: 'key', record: { name }, parts: null, goneAtMs: null, freshness };
  if (channel === 'library:open-list') return { state: { listKey: 'key', freshness }, page };
  return channel === 'library:open-record' ? record : page;
};
const close = async (connectionId = 'c') => {
  main.emit('connections:session-closed', { connectionId, isMoved: false });
  await vi.advanceTimersByTimeAsync(1_000);
};
const query = { operation: 'models.list', path: {}, query: {} };
const LIST = 'library:open-list';
const RECORD = 'library:open-record';

beforeEach(() => {
  vi.useFakeTimers();
  opened = [];
  name = 'before';
  main = numberedClient((channel, { viewId, refresh }: Argument) => {
    if (channel === LIST || channel === RECORD) opened.push([channel, viewId, refresh]);
    return wholeAnswer(channel);
  });
});
afterEach(() => {
  shownViews.isShown = () => true;
  vi.useRealTimers();
});

function newList(viewId = 'v'): ListModel {
  return new ListModel({ connectionId: 'c', viewId, isOnline: () => true, client: main.client });
}
function newRecord(viewId = 'v'): RecordModel {
  return new RecordModel({ connectionId: 'c', viewId, client: main.client });
}

describe('after the session of their connection was closed', () => {
  test('an open list is opened again, and shows the rows of the new session', async () => {
    const list = newList();
    await list.open(query);
    name = 'after';
    await close('another');
    expect(opened).toHaveLength(1);
    await close();
    expect(opened).toEqual([
      [LIST, 'v', 'if-stale'],
      [LIST, 'v', 'if-stale'],
    ]);
    expect([list.phase, list.row(0)]).toEqual(['ready', { name: 'after' }]);
    list.dispose();
    await close();
    expect(opened).toHaveLength(2);
  });

  test('an open record is opened again, without a request if it was opened without one', async () => {
    const record = newRecord();
    await close();
    expect(opened).toEqual([]);
    await record.open(query, 'never');
    name = 'after';
    await close();
    expect(opened).toEqual([
      [RECORD, 'v', 'never'],
      [RECORD, 'v', 'never'],
    ]);
    expect(record.record).toEqual({ name: 'after' });
  });

  test('rows of an upload view are opened again', async () => {
    const rows = new LibraryRows('c', 'models.list', {}, main.client);
    await close();
    expect(opened).toEqual([]);
    await rows.open();
    name = 'after';
    await close();
    expect(opened).toHaveLength(2);
    expect(rows.rows).toEqual([{ name: 'after' }]);
  });

  test('a list that is not shown is opened again when it is shown', async () => {
    const list = newList();
    await list.open(query);
    list.setShown(false);
    await close();
    await close();
    expect(opened).toHaveLength(1);
    list.setShown(true);
    expect(opened).toHaveLength(2);
  });

  test('lists and records of hidden tabs are opened again when their tab is shown', async () => {
    let shownTab = 'tab-1.';
    shownViews.isShown = (viewId) => viewId.startsWith(shownTab);
    await newList('tab-1.list').open(query);
    await newList('tab-2.list').open(query);
    await newRecord('tab-2.record').open(query);
    opened = [];
    await close();
    expect(opened.map(([, viewId]) => viewId)).toEqual(['tab-1.list']);
    shownTab = 'tab-2.';
    shownViews.look();
    shownViews.look();
    expect(opened.map(([, viewId]) => viewId)).toEqual(['tab-1.list', 'tab-2.list', 'tab-2.record']);
  });

  test('a list whose view opens it for another query is not opened twice', async () => {
    const list = newList();
    await list.open(query);
    list.setShown(false);
    await close();
    await list.open({ ...query, operation: 'models.get' });
    list.setShown(true);
    expect(opened).toHaveLength(2);
  });
});
