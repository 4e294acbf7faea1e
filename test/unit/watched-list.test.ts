/** Rows that main tells of while an answer is on its way: what was told since holds. */
import { beforeEach, describe, expect, test } from 'vitest';
import { WatchedList } from '../../renderer/state/watched-list.svelte.ts';

interface Row {
  id: string;
  state: string;
}

let answer: PromiseWithResolvers<readonly Row[]>;
let answered: PromiseWithResolvers<Row | null>;

class Rows extends WatchedList<Row> {
  protected idOf({ id }: Row): string {
    return id;
  }
  protected read(): Promise<readonly Row[]> {
    return answer.promise;
  }
  tell(row: Row, connectionId = 'c'): void {
    this.told(connectionId, row);
  }
  control(): Promise<Row | null> {
    return this.ask('c', () => answered.promise);
  }
  forget(id: string): void {
    this.drop(id);
  }
}

const row = (id: string, state = 'running'): Row => ({ id, state });

beforeEach(() => {
  answer = Promise.withResolvers();
  answered = Promise.withResolvers();
});

async function withRows(...list: Row[]): Promise<Rows> {
  const rows = new Rows();
  answer.resolve(list);
  await rows.watch('c');
  answer = Promise.withResolvers();
  return rows;
}

describe('the answer to an act', () => {
  test('is shown, and a new row comes first', async () => {
    const rows = await withRows(row('a'));
    answered.resolve(row('b'));
    await rows.control();
    expect(rows.list).toEqual([row('b'), row('a')]);
  });

  test('that comes after the end was told does not begin the row again', async () => {
    const rows = await withRows();
    const done = rows.control();
    rows.tell(row('a', 'done'));
    answered.resolve(row('a', 'running'));
    expect(await done).toEqual(row('a', 'running'));
    expect(rows.list).toEqual([row('a', 'done')]);
  });

  test('is newer than what was told before it was asked for', async () => {
    const rows = await withRows(row('a'));
    rows.tell(row('a', 'paused'));
    const done = rows.control();
    answered.resolve(row('a', 'done'));
    await done;
    expect(rows.list).toEqual([row('a', 'done')]);
  });

  test('of a connection that was left is not shown in the next one', async () => {
    const rows = await withRows();
    const done = rows.control();
    answer.resolve([]);
    await rows.watch('d');
    answered.resolve(row('a'));
    await done;
    expect(rows.list).toEqual([]);
  });

  test('that is nothing changes nothing', async () => {
    const rows = await withRows(row('a'));
    answered.resolve(null);
    await rows.control();
    expect(rows.list).toEqual([row('a')]);
  });
});

describe('a list that is read', () => {
  test('does not take back what was told while it was on its way', async () => {
    const rows = await withRows(row('a'), row('b'));
    const done = rows.load();
    rows.tell(row('b', 'done'));
    rows.tell(row('c'));
    answer.resolve([row('b'), row('a', 'paused')]);
    await done;
    expect(rows.list).toEqual([row('c'), row('b', 'done'), row('a', 'paused')]);
  });

  test('does not bring back a row that was removed meanwhile, nor does what is told late', async () => {
    const rows = await withRows(row('a'), row('b'));
    const done = rows.load();
    rows.forget('a');
    rows.tell(row('a', 'done'));
    answer.resolve([row('a'), row('b')]);
    await done;
    expect(rows.list).toEqual([row('b')]);
  });

  test('has the last word on what was told before', async () => {
    const rows = await withRows(row('a'));
    rows.tell(row('a', 'paused'));
    answer.resolve([row('a', 'done')]);
    await rows.load();
    expect(rows.list).toEqual([row('a', 'done')]);
  });

  test('shows nothing of what is told of another connection', async () => {
    const rows = await withRows(row('a'));
    rows.tell(row('a', 'done'), 'd');
    expect(rows.list).toEqual([row('a')]);
  });
});
