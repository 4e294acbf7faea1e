/** Objects with derived values that outlive the view which created them. */
import { untrack } from 'svelte';

/**
 * Creates an object that belongs to no view: otherwise its derived values would stop updating when the effect
 * it was created in is destroyed, i.e. when its view is left. `end` disposes of it.
 */
export function detachedRoot<T extends object>(make: () => T): { thing: T; end: () => void } {
  const made: T[] = [];
  const end = $effect.root(() => {
    made.push(untrack(make));
  });
  // If runes are plain fields (tests in Node), no effect root runs.
  const [thing = make()] = made;
  return { thing, end };
}
