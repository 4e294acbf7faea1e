/**
 * SQL sees the stored records of a kind, the request log and acknowledged rows once each, and single lists under
 * permanent names.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSql, type Sql } from '../../electron/analysis/sql.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { AppError } from '../../electron/shared/errors.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { answerOf, LaterRig, MODEL } from '../helpers/later-rig.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { ScriptedServer, sendJson } from '../helpers/scripted-server.ts';

const SUPPORT = '6f9619ff-8b86-4d01-b42d-00cf4fc96401';
const CLAIMS = '6f9619ff-8b86-4d01-b42d-00cf4fc96402';
const APPLICATIONS = { [SUPPORT]: 'Support assistant', [CLAIMS]: 'Claims triage' };
type ApplicationId = typeof SUPPORT | typeof CLAIMS;
const TYPES = ['llm', 'tool', 'chain'];
const span = (application: ApplicationId, at: number) => ({
  span_id: `${application}-span-${at}`,
  trace_id: `${application}-trace-${at % 7}`,
  span_type: TYPES[at % TYPES.length],
  ...(at % 2 === 0 ? { tokens: at } : {}),
});
const spans = (application: ApplicationId) => Array.from({ length: 60 }, (_, at) => span(application, at));

let server: ScriptedServer;
let rig: LibraryRig;
let sql: Sql;
/** Ids of lists that are treated as if they were deleted. */
const gone = new Set<string>();

