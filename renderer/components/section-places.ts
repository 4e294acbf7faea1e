/** The places of the section that a view belongs to: provided for each view by the workbench, shown by its header. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('places of the section');

export interface SectionPlaces {
  /** Title of the section. */
  title: string;
  places: readonly { id: string; title: string; count: number }[];
  /** Id of the shown place. */
  current: string;
  /** `isBeside`: on the other side of the window. */
  onopen: (id: string, isBeside: boolean) => void;
}

/** Call during component initialization; null if the view shows a record or its section has one place. */
export function provideSectionPlaces(read: () => SectionPlaces | null): void {
  setContext(KEY, read);
}

export function sectionPlaces(): () => SectionPlaces | null {
  return getContext<(() => SectionPlaces | null) | undefined>(KEY) ?? (() => null);
}
