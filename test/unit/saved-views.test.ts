import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { objectsOf, textOf } from '../../electron/shared/json-fields.ts';
import { keptParams, type SharedView } from '../../electron/shared/saved-view.ts';
import { isViewText, readSharedView, viewLink, viewText } from '../../renderer/lib/view-link.ts';
import { describeView } from '../../renderer/lib/view-words.ts';
import { SavedViewsState } from '../../renderer/state/saved-views.svelte.ts';
import { TabsState } from '../../renderer/state/tabs.svelte.ts';
import { ViewStateStorage } from '../../renderer/state/view-state-storage.ts';

const NOW = Date.parse('2026-11-20T12:00:30Z');
const shared: SharedView = {
  name: 'Errors of the week',
  service: 'https://example.test/api',
  view: {
    kind: 'spans',
    title: 'Spans',
    params: { application_id: 'a1', range: '7d', start: '2026-01-01T00:00:00Z', end: '2026-01-08T00:00:00Z' },
    grid: {
      list: 'spans.a1',
      layout: { order: ['b', 'a'], widths: { a: 200 }, hidden: ['c'], pinned: null },
      sort: { field: 'duration', isDescending: true },
      narrow: 'refund',
      filters: [{ kind: 'values', field: 'status', values: ['error'], excludes: false }],
    },
  },
};
const linkOf = (view: SharedView) => viewLink(view) ?? '';

describe('a shared view', () => {
  test('is read back completely from its link and from its text, with any texts', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(text, fc.dictionary(fc.constantFrom('filter', 'search', 'sql'), text), (title, params) => {
        const view = { ...shared, view: { ...shared.view, title, params: { ...params } } };
        expect(readSharedView(linkOf(view))).toEqual({ isOk: true, shared: view });
        expect(readSharedView(viewText(view))).toEqual({ isOk: true, shared: view });
      }),
      { numRuns: 50 },
    );
  });

  test('says why a bad link cannot be opened, and never throws', () => {
    const problem = (link: string) => {
      const read = readSharedView(link);
      return read.isOk ? null : read.problem;
    };
    const link = linkOf(shared);
    expect(problem(link.slice(0, -9))).toMatch(/damaged or was cut off/);
    expect(problem('https://example.test')).toMatch(/begins with spandeck:\/\/view/);
    expect(problem(viewText(shared).replace('"version": 1', '"version": 2'))).toMatch(/newer Spandeck/);
    expect(problem(viewText(shared).replace('"spans"', '"settings"'))).toBe(
      'The view has a part that cannot be used: view.kind.',
    );
    fc.assert(
      fc.property(fc.string(), (tail) => {
        expect(readSharedView(`spandeck://view/${tail}`).isOk).toBe(false);
      }),
    );
  });

  test('contains nothing that acts when it is opened: no draft, no open form', () => {
    expect(keptParams({ draft: 'd', mode: 'edit', read_list: 'x', was_start: 'y', search: 's' })).toEqual({
      search: 's',
    });
    const acting = { ...shared, view: { ...shared.view, params: { mode: 'edit', draft: '1', search: 's' } } };
    const read = readSharedView(linkOf(acting));
    expect(read.isOk ? read.shared.view.params : null).toEqual({ search: 's' });
  });

  test('states everything that it sets', () => {
    const said = describeView(shared).map(({ name, value }) => `${name}: ${value}`);
    expect(said).toEqual([
      'Opens: Spans: Spans',
      'Application id: a1',
      'Time range: Last 7 days, up to now',
      'Loaded rows: that match refund',
      'Column filter: Status: error',
      'Sort: Duration, descending',
      'Columns: own order, 1 column hidden, own widths',
      'Made with: https://example.test/api',
    ]);
  });
});

test('a shared view is described with any names, and no name reverses the text direction', () => {
  const params = '{"__proto__":"p","toString":"t","constructor":"c","ex\u202ema":"\u202egnp"}';
  const text = `{"format":"spandeck-view","version":1,"name":"n","service":"","view":{"kind":"spans","title":"a\u2066b","params":${params},"grid":null}}`;
  const read = readSharedView(text);
  expect(read.isOk && describeView(read.shared).map(({ name, value }) => `${name}: ${value}`)).toEqual([
    'Opens: Spans: a⟨U+2066⟩b',
    'To string: t',
    'Constructor: c',
    'ex⟨U+202E⟩ma: ⟨U+202E⟩gnp',
  ]);
});

test('a filter of spans in a shared view is described in words, any other as it is', () => {
  const filterOf = (filter: string) => {
    const view = { ...shared.view, params: { filter }, grid: null };
    return describeView({ ...shared, view }).find(({ name }) => name === 'Filter')?.value;
  };
  const rule = { field: 'Span::span_type', operator: 'eq', value: 'agent' };
  expect(filterOf(JSON.stringify({ condition: 'AND', rules: [rule] }))).toBe('Type is agent');
  const other = JSON.stringify({ condition: 'AND', rules: [{ ...rule, field: 'name' }] });
  expect(filterOf(other)).toBe(other);
});

