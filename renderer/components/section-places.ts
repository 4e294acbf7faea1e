/**
 * The places of the section that a view belongs to. The workbench provides them for each view, and its header shows
 * them.
 */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('places of the section');

export interface SectionPlaces {
  /** Title of the section. */
  title: string;
  places: readonly { id: string; title: string; count: number }[];
  /** Id of the place that is shown. */
  current: string;
  /** `isBeside`: opens on the other side of the window. */
  onopen: (id: string, isBeside: boolean) => void;
}

/**
 * Provides the places to the view below; null if the view shows a record, or its section has only one place. Must be
 * called during component initialization.
 */
export function provideSectionPlaces(read: () => SectionPlaces | null): void {
  setContext(KEY, read);
}

export function sectionPlaces(): () => SectionPlaces | null {
  return getContext<(() => SectionPlaces | null) | undefined>(KEY) ?? (() => null);
}
