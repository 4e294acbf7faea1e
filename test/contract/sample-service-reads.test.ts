/**
 * The records that read operations of the sample service return: catalog, lists with filters, datasets; by raw HTTP.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RawService } from '../helpers/sample-service.ts';

let raw: RawService;
let ids: Record<string, string>;

beforeAll(async () => {
  raw = await RawService.start();
  ids = {
    application_id: await raw.idOf('applications.list', 'Support assistant'),
    model_id: await raw.idOf('models.list', 'Bank churn'),
    dataset_id: await raw.idOf('datasets.list', 'Support answers, golden set'),
  };
});

afterAll(() => raw.service.stop());

describe('catalog', () => {
  const total = async (query: string): Promise<number> =>
    (await raw.page(raw.path('catalog.list', ids, query))).total;

  it('filters by type, data type, semantic name and search, all at once', async () => {
    const everything = await total('');
    const strings = await total('?data_type=string');
    expect(strings + (await total('?data_type=numeric'))).toBe(everything);
    expect(await total('?data_type=string,numeric')).toBe(everything);
    const unmapped = await total('?semantic_name=UNKNOWN');
    expect(unmapped / everything).toBeGreaterThan(0.15);
    expect(unmapped / everything).toBeLessThan(0.35);
    const page = await raw.page(
      raw.path(
        'catalog.list',
        ids,
        '?entity_type=attribute&data_type=numeric&semantic_name=UNKNOWN,cost&search=ORDER',
      ),
    );
    expect(page.total).toBeGreaterThan(0);
    for (const item of page.items) {
      expect(item['data_type']).toBe('numeric');
      expect(['UNKNOWN', 'cost']).toContain(item['semantic_name']);
      expect(String(item['name'])).toContain('order');
    }
    expect((await raw.call('GET', raw.path('catalog.list', ids, '?entity_type=planet'))).status).toBe(400);
  });

  it('lists the values of one entity, in thousands for some', async () => {
    const values = (query: string): string =>
      raw.path('catalog.values', ids, `?entity_type=attribute&${query}`);
    const tokens = await raw.page(values('name=gen_ai.tool.name&limit=2'));
    expect(tokens).toMatchObject({ total: 5, item_count: 2 });
    const sessions = await raw.page(values('name=gen_ai.conversation.id&limit=1'));
    expect(sessions.total).toBeGreaterThan(1_000);
    const some = await raw.page(values('name=gen_ai.conversation.id&search=ord-1'));
    expect(some.total).toBeLessThan(sessions.total);
    expect((await raw.page(values('name=gen_ai.usage.input_tokens'))).total).toBe(0);
    expect((await raw.page(values('name=never.seen'))).total).toBe(0);
  });

  it.each(['', '?entity_type=attribute', '?name=gen_ai.system', '?entity_type=&name=x'])(
    'values need entity_type and name: %j',
    async (query) => {
      const answer = await raw.call('GET', raw.path('catalog.values', ids, query));
      expect(answer.status).toBe(400);
      expect(answer.envelope.error?.message).toContain('required');
    },
  );
});

describe('lists', () => {
  const filter = (tree: unknown): string => `filter=${encodeURIComponent(JSON.stringify(tree))}`;

  it('filter by the id of a reference, search, order', async () => {
    const tree = {
      condition: 'AND',
      rules: [
        { field: 'application_id', operator: 'equal', value: ids['application_id'] },
        { field: 'data_type', operator: 'in', value: ['float'] },
        { field: 'scope', operator: 'not_equal', value: 'session' },
      ],
    };
    const page = await raw.page(`/v3/attributes?${filter(tree)}&search=REFUND&ordering=-name&limit=50`);
    const names = page.items.map((item) => String(item['name']));
    expect(names.length).toBeGreaterThan(5);
    expect(names).toEqual(names.toSorted().toReversed());
    expect(names.every((name) => name.includes('refund'))).toBe(true);
  });

  it('reject an invalid filter and an invalid ordering', async () => {
    for (const query of [
      'filter=nonsense',
      filter({ condition: 'AND' }),
      'ordering=,',
      'ordering=no_such_field',
    ]) {
      expect((await raw.call('GET', `/v3/projects?${query}`)).status).toBe(400);
    }
  });

  it('select environments by model and by type', async () => {
    const all = await raw.page(raw.path('models.environments', ids));
    expect(all.items.map((item) => item['type']).toSorted()).toEqual(['PRE_PRODUCTION', 'PRODUCTION']);
    const some = await raw.page('/v3/environments?type=PRODUCTION');
    expect(some.items.every((item) => item['type'] === 'PRODUCTION')).toBe(true);
    expect((await raw.call('GET', '/v3/environments?type=STAGING')).status).toBe(400);
  });
});

describe('spans', () => {
  it('of a session are one to four traces of one agent', async () => {
    const { envelope } = await raw.call('POST', raw.path('spans.query'), {
      body: {
        application_id: String(ids['application_id']),
        ...{
          start_time: new Date(Date.now() - 20 * 86_400_000).toISOString(),
          end_time: '2100-01-01T00:00:00Z',
        },
        page_size: 1_000,
      },
    });
    const items = envelope.data?.['items'] as Record<string, unknown>[];
    const sessions = [...Map.groupBy(items, (item) => item['session_id']).values()];
    const distinct = (spans: Record<string, unknown>[], field: string) =>
      new Set(spans.map((span) => span[field])).size;
    const traces = sessions.map((spans) => distinct(spans, 'trace_id'));
    expect(Math.max(...traces)).toBe(4);
    expect(Math.min(...traces)).toBe(1);
    expect(sessions.every((spans) => distinct(spans, 'agent_name') === 1)).toBe(true);
    for (const item of items) {
      const attributes = item['span_attributes'] as Record<string, unknown>;
      expect(attributes['system.gen_ai.conversation.id'] ?? item['session_id']).toBe(item['session_id']);
    }
  });
});

describe('datasets', () => {
  it('schemas count the keys of the items, and are empty for an empty dataset', async () => {
    const schema = await raw.call('GET', raw.path('datasets.schema', ids));
    const items = await raw.page(raw.path('datasets.items', ids, '?limit=1000'));
    expect(items.total).toBe(1_250);
    expect(schema.envelope.data).toMatchObject({
      total_items: 1_250,
      sampled: false,
      inputs: { question: { count: 1_250, data_type: 'STRING' } },
      extras: { latency_s: { count: 1_250, data_type: 'FLOAT' } },
    });
    const empty = await raw.idOf('datasets.list', 'Escalations, to be collected');
    const nothing = await raw.call('GET', raw.path('datasets.schema', { dataset_id: empty }));
    expect(nothing.envelope.data).toEqual({
      total_items: 0,
      sampled: false,
      inputs: {},
      expected_outputs: {},
      metadata: {},
      extras: {},
    });
    expect((await raw.page(raw.path('datasets.items', { dataset_id: empty }))).total).toBe(0);
  });

  it('items in an ordering', async () => {
    const page = await raw.page(raw.path('datasets.items', ids, '?ordering=-extras.latency_s&limit=100'));
    const seconds = page.items.map((item) => Number(Reflect.get(Object(item['extras']), 'latency_s')));
    expect(seconds).toEqual(seconds.toSorted((a, b) => b - a));
  });
});
