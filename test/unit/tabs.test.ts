import { beforeEach, describe, expect, test, vi } from 'vitest';
import { stripOf } from '../../renderer/lib/tab-groups.ts';
import { TabsState } from '../../renderer/state/tabs.svelte.ts';
import { ViewStateStorage } from '../../renderer/state/view-state-storage.ts';

class MemoryStorage {
  readonly values: Record<string, Record<string, unknown>> = {};
  async read(connectionId: string): Promise<Record<string, unknown>> {
    return structuredClone(this.values[connectionId] ?? {});
  }
  async write(connectionId: string, key: string, value: unknown): Promise<void> {
    this.values[connectionId] = { ...this.values[connectionId], [key]: structuredClone(value) };
  }
}

let storage: MemoryStorage;
let keep: ViewStateStorage;
let tabs: TabsState;

beforeEach(async () => {
  storage = new MemoryStorage();
  keep = new ViewStateStorage(storage);
  await keep.load('one');
  tabs = new TabsState(keep);
  tabs.restore('catalog', 'Catalog');
});

const titles = () => tabs.list.map(({ title }) => title);

describe('tabs', () => {
  test('start with the first section if nothing was stored', () => {
    expect(titles()).toEqual(['Catalog']);
    expect(tabs.active?.kind).toBe('catalog');
  });

  test('open beside the active one, and only once for the same subject', () => {
    tabs.open('datasets', 'Datasets');
    tabs.open('values', 'model', { name: 'model' });
    tabs.open('datasets', 'Datasets');
    tabs.open('values', 'user', { name: 'user' });
    tabs.open('values', 'model', { name: 'model' });
    expect(titles()).toEqual(['Catalog', 'Datasets', 'user', 'model']);
    expect(tabs.active?.title).toBe('model');
  });

  test('a tab is identified by its subject, however it is shown', () => {
    const about = { applicationId: 'a', entityType: 'attribute', name: 'model' };
    const values = tabs.open('values', 'model', about);
    tabs.update(values.id, { params: { ...about, search: 'gpt' } });
    const dataset = tabs.open('dataset', 'Golden', { datasetId: 'd1', name: 'Golden' });
    tabs.update(dataset.id, { params: { datasetId: 'd1', name: 'Golden', part: 'scores' } });
    expect(tabs.open('values', 'model', about).id).toBe(values.id);
    expect(tabs.active?.params).toEqual({ ...about, search: 'gpt' });
    expect(tabs.open('dataset', 'Golden set', { datasetId: 'd1', name: 'Golden set' }).id).toBe(dataset.id);
    expect(tabs.open('values', 'model', { ...about, applicationId: 'b' }).id).not.toBe(values.id);
    const form = tabs.open('resource', 'New segment', { resource: 'segments', mode: 'new' });
    expect(tabs.open('resource', 'EU', { resource: 'segments', id: 's1', name: 'EU' }).id).not.toBe(form.id);
  });

  test('closed together can all be reopened, however many there were', () => {
    const names = Array.from({ length: 30 }, (_, at) => `model ${at}`);
    for (const name of names) tabs.open('values', name, { name });
    const before = titles();
    const closed = tabs.list.flatMap(({ id }) => tabs.close(id) ?? []);
    expect(titles()).toEqual([]);
    for (const each of closed.toReversed()) tabs.reopenClosed(each);
    expect(titles()).toEqual(before);
  });

  test('the sidebar entry of a section opens its list, not a record opened in it', () => {
    const [catalog] = tabs.list;
    const params = { applicationId: 'a', applicationName: 'Support assistant', search: 'refund' };
    tabs.update(catalog?.id ?? '', { title: 'Support assistant', params });
    tabs.open('traffic', 'Requests');
    tabs.openTop('catalog', 'Catalog');
    expect(tabs.active).toMatchObject({ id: catalog?.id, title: 'Catalog', params: {} });
    const spans = tabs.open('spans', 'Spans');
    tabs.update(spans.id, { params: { application_id: 'a', filter: 'x' } });
    expect(tabs.openTop('spans', 'Spans').params).toEqual({ application_id: 'a', filter: 'x' });
  });

  test('closing activates the neighbour, disposes models, and can be undone', () => {
    const dispose = vi.fn();
    const tab = tabs.open('values', 'model', { name: 'model' });
    const held = tabs.hold(tab.id, 'list', () => ({ dispose }));
    expect(tabs.hold(tab.id, 'list', () => ({ dispose: () => undefined }))).toBe(held);
    tabs.close(tab.id);
    expect(dispose).toHaveBeenCalledOnce();
    expect(tabs.active?.title).toBe('Catalog');
    tabs.reopenClosed();
    expect(tabs.active?.params).toEqual({ name: 'model' });
    tabs.close(tabs.active?.id ?? '');
    tabs.close(tabs.active?.id ?? '');
    expect(tabs.active).toBeNull();
  });

  test('the models of their views can be enumerated', () => {
    const tab = tabs.open('values', 'model', { name: 'model' });
    tabs.hold(tab.id, 'grid', () => ({ place: 7 }));
    tabs.hold(tab.id, 'list', () => ({ rows: 2 }));
    const found = tabs.collect((thing) => (thing as { place?: number }).place ?? null);
    expect(found).toEqual({ [`${tab.id} grid`]: 7 });
  });

  test('a view has its tab in the current state, and in the last state once it is closed', () => {
    const own = tabs.follow(tabs.open('values', 'model', { name: 'model' }));
    const { id } = own.tab;
    tabs.update(id, { params: { name: 'model', search: 'gpt' } });
    expect(own.tab.params).toEqual({ name: 'model', search: 'gpt' });
    tabs.open('traffic', 'Requests');
    expect(own.tab.id).toBe(id);
    tabs.close(id);
    expect(own.tab).toMatchObject({ id, params: { search: 'gpt' } });
  });

  test('step with wrap-around', () => {
    tabs.open('datasets', 'Datasets');
    tabs.step(1);
    expect(tabs.active?.title).toBe('Catalog');
    tabs.step(-1);
    expect(tabs.active?.title).toBe('Datasets');
  });
});

