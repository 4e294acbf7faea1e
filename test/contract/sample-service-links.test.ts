/**
 * The records of the sample workspace refer to each other: an item to its span, a value in the catalog to spans that
 * have it.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keysOf } from '../../electron/shared/catalog-entity.ts';
import { filterOfValue, rangeSeen } from '../../renderer/lib/catalog-spans.ts';
import { RawService } from '../helpers/sample-service.ts';

let raw: RawService;
let applications: { id: string; name: string }[];
beforeAll(async () => {
  raw = await RawService.start();
  const { items } = await raw.page('/v3/applications');
  applications = items.map((item) => ({ id: String(item['id']), name: String(item['name']) }));
});
afterAll(() => raw.service.stop());

const DAY = 86_400_000;

async function spansWith(
  applicationId: string,
  filter: string | null,
  endMs = Date.now(),
): Promise<Record<string, unknown>[]> {
  const { envelope } = await raw.call('POST', '/v3/spans/query', {
    body: {
      application_id: applicationId,
      start_time: new Date(endMs - 30 * DAY).toISOString(),
      end_time: new Date(endMs).toISOString(),
      ...(filter === null ? {} : { filter: JSON.parse(filter) }),
      page_size: 5,
    },
  });
  const items = envelope.data?.['items'];
  return Array.isArray(items) ? (items as Record<string, unknown>[]) : [];
}

test('an item that names a span has its values', async () => {
  const datasets = await raw.page('/v3/evals/datasets?limit=10');
  let named = 0;
  for (const dataset of datasets.items) {
    const { items } = await raw.page(`/v3/evals/datasets/${String(dataset['id'])}/items?limit=100`);
    const application = dataset['application'] as { id: string };
    for (const item of items.filter(({ source_name: name }) => name === 'span').slice(0, 5)) {
      named += 1;
      const rule = { field: 'Span::span_id', operator: 'eq', value: item['source_id'] };
      const madeMs = Date.parse(String(item['created_at']));
      const found = await spansWith(
        application.id,
        JSON.stringify({ condition: 'AND', rules: [rule] }),
        madeMs,
      );
      expect(found).toMatchObject([{ input: (item['inputs'] as { question: string }).question }]);
    }
  }
  expect(named).toBeGreaterThan(5);
});

test.each([
  ['span_type', 'llm'],
  ['span_name', 'draft_answer'],
  ['span_name', 'calculate'],
  ['attribute', 'gen_ai.request.model'],
  ['attribute', 'gen_ai.response.finish_reasons'],
  ['attribute', 'gen_ai.agent.name'],
  ['attribute', 'gen_ai.tool.name'],
  ['attribute', 'service.version'],
  ['attribute', 'deployment.environment.name'],
])('every value of %s %s is found in spans of its time', async (entityType, name) => {
  for (const { id } of applications) {
    const query = new URLSearchParams({ entity_type: entityType, name });
    const { items } = await raw.page(raw.path('catalog.values', { application_id: id }, `?${query}`));
    expect(items).not.toEqual([]);
    for (const { value, last_seen: last } of items) {
      const filter = filterOfValue(entityType, name, value) ?? '';
      const found = await spansWith(id, filter, Date.parse(String(last)) + 60_000);
      expect(found, String(value)).not.toEqual([]);
    }
  }
});

/** Entities of every type, with some hundred positions between them. */
async function entitiesAcross(applicationId: string): Promise<Record<string, unknown>[]> {
  const found: Record<string, unknown>[] = [];
  for (const [type, step] of [
    ['attribute', 131],
    ['span_name', 23],
    ['agent_name', 11],
    ['span_type', 1],
  ] as const) {
    for (let offset = 0; ; offset += step) {
      const query = `?entity_type=${type}&limit=1&offset=${offset}`;
      const { items } = await raw.page(raw.path('catalog.list', { application_id: applicationId }, query));
      if (items.length === 0) break;
      found.push(...items.map((item) => ({ ...item, entity_type: type })));
    }
  }
  return found;
}

test('no name of the catalog and none of its values leads to “no spans”', async () => {
  const prefixes = new Set<string>();
  for (const { id } of applications) {
    for (const entity of await entitiesAcross(id)) {
      const [type, name] = [String(entity['entity_type']), String(entity['name'])];
      const lastMs = Date.parse(String(entity['last_seen']));
      prefixes.add(name.split('.')[0] ?? '');
      if (entity['data_type'] === 'numeric') {
        // The link of an entity opens the spans up to the last time it was seen, newest first, with a column for it.
        const spans = await spansWith(id, null, rangeSeen(null, lastMs).endMs);
        const has = spans.some(({ span_attributes: all }) => keysOf(name).some((key) => key in Object(all)));
        expect(has, name).toBe(true);
        continue;
      }
      const query = new URLSearchParams({ entity_type: type, name });
      const { items } = await raw.page(raw.path('catalog.values', { application_id: id }, `?${query}`));
      expect(items, name).not.toEqual([]);
      const { value, last_seen: last } = items.at(-1) ?? {};
      const { endMs } = rangeSeen(null, Date.parse(String(last)));
      const found = await spansWith(id, filterOfValue(type, name, value), endMs);
      expect(found, `${name} ${String(value)}`).not.toEqual([]);
    }
  }
  expect([...prefixes]).toEqual(expect.arrayContaining(['app', 'user', 'fiddler', 'gen_ai']));
});
