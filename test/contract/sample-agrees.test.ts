/**
 * The sample workspace is consistent: its catalog, spans, environments, charts and datasets agree. Tested by raw HTTP.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureCoverage } from '../../electron/core/coverage/measure.ts';
import { keysOf } from '../../electron/shared/catalog-entity.ts';
import { RawService } from '../helpers/sample-service.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

type Row = Record<string, unknown>;

const NOW_MS = Date.UTC(2025, 10, 3, 9, 20, 0);
const DAY_MS = 86_400_000;

let raw: RawService;
let application: string;
let spans: Row[];
let sources: ReadonlyMap<string, Seen[]>;
beforeAll(async () => {
  raw = await RawService.start({ clock: new VirtualClock(NOW_MS) });
  application = await raw.idOf('applications.list', 'Support assistant');
  spans = await allSpans();
  sources = bySource(spans);
});
afterAll(() => raw.service.stop());

const stamp = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ');

async function all(path: string): Promise<Row[]> {
  const items: Row[] = [];
  for (;;) {
    const page = await raw.page(`${path}${path.includes('?') ? '&' : '?'}limit=1000&offset=${items.length}`);
    items.push(...page.items);
    if (items.length >= page.total || page.items.length === 0) {
      expect(items).toHaveLength(page.total);
      return items;
    }
  }
}

async function post(path: string, body: unknown): Promise<Row> {
  const answer = await raw.call('POST', path, { body });
  expect(answer.status).toBe(200);
  return answer.envelope.data ?? {};
}

async function allSpans(): Promise<Row[]> {
  const found: Row[] = [];
  for (;;) {
    const answer = await post('/v3/spans/query', {
      application_id: application,
      start_time: new Date(NOW_MS - 400 * DAY_MS).toISOString(),
      end_time: new Date(NOW_MS).toISOString(),
      offset: found.length,
      page_size: 200,
    });
    const items: Row[] = Array.isArray(answer['items']) ? answer['items'] : [];
    found.push(...items);
    if (items.length === 0 || found.length >= Number(answer['total'])) {
      expect(found).toHaveLength(Number(answer['total']));
      return found;
    }
  }
}

interface Seen {
  value: string;
  time: string;
}
const SPAN_FIELDS = { agent_name: 'agent_name', span_type: 'span_type', span_name: 'name' } as const;
const EMPTY: readonly Seen[] = [];

/** The values of spans, by column and value, or by key of an attribute. */
function bySource(all: readonly Row[]): Map<string, Seen[]> {
  const found = all.flatMap((span) => {
    const time = String(span['start_time']);
    const columns = Object.entries(SPAN_FIELDS).map(([type, field]) => {
      return { source: `${type} ${String(span[field])}`, value: String(span[field]), time };
    });
    const attributes = Object.entries<unknown>(Object(span['span_attributes'])).map(([key, value]) => {
      return { source: `key ${key}`, value: String(value), time };
    });
    return [...columns, ...attributes];
  });
  return Map.groupBy(found, ({ source }) => source);
}

/** The spans that have an entity, with their values. */
function observed(type: string, name: string): Seen[] {
  if (type !== 'attribute') return sources.get(`${type} ${name}`) ?? [];
  return keysOf(name).flatMap((key) => sources.get(`key ${key}`) ?? EMPTY);
}

function rowOf(found: readonly Seen[]): Row {
  const times = found.map(({ time }) => time).toSorted();
  return { row_count: found.length, first_seen: times[0], last_seen: times.at(-1) };
}

const entitiesOf = (type: string): Promise<Row[]> =>
  all(`/v3/applications/${application}/catalog?entity_type=${type}`);
const valuesOf = (type: string, name: string): Promise<Row[]> =>
  all(`/v3/applications/${application}/catalog/values?entity_type=${type}&name=${encodeURIComponent(name)}`);

describe('the catalog', () => {
  it.each(['agent_name', 'span_type', 'span_name', 'attribute'])(
    'counts for each %s the spans that have it, and their first time',
    async (type) => {
      const wrong = (await entitiesOf(type)).filter((entity) => {
        const expected = rowOf(observed(type, String(entity['name'])));
        return Object.entries(expected).some(([field, value]) => entity[field] !== value);
      });
      expect(wrong).toEqual([]);
    },
  );

  it('names every value of spans, with its spans; the values add up to their entity', async () => {
    const entities = await entitiesOf('attribute');
    const texts = entities.filter((entity) => entity['data_type'] === 'string');
    for (const entity of [...texts.slice(0, 30), ...texts.slice(-10)]) {
      const name = String(entity['name']);
      const counted = Map.groupBy(observed('attribute', name), ({ value }) => value);
      const expected = [...counted].map(([value, found]) => ({ value, ...rowOf(found) }));
      const values = await valuesOf('attribute', name);
      const byValue = (one: Row, other: Row) => (String(one['value']) < String(other['value']) ? -1 : 1);
      expect(values.toSorted(byValue)).toEqual(expected.toSorted(byValue));
      expect(values.reduce((sum, { row_count: rows }) => sum + Number(rows), 0)).toBe(entity['row_count']);
    }
  });
});