describe('tabs after a restart', () => {
  const restart = async (connectionId: string) => {
    keep.flush();
    const next = new ViewStateStorage(storage);
    await next.load(connectionId);
    tabs = new TabsState(next);
    tabs.restore('catalog', 'Catalog');
  };

  test('tabs are restored with their filters', async () => {
    const tab = tabs.open('values', 'model', { name: 'model' });
    tabs.update(tab.id, { params: { name: 'model', search: 'gpt' } });
    tabs.open('traffic', 'Requests');
    tabs.activate(tab.id);
    await restart('one');
    expect(titles()).toEqual(['Catalog', 'model', 'Requests']);
    expect(tabs.active?.params).toEqual({ name: 'model', search: 'gpt' });
    const further = tabs.open('datasets', 'Datasets');
    expect(new Set(tabs.list.map(({ id }) => id)).size).toBe(4);
    expect(further.id).not.toBe(tab.id);
  });

  test('forms and files in preparation are restored too, with the choices in them', async () => {
    tabs.open('connection', 'New connection');
    tabs.open('upload', 'events.csv', { draft: 'd1' });
    tabs.open('upload', 'sent.csv', { job: 'j1' });
    await restart('one');
    expect(titles()).toEqual(['Catalog', 'New connection', 'events.csv', 'sent.csv']);
  });

  test('another connection has its own', async () => {
    tabs.open('datasets', 'Datasets');
    await restart('two');
    expect(titles()).toEqual(['Catalog']);
  });

  test('have the current title of their section if they were stored under its former title', async () => {
    const list = [{ id: '1', kind: 'traffic', title: 'Traffic', params: {} }];
    storage.values['three'] = { tabs: { list, activeId: '1' } };
    await restart('three');
    expect(titles()).toEqual(['Requests']);
  });

  test('stored values of an unknown form are left out', async () => {
    storage.values['three'] = {
      tabs: { list: [{ id: '1', kind: 'gone', title: 'x', params: {} }, 7], activeId: 4 },
    };
    await restart('three');
    expect(titles()).toEqual(['Catalog']);
  });

  test('a change is written in the next task, further ones soon after, and the last one when the window closes', async () => {
    const expectKept = (...titles: string[]) =>
      expect(storage.values['one']).toMatchObject({ tabs: { list: titles.map((title) => ({ title })) } });
    vi.useFakeTimers();
    keep.flush();
    tabs.open('datasets', 'Datasets');
    await vi.advanceTimersByTimeAsync(0);
    expectKept('Catalog', 'Datasets');
    tabs.open('traffic', 'Requests');
    await vi.advanceTimersByTimeAsync(0);
    expectKept('Catalog', 'Datasets');
    keep.flush();
    expectKept('Catalog', 'Datasets', 'Requests');
    vi.useRealTimers();
  });

  test('a removed connection is not written to again', async () => {
    const before = structuredClone(storage.values['one']);
    vi.useFakeTimers();
    tabs.open('datasets', 'Datasets');
    keep.forget();
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    expect(storage.values['one']).toEqual(before);
  });

  test('nor are its pending values written to the next one', async () => {
    storage.values['two'] = { places: { a: 1 } };
    keep.forget();
    keep.set('places', { b: 2 });
    await keep.load('two');
    keep.set('tabs', 1);
    keep.flush();
    expect(storage.values['two']).toEqual({ places: { a: 1 }, tabs: 1 });
  });
});

