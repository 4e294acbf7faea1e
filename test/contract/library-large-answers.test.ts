/**
 * Records and rows of several MB get from an answer to the store and the window as text, which the main thread never
 * parses.
 */
import { afterEach, expect, test, vi } from 'vitest';
import { MESSAGE_BYTES } from '../../electron/shared/long-message.ts';
import type { ListQuery, ListRow } from '../../electron/shared/model.ts';
import { joinParts, parseRecord, wholeRow } from '../../electron/shared/record-parts.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import { ScriptedServer } from '../helpers/scripted-server.ts';

const MEGABYTE = 1_048_576;
/** Maximum length of JSON that one turn may parse or write: that of an answer that is read on the main thread. */
const MAX_CHARS = 140_000;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Measures the longest JSON that this thread parses or writes from now on. */
function longestJson(): () => number {
  const parse = vi.spyOn(JSON, 'parse');
  const stringify = vi.spyOn(JSON, 'stringify');
  return () => {
    const parsed = parse.mock.calls.map(([text]) => text.length);
    const written = stringify.mock.results.map(({ value }) => (typeof value === 'string' ? value.length : 0));
    return Math.max(0, ...parsed, ...written);
  };
}

const record = { id: 'a', name: 'Größe 尺寸 😀"'.repeat(100_000), more: ['x'.repeat(3 * MEGABYTE)] };
const model: ListQuery = { operation: 'models.get', path: { model_id: 'a' }, query: {} };

test('no step of reading, storing and showing a long record parses or writes much JSON', async () => {
  const body = Buffer.from(JSON.stringify({ api_version: '3.0', kind: 'NORMAL', data: record }));
  await using server = await ScriptedServer.start((_request, response) => response.writeHead(200).end(body));
  await using rig = new LibraryRig(server.baseUrl);
  const longest = longestJson();
  await rig.library.openRecord({ viewId: 'v', query: model, refresh: 'always' }, 'message');
  await rig.until(() => rig.records.length > 0);
  const parts = rig.records.at(-1)?.parts ?? { textId: 0, characters: 0 };
  const read: string[] = [];
  await joinParts(parts.characters, async (from) => {
    const part = rig.library.readRecord({ textId: parts.textId, from });
    read.push(part ?? '');
    return part;
  });
  expect(longest()).toBeLessThan(MAX_CHARS);
  expect(Math.max(...read.map((part) => Buffer.byteLength(part)))).toBeLessThan(MESSAGE_BYTES);
  expect(parseRecord(read.join(''))).toEqual(record);
});

const list: ListQuery = { operation: 'models.list', path: {}, query: {} };
const items = [
  { id: 'small', name: 'b' },
  { id: 'long', name: 'c', prompt: `${'x'.repeat(5 * MEGABYTE)} needle`, inner: { rank: 7 } },
  { id: 'too-long', name: 'a', prompt: 'y'.repeat(9 * MEGABYTE), list: [1] },
  { id: 'last', name: 'd' },
];
const page = (of: readonly unknown[]) =>
  Buffer.from(
    JSON.stringify({
      api_version: '3.0',
      kind: 'PAGINATED',
      data: { items: of, total: of.length, page_size: of.length, offset: 0 },
    }),
  );

test('an item of 9 MB names its missing parts, the others are complete, and all are found and sorted', async () => {
  const body = page(items);
  await using server = await ScriptedServer.start((_request, response) => response.writeHead(200).end(body));
  await using rig = new LibraryRig(server.baseUrl);
  const window = { offset: 0, limit: 200, sort: null, narrow: null };
  const longest = longestJson();
  await rig.read(list);
  const shown = await rig.library.readRows({ query: list, window }, 'message');
  expect(longest()).toBeLessThan(MAX_CHARS);
  vi.restoreAllMocks();
  expect(Buffer.byteLength(JSON.stringify(shown))).toBeLessThan(MESSAGE_BYTES);
  const whole: ListRow[] = [];
  for (const row of shown.rows) whole.push(await wholeRow(row, (part) => rig.library.readRecord(part)));
  const [small, long, tooLong, last] = whole.map((row) => row.record);
  expect([small, long, last]).toEqual([items[0], items[1], items[3]]);
  expect(tooLong).toMatchObject({
    id: 'too-long',
    name: 'a',
    list: [1],
    prompt: expect.stringMatching(/^y+…$/),
  });
  expect(tooLong?.['not_kept']).toMatch(
    /^This item is 9\.0 MB\. At most 8 MB .* not stored\. .* command line/,
  );

  const ids = async (wanted: object) => {
    const { rows } = await rig.library.readRows({ query: list, window: { ...window, ...wanted } });
    return rows.map((row) => row.record['id']);
  };
  expect(await ids({ narrow: 'NEEDLE' })).toEqual(['long']);
  expect(await ids({ sort: { field: 'name', isDescending: false } })).toEqual([
    'too-long',
    'small',
    'long',
    'last',
  ]);
  expect((await ids({ sort: { field: 'inner.rank', isDescending: false } }))[0]).toBe('long');
  const stored = await rig.library.readStored(list, 0, 10);
  expect(stored.map((row) => row.record)).toEqual([small, long, tooLong, last]);
});

test('a text is deleted once no stored row refers to it', async () => {
  let of = [{ id: 'a', name: 'a', text: 'x'.repeat(200_000) }];
  await using server = await ScriptedServer.start((_request, response) =>
    response.writeHead(200).end(page(of)),
  );
  await using rig = new LibraryRig(server.baseUrl);
  const window = { offset: 0, limit: 10, sort: null, narrow: null };
  const idNow = async () =>
    (await rig.library.readRows({ query: list, window }, 'message')).rows[0]?.parts?.textId ?? 0;
  await rig.read(list);
  const before = await idNow();
  of = [{ id: 'a', name: 'b', text: 'x'.repeat(200_000) }];
  await rig.read(list, 'always');
  await rig.library.stop();
  while (rig.store.lists.sweep(1_000) > 0);
  while (rig.store.longTexts.sweep(1_000) > 0);
  expect(rig.store.longTexts.characters(before)).toBe(null);
  expect(rig.library.readRecord({ textId: before, from: 0 })).toBe(null);
  expect(rig.store.longTexts.characters(await idNow())).toBeGreaterThan(200_000);
});

test('a text that is being written stays, and is deleted if nothing ever refers to it', async () => {
  await using rig = new LibraryRig('http://127.0.0.1:1');
  const { longTexts } = rig.store;
  const textId = longTexts.begin();
  longTexts.add(textId, { bytes: Uint8Array.from(Buffer.from('Grüße')), characters: 5 });
  expect(longTexts.sweep(10)).toBe(0);
  expect([longTexts.whole(textId), longTexts.part(textId, 5)]).toEqual(['Grüße', '']);
  rig.aheadMs = 16 * 60_000;
  expect(longTexts.sweep(10)).toBe(1);
  expect(longTexts.whole(textId)).toBe(null);
});
