/** What the palette finds beside commands: open tabs, and records that are stored; nothing is requested for it. */
import type { ListQuery } from '../../electron/shared/model.ts';
import { client } from '../lib/client.ts';
import { formatMoment } from '../lib/format.ts';
import { recordTitle, textField } from '../lib/records.ts';
import type { AppState } from './app.svelte.ts';
import { clock } from './clock.svelte.ts';
import { readRows } from './row-answers.ts';

interface PaletteEntry {
  id: string;
  title: string;
  kind: string;
  keywords?: string;
  /** Opens a view: the focus follows. */
  leads?: boolean;
  run: () => unknown;
}

interface GroupedEntry extends PaletteEntry {
  group: string;
}

type StoredRecord = Record<string, unknown>;

/** A stored list whose records are found by name. */
export interface PaletteSource {
  /** What one record is, e.g. `dataset`. */
  noun: string;
  query: ListQuery;
  open: (record: StoredRecord) => void;
  /** Its records are offered before anything is typed. */
  isOffered?: boolean;
}

export interface PaletteSources {
  lists: readonly PaletteSource[];
  /** Lists that belong to a stored record of another list. */
  under: (application: StoredRecord) => PaletteSource;
}

const APPLICATIONS: ListQuery = { operation: 'applications.list', path: {}, query: {} };
const MOST_OFFERED = 200;
const MOST_FOUND = 50;
const MOST_APPLICATIONS = 20;
/** One letter is in almost every name. */
const SHORTEST = 2;
const PAUSE_MS = 120;
const MOST_RECENT = 5;

export class PaletteState {
  records = $state.raw<readonly PaletteEntry[]>([]);
  /** Ids of what was chosen last, newest first. */
  #recent = $state.raw<readonly string[]>([]);
  readonly #app: AppState;
  readonly #sources: PaletteSources;
  #offered: readonly PaletteEntry[] = [];
  #under: readonly PaletteSource[] = [];
  #loading: Promise<void> = Promise.resolve();
  /** Counts up with every change of what is typed: answers for an older text are dropped. */
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(app: AppState, sources: PaletteSources) {
    this.#app = app;
    this.#sources = sources;
  }

  /** Every entry under its group; what was chosen lately stands in a group of its own, after the first one. */
  arrange(groups: readonly { group: string; entries: readonly PaletteEntry[] }[]): GroupedEntry[] {
    const all = groups.flatMap(({ group, entries }) =>
      entries.map((entry) => ({ ...entry, group, run: () => this.#choose(entry) })),
    );
    const recent = this.#recent.flatMap((id) => all.find((entry) => entry.id === id) ?? []);
    const others = all.filter((entry) => !this.#recent.includes(entry.id));
    const [first] = groups;
    return [
      ...others.filter(({ group }) => group === first?.group),
      ...recent.map((entry) => ({ ...entry, group: 'Recent' })),
      ...others.filter(({ group }) => group !== first?.group),
    ];
  }

  #choose({ id, run }: PaletteEntry): unknown {
    this.#recent = [id, ...this.#recent.filter((other) => other !== id)].slice(0, MOST_RECENT);
    return run();
  }

  /** Reads what is offered before anything is typed. */
  load(): Promise<void> {
    this.#loading = this.#load();
    return this.#loading;
  }

  /** Looks through every stored list, once the typing pauses. */
  search(typed: string): void {
    this.cancel();
    this.#timer = setTimeout(() => void this.#search(typed.trim()), PAUSE_MS);
  }

  /** The palette was closed: what was typed is not looked for any more. */
  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#asked += 1;
  }

  async #load(): Promise<void> {
    const offered = this.#sources.lists.filter(({ isOffered }) => isOffered);
    const [applications, ...pages] = await Promise.all([
      this.#rows(APPLICATIONS, MOST_APPLICATIONS, null),
      ...offered.map((source) => this.#find(source, MOST_OFFERED, null)),
    ]);
    this.#under = (applications ?? []).map((record) => this.#sources.under(record));
    this.#offered = pages.flat();
    this.records = this.#offered;
  }

  async #search(typed: string): Promise<void> {
    const asked = this.#asked;
    await this.#loading;
    const isLong = typed.length >= SHORTEST;
    const sources = isLong ? [...this.#sources.lists, ...this.#under] : [];
    const pages = await Promise.all(sources.map((source) => this.#find(source, MOST_FOUND, typed)));
    if (asked !== this.#asked) return;
    const found = new Map([...this.#offered, ...pages.flat()].map((entry) => [entry.id, entry]));
    this.records = [...found.values()];
  }

  async #find(source: PaletteSource, most: number, narrow: string | null): Promise<PaletteEntry[]> {
    const rows = await this.#rows(source.query, most, narrow);
    const place = Object.values(source.query.path).join(' ');
    return rows.map((record) => ({
      id: `${source.noun} ${place} ${textField(record, 'id') || recordTitle(record)}`,
      title: recordTitle(record),
      kind: source.noun,
      leads: true,
      run: () => source.open(record),
    }));
  }

  /** Stored rows; none where the list cannot be read: the palette finds what there is. */
  async #rows(query: ListQuery, limit: number, narrow: string | null): Promise<StoredRecord[]> {
    const connectionId = this.#app.connections.activeId;
    if (connectionId === null) return [];
    const window = { offset: 0, limit, sort: null, narrow };
    try {
      const { rows } = await readRows(client, { connectionId, query, window });
      return rows.map(({ record }) => record);
    } catch {
      return [];
    }
  }

  /** Forms that were left with something typed in them. */
  get drafts(): PaletteEntry[] {
    return this.#app.drafts.list.flatMap((draft) =>
      draft.left === null
        ? []
        : [
            {
              id: `draft ${draft.id}`,
              title: draft.left.title,
              kind: `draft from ${formatMoment(draft.atMs, clock.nowMs)}`,
              leads: true,
              run: () => this.#app.openDraft(draft),
            },
          ],
    );
  }

  get tabs(): PaletteEntry[] {
    const { tabs } = this.#app;
    return tabs.list.map((tab) => ({
      id: `tab ${tab.id}`,
      title: tab.title,
      kind: 'open tab',
      leads: true,
      run: () => tabs.activate(tab.id),
    }));
  }
}
