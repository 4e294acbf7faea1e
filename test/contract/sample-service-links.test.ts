/** The records of the sample workspace name one another: an item its span, a value of the catalog spans that have it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filterOfValue } from '../../renderer/lib/catalog-spans.ts';
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

async function spansWith(applicationId: string, filter: string, endMs = Date.now()): Promise<unknown[]> {
  const { envelope } = await raw.call('POST', '/v3/spans/query', {
    body: {
      application_id: applicationId,
      start_time: new Date(endMs - 30 * DAY).toISOString(),
      end_time: new Date(endMs).toISOString(),
      filter: JSON.parse(filter),
      page_size: 5,
    },
  });
  const items = envelope.data?.['items'];
  return Array.isArray(items) ? items : [];
}

test('an item that names a span was made of it', async () => {
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
])('every value of %s %s is found in spans of the time it was seen', async (entityType, name) => {
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
