/** Definitions of views, whose code is in separate files and is loaded when a view is first shown or the window is idle. */
import type { Component } from 'svelte';
import type { Tab } from '../state/tabs.svelte.ts';

export type Icon = Component<{ size?: number | string }>;
type View = Component<{ tab: Tab }>;

/** Ids of the sections, which `sections.ts` defines. */
export type SectionId =
  | 'start'
  | 'spans'
  | 'catalog'
  | 'datasets'
  | 'models'
  | 'alerts'
  | 'charts'
  | 'uploads'
  | 'sql'
  | 'activity'
  | 'offline'
  | 'settings'
  | 'organization'
  | 'search';

/** A place of the sidebar that a view adds to a section. */
interface SectionPlace {
  section: SectionId;
  title: string;
  /** Its name in the command that opens it; the title by default. */
  named?: string;
  /** Other words for it in the palette. */
  keywords?: string;
}

interface ViewRow {
  icon: Icon;
  /** Id of its place in the sidebar's sections (`sections.ts`); null for none. */
  place: string | null | ((tab: Tab) => string);
  /** Adds that place at the end of a section; absent if `sections.ts` has it, such as the first of a section. */
  inSection?: SectionPlace;
  /** Whether its rows can be shown in the inspector. */
  hasInspector?: boolean;
  load: () => Promise<{ default: View }>;
}

/** A view whose code is loaded on demand. */
export class ViewDefinition {
  readonly icon: Icon;
  readonly hasInspector: boolean;
  readonly place: ViewRow['place'];
  readonly inSection: SectionPlace | null;
  /** The component; null until it was loaded. */
  now = $state.raw<View | null>(null);
  readonly #row: ViewRow;
  #loading: Promise<void> | null = null;

  constructor(row: ViewRow) {
    this.icon = row.icon;
    this.hasInspector = row.hasInspector === true;
    this.place = row.place;
    this.inSection = row.inSection ?? null;
    this.#row = row;
  }

  /** Id of the place of such a tab; null for none. */
  placeOf(tab: Tab): string | null {
    return typeof this.place === 'function' ? this.place(tab) : this.place;
  }

  /** Rejects if the file cannot be loaded; another call tries again. */
  load(): Promise<void> {
    this.#loading ??= this.#take();
    return this.#loading;
  }

  async #take(): Promise<void> {
    try {
      this.now ??= (await this.#row.load()).default;
    } finally {
      this.#loading = null;
    }
  }
}

export const defineView = (row: ViewRow): ViewDefinition => new ViewDefinition(row);

/** The first seconds are left to the user's first actions. */
const QUIET_MS = 3_000;

/** Loads one after another while the window is idle. A failed one is loaded again when it is shown. */
export function loadLater(views: readonly Pick<ViewDefinition, 'load'>[]): void {
  setTimeout(() => loadWhenIdle(views), QUIET_MS);
}

function loadWhenIdle(views: readonly Pick<ViewDefinition, 'load'>[]): void {
  const [next, ...rest] = views;
  if (next === undefined) return;
  requestIdleCallback(() => {
    const proceed = () => loadWhenIdle(rest);
    next.load().then(proceed, proceed);
  });
}
