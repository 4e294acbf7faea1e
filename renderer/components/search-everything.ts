/** Opens the palette with a text. Provided by the window, used by panels in which nothing matches the text. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('search everything');
type Search = (typed: string) => void;

/** Provides `searchEverything` to the panels below. Must be called during component initialization. */
export function provideSearchEverything(search: Search): void {
  setContext<Search>(KEY, search);
}

/** The function for opening the palette; null if none was provided. */
export function searchEverything(): Search | null {
  return getContext<Search | undefined>(KEY) ?? null;
}