describe('while the tabs of a connection are being read', () => {
  /** The next read of the storage waits until it is released. */
  const hold = (connectionId: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { read } = storage;
    storage.read = async (asked) => {
      const values = await read.call(storage, asked);
      if (asked === connectionId) await promise;
      return values;
    };
    return resolve;
  };
  const stored = (...kinds: string[]) => ({
    list: kinds.map((kind, at) => ({ id: `${at + 1}`, kind, title: kind, params: { kept: 'yes' } })),
    activeId: '1',
  });

  test('newly opened tabs stay beside the restored ones, and the new one is active', async () => {
    storage.values['two'] = { tabs: stored('catalog', 'datasets', 'traffic') };
    tabs.clear();
    const go = hold('two');
    const loading = keep.load('two');
    const file = tabs.open('upload', 'events.csv', { draft: 'd1' });
    tabs.open('datasets', 'Datasets', { search: 'a' });
    tabs.activate(file.id);
    expect(tabs.isRestored).toBe(false);
    go();
    await loading;
    tabs.restore('catalog', 'Catalog');
    expect(titles()).toEqual(['catalog', 'events.csv', 'datasets', 'traffic']);
    expect(tabs.active?.title).toBe('events.csv');
    expect(tabs.list[2]?.params).toEqual({ kept: 'yes', search: 'a' });
    keep.flush();
    expect(storage.values['two']).toMatchObject({
      tabs: {
        list: [{ kind: 'catalog' }, { kind: 'upload' }, { kind: 'datasets' }, { kind: 'traffic' }],
        activeId: file.id,
      },
    });
  });

  test('the stored ones are not overwritten', async () => {
    const before = { tabs: stored('catalog', 'traffic') };
    storage.values['two'] = structuredClone(before);
    tabs.clear();
    const go = hold('two');
    const loading = keep.load('two');
    tabs.open('datasets', 'Datasets');
    tabs.close(tabs.activeId ?? '');
    keep.flush();
    expect(storage.values['two']).toEqual(before);
    go();
    await loading;
    tabs.restore('catalog', 'Catalog');
    expect(titles()).toEqual(['catalog', 'traffic']);
    expect(tabs.activeId).toBe('1');
  });

  test('a value set meanwhile is newer than the one read', async () => {
    storage.values['two'] = { a: 'old', b: 'old' };
    const go = hold('two');
    const loading = keep.load('two');
    keep.set('a', 'new');
    go();
    await loading;
    expect([keep.get('a'), keep.get('b')]).toEqual(['new', 'old']);
  });

  test('another connection may be requested: the answer for the first one is dropped', async () => {
    storage.values['two'] = { a: 'two' };
    storage.values['three'] = { a: 'three' };
    const go = hold('two');
    const loading = keep.load('two');
    await keep.load('three');
    go();
    await loading;
    expect(keep.get('a')).toBe('three');
  });
});

