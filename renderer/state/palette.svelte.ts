/** What the palette finds beside commands: open tabs, and applications and datasets that are stored. */
import { client } from '../lib/client.ts';
import { recordTitle, textField } from '../lib/records.ts';
import type { AppState } from './app.svelte.ts';
import type { TabKind } from './tabs.svelte.ts';

export interface PaletteEntry {
  id: string;
  title: string;
  kind: string;
  run: () => unknown;
}

const MOST_RECORDS = 200;
const SOURCES = [
  { operation: 'applications.list', kind: 'application', tab: 'catalog', idParam: 'applicationId' },
  { operation: 'datasets.list', kind: 'dataset', tab: 'dataset', idParam: 'datasetId' },
] as const satisfies readonly { operation: string; kind: string; tab: TabKind; idParam: string }[];

export class PaletteState {
  records = $state.raw<PaletteEntry[]>([]);
  readonly #app: AppState;

  constructor(app: AppState) {
    this.#app = app;
  }

  /** Reads stored rows only; nothing is requested. */
  async load(): Promise<void> {
    const connectionId = this.#app.connections.activeId;
    if (connectionId === null) return;
    const pages = await Promise.all(SOURCES.map((source) => this.#read(connectionId, source)));
    this.records = pages.flat();
  }

  async #read(connectionId: string, source: (typeof SOURCES)[number]): Promise<PaletteEntry[]> {
    const { rows } = await client.invoke('library:read-rows', {
      connectionId,
      query: { operation: source.operation, path: {}, query: {} },
      window: { offset: 0, limit: MOST_RECORDS, sort: null, narrow: null },
    });
    return rows.map(({ record }) => ({
      id: `${source.kind} ${textField(record, 'id')}`,
      title: recordTitle(record),
      kind: source.kind,
      run: () => this.#open(source, textField(record, 'id'), recordTitle(record)),
    }));
  }

  #open(source: (typeof SOURCES)[number], id: string, title: string): void {
    const { tabs } = this.#app;
    if (source.tab === 'catalog') {
      const tab = tabs.open('catalog', title);
      tabs.update(tab.id, { title, params: { applicationId: id, applicationName: title } });
    } else tabs.open(source.tab, title, { [source.idParam]: id, name: title });
  }

  get tabs(): PaletteEntry[] {
    const { tabs } = this.#app;
    return tabs.list.map((tab) => ({
      id: `tab ${tab.id}`,
      title: tab.title,
      kind: 'open tab',
      run: () => tabs.activate(tab.id),
    }));
  }
}
