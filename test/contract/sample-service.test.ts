/** The arithmetic of paging, by raw HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Page, RawService } from '../helpers/sample-service.ts';

let raw: RawService;
let ids: Record<string, string>;

beforeAll(async () => {
  raw = await RawService.start();
  ids = { application_id: await raw.idOf('applications.list', 'Support assistant') };
});

afterAll(() => raw.service.stop());

describe('paging', () => {
  const catalog = (query: string): string => raw.path('catalog.list', ids, query);

  it('the first, the last and the page after it', async () => {
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

  it('an empty list has no pages and starts at page 1', async () => {
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

  it('a cap returns fewer rows than requested and says so', async () => {
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
    'rejects %s',
    async (query) => {
      expect((await raw.call('GET', `/v3/projects?${query}`)).status).toBe(400);
    },
  );
});
