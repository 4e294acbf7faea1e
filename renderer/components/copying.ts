/** Clipboard access, provided by the window because the page itself has no permission. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('copying');
type Copy = (text: string) => unknown;

/** Provides copying to the components below. Must be called during component initialization. */
export function provideCopying(copy: Copy): void {
  setContext<Copy>(KEY, copy);
}

/** The function for copying; null if none was provided. */
export function copying(): Copy | null {
  return getContext<Copy | undefined>(KEY) ?? null;
}