describe('two groups side by side', () => {
  const sides = () =>
    tabs.sides.map(({ tabs: own, shown }) => `${own.map(({ title }) => title).join(' ')} > ${shown?.title}`);
  const idOf = (title: string) => tabs.list.find((tab) => tab.title === title)?.id ?? '';

  test('a tab moves to the right; the next one opens on the active side', () => {
    tabs.open('datasets', 'Datasets');
    tabs.open('traffic', 'Requests');
    tabs.moveAcross(idOf('Requests'));
    expect(sides()).toEqual(['Catalog Datasets > Datasets', 'Requests > Requests']);
    expect(tabs.active?.title).toBe('Requests');
    tabs.open('health', 'Diagnostics');
    expect(sides()).toEqual(['Catalog Datasets > Datasets', 'Requests Diagnostics > Diagnostics']);
    tabs.open('catalog', 'Catalog');
    expect(sides()).toEqual(['Catalog Datasets > Catalog', 'Requests Diagnostics > Diagnostics']);
    expect(tabs.active?.title).toBe('Catalog');
    tabs.step(1);
    tabs.step(1);
    expect(tabs.active?.title).toBe('Catalog');
  });

  test('Ctrl Enter opens on the other side, and moves a tab that is on this side', () => {
    tabs.openBeside(() => tabs.open('dataset', 'Golden', { datasetId: 'd1' }));
    expect(sides()).toEqual(['Catalog > Catalog', 'Golden > Golden']);
    tabs.activate(idOf('Catalog'));
    tabs.openBeside(() => tabs.open('dataset', 'Silver', { datasetId: 'd2' }));
    expect(sides()).toEqual(['Catalog > Catalog', 'Golden Silver > Silver']);
    tabs.openBeside(() => tabs.open('dataset', 'Golden', { datasetId: 'd1' }));
    expect(sides()).toEqual(['Catalog Golden > Golden', 'Silver > Silver']);
  });

  test('an empty side disappears; the remaining one is on the left', () => {
    tabs.openBeside(() => tabs.open('traffic', 'Requests'));
    tabs.close(idOf('Catalog'));
    expect(sides()).toEqual(['Requests > Requests']);
    expect(tabs.list.every(({ isRight }) => isRight === undefined)).toBe(true);
    tabs.moveAcross(idOf('Requests'));
    expect(sides()).toEqual(['Requests > Requests']);
    tabs.openBeside(() => tabs.open('health', 'Diagnostics'));
    tabs.close(tabs.activeId ?? '');
    expect(sides()).toEqual(['Requests > Requests']);
    tabs.openBeside(() => tabs.open('health', 'Diagnostics'));
    tabs.join();
    expect(sides()).toEqual(['Requests Diagnostics > Diagnostics']);
  });

  test('a closed tab is restored to its position, even as the only one of its side', () => {
    tabs.open('datasets', 'Datasets');
    tabs.open('health', 'Diagnostics');
    tabs.openBeside(() => tabs.open('traffic', 'Requests'));
    const before = sides();
    const [datasets, traffic] = [idOf('Datasets'), idOf('Requests')];
    const closed = [tabs.close(datasets), tabs.close(traffic)];
    for (const each of closed.toReversed()) tabs.reopenClosed(each ?? undefined);
    tabs.activate(idOf('Diagnostics'));
    expect(sides()).toEqual(before);
  });

  test('they are restored after a restart, with their widths', async () => {
    tabs.open('datasets', 'Datasets');
    tabs.openBeside(() => tabs.open('traffic', 'Requests'));
    tabs.activate(idOf('Catalog'));
    tabs.setShare(0.3);
    keep.flush();
    keep = new ViewStateStorage(storage);
    await keep.load('one');
    tabs = new TabsState(keep);
    tabs.restore('start', 'Start');
    expect(sides()).toEqual(['Catalog Datasets > Catalog', 'Requests > Requests']);
    expect([tabs.active?.title, tabs.share]).toEqual(['Catalog', 0.3]);
  });

  test('neither of the two active tabs is closed for a new one', () => {
    tabs.most = () => 2;
    tabs.openBeside(() => tabs.openTop('traffic', 'Requests'));
    tabs.open('health', 'Diagnostics');
    expect(sides()).toEqual(['Catalog > Catalog', 'Diagnostics > Diagnostics']);
  });
});

