/** A list that is computed from a completely stored list equals the answer of the service. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FILTER_OPERATORS, type FilterOperator, readField } from '../../electron/core/text/filters.ts';
import { entityTypeOf } from '../../electron/shared/catalog-entity.ts';
import type { JsonObject } from '../../electron/shared/json-body.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { LibraryRig } from '../helpers/library-rig.ts';
import { runs } from '../helpers/runs.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

type Row = Record<string, unknown>;

let service: RawService;
let rig: LibraryRig;
beforeAll(async () => {
  service = await RawService.start();
  rig = new LibraryRig(service.service.baseUrl, { token: TOKEN });
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await service.service.stop();
});

/** All rows that the service has for a query; null if it rejects the query. */
async function askAll({ operation, path, query, body }: ListQuery): Promise<Row[] | null> {
  const rows: Row[] = [];
  for (;;) {
    const answer =
      body === undefined
        ? await service.raw(
            'GET',
            `${service.path(operation as never, path)}?${new URLSearchParams({ ...query, limit: '1000', offset: String(rows.length) })}`,
          )
        : await service.raw('POST', service.path(operation as never, path), {
            body: { ...body, page_size: 1000, offset: rows.length },
          });
    if (answer.status !== 200) return null;
    const { data } = JSON.parse(answer.text) as { data: { items: Row[]; total: number } };
    rows.push(...data.items);
    if (data.items.length === 0 || rows.length >= data.total) return rows;
  }
}

async function stored(query: ListQuery): Promise<{ source: string; rows: Row[] }> {
  const { freshness } = await rig.library.openList({ viewId: 'offline', query, refresh: 'never' });
  const rows: Row[] = [];
  while (freshness.source !== 'none') {
    const page = await rig.rows(query, { offset: rows.length });
    rows.push(...page.rows.map(({ record }) => record));
    if (page.rows.length === 0) break;
  }
  rig.library.release('offline');
  return { source: freshness.source, rows };
}

interface Subject {
  base: ListQuery;
  fields: readonly string[];
  orderings: readonly string[];
  read: (row: Row, field: string) => unknown;
  /** Adds filter, search and ordering to the query. */
  ask: (selection: {
    filter: JsonObject | null;
    search: string | null;
    ordering: string | null;
  }) => ListQuery;
}

function ofList(operation: string, fields: readonly string[]): Subject {
  const base: ListQuery = { operation, path: {}, query: {} };
  return {
    base,
    fields,
    orderings: fields,
    read: readField,
    ask: ({ filter, search, ordering }) => ({
      ...base,
      query: {
        ...(filter === null ? {} : { filter: JSON.stringify(filter) }),
        ...(search === null ? {} : { search }),
        ...(ordering === null ? {} : { ordering }),
      },
    }),
  };
}

interface CatalogSelection {
  search: string | null;
  data_type: string[] | null;
  semantic_name: string[] | null;
}

/** Parts of names and values in upper or lower case; types and concepts, including some that no row has. */
function catalogSelectionOf(rows: readonly Row[], textOf: (row: Row) => string) {
  const part = fc
    .tuple(fc.constantFrom(...rows.map(textOf), 'zzz'), fc.nat({ max: 12 }), fc.integer({ min: 1, max: 5 }))
    .map(([text, from, length]) => text.slice(from, from + length) || text);
  const search = fc.tuple(part, fc.boolean()).map(([text, isUpper]) => (isUpper ? text.toUpperCase() : text));
  const some = (field: string, other: string) =>
    fc.uniqueArray(fc.constantFrom(...rows.map((row) => String(row[field] ?? 'UNKNOWN')), other), {
      minLength: 1,
      maxLength: 3,
    });
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
  return fc.record<CatalogSelection>({
    search: maybe(search),
    data_type: maybe(some('data_type', 'nothing')),
    semantic_name: maybe(some('semantic_name', 'nothing')),
  });
}

/** Compares every selection of a completely stored catalog list. `fields`: parameters of the list. */
async function compareCatalog(
  base: ListQuery,
  textOf: (row: Row) => string,
  fields: readonly (keyof CatalogSelection)[],
): Promise<void> {
  await rig.read(base);
  const all = (await askAll(base)) ?? [];
  expect(all.length).toBeGreaterThan(2);
  await fc.assert(
    fc.asyncProperty(catalogSelectionOf(all, textOf), async (selection) => {
      const asked = fields.flatMap((field) => {
        const wanted = selection[field];
        return wanted === null ? [] : [[field, Array.isArray(wanted) ? wanted.join(',') : wanted] as const];
      });
      const query = { ...base, query: { ...base.query, ...Object.fromEntries(asked) } };
      const answer = await stored(query);
      expect(answer.source).not.toBe('none');
      expect(answer.rows).toEqual(await askAll(query));
    }),
    { numRuns: runs(12, 100) },
  );
}

function ofSpans(applicationId: string): Subject {
  const range = { start_time: '2000-01-01T00:00:00Z', end_time: '2100-01-01T00:00:00Z' };
  const body = { application_id: applicationId, ...range };
  const base: ListQuery = {
    operation: 'spans.query',
    path: {},
    query: {},
    body: { ...body, ordering: '-start_time' },
  };
  return {
    base,
    fields: [
      'Span::name',
      'Span::span_type',
      'Span::duration',
      'Span::status_code',
      'SpanAttribute::gen_ai.request.model',
    ],
    orderings: ['duration', 'name', 'start_time', 'span_type', 'parent_span_id'],
    read: (row, field) =>
      field.startsWith('Span::')
        ? row[field.slice('Span::'.length)]
        : readField(row['span_attributes'], field.slice('SpanAttribute::'.length)),
    ask: ({ filter, ordering }) => ({
      ...base,
      body: { ...body, ordering: ordering ?? '-start_time', ...(filter === null ? {} : { filter }) },
    }),
  };
}