beforeAll(async () => {
  server = await ScriptedServer.start((request, response) => {
    const page = (items: readonly unknown[]) =>
      sendJson(response, 200, { kind: 'PAGINATED', data: { items, total: items.length, offset: 0 } });
    if (request.method === 'GET')
      return page(Object.entries(APPLICATIONS).map(([id, name]) => ({ id, name })));
    const { application_id, filter } = JSON.parse(request.body.toString());
    const type = filter?.rules?.[0]?.value;
    page(spans(application_id).filter(({ span_type }) => type === undefined || span_type === type));
  });
  rig = new LibraryRig(server.baseUrl);
  sql = createSql({
    lists: () => rig.library.storedLists().filter(({ query }) => !gone.has(JSON.stringify(query))),
    names: async () => new Map(Object.entries(APPLICATIONS)),
    sidecars: rig.sidecars,
    startChild: startNodeChild,
    clock: systemClock,
  });
  await rig.read({ operation: 'applications.list', path: {}, query: {} });
  expect(await rig.read(asked(SUPPORT))).toMatchObject({ storedRows: 60, isComplete: true });
  await rig.read(asked(SUPPORT, 'llm'));
  await rig.read(asked(CLAIMS));
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

function asked(application: ApplicationId, type?: string): ListQuery {
  const range = { start_time: '2026-11-19T00:00:00.000Z', end_time: '2026-11-27T00:00:00.000Z' };
  const filter = { type: 'AND', rules: [{ field: 'span_type', operator: 'eq', value: type ?? '' }] };
  return {
    operation: 'spans.query',
    path: {},
    query: {},
    body: { application_id: application, ...range, ...(type === undefined ? {} : { filter }) },
  };
}

async function rowsOf(text: string): Promise<unknown[][]> {
  const rows: unknown[][] = [];
  for await (const page of sql.read(text, new AbortController().signal)) rows.push(...page.rows);
  return rows;
}
const rejectionOf = async (text: string): Promise<string> =>
  rowsOf(text).then(
    () => 'It was answered.',
    (error: AppError) => error.message,
  );

test('spans are all stored spans, once each, with their application and their age', async () => {
  expect(
    await rowsOf(
      'SELECT application, span_type, count(*), count(as_of) FROM spans GROUP BY 1, 2 ORDER BY 1, 2',
    ),
  ).toEqual(
    ['Claims triage', 'Support assistant'].flatMap((name) =>
      ['chain', 'llm', 'tool'].map((type) => [name, type, '20', '20']),
    ),
  );
  expect(await rowsOf('SELECT count(DISTINCT span_id), count(*), sum(tokens) FROM spans')).toEqual([
    ['120', '120', String(2 * 870)],
  ]);
  expect(await rowsOf('SELECT name FROM applications ORDER BY 1')).toEqual([
    ['Claims triage'],
    ['Support assistant'],
  ]);
});

test('a list has a readable name, and can also be named by its number alone', async () => {
  const views = await sql.describe();
  expect(views.map(({ schema, name, storedRows }) => [schema, name, storedRows])).toEqual([
    [null, 'applications', 2],
    [null, 'spans', 120],
    ['lists', 'Applications #1', 2],
    ['lists', 'Spans of Support assistant, 19–26 Nov #2', 60],
    ['lists', 'Spans of Support assistant, 19–26 Nov, type llm #3', 20],
    ['lists', 'Spans of Claims triage, 19–26 Nov #4', 60],
  ]);
  for (const name of [
    'Spans of Support assistant, 19–26 Nov, type llm #3',
    '#3',
    'Called otherwise before #3',
  ])
    expect(await rowsOf(`SELECT count(*) FROM lists."${name}"`), name).toEqual([['20']]);
});

test('a deleted list says so, and its name never reads another list', async () => {
  gone.add(JSON.stringify((await sql.lists()).find(({ name }) => name.endsWith('#2'))?.query));
  expect(
    await rejectionOf('SELECT count(*) FROM lists."Spans of Support assistant, 19–26 Nov #2"'),
  ).toContain('is no longer stored');
  expect(await rowsOf('SELECT count(*) FROM lists."#3"')).toEqual([['20']]);
  // Rows that only that list had are not stored any more.
  expect(await rowsOf('SELECT count(*) FROM spans')).toEqual([['80']]);
  gone.clear();
  expect(await rowsOf('SELECT count(*) FROM spans')).toEqual([['120']]);
});

test('names of earlier versions are rejected with the current ones', async () => {
  expect(await rejectionOf('SELECT * FROM spans_2')).toMatch(/spans has all stored records.*under lists/);
  expect(await rejectionOf('SELECT * FROM catalog')).toMatch(/entities has all stored records/);
  expect(await rejectionOf('SELECT * FROM datasets_items_3')).toMatch(/items has all stored records/);
});

test('the request log and the acknowledged rows are views, once each, without a service too', async () => {
  const here = await LaterRig.start();
  const ask = async (...words: string[]) => answerOf(await here.here(words));
  const rowsIn = async (text: string) => (await ask('sql', text)).items;
  const asStored = async (table: string, ...words: string[]) => {
    const file = join(here.folder.path, `${table}.jsonl`);
    await ask('export', table, ...words, '--output', file);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line));
  };
  await ask('ls', 'datasets', '--all');
  expect((await here.here(['sql', 'SELECT * FROM events'])).stderr).toContain('No view named events');
  const [before] = await rowsIn('SELECT count(*) AS n FROM requests');
  const uploads: { jobId: string }[] = [];
  for (const [name, rows] of [
    ['first.csv', 23],
    ['second.csv', 12],
  ] as const) {
    const file = join(here.folder.path, name);
    writeFileSync(file, churnCsv(rows, rows));
    uploads.push(await ask('upload', file, '--model', MODEL, '--batch-rows', '5'));
    // Only the rows of the first upload had been prepared before.
    const [{ n }] = await rowsIn(`SELECT count(*) AS n FROM events WHERE file_name = '${name}'`);
    expect(n, name).toBe(rows);
  }
  expect(here.raw.service.report()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
  await here.raw.service.stop();

  const ids: string[] = [];
  for (const { jobId } of uploads)
    ids.push(...(await asStored('receipts', jobId)).map(({ event_id }) => event_id));
  const events = await rowsIn('SELECT * FROM events');
  expect(events.map(({ event_id }: { event_id: string }) => event_id).toSorted()).toEqual(ids.toSorted());
  expect(new Set(ids).size).toBe(35);
  for (const event of events)
    expect(event).toMatchObject({ model: MODEL, as_of: expect.any(String), acknowledged_at: event.as_of });

  const log = await asStored('requests');
  expect(log.length).toBeGreaterThan(before.n);
  const requests = await rowsIn('SELECT * FROM requests');
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id).toSorted();
  expect(idsOf(requests)).toEqual(idsOf(log));
  expect(
    requests.find(({ operation }: { operation: string }) => operation === 'GET /v3/evals/datasets'),
  ).toMatchObject({
    ...{ method: 'GET', path: '/v3/evals/datasets', status: 200, as_of: expect.any(String) },
    duration_ms: expect.any(Number),
  });
  expect(JSON.stringify(requests)).not.toContain(TOKEN);
  expect((await ask('sql', '--views')).items).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'events', rows: 35, complete: true, asOf: expect.any(String) }),
      expect.objectContaining({ name: 'requests', rows: log.length, asOf: expect.any(String) }),
    ]),
  );
  here.folder.remove();
});
