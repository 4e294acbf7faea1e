/**
 * Definitions of views. Their code is in separate files, which are loaded when a view is first shown or the window is
 * idle.
 */
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

/** A place in a section of the sidebar that a view adds. */
interface SectionPlace {
  section: SectionId;
  title: string;
  /** Name of the place in the command that opens it; by default the title. */
  named?: string;
  /** Other words by which the palette finds the place. */
  keywords?: string;
}

interface ViewRow {
  icon: Icon;
  /** Id of the view's place in the sections of the sidebar (`sections.ts`); null if it has none. */
  place: string | null | ((tab: Tab) => string);
  /**
   * Adds the place at the end of a section. Not needed for places in `sections.ts`, such as the first place of each
   * section.
   */
  inSection?: SectionPlace;
  /** Whether the inspector can show rows of the view. */
  hasInspector?: boolean;
  load: () => Promise<{ default: View }>;
}

/** A view whose code is loaded on demand. */
export class ViewDefinition {
  readonly icon: Icon;
  readonly hasInspector: boolean;
  readonly place: ViewRow['place'];
  readonly inSection: SectionPlace | null;
  /** The component; null until it is loaded. */
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

  /** Id of the place for such a tab; null if there is none. */
  placeOf(tab: Tab): string | null {
    return typeof this.place === 'function' ? this.place(tab) : this.place;
  }

  /** Loads the code of the view. Rejects if that fails; another call tries again. */
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

/** Nothing is loaded in advance during this time in ms, to favour the user's first actions. */
const QUIET_MS = 3_000;

/**
 * Loads the code of views one after another while the window is idle. If that fails for a view, it is loaded when it is
 * shown.
 */
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
