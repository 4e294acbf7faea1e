/** Names of the regions of a view that no region of the other side has: given by each side, used by the views in it. */
import { getContext, setContext } from 'svelte';

const KEY = Symbol('side');
/** An element with these words stands in the right side. */
export const RIGHT_SIDE_ID = 'right-side';

interface RegionNames {
  /** For `aria-label`. */
  name: (name: string) => string;
  /** For `aria-labelledby`: the id of the heading, with what tells the side where it has to be told. */
  by: (id: string) => string;
}

/** Call while a component is made; what is below it is on that side. */
export function provideSide(isRight: boolean): void {
  setContext<boolean>(KEY, isRight);
}

/** Call while a component is made. On the left side, and where there are no sides, names are as they are given. */
export function regionNames(): RegionNames {
  const isRight = getContext<boolean | undefined>(KEY) ?? false;
  return {
    name: (name) => (isRight ? `${name}, right side` : name),
    by: (id) => (isRight ? `${id} ${RIGHT_SIDE_ID}` : id),
  };
}
