/** Queries with a JSON body through the offline library: spans as a list; span fields and metric queries as records. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseArgument } from '../../electron/ipc/parse-argument.ts';
import { MAX_BODY_CHARS } from '../../electron/shared/json-body.ts';
import type { ListQuery, RecordState } from '../../electron/shared/model.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { CONNECTION_ID, LibraryRig } from '../helpers/library-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { ScriptedServer, sendJson, sendPage } from '../helpers/scripted-server.ts';
import { modelQuery } from './sample-service-cases/monitoring.ts';

const ALL_TIME = { start_time: '2000-01-01T00:00:00Z', end_time: '2100-01-01T00:00:00Z' };
const later = cleanUpAfterEach();

let service: RawService;
let applicationId: string;
beforeAll(async () => {
  service = await RawService.start();
  applicationId = await service.idOf('applications.list', 'Support assistant');
});
afterAll(() => service.service.stop());

function rigOf(baseUrl: string, options: ConstructorParameters<typeof LibraryRig>[1] = {}): LibraryRig {
  const rig = new LibraryRig(baseUrl, { token: TOKEN, ...options });
  later(async () => rig[Symbol.asyncDispose]());
  return rig;
}

type Body = NonNullable<ListQuery['body']>;
const ask = (operation: string, body: Body): ListQuery => ({ operation, path: {}, query: {}, body });
const spans = (rest: Body = {}) =>
  ask('spans.query', { application_id: applicationId, ...ALL_TIME, ...rest });
const ofType = (type: string) => ({
  filter: { condition: 'AND', rules: [{ field: 'Span::span_type', operator: 'eq', value: type }] },
});

async function recordOf(rig: LibraryRig, query: ListQuery): Promise<RecordState> {
  const heard = rig.records.length;
  const opened = await rig.library.openRecord({ viewId: 'v', query, refresh: 'if-stale' });
  if (opened.freshness.refresh.phase !== 'loading') return opened;
  await rig.until(() => rig.records.length > heard);
  return rig.records.at(-1) ?? opened;
}

describe('queries of spans', () => {
  test('are read page by page, with the paging in the body, and stay readable without the service', async () => {
    const folder = new DataFolder();
    later(() => folder[Symbol.dispose]());
    const online = rigOf(service.service.baseUrl, { folder });
    const query = spans(ofType('llm'));
    const freshness = await online.read(query);
    expect(freshness).toMatchObject({ isComplete: true, hasMovedWhileRead: false, source: 'stored' });
    expect(freshness.storedRows).toBe(freshness.totalRows);
    expect(freshness.storedRows).toBeGreaterThan(200);
    expect(new Set(online.clientRig.log.map(({ url }) => url))).toEqual(new Set(['/v3/spans/query']));
    const ids = await online.column(query, 'span_id');
    expect(new Set(ids).size).toBe(freshness.storedRows);

    const offline = rigOf(service.service.baseUrl, { folder });
    offline.clientRig.switches.isOffline = true;
    offline.aheadMs = 86_400_000;
    const afterwards = await offline.read(query);
    expect(afterwards).toMatchObject({
      storedRows: freshness.storedRows,
      isComplete: true,
      isStale: true,
      refresh: { phase: 'failed', error: { code: 'OFFLINE' } },
    });
    expect(await offline.column(query, 'span_id')).toEqual(ids);
    const byDuration = await offline.column(query, 'duration', {
      sort: { field: 'duration', isDescending: true },
    });
    expect(byDuration).toEqual(byDuration.toSorted((a, b) => Number(b) - Number(a)));
    const word = String((await offline.column(query, 'name'))[0]);
    const narrowed = await offline.rows(query, { narrow: word });
    expect(narrowed.matchingRows).toBeGreaterThan(0);
    for (const { record } of narrowed.rows)
      expect(JSON.stringify(record).toLowerCase()).toContain(word.toLowerCase());
    expect(await offline.read(spans(ofType('tool')))).toMatchObject({
      source: 'none',
      refresh: { phase: 'failed', error: { code: 'OFFLINE' } },
    });
  });

  test('the body sent is that of the query with page_size and offset, without query parameters', async () => {
    const items = Array.from({ length: 250 }, (_, n) => ({ span_id: `s${n}`, trace_id: 't' }));
    const server = await ScriptedServer.start((request, response) => {
      const { page_size, offset } = JSON.parse(request.body) as { page_size: number; offset: number };
      sendPage(response, items, { ...request, url: `/?limit=${page_size}&offset=${offset}` });
    });
    later(async () => server[Symbol.asyncDispose]());
    const rig = rigOf(server.baseUrl);
    const query = spans({ ordering: '-start_time', ...ofType('llm') });
    expect(await rig.read(query)).toMatchObject({ storedRows: 250, isComplete: true });
    for (const { url, body } of server.received) {
      expect(url).toBe('/v3/spans/query');
      const { page_size, offset, ...rest } = JSON.parse(body);
      expect(`${offset}+${page_size}`).toMatch(/^(0\+100|99\+101|199\+101)$/);
      expect(rest).toEqual(query.body);
    }
  });

  test('return two spans with the same id in different traces', async () => {
    const nearDuplicates = [
      { span_id: 'a', trace_id: 'one' },
      { span_id: 'a', trace_id: 'two' },
    ];
    const server = await ScriptedServer.start((request, response) =>
      sendPage(response, nearDuplicates, request),
    );
    later(async () => server[Symbol.asyncDispose]());
    expect(await rigOf(server.baseUrl).read(spans())).toMatchObject({
      storedRows: 2,
      hasMovedWhileRead: false,
    });
  });

  test('requested again with the keys in another order, or with null values, are the same list', async () => {
    const rig = rigOf(service.service.baseUrl);
    const rule = { field: 'Span::span_type', operator: 'eq', value: 'llm' };
    const one = spans({ ordering: '-start_time', filter: { condition: 'AND', rules: [rule] } });
    const same = ask('spans.query', {
      filter: { rules: [{ value: 'llm', operator: 'eq', field: 'Span::span_type' }], condition: 'AND' },
      ...ALL_TIME,
      application_id: applicationId,
      ordering: '-start_time',
    });
    const key = async (query: ListQuery) =>
      (await rig.library.openList({ viewId: 'v', query, refresh: 'never' })).listKey;
    await rig.read(one);
    const sent = rig.clientRig.log.length;
    expect(await rig.read(same)).toMatchObject({ isComplete: true, refresh: { phase: 'idle' } });
    expect(rig.clientRig.log).toHaveLength(sent);
    expect(await key(same)).toBe(await key(one));
    expect(await key(spans({ filter: null }))).toBe(await key(spans()));
    const twoRules = (...names: string[]) =>
      spans({
        filter: {
          condition: 'OR',
          rules: names.map((value) => ({ field: 'Span::name', operator: 'eq', value })),
        },
      });
    // The order of a list can have a meaning.
    expect(await key(twoRules('a', 'b'))).not.toBe(await key(twoRules('b', 'a')));
  });

  test.each(['page_size', 'offset'])('with %s in the body are refused', async (name) => {
    const rig = rigOf(service.service.baseUrl);
    await expect(rig.read(spans({ [name]: 10 }))).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining(`"${name}" is set by the library`),
    });
    await expect(rig.rows(spans({ [name]: 10 }))).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    expect(rig.clientRig.log).toEqual([]);
  });

  test('with an invalid body are not sent, and say why', async () => {
    const rig = rigOf(service.service.baseUrl);
    const wrong = [
      ask('spans.query', { application_id: 'x', ...ALL_TIME }),
      ask('spans.query', {}),
      ask('applications.list', {}),
    ];
    for (const query of wrong)
      expect(await rig.read(query)).toMatchObject({
        source: 'none',
        refresh: {
          phase: 'failed',
          error: { code: 'INVALID_ARGUMENT', details: { outcome: 'unsent' } },
        },
      });
    expect(await rig.read({ operation: 'spans.query', path: {}, query: {} })).toMatchObject({
      refresh: { phase: 'failed', error: { code: 'INVALID_ARGUMENT' } },
    });
  });
});

describe('records requested with a body', () => {
  test('span fields and a metric query are stored, and read without the service', async () => {
    const folder = new DataFolder();
    later(() => folder[Symbol.dispose]());
    const online = rigOf(service.service.baseUrl, { folder });
    const project = await service.idOf('projects.list', 'Customer operations');
    const model = await service.idOf('models.list', 'Card fraud');
    // A range of the last days, because the fields of all times are long and arrive in parts.
    const recent = { ...ALL_TIME, start_time: new Date(Date.now() - 30 * 86_400_000).toISOString() };
    const fields = ask('spans.fields', { application_id: applicationId, ...recent });
    const metrics = ask('queries.run', modelQuery(model, project));
    const first = await recordOf(online, fields);
    expect(first.record).toMatchObject({
      total_spans: expect.any(Number),
      span_attributes: expect.arrayContaining([{ key: 'user.intent', count: expect.any(Number) }]),
    });
    const chart = await recordOf(online, metrics);
    expect(chart.record).toHaveProperty('results.a.data');
    const offline = rigOf(service.service.baseUrl, { folder });
    offline.clientRig.switches.isOffline = true;
    for (const [query, before] of [
      [fields, first],
      [metrics, chart],
    ] as const) {
      const { body = {} } = query;
      const reordered = ask(query.operation, Object.fromEntries(Object.entries(body).toReversed()));
      const stored = await recordOf(offline, reordered);
      expect(stored.record).toEqual(before.record);
      expect(stored.freshness).toMatchObject({ source: 'stored', isComplete: true, isStale: false });
    }
    expect((await recordOf(offline, ask('spans.fields', { ...fields.body, ...ofType('llm') }))).record).toBe(
      null,
    );
  });

  test('two identical reads at the same time are one request', async () => {
    const server = await ScriptedServer.start((_request, response) =>
      sendJson(response, 200, { api_version: '3.0', kind: 'NORMAL', data: { total_spans: 1 } }),
    );
    later(async () => server[Symbol.asyncDispose]());
    const rig = rigOf(server.baseUrl);
    const query = ask('spans.fields', { application_id: applicationId, ...ALL_TIME });
    await Promise.all(
      ['a', 'b'].map((viewId) => rig.library.openRecord({ viewId, query, refresh: 'always' })),
    );
    await rig.until(() => rig.records.length > 0);
    expect(server.received).toHaveLength(1);
  });
});

describe('a body from the window', () => {
  const open = (body: unknown) =>
    parseArgument('library:open-list', {
      connectionId: CONNECTION_ID,
      viewId: 'v',
      query: { operation: 'spans.query', path: {}, query: {}, body },
      refresh: 'never',
    });
  const refused = (message: RegExp) =>
    expect.objectContaining({ code: 'INVALID_ARGUMENT', message: expect.stringMatching(message) });
  const thrownBy = (body: unknown) => {
    try {
      open(body);
    } catch (problem) {
      return problem;
    }
    return null;
  };
  /** JSON with exactly this length. */
  const ofLength = (chars: number) => ({ text: 'x'.repeat(chars - '{"text":""}'.length) });
  const nested = (levels: number) => {
    let value: unknown = 1;
    for (let level = 1; level < levels; level += 1) value = { 'a"b': [value] };
    return { value };
  };

  test('may have 65,536 characters as JSON, and no more', () => {
    for (const body of [ofLength(MAX_BODY_CHARS), { list: Array.from({ length: 32_762 }, () => 1) }]) {
      expect(JSON.stringify(body).length).toBeGreaterThan(MAX_BODY_CHARS - 10);
      expect(open(body).query.body).toEqual(body);
    }
    const tooLarge = refused(/query\.body was not accepted: expected a body of at most 65536 characters/);
    for (const body of [
      ofLength(MAX_BODY_CHARS + 1),
      { list: Array.from({ length: 32_770 }, () => 1) },
      { quotes: '"'.repeat(40_000) },
      Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key ${n}`, null])),
    ])
      expect(thrownBy(body)).toEqual(tooLarge);
  });

  test('that is nested without end, shared or circular is rejected without endless traversal', () => {
    expect(open(nested(31)).query.body).toEqual(nested(31));
    expect(thrownBy(nested(33))).toEqual(refused(/at most 64 levels/));
    expect(thrownBy(nested(100_000))).toEqual(refused(/at most 64 levels/));
    const circle: Record<string, unknown> = {};
    circle['again'] = circle;
    expect(thrownBy(circle)).toEqual(refused(/at most 64 levels/));
    let twice: unknown = 'x';
    for (let level = 0; level < 60; level += 1) twice = [twice, twice];
    expect(thrownBy({ twice })).toEqual(refused(/at most 65536 characters/));
  });

  test.each([[[]], ['text'], [null], [7], [{ at: new Date() }], [{ no: undefined }], [{ no: Number.NaN }]])(
    '%j is not a JSON object',
    (body) => {
      expect(thrownBy(body)).toEqual(refused(/query\.body/));
    },
  );

  test('that is too large is rejected by the library too, from every caller', async () => {
    const rig = rigOf(service.service.baseUrl);
    const query = spans({ ordering: 'x'.repeat(MAX_BODY_CHARS) });
    await expect(rig.read(query)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});