async function series(body: Row): Promise<(number | null)[]> {
  const answer = await post('/v3/queries', body);
  const rows = Object(Object(answer['results'])['a'])['data'];
  return (Array.isArray(rows) ? rows : []).map((row) => row[1]);
}
const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((all, one) => all + (one ?? 0), 0);

describe('traffic', () => {
  const traffic = async (model: Row, fromMs: number, size: string): Promise<(number | null)[]> =>
    await series({
      project_id: Object(model['project'])['id'],
      query_type: 'MONITORING',
      filters: {
        time_range: { start_time: stamp(fromMs), end_time: stamp(NOW_MS) },
        bin_size: size,
      },
      queries: [{ query_key: 'a', model_id: model['id'], metric: 'traffic', columns: [] }],
    });

  it('of every model adds up to the rows of its production, in bins of any size', async () => {
    const models = await all('/v3/models');
    expect(models).toHaveLength(3);
    for (const model of models) {
      const [production] = await all(`/v3/models/${String(model['id'])}/environments?type=PRODUCTION`);
      const begin = Date.parse(String(production?.['created_at']));
      expect(production?.['created_at']).toBe(model['created_at']);
      expect(production?.['row_count']).toBeGreaterThan(0);
      for (const size of ['Day', 'Week', 'Month', 'Quarter'])
        expect(sum(await traffic(model, begin, size)), size).toBe(production?.['row_count']);
    }
  });

  it('of a day is that of its hours, and baselines count the traffic of their time', async () => {
    const [model] = await all('/v3/models');
    if (model === undefined) throw new Error('Expected a model.');
    const midnight = Math.floor(NOW_MS / DAY_MS) * DAY_MS;
    const days = await traffic(model, midnight - 2 * DAY_MS, 'Day');
    const hours = await traffic(model, midnight - 2 * DAY_MS, 'Hour');
    expect(days[0]).toBe(sum(hours.slice(0, 24)));
    expect(days[2]).toBe(sum(hours.slice(48)));
    const months = await traffic(model, midnight - 31 * DAY_MS, 'Month');
    const baselines = await all(`/v3/models/${String(model['id'])}/baselines`);
    expect(baselines.find(({ type }) => type === 'ROLLING')?.['row_count']).toBe(months.at(-2));
  });

  it.each([
    ['span_count', () => spans.length],
    ['trace_count', () => new Set(spans.map(({ trace_id }) => trace_id)).size],
    ['session_count', () => new Set(spans.map(({ session_id }) => session_id)).size],
    [
      'total_tokens',
      () => sum(observed('attribute', 'gen_ai.usage.total_tokens').map(({ value }) => Number(value))),
    ],
  ])('of an application: its %s matches that of the spans', async (metric, expected) => {
    const whole = await series({
      application_id: application,
      query_type: 'LLM',
      filters: {
        time_range: { start_time: stamp(NOW_MS - 400 * DAY_MS), end_time: stamp(NOW_MS) },
        bin_size: 'Quarter',
      },
      queries: [{ query_key: 'a', metric }],
    });
    // Sessions and traces that continue into the next quarter of an hour would be counted twice. The sample has none.
    expect(sum(whole)).toBe(expected());
  });
});

it('the number of items of a dataset matches that of the list', async () => {
  for (const dataset of await all('/v3/evals/datasets')) {
    const items = await all(`/v3/evals/datasets/${String(dataset['id'])}/items`);
    const schema = await raw.call('GET', `/v3/evals/datasets/${String(dataset['id'])}/schema`);
    expect(schema.envelope.data?.['total_items']).toBe(items.length);
  }
});

it('coverage counts as many values as the catalog has, with the shares of the spans', async () => {
  const path = { application_id: application };
  const of = (query: Record<string, string>, rows: Row[]) => ({
    query: { operation: 'catalog.list' as const, path, query },
    ...{ rowCount: rows.length, totalRows: rows.length, isComplete: true, oldestMs: NOW_MS, rows },
  });
  const agents = await entitiesOf('agent_name');
  const types = await entitiesOf('span_type');
  const found = measureCoverage(
    {
      // The list over all types is the largest, and comes first.
      lists: [
        of({}, await all(`/v3/applications/${application}/catalog`)),
        of({ entity_type: 'agent_name' }, agents),
        of({ entity_type: 'span_type' }, types),
      ],
      *rowsOf({ rows }) {
        for (const [position, row] of rows.entries()) yield { position, json: JSON.stringify(row) };
      },
      spansOfItems: () => [],
      spansOfBuild: () => [],
    },
    {
      ...{ datasetId: 'd', applicationId: application, buildId: null, dimensions: null, spanType: null },
      size: 2,
    },
  );
  const dimension = (key: string) => found.dimensions.find((each) => each.key === key);
  expect(dimension('agent_name')).toMatchObject({ storedValues: agents.length, totalValues: agents.length });
  expect(dimension('span_type')?.rows).toBe(spans.length);
  const llm = dimension('span_type')?.values.find(({ value }) => value === 'llm');
  expect(llm?.rows).toBe(spans.filter(({ span_type }) => span_type === 'llm').length);
});
