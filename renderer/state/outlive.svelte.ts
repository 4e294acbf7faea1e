/** Things with derived values that outlive the view which makes them first. */
import { untrack } from 'svelte';

/**
 * Makes a thing that belongs to no view: what it derives would stand still once the effect it was made in is
 * destroyed, that is, when its view is left. `end` gives it up.
 */
export function outlive<T extends object>(make: () => T): { thing: T; end: () => void } {
  const made: T[] = [];
  const end = $effect.root(() => {
    made.push(untrack(make));
  });
  // Where runes are plain fields (tests in Node) no root runs anything.
  const [thing = make()] = made;
  return { thing, end };
}
