/** Region names that are unique across both sides of the window: provided by each side, used by its views. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('side');
/** Id of an element in the right side with the text for its region names. */
export const RIGHT_SIDE_ID = 'right-side';

interface RegionNames {
  /** For `aria-label`. */
  name: (name: string) => string;
  /** For `aria-labelledby`: the id of the heading, plus the id of the side if necessary. */
  by: (id: string) => string;
}

/** Call during component initialization; components below are on that side. */
export function provideSide(isRight: boolean): void {
  setContext<boolean>(KEY, isRight);
}

/** Call during component initialization. On the left side, and without sides, names are unchanged. */
export function regionNames(): RegionNames {
  const isRight = getContext<boolean | undefined>(KEY) ?? false;
  return {
    name: (name) => (isRight ? `${name}, right side` : name),
    by: (id) => (isRight ? `${id} ${RIGHT_SIDE_ID}` : id),
  };
}
