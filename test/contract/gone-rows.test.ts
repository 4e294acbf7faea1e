/**
 * Rows of kept lists that the service no longer returns stay, are marked once, and can be distinguished from the
 * others.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GONE_FIELD, goneAtOf } from '../../electron/shared/gone-field.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { KeepRig, planFor } from '../helpers/keep-rig.ts';
import { Lives } from '../helpers/lives.ts';
import { type Script, ScriptedServer, sendJson, sendPage } from '../helpers/scripted-server.ts';

const DAY = 86_400_000;
const ITEMS: ListQuery = { operation: 'datasets.items', path: { dataset_id: 'd' }, query: {} };
const lives = new Lives('keep-child.ts');
let folder: DataFolder;
let rigs: KeepRig[] = [];
let items: Record<string, unknown>[] = [];
let isDeleted = false;
let statedTotal: number | null = null;

const script: Script = (request, response) => {
  const { pathname } = new URL(request.url, 'http://x');
  if (isDeleted && pathname.includes('/datasets/d'))
    return sendJson(response, 404, { error: { code: 404, message: 'No such dataset.', errors: [] } });
  if (pathname.endsWith('/items')) {
    const shown = statedTotal === null ? items : [...items, ...Array(statedTotal - items.length).fill(null)];
    return sendPage(response, shown, request);
  }
  if (pathname.endsWith('/datasets/d'))
    return sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data: { id: 'd', name: 'D' } });
  return sendPage(response, [], request);
};
const item = (index: number, extra: Record<string, unknown> = {}) => ({
  id: `item-${String(index).padStart(4, '0')}`,
  inputs: { question: `Question ${index}` },
  ...extra,
});
const numbered = (count: number) => Array.from({ length: count }, (_, index) => item(index));

beforeEach(() => {
  folder = new DataFolder();
  items = numbered(230);
  isDeleted = false;
  statedTotal = null;
});
afterEach(async () => {
  lives.killAll();
  for (const rig of rigs) await rig[Symbol.asyncDispose]();
  rigs = [];
  folder[Symbol.dispose]();
});

function open(baseUrl: string): KeepRig {
  const rig = new KeepRig({ baseUrl, token: 't', folder });
  rigs.push(rig);
  return rig;
}
/** Reads everything that is kept again, as on the next day. */
async function sync(rig: KeepRig): Promise<void> {
  rig.library.aheadMs += DAY;
  await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
}
const storedItems = async (rig: KeepRig) => (await rig.stored(ITEMS)) as Record<string, unknown>[];
const goneOf = (rows: readonly Record<string, unknown>[]) =>
  rows.filter((row) => goneAtOf(row) !== null).map(({ id }) => id);

describe('rows that a sync no longer finds', () => {
  test('rows stay after the others, with the day of the first sync without them', async () => {
    await using server = await ScriptedServer.start(script);
    const rig = open(server.baseUrl);
    await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
    items = [...numbered(230).filter((_, index) => index !== 3 && index !== 200), item(900)];
    await sync(rig);
    const rows = await storedItems(rig);
    expect(rows).toHaveLength(231);
    expect(goneOf(rows)).toEqual(['item-0003', 'item-0200']);
    expect(rows.slice(-2).map(({ id }) => id)).toEqual(['item-0003', 'item-0200']);
    expect(rows.at(-1)).toMatchObject({ inputs: { question: 'Question 200' } });
    const first = rows.at(-1)?.[GONE_FIELD];
    await sync(rig);
    expect((await storedItems(rig)).at(-1)?.[GONE_FIELD]).toBe(first);
    expect(await rig.library.read(ITEMS, 'never')).toMatchObject({
      ...{ storedRows: 231, totalRows: 229, goneRows: 2, isComplete: true },
    });
    expect(await rig.library.read(ITEMS, 'never')).not.toHaveProperty('isTotalWrong');
  });

  test('a row that is returned again loses its mark', async () => {
    await using server = await ScriptedServer.start(script);
    const rig = open(server.baseUrl);
    await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
    items = numbered(230).slice(1);
    await sync(rig);
    expect(goneOf(await storedItems(rig))).toEqual(['item-0000']);
    items = numbered(230);
    await sync(rig);
    expect(await storedItems(rig)).toEqual(numbered(230));
    expect(await rig.library.read(ITEMS, 'never')).not.toHaveProperty('goneRows');
  });

  test('the text of a long row stays whole and has the mark', async () => {
    await using server = await ScriptedServer.start(script);
    const rig = open(server.baseUrl);
    const long = item(0, { text: 'ü0123456789'.repeat(12_000), last: { a: [1] } });
    items = [long, item(1)];
    await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
    items = [item(1)];
    await sync(rig);
    const gone = (await storedItems(rig)).at(-1);
    expect(gone).toEqual({ ...long, [GONE_FIELD]: expect.any(String) });
  });

  test('a list whose rows are all gone, and a list whose dataset is gone', async () => {
    await using server = await ScriptedServer.start(script);
    const rig = open(server.baseUrl);
    await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
    isDeleted = true;
    await sync(rig);
    expect(goneOf(await storedItems(rig))).toHaveLength(230);
    expect(await rig.library.read(ITEMS, 'never')).toMatchObject({ storedRows: 230, goneRows: 230 });
    isDeleted = false;
    items = [];
    await sync(rig);
    expect(goneOf(await storedItems(rig))).toHaveLength(230);
    items = numbered(230);
    await sync(rig);
    expect(goneOf(await storedItems(rig))).toEqual([]);
  });

  test('a list that is only cached has the rows of the service', async () => {
    await using server = await ScriptedServer.start(script);
    const rig = open(server.baseUrl);
    await rig.library.read(ITEMS, 'always');
    items = numbered(230).slice(5);
    await rig.library.read(ITEMS, 'always');
    expect(await storedItems(rig)).toEqual(items);
  });
});