function valuesOf(path: Record<string, string>, entity: Row): ListQuery {
  const query = { name: String(entity['name']), entity_type: entityTypeOf(entity, '') };
  return { operation: 'catalog.values', path, query };
}

const OPERATORS = Object.keys(FILTER_OPERATORS) as FilterOperator[];

function selectionOf({ fields, orderings, read }: Subject, rows: readonly Row[]) {
  const value = (field: string): fc.Arbitrary<string | number | boolean> =>
    fc
      .constantFrom(...rows.map((row) => read(row, field)), 'zzz', 3)
      .filter((each) => ['string', 'number', 'boolean'].includes(typeof each)) as fc.Arbitrary<
      string | number
    >;
  const rule = fc
    .tuple(fc.constantFrom(...fields), fc.constantFrom(...OPERATORS))
    .chain(([field, operator]) => {
      const shape = FILTER_OPERATORS[operator];
      if (shape === 'none') return fc.constant({ field, operator });
      if (shape === 'one') return value(field).map((wanted) => ({ field, operator, value: wanted }));
      const count = shape === 'pair' ? 2 : 3;
      return fc
        .array(value(field), { minLength: count, maxLength: count })
        .map((wanted) => ({ field, operator, value: wanted }));
    });
  const filter = fc.record({
    condition: fc.constantFrom('AND', 'OR'),
    rules: fc.array(rule, { minLength: 1, maxLength: 3 }),
  });
  const words = rows.flatMap((row) => Object.values(row).filter((each) => typeof each === 'string'));
  const search = fc
    .tuple(fc.constantFrom(...words, 'zzz'), fc.nat({ max: 5 }), fc.integer({ min: 1, max: 4 }), fc.boolean())
    .map(([word, from, length, isUpper]) => {
      const part = word.slice(from, from + length) || word;
      return isUpper ? part.toUpperCase() : part;
    });
  const ordering = fc
    .uniqueArray(fc.constantFrom(...orderings), { minLength: 1, maxLength: 2 })
    .chain((terms) => fc.tuple(...terms.map((term) => fc.constantFrom(term, `-${term}`))))
    .map((terms) => terms.join(','));
  const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null });
  return fc.record({ filter: maybe(filter), search: maybe(search), ordering: maybe(ordering) });
}

async function compare(subject: Subject): Promise<void> {
  await rig.read(subject.base);
  const all = (await askAll(subject.base)) ?? [];
  expect(all.length).toBeGreaterThan(1);
  let worked = 0;
  await fc.assert(
    fc.asyncProperty(selectionOf(subject, all), async (selection) => {
      const query = subject.ask(selection);
      const expected = await askAll(query);
      const answer = await stored(query);
      if (expected === null) {
        expect(answer.source).not.toBe('stored');
        return;
      }
      worked += 1;
      expect(answer.source).not.toBe('none');
      expect(answer.rows).toEqual(expected);
    }),
    { numRuns: runs(12) },
  );
  expect(worked).toBeGreaterThan(0);
}

describe('search, filter and ordering without the service', () => {
  test.each([
    ['attributes.list', ['name', 'data_type', 'scope', 'application_id']],
    ['datasets.list', ['name', 'created_at', 'application_id', 'id']],
    ['alert-rules.list', ['name', 'priority', 'created_at', 'model_id', 'model.name']],
    ['models.list', ['name', 'task', 'id']],
    ['environments.list', ['name', 'type', 'model_id']],
    ['applications.list', ['name', 'created_at', 'updated_at', 'project.name']],
    ['projects.list', ['name', 'asset_type', 'created_at']],
    ['evaluators.list', ['name', 'id']],
    ['baselines.list', ['name', 'type', 'model_id']],
    ['custom-metrics.list', ['name', 'model_id']],
    ['segments.list', ['name', 'model_id']],
  ])('%s', (operation, fields) => compare(ofList(operation, fields)));

  test('catalog.list and catalog.values: search, data type, semantic name', async () => {
    const { items } = await service.page(service.path('applications.list'));
    const path = { application_id: String(items[0]?.['id']) };
    const base: ListQuery = { operation: 'catalog.list', path, query: {} };
    await compareCatalog(base, ({ name }) => String(name), ['search', 'data_type', 'semantic_name']);
    const attributes = (await askAll({ ...base, query: { entity_type: 'attribute' } })) ?? [];
    for (const entity of attributes) {
      const values = valuesOf(path, entity);
      if (((await askAll(values)) ?? []).length < 5) continue;
      return await compareCatalog(values, ({ value }) => String(value), ['search']);
    }
    throw new Error('Expected an attribute of five values or more.');
  });

  test('spans.query', async () => {
    const { items } = await service.page(service.path('applications.list'));
    const counts: [string, number][] = [];
    for (const { id } of items) {
      const rows = await askAll(ofSpans(String(id)).base);
      counts.push([String(id), rows?.length ?? 0]);
    }
    const [smallest] = counts.filter(([, count]) => count > 20).toSorted((a, b) => a[1] - b[1]);
    await compare(ofSpans(smallest?.[0] ?? ''));
  });
});
