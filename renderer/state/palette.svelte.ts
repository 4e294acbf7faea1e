/** Palette entries other than commands: open tabs and stored records. No request is sent for them. */
import type { ListQuery } from '../../electron/shared/model.ts';
import type { SearchAnswer, SearchHit, TextRange } from '../../electron/shared/search-contract.ts';
import { SETTINGS_TABLE } from '../../electron/shared/settings-table.ts';
import { client } from '../lib/client.ts';
import { formatMoment } from '../lib/format.ts';
import { recordTitle, textField } from '../lib/records.ts';
import { countText, KIND_WORDS, sumOf } from '../lib/search-words.ts';
import { aboutOf } from '../lib/tab-kinds.ts';
import type { AppState } from './app.svelte.ts';
import { clock } from './clock.svelte.ts';
import { readRows } from './row-answers.ts';

interface PaletteEntry {
  id: string;
  title: string;
  kind: string;
  keywords?: string;
  /** Whether the entry opens a view that then gets the focus. */
  leads?: boolean;
  /** Positions of the matches in the title. */
  ranges?: readonly TextRange[];
  /** Whether the entry is listed only if something is typed, or only if nothing is. */
  isTypedOnly?: boolean;
  isUntypedOnly?: boolean;
  /** Whether this application named the entry, so that it stays readable in privacy mode. */
  isOwn?: boolean;
  run: () => unknown;
}

interface GroupedEntry extends PaletteEntry {
  group: string;
}

type StoredRecord = Record<string, unknown>;

/** A stored list whose records are suggested before the user types. */
interface PaletteSource {
  /** Noun for one record, e.g. `dataset`. */
  noun: string;
  query: ListQuery;
  open: (record: StoredRecord) => void;
}

export interface PaletteSources {
  offered: readonly PaletteSource[];
  openHit: (hit: SearchHit) => void;
  /** Opens the search view with the text, for one kind of records if given. */
  openSearch: (typed: string, kind?: SearchHit['kind']) => void;
  /** Opens the settings that contain the text. */
  openSettings: (typed: string) => void;
}

const MAX_OFFERED = 200;
/** Maximum number of entries per kind. */
const MAX_FOUND = 5;
const PAUSE_MS = 60;
const MAX_RECENT = 5;

export class PaletteState {
  records = $state.raw<readonly PaletteEntry[]>([]);
  /** Whether the typed text is not answered yet, so that `records` can be those of an earlier text. */
  isSearching = $state(false);
  /** Ids of the entries chosen last, newest first. */
  #recent = $state.raw<readonly string[]>([]);
  readonly #app: AppState;
  readonly #sources: PaletteSources;
  #offered: readonly PaletteEntry[] = [];
  /** Incremented whenever the text changes, so that answers for an older text are ignored. */
  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(app: AppState, sources: PaletteSources) {
    this.#app = app;
    this.#sources = sources;
  }

