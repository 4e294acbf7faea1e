/** Opens the palette with a text: provided by the window, used by panels that found nothing for it. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('search everything');
type Search = (typed: string) => void;

/** Call during component initialization; panels below can then search everything. */
export function provideSearchEverything(search: Search): void {
  setContext<Search>(KEY, search);
}

/** Null if none was provided. */
export function searchEverything(): Search | null {
  return getContext<Search | undefined>(KEY) ?? null;
}
