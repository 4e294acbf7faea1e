/**
 * Components that are created at their first use, because a command uses few components of a session, and creating one
 * opens its store.
 */
import { closedError } from '../shared/errors.ts';

export interface WhenUsed<T extends object> {
  /** Stands for the component, and creates it when any member that is not in `quiet` is read. */
  readonly part: T;
  /** The component; null if it was not used. */
  readonly made: () => T | null;
  /** Returns the component, and creates it if needed. */
  readonly use: () => T;
  /**
   * Prevents the component from being created: a first use then throws CANCELLED. Returns the component; null if it was
   * not used.
   */
  readonly end: () => T | null;
}

/**
 * `quiet`: members to use until the component is created, which are called without an action of a person. `start`:
 * called once, after the component was created. If `make` or `start` throws, the next use tries again.
 */
export function whenUsed<T extends object>(
  make: () => T,
  quiet: Partial<T> = {},
  start: (made: T) => void = () => undefined,
): WhenUsed<T> {
  let made: T | null = null;
  let isEnded = false;
  const use = (): T => {
    if (made !== null) return made;
    if (isEnded) throw closedError();
    const now = make();
    // Set before `start`, which may use the component.
    made = now;
    try {
      start(now);
    } catch (thrown) {
      made = null;
      throw thrown;
    }
    return now;
  };
  const end = (): T | null => {
    isEnded = true;
    return made;
  };
  const part = new Proxy<object>(
    {},
    {
      get: (_, name) => {
        if (made === null && Reflect.has(quiet, name)) return Reflect.get(quiet, name);
        // `await` must not take the stand-in for a promise, and printing the stand-in must not create the component.
        if (name === 'then' || typeof name === 'symbol') return undefined;
        const owner = use();
        const member: unknown = Reflect.get(owner, name);
        // Methods are bound, because they may need private fields.
        return typeof member === 'function' ? member.bind(owner) : member;
      },
      has: (_, name) => Reflect.has(use(), name),
      defineProperty: (_, name, found) => Reflect.defineProperty(use(), name, found),
      ownKeys: () => Reflect.ownKeys(use()),
      getOwnPropertyDescriptor: (_, name) => {
        const found = Reflect.getOwnPropertyDescriptor(use(), name);
        return found === undefined ? undefined : { ...found, configurable: true };
      },
    },
  );
  // Safe cast: the stand-in has every member of the component.
  return { part: part as T, made: () => made, use, end };
}
