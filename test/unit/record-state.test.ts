/** The record that a view shows: a short one is read in one message, a long one in parts. */
import { expect, test } from 'vitest';
import type { ListQuery, RecordState } from '../../electron/shared/model.ts';
import { PART_CHARACTERS, partOf } from '../../electron/shared/record-parts.ts';
import { RecordModel } from '../../renderer/state/record-state.svelte.ts';
import { freshRows } from '../helpers/freshness.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

const fresh = freshRows(1);
const query: ListQuery = { operation: 'queries.run', path: {}, query: {} };
const longRecord = (text: string) => ({ text: text.repeat(100_000) });

/** A fake main process that stores one record. */
class FakeMain {
  json = JSON.stringify(longRecord('a'));
  textId = 1;
  readonly froms: number[] = [];
  beforePart: (from: number) => unknown = () => undefined;

  state(freshness = fresh): RecordState {
    const parts = { textId: this.textId, characters: this.json.length };
    return { recordKey: 'k', record: null, parts, goneAtMs: null, freshness };
  }
  store(record: Record<string, unknown>, textId: number): void {
    this.json = JSON.stringify(record);
    this.textId = textId;
  }
  notify(state = this.state()): void {
    this.#main.emit('library:record-changed', { connectionId: 'c', state });
  }
  readonly #main = numberedClient(async (channel, argument: { from: number; textId: number }) => {
    if (channel !== 'app:read-part') return this.state();
    const { from, textId } = argument;
    this.froms.push(from);
    await this.beforePart(from);
    return textId === this.textId ? partOf(this.json, from) : null;
  });
  readonly client = this.#main.client;
}

function modelOf(main: FakeMain): RecordModel {
  return new RecordModel({ connectionId: 'c', viewId: 'v', client: main.client });
}

test('a long record is read in parts before it counts as open', async () => {
  const main = new FakeMain();
  const model = modelOf(main);
  await model.open(query);
  expect(model.phase).toBe('ready');
  expect(model.record).toEqual(longRecord('a'));
  expect(main.froms).toEqual([0, 1, 2, 3].map((part) => part * PART_CHARACTERS));
});

test('a record that only became older is not read again', async () => {
  const main = new FakeMain();
  const model = modelOf(main);
  await model.open(query);
  const { record } = model;
  main.notify(main.state({ ...fresh, isStale: true }));
  expect(model.freshness?.isStale).toBe(true);
  expect(model.record).toBe(record);
  expect(main.froms).toHaveLength(4);
});

test('an answer reported while another is read replaces it completely, with its own age', async () => {
  const main = new FakeMain();
  main.beforePart = (from) => {
    if (from !== PART_CHARACTERS || main.textId === 2) return;
    main.store(longRecord('b'), 2);
    main.notify(main.state({ ...fresh, newestMs: 2 }));
  };
  const model = modelOf(main);
  await model.open(query);
  expect(model.record).toEqual(longRecord('b'));
  expect(model.freshness?.newestMs).toBe(2);
});

test('an answer that another process wrote meanwhile is read from the start', async () => {
  const main = new FakeMain();
  main.beforePart = (from) => {
    if (from === PART_CHARACTERS) main.store(longRecord('c'), 2);
  };
  const model = modelOf(main);
  await model.open(query);
  expect(model.phase).toBe('ready');
  expect(model.record).toEqual(longRecord('c'));
});

test('an unreadable part fails the opening, with the reason', async () => {
  const main = new FakeMain();
  main.beforePart = () => Promise.reject(new Error('The file is not a database.'));
  const model = modelOf(main);
  await model.open(query);
  expect([model.phase, model.record]).toEqual(['failed', null]);
  expect(model.error?.message).toContain('not a database');
});

test('a query that cannot be opened does not show the record of the query before it', async () => {
  const short = { recordKey: 'k', record: { of: 'first' }, parts: null, goneAtMs: 5, freshness: fresh };
  let isDamaged = false;
  const { client } = numberedClient((channel, { query: asked }: { query: ListQuery }) => {
    if (channel !== 'library:open-record') return null;
    if (asked.operation === query.operation && !isDamaged) return short;
    throw new Error('The file is not a database.');
  });
  const model = new RecordModel({ connectionId: 'c', viewId: 'v', client });
  const other = { ...query, operation: 'models.get' };
  await model.open(query);
  expect([model.record, model.goneAtMs]).toEqual([{ of: 'first' }, 5]);
  await model.open(other);
  expect([model.phase, model.record, model.freshness, model.goneAtMs]).toEqual(['failed', null, null, null]);

  // A failed refresh of the same query keeps what is known.
  await model.open(query);
  isDamaged = true;
  await model.refresh();
  expect([model.phase, model.record]).toEqual(['failed', { of: 'first' }]);
});

test('the parts add up to the text, and none splits a character', () => {
  const text = `x${'😀'.repeat(PART_CHARACTERS)}`;
  const parts: string[] = [];
  for (let at = 0; at < text.length; at += parts.at(-1)?.length ?? 0) parts.push(partOf(text, at));
  expect(parts.join('')).toBe(text);
  expect(parts.every((part) => part.isWellFormed() && part.length <= PART_CHARACTERS)).toBe(true);
  expect(partOf(text, text.length)).toBe('');
});
