import { beforeEach, describe, expect, test } from 'vitest';
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
  test('the place of boards is any board that is open, but two boards are two tabs', () => {
    tabs.openTop('board', 'Boards');
    tabs.update(tabs.activeId ?? '', { title: 'Churn board', params: { board: 'model:1' } });
    tabs.open('jobs', 'Jobs');
    tabs.openTop('board', 'Boards');
    expect(titles()).toEqual(['Catalog', 'Churn board', 'Jobs']);
    expect(tabs.active?.title).toBe('Churn board');
    tabs.open('board', 'Fraud board', { board: 'model:2' });
    tabs.open('board', 'Churn board', { board: 'model:1', time: '7d' });
    expect(
      titles()
        .filter((title) => title.endsWith('board'))
        .toSorted(),
    ).toEqual(['Churn board', 'Fraud board']);
  });

  test('places replace the preview, until something is changed in it or it is kept open', () => {
    tabs.openTop('charts', 'Charts');
    tabs.openTop('sql', 'SQL');
    // Titles and parameters that the view sets by itself do not count as work of the user.
    tabs.update(tabs.activeId ?? '', { title: 'SQL of today', params: { part: 'x' } });
    tabs.openTop('jobs', 'Jobs');
    expect(titles()).toEqual(['Catalog', 'Jobs']);
    // A tab that was opened by other means than the sidebar is kept.
    tabs.open('jobs', 'Jobs');
    tabs.openTop('outbox', 'Outbox');
    tabs.keepOpen(tabs.activeId ?? '');
    tabs.openTop('changes', 'Changes');
    tabs.setPinned(tabs.activeId ?? '', true);
    tabs.openTop('health', 'Diagnostics');
    tabs.isProtected = ({ kind }) => kind === 'health';
    tabs.openTop('offline', 'Offline library');
    expect(titles()).toEqual(['Catalog', 'Jobs', 'Outbox', 'Changes', 'Diagnostics', 'Offline library']);
    // Each side has its own preview, and replaced previews are not listed as closed tabs.
    tabs.openBeside(() => tabs.openTop('charts', 'Charts'));
    expect(titles()).toContain('Offline library');
    tabs.reopenClosed();
    expect(titles()).toHaveLength(7);
  });

  test('Back and Forward return to the places shown before, also after they were replaced or closed', () => {
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
    // A record that was opened remains, while previews replace each other.
    expect(titles()).toEqual(['Catalog', 'Charts', 'Golden']);
    tabs.openTop('outbox', 'Outbox');
    expect(tabs.canGoForward).toBe(false);
  });

  test('Back leads from a record to the list in whose tab it was opened', () => {
    const id = tabs.activeId ?? '';
    tabs.update(id, { params: { search: 'refund' } });
    tabs.update(id, { title: 'Support assistant', params: { applicationId: 'a' } });
    tabs.openTop('catalog', 'Catalog');
    tabs.goThrough(-1);
    expect(tabs.active).toMatchObject({ id, title: 'Support assistant', params: { applicationId: 'a' } });
    tabs.goThrough(-1);
    expect(tabs.active).toMatchObject({ id, title: 'Catalog', params: { search: 'refund' } });
    tabs.goThrough(1);
    expect(tabs.active?.title).toBe('Support assistant');
  });

  test('a tab that Back opened again is not reopened a second time', () => {
    const upload = tabs.open('upload', 'churn.csv', { draft: 'd' });
    tabs.close(upload.id);
    tabs.goThrough(-1);
    expect(tabs.activeId).toBe(upload.id);
    tabs.update(upload.id, { params: { job: 'j' } });
    tabs.reopenClosed();
    expect(tabs.list.filter(({ id }) => id === upload.id)).toHaveLength(1);
  });

  test('previews of earlier versions stay, but for the shown one', async () => {
    const stored = ['charts', 'sql', 'jobs'].map((kind) => ({
      ...{ id: kind, kind, title: kind, params: {}, isPassing: true },
    }));
    storage.values['two'] = { tabs: { list: stored, activeId: 'sql' } };
    await keep.load('two');
    tabs = new TabsState(keep);
    tabs.restore('catalog', 'Catalog');
    tabs.openTop('datasets', 'Datasets');
    expect(titles()).toEqual(['charts', 'Datasets', 'jobs']);
  });

  test('beyond the limit only the preview of the other side is closed, but none with input or a pin', () => {
    tabs.most = () => 2;
    const crowded: string[] = [];
    tabs.onlimitreached = ({ tab }) => crowded.push(tab.title);
    tabs.openTop('sql', 'SQL');
    tabs.openTop('jobs', 'Jobs');
    expect(crowded).toEqual([]);
    tabs.open('traffic', 'Requests');
    expect(crowded).toEqual(['Jobs']);
    tabs.reopenClosed();
    expect(tabs.active?.title).toBe('Jobs');
    tabs.isProtected = () => true;
    tabs.openTop('charts', 'Charts');
    tabs.open('uploads', 'Uploads');
    expect(titles()).toHaveLength(5);
  });
});
