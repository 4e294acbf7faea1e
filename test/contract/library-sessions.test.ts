/**
 * Sessions of a stored list of spans: read on the main thread and in another one, filtered, and in messages of limited
 * size.
 */
import { afterEach, expect, test } from 'vitest';
import { readTable } from '../../electron/engine/export-tables.ts';
import { MESSAGE_BYTES } from '../../electron/shared/long-message.ts';
import type { ListQuery, RowPage } from '../../electron/shared/model.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import { ScriptedServer, sendJson } from '../helpers/scripted-server.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

const RANGE = { start_time: '2026-03-12T00:00:00.000Z', end_time: '2026-03-13T00:00:00.000Z' };
const queryOf = (filter?: object): ListQuery => ({
  ...{ operation: 'spans.query', path: {}, query: {} },
  body: {
    application_id: '0f8fad5b-d9cb-469f-a165-70867728950e',
    ...RANGE,
    ordering: '-start_time',
    ...(filter ? { filter } : {}),
  } as never,
});
const SESSIONS = 60;
const SPANS = 4;

/** Four spans for each session, newest first. The third is a tool call. */
const spans = (text: string) =>
  Array.from({ length: SESSIONS * SPANS }, (_, at) => {
    const session = Math.floor(at / SPANS);
    const step = SPANS - 1 - (at % SPANS);
    return {
      ...{ session_id: `s-${session}`, trace_id: `t-${session}-${step}`, span_id: `p-${at}`, name: 'step' },
      ...{ span_type: step === 2 ? 'tool' : 'agent', status_code: 'OK', parent_span_id: null, duration: 1 },
      start_time: new Date(Date.parse(RANGE.end_time) - 1_000 * (at + 1)).toISOString(),
      ...{ input: `Question ${session}.${step} ${text}`, output: `Answer ${session}.${step} ${text}` },
      ...{ span_attributes: {}, evaluators: [] },
    };
  });

async function stored(text: string, prefetchRows = 20_000): Promise<LibraryRig> {
  const all = spans(text);
  const server = await ScriptedServer.start(({ body }, response) => {
    const { offset = 0, page_size: size = 50 } = JSON.parse(body) as { offset?: number; page_size?: number };
    const items = all.slice(offset, offset + size);
    const data = { items, item_count: items.length, total: all.length, page_size: size, offset };
    sendJson(response, 200, { api_version: '3.0', kind: 'PAGINATED', data });
  });
  cleanUps.push(async () => server[Symbol.asyncDispose]());
  const rig = new LibraryRig(server.baseUrl);
  cleanUps.push(async () => rig[Symbol.asyncDispose]());
  Object.assign(rig.settings, { prefetchRows, pageRows: 50 });
  await rig.read(queryOf());
  return rig;
}
const bySession = { groupBy: 'session' } as const;

test.each([
  ['a few, on the main thread', ''],
  ['large ones, in the thread', 'x'.repeat(2_000)],
])('rows of %s are sessions with their first question and last answer', async (_, text) => {
  const rig = await stored(text);
  const { rows, matchingRows } = await rig.rows(queryOf(), bySession);
  expect(matchingRows).toBe(SESSIONS);
  const [first] = rows;
  expect(first?.record).toMatchObject({ session_id: 's-0', turns: SPANS, spans: SPANS });
  expect(first?.record['input']).toMatch(/^Question 0\.0/);
  expect(first?.record['output']).toMatch(/^Answer 0\.3/);
});

test('a filter selects the sessions with a matching span, which still count all of their spans', async () => {
  const rig = await stored('');
  const rule = { condition: 'AND', rules: [{ field: 'Span::span_type', operator: 'eq', value: 'tool' }] };
  const page = await rig.rows(queryOf(rule), { ...bySession, narrow: 'Question 7.' });
  expect(page.rows.map(({ record }) => [record['session_id'], record['spans']])).toEqual([['s-7', SPANS]]);
  const tools = { kind: 'values' as const, field: 'name', values: ['other'], excludes: false };
  expect((await rig.rows(queryOf(), { ...bySession, filters: [tools] })).matchingRows).toBe(0);
});

test('spans of arriving pages join the sessions that are grouped already', async () => {
  const rig = await stored('x'.repeat(2_000), 100);
  const counts = async () => {
    const found: [unknown, unknown][] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: RowPage = await rig.rows(queryOf(), { ...bySession, offset });
      found.push(
        ...page.rows.map(({ record }) => [record['session_id'], record['spans']] as [unknown, unknown]),
      );
      offset = page.nextOffset;
    }
    return found;
  };
  const all = Array.from({ length: SESSIONS }, (_, at) => [`s-${at}`, SPANS]);
  expect(await counts()).toEqual(all.slice(0, 25));
  for (const rows of [150, 200, SESSIONS * SPANS]) {
    await rig.settle(await rig.library.fetchRows({ viewId: 'view', query: queryOf(), offset: null }));
    expect((await counts()).reduce((sum, [, spanCount]) => sum + Number(spanCount), 0)).toBe(rows);
  }
  expect(await counts()).toEqual(all);
});

test('the shown sessions are exported as rows, with the number of spans that they count', async () => {
  const rig = await stored('x'.repeat(2_000), 100);
  const parts = { library: rig.library } as unknown as Parameters<typeof readTable>[0];
  const sort = { field: 'start_time', isDescending: false };
  const ask = (narrow: string | null) =>
    readTable(parts, { form: 'sessions', query: queryOf(), narrow, filters: [], sort });
  const all = await ask(null);
  expect(all).toMatchObject({ about: { table: 'sessions', spans: 100 }, isComplete: false });
  expect([...(all.rows as Iterable<object>)].map((row) => Object(row).session_id)).toEqual(
    Array.from({ length: 25 }, (_, at) => `s-${24 - at}`),
  );
  expect([...((await ask('Question 7.')).rows as Iterable<object>)]).toMatchObject([
    { session_id: 's-7', spans: SPANS, turns: SPANS },
  ]);
});

test('long texts are cut, and rows continue in the next message', async () => {
  const rig = await stored('x'.repeat(90_000));
  const all: unknown[] = [];
  let messages = 0;
  for (let offset: number | undefined = 0; offset !== undefined; messages += 1) {
    const page = await rig.rows(queryOf(), {
      ...bySession,
      offset,
      sort: { field: 'start_time', isDescending: false },
    });
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(MESSAGE_BYTES);
    all.push(...page.rows.map(({ record }) => record['session_id']));
    offset = page.nextOffset;
  }
  expect(all).toEqual(Array.from({ length: SESSIONS }, (_, at) => `s-${SESSIONS - 1 - at}`));
  expect(messages).toBeGreaterThan(1);
});