describe('a view that reads a kept list again', () => {
  const grown = async (server: ScriptedServer) => {
    const rig = open(server.baseUrl);
    rig.library.settings.pageRows = 50;
    rig.library.settings.prefetchRows = 100;
    await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
    rig.library.aheadMs += DAY;
    items = numbered(2_000).slice(2);
    const before = server.received.length;
    await rig.library.read(ITEMS, 'if-stale');
    return { rig, pages: server.received.length - before };
  };

  test('reads and shows no more rows than before; the next whole reading marks what it did not find', async () => {
    await using server = await ScriptedServer.start(script);
    const { rig, pages } = await grown(server);
    expect(pages).toBe(5);
    expect(await rig.library.read(ITEMS, 'never')).toMatchObject({ storedRows: 250, isComplete: false });
    expect(goneOf(await storedItems(rig))).toEqual([]);
    await sync(rig);
    const rows = await storedItems(rig);
    expect(rows).toHaveLength(2_000);
    expect(goneOf(rows)).toEqual(['item-0000', 'item-0001']);
  });

  test('holds the replaced rows while others are swept, and shows them if the dataset is gone', async () => {
    await using server = await ScriptedServer.start(script);
    const { rig } = await grown(server);
    rig.library.aheadMs += DAY;
    const { lists } = rig.library.store;
    while (lists.sweep(500) > 0);
    await rig.library.read(ITEMS, 'always');
    while (lists.sweep(500) > 0);
    isDeleted = true;
    await sync(rig);
    const rows = await storedItems(rig);
    expect(goneOf(rows)).toHaveLength(rows.length);
    expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(numbered(rows.length).map(({ id }) => id)));
    expect(rows.length).toBeGreaterThan(250);
  });

  test('is read on to its end, here or by the keep job, and then has the replaced rows too', async () => {
    await using server = await ScriptedServer.start(script);
    const { rig } = await grown(server);
    // The job continues a read that is recent enough.
    await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
    const rows = await storedItems(rig);
    expect(goneOf(rows)).toEqual(['item-0000', 'item-0001']);
    expect(rows).toHaveLength(2_000);
    expect(rig.library.store.lists.heldOf(rig.library.library.keyOf(ITEMS))).toBeNull();
  });

  test('cut by a closed view, it is read whole by the keep job', async () => {
    await using server = await ScriptedServer.start(script);
    const rig = open(server.baseUrl);
    await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
    items = numbered(600).slice(2);
    rig.library.settings.pageRows = 50;
    rig.library.aheadMs += DAY;
    server.answer((request, response) =>
      Number(new URL(request.url, 'http://x').searchParams.get('offset')) > 90
        ? sendJson(response, 400, { error: { code: 400, message: 'No.', errors: [] } })
        : script(request, response),
    );
    await rig.library.read(ITEMS, 'if-stale');
    expect(await storedItems(rig)).toEqual(numbered(230));
    server.answer(script);
    await sync(rig);
    expect(goneOf(await storedItems(rig))).toEqual(['item-0000', 'item-0001']);
    expect(await storedItems(rig)).toHaveLength(600);
  });

  test('that ends within as many rows marks what it did not find at no further request', async () => {
    await using server = await ScriptedServer.start(script);
    const rig = open(server.baseUrl);
    await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
    items = numbered(230).slice(2);
    rig.library.aheadMs += DAY;
    await rig.library.read(ITEMS, 'if-stale');
    expect(goneOf(await storedItems(rig))).toEqual(['item-0000', 'item-0001']);
    await rig.library.read(ITEMS, 'always');
    expect(goneOf(await storedItems(rig))).toEqual(['item-0000', 'item-0001']);
  });

  test('a filter of the mark leaves only gone rows, and the columns offer this filter', async () => {
    await using server = await ScriptedServer.start(script);
    const rig = open(server.baseUrl);
    await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
    items = numbered(230).slice(7);
    await sync(rig);
    const page = await rig.library.library.readRows({
      query: ITEMS,
      window: {
        ...{ offset: 0, limit: 50, sort: null, narrow: null },
        filters: [{ kind: 'range', field: GONE_FIELD, from: null, to: null, includesTo: true }],
      },
    });
    expect(page.matchingRows).toBe(7);
    expect(page.rows.map(({ record }) => record['id'])).toEqual(numbered(7).map(({ id }) => id));
  });
});

