/** The way to the clipboard: given by the window, because the page itself is refused it. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('copying');
type Copy = (text: string) => unknown;

/** Call while a component is made; whatever is below it can then copy. */
export function provideCopying(copy: Copy): void {
  setContext<Copy>(KEY, copy);
}

/** Null where nothing was provided. */
export function copying(): Copy | null {
  return getContext<Copy | undefined>(KEY) ?? null;
}
