/** Every operation of the sample service by raw HTTP: its success, its declared errors, its paging. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDPOINTS, endpoint, OPERATION_IDS, type OperationId } from '../../electron/api/endpoints.ts';
import { HANDLERS } from '../../electron/sample-service/handlers/index.ts';
import { type Page, RawService, READ_ONLY_TOKEN } from '../helpers/sample-service.ts';

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

let raw: RawService;
let ids: Record<string, string>;

beforeAll(async () => {
  raw = await RawService.start();
  ids = {
    application_id: await raw.idOf('applications.list', 'Support assistant'),
    model_id: await raw.idOf('models.list', 'Bank churn'),
    dataset_id: await raw.idOf('datasets.list', 'Support answers, golden set'),
  };
  const job = await raw.call('DELETE', '/v3/events', {
    body: { model_id: ids['model_id'], event_ids: ['none'] },
  });
  ids['job_id'] = String(Reflect.get(Object(job.envelope.data?.['job']), 'id'));
});

afterAll(() => raw.service.stop());

const QUERIES: Partial<Record<OperationId, string>> = {
  'catalog.values': '?entity_type=span_type&name=llm',
};

function bodyOf(operation: OperationId, modelId: string | undefined): unknown {
  if (endpoint(operation).body === null) return undefined;
  if (operation === 'events.delete') return { model_id: modelId, event_ids: ['none'] };
  return {
    model_id: modelId,
    env_type: 'PRODUCTION',
    source: {
      type: 'EVENTS',
      events: [{ transaction_id: 'tx-1', processed_at: '2025-10-01 08:00:00', is_fraud: true }],
    },
  };
}

describe('every operation', () => {
  it('has a handler, and every handler has a row', () => {
    expect(Object.keys(HANDLERS).toSorted()).toEqual([...OPERATION_IDS].toSorted());
  });

  it.each(OPERATION_IDS)('%s answers its success with what its row promises', async (operation) => {
    const row = ENDPOINTS[operation];
    const fraud = await raw.idOf('models.list', 'Card fraud');
    if (operation === 'events.update')
      await raw.call('POST', '/v3/events', { body: bodyOf(operation, fraud) });
    const answer = await raw.call(row.method, raw.path(operation, ids, QUERIES[operation]), {
      body: bodyOf(operation, fraud),
    });
    expect(answer.status).toBe(row.successStatus);
    expect(answer.headers.get('content-type')).toContain('application/json');
    if (row.answer === 'paginated') {
      expect(answer.envelope.kind).toBe('PAGINATED');
      const items = answer.envelope.data?.['items'];
      expect(items).toBeInstanceOf(Array);
      for (const item of Array.isArray(items) ? items : [])
        expect(row.item.safeParse(item).success).toBe(true);
    } else {
      expect(answer.envelope.kind).toBe('NORMAL');
      expect(row.item.safeParse(answer.envelope.data).error).toBeUndefined();
    }
  });

  it.each(OPERATION_IDS)(
    '%s refuses a request without a token and with one it does not know',
    async (operation) => {
      const path = raw.path(operation, ids, QUERIES[operation]);
      const { method } = ENDPOINTS[operation];
      expect((await raw.call(method, path, { token: null })).status).toBe(401);
      expect((await raw.call(method, path, { token: 'stranger' })).status).toBe(401);
      const other = await raw.call(method, path, { token: null, headers: { Authorization: 'Basic dTpw' } });
      expect(other.status).toBe(401);
    },
  );

  it.each(OPERATION_IDS.filter((id) => ENDPOINTS[id].path.includes('{')))(
    '%s answers an unknown id and a wrong one with a status that its row declares',
    async (operation) => {
      const { method, errors, path } = ENDPOINTS[operation];
      for (const value of [UNKNOWN_ID, 'not-a-uuid']) {
        const parameters = Object.fromEntries(
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, value]),
        );
        const answer = await raw.call(method, raw.path(operation, parameters, QUERIES[operation]));
        expect([400, 404]).toContain(answer.status);
        expect(errors).toContain(answer.status);
      }
    },
  );

  it.each(OPERATION_IDS.filter((id) => ENDPOINTS[id].method !== 'GET'))(
    '%s refuses a token that may read only',
    async (operation) => {
      const answer = await raw.call(ENDPOINTS[operation].method, raw.path(operation, ids), {
        body: bodyOf(operation, ids['model_id']),
        token: READ_ONLY_TOKEN,
      });
      expect(answer.status).toBe(403);
    },
  );
});

describe('paging', () => {
  const catalog = (query: string): string => raw.path('catalog.list', ids, query);

  it('the first, the last and the page behind it', async () => {
    const { total } = await raw.page(catalog('?limit=1'));
    expect(total).toBe(3_200);
    const pages = { '0': [1, 300], '3000': [11, 200], '3200': [11, 0], '9000': [31, 0], '450': [2, 300] };
    for (const [offset, [index, count]] of Object.entries(pages)) {
      const page = await raw.page(catalog(`?limit=300&offset=${offset}`));
      expect(page).toMatchObject({ page_index: index, item_count: count, offset: Number(offset) });
      expect(page).toMatchObject({ total: 3_200, page_size: 300, page_count: 11 });
      expect(page.items).toHaveLength(count ?? -1);
    }
  });

  it('walks over all entities without losing or repeating one', async () => {
    const names: unknown[] = [];
    for (let offset = 0; offset < 3_200; offset += 700) {
      const page = await raw.page(catalog(`?limit=700&offset=${offset}`));
      names.push(...page.items.map((item) => item['name']));
    }
    expect(new Set(names).size).toBe(3_200);
    expect(names).toHaveLength(3_200);
  });

  it.each([
    ['none', 0],
    ['one', 1],
    ['a page', 5],
    ['a page and one', 6],
  ])('a list of %s', async (_title, count) => {
    const names = (await raw.page('/v3/attributes?limit=6')).items.map((item) => item['name']);
    const rule = { field: 'name', operator: 'in', value: names.slice(0, count) };
    const application = { field: 'application_id', operator: 'equal', value: ids['application_id'] };
    const tree = JSON.stringify({ condition: 'AND', rules: [rule, application] });
    const list = (offset: number): Promise<Page> =>
      raw.page(`/v3/attributes?limit=5&offset=${offset}&filter=${encodeURIComponent(tree)}`);
    const pages = [await list(0), await list(5)];
    expect(pages.map((page) => page.item_count)).toEqual([Math.min(5, count), Math.max(0, count - 5)]);
    expect(pages.map((page) => page.page_index)).toEqual([1, 2]);
    for (const page of pages) {
      expect(page).toMatchObject({ total: count, page_size: 5, page_count: Math.ceil(count / 5) });
      expect(page.items).toHaveLength(page.item_count);
    }
  });

  it('an empty list has no pages and begins at page 1', async () => {
    const page = await raw.page(catalog('?search=no-such-entity&limit=10'));
    expect(page).toEqual({
      items: [],
      item_count: 0,
      total: 0,
      page_size: 10,
      page_count: 0,
      page_index: 1,
      offset: 0,
    });
  });

  it('a cap answers with fewer than asked for and says so', async () => {
    const capped = await RawService.start({ settings: { maxLimit: 7 } });
    try {
      const page = await capped.page('/v3/attributes?limit=500');
      expect(page).toMatchObject({ item_count: 7, page_size: 7, page_index: 1 });
      expect(page.page_count).toBe(Math.ceil(page.total / 7));
    } finally {
      await capped.service.stop();
    }
  });

  it.each(['limit=0', 'limit=-1', 'limit=1.5', 'limit=many', 'offset=-1', 'offset=1e3'])(
    'refuses %s',
    async (query) => {
      expect((await raw.call('GET', `/v3/projects?${query}`)).status).toBe(400);
    },
  );
});
