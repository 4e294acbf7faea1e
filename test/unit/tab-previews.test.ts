import { beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_SETTINGS } from '../../electron/shared/settings.ts';
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

describe('previews of the sidebar', () => {
  test('places replace the preview, until something is changed in it or it is kept open', () => {
    tabs.openTop('charts', 'Charts');
    tabs.openTop('sql', 'SQL');
    // A title corrected by its view, parameters that the view chooses, and a look are no work.
    tabs.update(tabs.activeId ?? '', { title: 'SQL of today', params: { part: 'x' } });
    tabs.touch(tabs.activeId ?? '');
    tabs.openTop('jobs', 'Jobs');
    expect(titles()).toEqual(['Catalog', 'Jobs']);
    tabs.touch(tabs.activeId ?? '');
    tabs.update(tabs.activeId ?? '', { params: { search: 'refund' } });
    tabs.openTop('outbox', 'Outbox');
    tabs.keepOpen(tabs.activeId ?? '');
    tabs.openTop('changes', 'Changes');
    tabs.setPinned(tabs.activeId ?? '', true);
    tabs.openTop('health', 'Diagnostics');
    tabs.isProtected = ({ kind }) => kind === 'health';
    tabs.openTop('offline', 'Offline library');
    expect(titles()).toEqual(['Catalog', 'Jobs', 'Outbox', 'Changes', 'Diagnostics', 'Offline library']);
    // Each side has a preview of its own, and replaced previews are not among the closed tabs.
    tabs.openBeside(() => tabs.openTop('charts', 'Charts'));
    expect(titles()).toContain('Offline library');
    tabs.reopenClosed();
    expect(titles()).toHaveLength(7);
  });

  test('Back and Forward show what was shown, also after it was replaced or closed', () => {
    expect(tabs.canGoBack).toBe(false);
    tabs.openTop('charts', 'Charts');
    tabs.update(tabs.activeId ?? '', { params: { sort: 'name' } });
    tabs.openTop('sql', 'SQL');
    const record = tabs.open('dataset', 'Golden', { datasetId: 'd1' });
    tabs.close(record.id);
    tabs.openTop('jobs', 'Jobs');
    const shown: string[] = [];
    while (tabs.canGoBack) {
      tabs.goThrough(-1);
      shown.push(tabs.active?.title ?? '');
    }
    expect(shown).toEqual(['SQL', 'Golden', 'SQL', 'Charts', 'Catalog']);
    tabs.goThrough(1);
    expect(tabs.active).toMatchObject({ title: 'Charts', params: { sort: 'name' }, isPassing: true });
    expect(titles()).toEqual(['Catalog', 'Charts']);
    tabs.openTop('outbox', 'Outbox');
    expect(tabs.canGoForward).toBe(false);
  });

  test('beyond the limit the least recently used preview is closed, but none with input or a pin', async () => {
    const stored = Array.from({ length: DEFAULT_SETTINGS.mostTabs }, (_, at) => ({
      ...{ id: `${at}`, kind: 'values', title: `${at}`, params: { name: `${at}` } },
      ...(at === 5 ? {} : { isPassing: true }),
    }));
    storage.values['two'] = { tabs: { list: stored, activeId: '2' } };
    await keep.load('two');
    tabs = new TabsState(keep);
    tabs.restore('catalog', 'Catalog');
    tabs.isProtected = ({ id }) => id === '0';
    const crowded: string[] = [];
    tabs.onlimitreached = ({ title }) => crowded.push(title);
    tabs.setPinned('1', true);
    tabs.open('traffic', 'Requests');
    expect(tabs.list).toHaveLength(DEFAULT_SETTINGS.mostTabs);
    tabs.open('datasets', 'Datasets');
    expect(crowded).toEqual(['3', '4']);
    tabs.open('charts', 'Charts');
    expect(crowded).toEqual(['3', '4', '6']);
    expect(titles()).toEqual(expect.arrayContaining(['0', '1', '2', '5', 'Datasets', 'Requests']));
    tabs.reopenClosed();
    expect(tabs.active?.title).toBe('6');
    tabs.isProtected = () => true;
    tabs.open('uploads', 'Uploads');
    expect(tabs.list).toHaveLength(DEFAULT_SETTINGS.mostTabs + 1);
  });
});
