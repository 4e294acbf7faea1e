/** Clipboard access, provided by the window because the page itself has no permission. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('copying');
type Copy = (text: string) => unknown;

/** Call during component initialization; components below can then copy. */
export function provideCopying(copy: Copy): void {
  setContext<Copy>(KEY, copy);
}

/** Null if none was provided. */
export function copying(): Copy | null {
  return getContext<Copy | undefined>(KEY) ?? null;
}
