/** Splits the work of a view into several tasks, so that none of them blocks the window for long. */

/**
 * Counts from 0 to `last` after the component is mounted, with each step in its own task. A form uses it to mount its
 * parts one after the other. Must be called during component initialization.
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
 * A copy of a value that is updated one task later, so that drawing it is separate from the change itself. `isBehind`:
 * a newer value is pending. Values are compared by identity. Must be called during component initialization.
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
