/** Objects with derived values that live longer than the view that created them. */
import { untrack } from 'svelte';

/**
 * Creates an object that belongs to no view. Otherwise its derived values would stop updating when the view that
 * created it is left. `end` disposes of it.
 */
export function detachedRoot<T extends object>(make: () => T): { thing: T; end: () => void } {
  const made: T[] = [];
  const end = $effect.root(() => {
    made.push(untrack(make));
  });
  // In tests in Node, runes are plain fields and there is no effect root.
  const [thing = make()] = made;
  return { thing, end };
}