  /** All entries by group. Recently chosen ones and records come first, in their own group. */
  arrange(groups: readonly { group: string; entries: readonly PaletteEntry[] }[]): GroupedEntry[] {
    const all = groups.flatMap(({ group, entries }) =>
      entries.map((entry) => ({ ...entry, group, run: () => this.#choose(entry) })),
    );
    const recent = this.#recent.flatMap((id) => all.find((entry) => entry.id === id) ?? []);
    const others = all.filter((entry) => !this.#recent.includes(entry.id));
    return [...[...recent, ...this.#opened].map((entry) => ({ ...entry, group: 'Recent' })), ...others];
  }

  /**
   * Entries at the end that search elsewhere for the typed text, so that there is a way to continue if nothing matches.
   */
  readonly searches = (typed: string): GroupedEntry[] => [
    {
      ...{
        id: 'search spans',
        group: 'Search',
        title: `Search spans for “${typed}”`,
        kind: '',
        leads: true,
        isOwn: true,
      },
      run: () => this.#sources.openSearch(typed, 'spans'),
    },
    {
      ...{
        id: 'search settings',
        group: 'Search',
        title: `Search settings for “${typed}”`,
        kind: '',
        leads: true,
        isOwn: true,
      },
      run: () => this.#sources.openSettings(typed),
    },
  ];

  /** One entry for each setting. */
  readonly settings: readonly PaletteEntry[] = SETTINGS_TABLE.map((row) => ({
    id: `setting ${row.key}`,
    title: `Settings: ${row.name}`,
    kind: 'setting',
    keywords: `${'keywords' in row ? row.keywords : ''} ${row.effect}`,
    ...{ leads: true, isTypedOnly: true, isOwn: true },
    run: () => this.#sources.openSettings(row.name),
  }));

  #choose({ id, run }: PaletteEntry): unknown {
    this.#recent = [id, ...this.#recent.filter((other) => other !== id)].slice(0, MAX_RECENT);
    return run();
  }

  /** Searches all stored content when typing pauses. */
  search(typed: string): void {
    this.cancel();
    this.isSearching = true;
    this.#timer = setTimeout(() => void this.#search(typed.trim()), PAUSE_MS);
  }

  /** Cancels the search, because the palette was closed. */
  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#asked += 1;
    this.isSearching = false;
  }

  /** Reads the suggestions shown before anything is typed. */
  async load(): Promise<void> {
    const asked = this.#asked;
    this.records = this.#offered;
    const pages = await Promise.all(this.#sources.offered.map((source) => this.#offer(source)));
    this.#offered = pages.flat();
    if (asked === this.#asked) this.records = this.#offered;
  }

  async #search(typed: string): Promise<void> {
    const asked = this.#asked;
    const connectionId = this.#app.connections.activeId;
    if (typed === '' || connectionId === null) {
      this.records = this.#offered;
      this.isSearching = false;
      return;
    }
    const answer = await this.#answerFor(connectionId, typed);
    if (asked !== this.#asked) return;
    const hits = answer?.groups.flatMap((group) => group.hits) ?? [];
    const found = hits.map((hit) => this.#entryOf(hit));
    this.records = answer === null || found.length === 0 ? [] : [...found, this.#all(typed, answer)];
    this.isSearching = false;
  }

  /**
   * The search results; null if the search fails. The palette then shows its other entries, and the search view shows
   * the error.
   */
  async #answerFor(connectionId: string, typed: string): Promise<SearchAnswer | null> {
    const everything = { kind: null, applicationId: null, sinceMs: null, untilMs: null };
    const request = { connectionId, typed, ...everything, offset: 0, limit: MAX_FOUND };
    try {
      return await client.invoke('library:search', request);
    } catch {
      return null;
    }
  }

  #entryOf(hit: SearchHit): PaletteEntry {
    const { id, kind, title, titleRanges, place } = hit;
    const { one } = KIND_WORDS[kind];
    const noun = kind === 'resources' ? hit.note.replace(/s$/, '').replaceAll('-', ' ') : one;
    return {
      ...{ id, title, ranges: titleRanges, leads: true },
      kind: place === '' || place === title ? noun : `${noun} of ${place}`,
      run: () => this.#sources.openHit(hit),
    };
  }

  #all(typed: string, answer: SearchAnswer): PaletteEntry {
    return {
      ...{ id: 'search in a tab', title: `All results for “${typed}”`, ranges: [], leads: true },
      kind: countText(sumOf(answer.groups), answer),
      run: () => this.#sources.openSearch(typed),
    };
  }

  async #offer(source: PaletteSource): Promise<PaletteEntry[]> {
    const rows = await this.#rows(source.query, MAX_OFFERED);
    return rows.map((record) => ({
      id: `${source.noun} ${textField(record, 'id') || recordTitle(record)}`,
      title: recordTitle(record),
      kind: source.noun,
      leads: true,
      run: () => source.open(record),
    }));
  }

  /** Stored rows of a list; none if it cannot be read, so that the palette shows its other entries. */
  async #rows(query: ListQuery, limit: number): Promise<StoredRecord[]> {
    const connectionId = this.#app.connections.activeId;
    if (connectionId === null) return [];
    const window = { offset: 0, limit, sort: null, narrow: null };
    try {
      const { rows } = await readRows(client, { connectionId, query, window });
      return rows.map(({ record }) => record);
    } catch {
      return [];
    }
  }

  /** Drafts of forms whose tabs were closed. */
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

  get views(): PaletteEntry[] {
    const { views } = this.#app;
    return views.list.map((view) => ({
      id: `view ${view.id}`,
      title: view.name,
      kind: view.title === view.name ? 'saved view' : `saved view of ${view.title}`,
      leads: true,
      run: () => views.open(view, clock.nowMs),
    }));
  }

  /** Recently opened records and files without an open tab. */
  get #opened(): PaletteEntry[] {
    const { recents, tabs } = this.#app;
    const shown = new Set(tabs.list.map(aboutOf));
    return recents.list
      .filter((recent) => !shown.has(aboutOf(recent)))
      .slice(0, MAX_RECENT)
      .map(({ kind, title, params }) => ({
        id: `recent ${aboutOf({ kind, params })}`,
        title,
        kind: 'opened before',
        ...{ leads: true, isUntypedOnly: true },
        run: () => tabs.open(kind, title, params),
      }));
  }

  get tabs(): PaletteEntry[] {
    const { tabs } = this.#app;
    return tabs.list.map((tab) => ({
      id: `tab ${tab.id}`,
      title: tab.title,
      kind: 'open tab',
      // The active tab is listed only if something is typed, as one is there already.
      ...{ leads: true, isTypedOnly: tab.id === tabs.activeId },
      run: () => tabs.activate(tab.id),
    }));
  }
}