describe('groups of tabs', () => {
  const group = { id: 'g', name: 'Refunds', colour: 'blue', isFolded: false } as const;
  const idOf = (title: string) => tabs.list.find((tab) => tab.title === title)?.id ?? '';
  const strip = () =>
    stripOf(tabs.list, tabs.groups, tabs.activeId).map((part) =>
      'tab' in part ? part.tab.title : `[${part.group.name} ${part.count}]`,
    );

  beforeEach(() => {
    for (const title of ['a', 'b', 'c']) tabs.open('values', title, { name: title });
    tabs.setGroup(group);
    tabs.groupTab(idOf('a'), 'g');
    tabs.groupTab(idOf('c'), 'g');
  });

  test('are adjacent after their head; tabs opened from them follow them', () => {
    expect(strip()).toEqual(['Catalog', '[Refunds 2]', 'a', 'c', 'b']);
    tabs.activate(idOf('a'));
    tabs.open('traffic', 'Requests');
    expect(strip()).toEqual(['Catalog', '[Refunds 2]', 'a', 'c', 'Requests', 'b']);
  });

  test('folded, only the active tab is visible, and stepping skips the others', () => {
    tabs.setGroup({ ...group, isFolded: true });
    tabs.activate(idOf('a'));
    expect(strip()).toEqual(['Catalog', '[Refunds 2]', 'a', 'b']);
    tabs.activate(idOf('b'));
    expect(strip()).toEqual(['Catalog', '[Refunds 2]', 'b']);
    tabs.step(1);
    expect(tabs.active?.title).toBe('Catalog');
  });

  test('a tab is moved into a group, out of it, and leaves it for the other side', () => {
    tabs.place(idOf('b'), idOf('c'), false);
    expect(strip()).toEqual(['Catalog', '[Refunds 3]', 'a', 'b', 'c']);
    tabs.place(idOf('a'), idOf('Catalog'), false);
    expect(strip()).toEqual(['a', 'Catalog', '[Refunds 2]', 'b', 'c']);
    tabs.moveAcross(idOf('b'));
    expect(tabs.list.find(({ title }) => title === 'b')).not.toHaveProperty('groupId');
    tabs.groupTab(idOf('b'), 'g');
    expect(strip()).toEqual(['a', 'Catalog', '[Refunds 2]', 'c', 'b']);
    tabs.groupTab(idOf('c'), null);
    tabs.close(idOf('b'));
    expect(tabs.groups).toEqual([]);
  });

  test('a closed group is restored with its tabs', () => {
    const before = strip();
    const closed = ['a', 'c'].map(idOf).map((id) => tabs.close(id));
    expect(tabs.groups).toEqual([]);
    for (const each of closed.toReversed()) tabs.reopenClosed(each ?? undefined);
    expect(strip()).toEqual(before);
    expect(tabs.groups).toEqual([group]);
  });

  test('they are stored, and none of their tabs is closed for a new one', async () => {
    tabs.setGroup({ ...group, isFolded: true, colour: 'pink' });
    for (const title of ['Catalog', 'b']) tabs.close(idOf(title));
    tabs.openTop('jobs', 'Jobs');
    tabs.most = () => 2;
    tabs.open('traffic', 'Requests');
    expect(strip()).toEqual(['[Refunds 2]', 'Requests']);
    keep.flush();
    keep = new ViewStateStorage(storage);
    await keep.load('one');
    tabs = new TabsState(keep);
    tabs.restore('start', 'Start');
    expect(strip()).toEqual(['[Refunds 2]', 'Requests']);
    expect(tabs.groups[0]).toEqual({ ...group, isFolded: true, colour: 'pink' });
  });
});