test('a row that another process read meanwhile is not gone', async () => {
  await using server = await ScriptedServer.start(script);
  const rig = open(server.baseUrl);
  await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
  const { lists } = rig.library.store;
  const { carry } = lists;
  let hasOther = false;
  lists.carry = (generationId, from, goneAtMs) => {
    const next = carry(generationId, from, goneAtMs);
    if (hasOther || lists.generation(from.generationId)?.rowCount !== 230) return next;
    hasOther = true;
    const listId = lists.generation(generationId)?.listId ?? 0;
    const other = lists.begin(listId, false);
    const rows = numbered(2).map((record) => ({
      ...{ identity: record.id, shownText: null, record: JSON.stringify(record), textId: null },
    }));
    const receivedAtMs = Date.now() + rig.library.aheadMs + DAY / 2;
    lists.append(other.id, { offset: 0, rows, total: 2, receivedAtMs, requestId: 'r' }, true);
    lists.show(other.id);
    return next;
  };
  items = numbered(230).slice(3);
  await sync(rig);
  const rows = await storedItems(rig);
  expect(hasOther).toBe(true);
  expect(rows).toHaveLength(230);
  expect(goneOf(rows)).toEqual(['item-0002']);
  expect(await rig.library.read(ITEMS, 'never')).toMatchObject({ goneRows: 1 });
});

describe('an incomplete reading', () => {
  test('loses no row and marks none, as it may have missed them', async () => {
    await using server = await ScriptedServer.start(script);
    const rig = open(server.baseUrl);
    await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
    items = numbered(230).slice(1);
    await sync(rig);
    // The service states five rows more than its pages contain.
    items = numbered(230).slice(3);
    const before = server.received.length;
    statedTotal = 240;
    const short: Script = (request, response) => {
      const url = new URL(request.url, 'http://x');
      if (!url.pathname.endsWith('/items')) return script(request, response);
      const [limit, offset] = [url.searchParams.get('limit'), url.searchParams.get('offset')].map(Number);
      return sendJson(response, 200, {
        ...{ api_version: '3.0', kind: 'PAGINATED' },
        data: {
          ...{ page_size: limit, total: 240 + server.received.length - before, offset },
          items: items.slice(offset, (offset ?? 0) + (limit ?? 0)),
        },
      });
    };
    server.answer(short);
    await sync(rig);
    const rows = await storedItems(rig);
    expect(rows).toHaveLength(230);
    expect(goneOf(rows)).toEqual(['item-0000']);
    const freshness = await rig.library.read(ITEMS, 'never');
    expect(freshness).toMatchObject({ isComplete: false, storedRows: 230, goneRows: 1 });
    expect(freshness.missingRows).toBeGreaterThan(0);
  });
});

test('killed between any two steps, no row is lost and each gone one is marked once', async () => {
  await using server = await ScriptedServer.start(script);
  items = numbered(400);
  const rig = open(server.baseUrl);
  const { keptId } = await rig.kept(planFor({ kind: 'dataset', id: 'd' }));
  items = numbered(400).filter((_, index) => index % 9 !== 0);
  rig.library.aheadMs += DAY;
  await rig.keep.stop();
  const args = { url: server.baseUrl, token: 't', folder: folder.path, kept: keptId, 'days-later': '1' };
  for (let kill = 1; kill <= 12; kill += 1) {
    await lives.live(args, kill + 2);
    expect(await storedItems(open(server.baseUrl))).toHaveLength(400);
  }
  expect(await lives.live(args, null)).toBe('ended done');
  const rows = await storedItems(open(server.baseUrl));
  expect(rows).toHaveLength(400);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(400);
  expect(goneOf(rows)).toEqual(
    numbered(400)
      .filter((_, index) => index % 9 === 0)
      .map(({ id }) => id),
  );
});