describe('saved views', () => {
  async function state(stored: Record<string, unknown> = {}) {
    const write = vi.fn(async () => undefined);
    const keep = new ViewStateStorage({ read: async () => stored, write });
    await keep.load('c1');
    const tabs = new TabsState(keep);
    tabs.restore('start', 'Start');
    const views = new SavedViewsState(keep, tabs);
    views.load();
    return { views, tabs, write, keep };
  }

  test('are restored at the next start, starred ones first; unreadable ones are left out', async () => {
    const { views, keep } = await state();
    const one = await views.save('Zebra', shared.view, NOW);
    await views.save('Ant', shared.view, NOW);
    await views.put({ ...one, isStarred: true });
    const again = await state({ views: [...(keep.get('views') as unknown[]), { id: 'x' }, 7] });
    expect(again.views.list.map(({ name }) => name)).toEqual(['Zebra', 'Ant']);
  });

  test('with an existing name are replaced, and a deleted one can be restored', async () => {
    const { views } = await state();
    const first = await views.save('Errors', shared.view, NOW);
    const second = await views.save(' Errors ', { ...shared.view, grid: null }, NOW);
    expect(views.list).toEqual([{ ...first, grid: null }]);
    await views.remove(second.id);
    expect(views.list).toEqual([]);
    await views.put(second);
    expect(views.list).toEqual([second]);
  });

  test('beyond the maximum a new one is rejected and none is lost; existing ones can still be changed', async () => {
    const one = { ...shared.view, isStarred: false, savedAtMs: NOW };
    const full = Array.from({ length: 200 }, (_, at) => ({ ...one, id: `v${at}`, name: `View ${at}` }));
    const { views } = await state({ views: full });
    const before = views.list;
    await expect(views.save('One more', shared.view, NOW)).rejects.toThrow(/200 views are saved.*Delete one/);
    expect(views.list).toEqual(before);
    await views.save('View 7', { ...shared.view, grid: null }, NOW);
    expect(views.list).toHaveLength(200);
    await views.remove('v8');
    await views.save('One more', shared.view, NOW);
    expect(views.named('One more', 'spans')).toBeDefined();
  });

  /** Two connections with one view each. The views of the second one arrive when `arrive` is called. */
  async function twoConnections() {
    const view = (id: string) => ({ ...shared.view, id, name: id, isStarred: false, savedAtMs: NOW });
    const stored = new Map<string, Record<string, unknown>>([
      ['one', { views: [view('of one')] }],
      ['two', { views: [view('of two')] }],
    ]);
    const reading = Promise.withResolvers<undefined>();
    const keep = new ViewStateStorage({
      read: async (connectionId) => {
        if (connectionId === 'two') await reading.promise;
        return { ...stored.get(connectionId) };
      },
      write: async (connectionId, key, value) => {
        stored.set(connectionId, { ...stored.get(connectionId), [key]: value });
      },
    });
    await keep.load('one');
    const views = new SavedViewsState(keep, new TabsState(keep));
    views.load();
    const namesOf = (connectionId: string) =>
      objectsOf(stored.get(connectionId), 'views')
        .map((each) => textOf(each, 'name'))
        .toSorted();
    return { view, keep, views, namesOf, arrive: () => reading.resolve(undefined) };
  }

  test('are stored with their own connection while another one is being entered', async () => {
    const { view, keep, views, namesOf, arrive } = await twoConnections();
    const entered = keep.load('two');
    // For example, a form of the previous connection saves its input when it is closed.
    const saved = views.put(view('late'));
    arrive();
    await entered;
    views.load();
    await saved;
    expect([namesOf('one'), namesOf('two')]).toEqual([['late', 'of one'], ['of two']]);
    expect(views.list.map(({ name }) => name)).toEqual(['of two']);
    await views.put(view('next'));
    expect(namesOf('two')).toEqual(['next', 'of two']);
  });

  test('are not stored for a connection that was removed', async () => {
    const { view, keep, views, namesOf } = await twoConnections();
    keep.forget();
    await views.put(view('late'));
    expect(namesOf('one')).toEqual(['of one']);
  });

  test('saved at the same time are all kept', async () => {
    const { view, views, namesOf } = await twoConnections();
    await Promise.all([views.put(view('a')), views.remove('of one'), views.put(view('b'))]);
    expect(namesOf('one')).toEqual(['a', 'b']);
  });

  test('open their tab with its parameters, a preset range up to now, and arrange its grid once', async () => {
    const { views, tabs } = await state();
    views.open(shared.view, NOW);
    expect(tabs.active).toMatchObject({
      kind: 'spans',
      params: { application_id: 'a1', range: '7d', end: '2026-11-20T12:01:00.000Z' },
    });
    const tabId = tabs.activeId ?? '';
    expect(views.take(tabId, 'another list')).toBeNull();
    expect(views.take(tabId, 'spans.a1')).toEqual(shared.view.grid);
    expect(views.take(tabId, 'spans.a1')).toBeNull();
  });
});

test('a file is a view by its own format, whole or cut off, and not by a text inside it', () => {
  const text = '{\n  "format": "spandeck-view", "version": 1, "name": "A" }';
  expect(isViewText(` ${text}`)).toBe(true);
  expect(isViewText(text.slice(0, -4))).toBe(true);
  expect(isViewText(`{"rows": [${text}]}`)).toBe(false);
  expect(isViewText(`{"rows": [${text}]`)).toBe(false);
});
