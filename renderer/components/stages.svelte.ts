/** Work of a view that is cut into several tasks of the window's thread, so that none of them holds it for long. */

/**
 * Counts from 0 to `last` after the component is there, each step in a task of its own: a form mounts its parts by
 * it, from the first to the last. Call while a component is made.
 */
export function stages(last: number): { readonly at: number } {
  let at = $state(0);
  $effect(() => {
    if (at >= last) return;
    const timer = setTimeout(() => (at += 1));
    return () => clearTimeout(timer);
  });
  return {
    get at() {
      return at;
    },
  };
}

/**
 * A value one task behind: what is drawn of it is apart from what made it change. `isBehind` while the newest is yet
 * to come. Call while a component is made; values are compared by identity.
 */
export function oneTaskBehind<T>(read: () => T): { readonly value: T; readonly isBehind: boolean } {
  let value = $state.raw(read());
  $effect(() => {
    const next = read();
    if (next === value) return;
    const timer = setTimeout(() => (value = next));
    return () => clearTimeout(timer);
  });
  return {
    get value() {
      return value;
    },
    get isBehind() {
      return value !== read();
    },
  };
}
