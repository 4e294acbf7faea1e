/** Small parts of the sample service without HTTP. */
import { describe, expect, it } from 'vitest';
import { pageData } from '../../electron/sample-service/envelope.ts';
import { MODELS } from '../../electron/sample-service/generate/models.ts';
import { SeededRandom } from '../../electron/sample-service/generate/seeded-random.ts';
import { fillWorkspace } from '../../electron/sample-service/generate/workspace.ts';
import { bucketSchema } from '../../electron/sample-service/handlers/datasets.ts';
import { describeWindows } from '../../electron/sample-service/rate-limits.ts';
import { routesOf } from '../../electron/sample-service/routes.ts';
import { openStore } from '../../electron/sample-service/store.ts';
import { createStores } from '../../electron/sample-service/stores.ts';
import { parseTime } from '../../electron/sample-service/timestamps.ts';

describe('times of the sample service', () => {
  const at = (text: string): number => Date.parse(text);

  it.each([
    ['2024-09-27 17:00:00', at('2024-09-27T17:00:00Z')],
    ['2024-09-27T17:00:00.25Z', at('2024-09-27T17:00:00.250Z')],
    ['2024-09-27 17:00', at('2024-09-27T17:00:00Z')],
    ['2024-09-27', at('2024-09-27T00:00:00Z')],
    ['2024-09-27 17:00:00+0530', at('2024-09-27T11:30:00Z')],
    ['2024-09-27 17:00:00-02:00', at('2024-09-27T19:00:00Z')],
    [1_727_456_400, at('2024-09-27T17:00:00Z')],
    [1_727_456_400_000, at('2024-09-27T17:00:00Z')],
    ['2024-02-30 10:00:00', null],
    ['2024-09-27 25:00:00', null],
    ['27.09.2024', null],
    ['', null],
    [Number.NaN, null],
    [null, null],
    [true, null],
  ])('%j', (value, expected) => {
    expect(parseTime(value)).toBe(expected);
  });

  it('are in the format of a model, and in ISO too', () => {
    expect(parseTime('2/1/11', '%m/%d/%y')).toBe(at('2011-02-01T00:00:00Z'));
    expect(parseTime('12/31/69', '%m/%d/%y')).toBe(at('1969-12-31T00:00:00Z'));
    expect(parseTime('2011-02-01', '%m/%d/%y')).toBe(at('2011-02-01T00:00:00Z'));
    expect(parseTime('01.02.2011 (09h05)', '%d.%m.%Y (%Hh%M)')).toBe(at('2011-02-01T09:05:00Z'));
    expect(parseTime('13/1/11', '%m/%d/%y')).toBeNull();
    expect(parseTime('Feb', '%B')).toBeNull();
  });
});

describe('pages', () => {
  it.each([
    [0, 0, 10, { page_count: 0, page_index: 1 }],
    [1, 0, 10, { page_count: 1, page_index: 1 }],
    [10, 0, 10, { page_count: 1, page_index: 1 }],
    [11, 10, 10, { page_count: 2, page_index: 2 }],
    [100, 25, 10, { page_count: 10, page_index: 3 }],
  ])('total %i, offset %i, limit %i', (total, offset, limit, expected) => {
    expect(pageData([], total, { limit, offset })).toMatchObject({
      ...expected,
      total,
      offset,
      page_size: limit,
    });
  });
});

describe('bucket schemas', () => {
  it('count keys, name types, and call mixed types STRING', () => {
    const items = [
      { inputs: { a: 'x', b: 1, c: null, d: true } },
      { inputs: { a: 'y', b: 'two', e: [1] } },
      { inputs: null },
      {},
    ];
    expect(bucketSchema(items, 'inputs')).toEqual({
      a: { count: 2, data_type: 'STRING' },
      b: { count: 2, data_type: 'STRING' },
      c: { count: 1, data_type: 'STRING' },
      d: { count: 1, data_type: 'BOOLEAN' },
      e: { count: 1, data_type: 'ARRAY' },
    });
    expect(bucketSchema([{ inputs: { n: 1 } }], 'inputs')).toEqual({ n: { count: 1, data_type: 'FLOAT' } });
  });
});

describe('routes of the sample service', () => {
  it('join the methods of a path and put literal segments before parameters', () => {
    const routes = routesOf();
    expect(routes.find((route) => route.template === '/v3/events')?.operations).toEqual({
      POST: 'events.publish',
      PATCH: 'events.update',
      DELETE: 'events.delete',
    });
    for (const [index, route] of routes.entries()) {
      const shadows = routes.slice(0, index).filter(({ pattern }) => {
        const earlier = new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`);
        return earlier.test(route.template);
      });
      expect(shadows).toEqual([]);
    }
  });

  it('state their limits in words', () => {
    expect(describeWindows([{ count: 5, lengthMs: 1_500 }])).toBe('5 per 1500 milliseconds');
    expect(describeWindows([{ count: 5, lengthMs: 7_200_000 }])).toBe('5 per 2 hours');
  });
});

describe('the generated workspace', () => {
  const fill = (seed: number) => {
    const db = openStore(null);
    const stores = createStores(db);
    fillWorkspace(db, stores, { seed, nowMs: Date.UTC(2025, 10, 3) });
    return { db, stores };
  };

  it('is the same for the same seed, different for another', () => {
    const texts = [7, 7, 8].map((seed) => {
      const { db, stores } = fill(seed);
      const dataset = stores.resources.list('dataset')[0];
      const text = JSON.stringify([
        stores.resources.list('model'),
        stores.catalog.attributes(),
        stores.items.all(String(dataset?.['id'])),
      ]);
      db.close();
      return text;
    });
    expect(texts[0]).toBe(texts[1]);
    expect(texts[0]).not.toBe(texts[2]);
  });

  it('contains what the sample workspace promises, and is unchanged when filled again', () => {
    const { db, stores } = fill(1);
    fillWorkspace(db, stores, { seed: 2, nowMs: Date.UTC(2026, 0, 1) });
    const applications = stores.resources.list('application').map((record) => String(record['id']));
    const counts = applications.map((applicationId) => {
      const query = { entityType: null, dataTypes: [], semanticNames: [], search: null, limit: 1, offset: 0 };
      return stores.catalog.entities({ applicationId, ...query }).total;
    });
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5_000);
    const spans = applications.flatMap((id) => stores.spans.between(id, 0, Number.MAX_SAFE_INTEGER));
    expect(spans.length).toBeGreaterThan(2_000);
    for (const span of spans) {
      expect(span['trace_id']).toMatch(/^[0-9a-f]{32}$/);
      expect(span['span_id']).toMatch(/^[0-9a-f]{16}$/);
      expect(['llm', 'tool', 'chain', 'agent', 'other']).toContain(span['span_type']);
    }
    const datasets = stores.resources
      .list('dataset')
      .map((record) => stores.items.count(String(record['id'])));
    expect(datasets.toSorted((a, b) => a - b)).toEqual([0, 320, 1_250]);
    expect(stores.resources.list('model')).toHaveLength(MODELS.length);
    const left = stores.items.all(String(stores.resources.list('dataset')[0]?.['id']));
    expect(JSON.stringify(left)).not.toMatch(/\{\w+\}/);
    db.close();
  });

  it('draws numbers in their bounds and identifiers of their form', () => {
    const random = new SeededRandom(5);
    for (let draw = 0; draw < 2_000; draw += 1) {
      expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      const drawn = random.int(3, 5);
      expect([3, 4, 5]).toContain(drawn);
    }
  });
});
