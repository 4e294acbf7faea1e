/**
 * Names of regions that are unique across both sides of the window. Each side provides them, and its views use them.
 */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('side');
/** Id of an element on the right side whose text is added to the names of its regions. */
export const RIGHT_SIDE_ID = 'right-side';

interface RegionNames {
  /** A name for `aria-label`. */
  name: (name: string) => string;
  /** A value for `aria-labelledby`: the id of the heading, and if necessary the id of the side. */
  by: (id: string) => string;
}

/** Declares on which side the components below are. Must be called during component initialization. */
export function provideSide(isRight: boolean): void {
  setContext<boolean>(KEY, isRight);
}

/**
 * The names for the current side. On the left side, and without sides, names are unchanged. Must be called during
 * component initialization.
 */
export function regionNames(): RegionNames {
  const isRight = getContext<boolean | undefined>(KEY) ?? false;
  return {
    name: (name) => (isRight ? `${name}, right side` : name),
    by: (id) => (isRight ? `${id} ${RIGHT_SIDE_ID}` : id),
  };
}
