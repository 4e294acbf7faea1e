/** Components that are made at their first use: a command uses few of those of a session, and making one opens its store. */
import { closedError } from '../shared/errors.ts';

export interface WhenUsed<T extends object> {
  /** Stands for the component, and makes it when anything but `quiet` is read. */
  readonly part: T;
  /** Null if it was not used. */
  readonly made: () => T | null;
  /** Makes it now, unless it is there. */
  readonly use: () => T;
  /** From now on it is not made any more: a first use throws CANCELLED. Returns it; null if it was not used. */
  readonly end: () => T | null;
}

/**
 * `quiet`: members until it is made, which are called independently of what a person does. `start`: called once, after it
 * was made. If `make` or `start` throws, the next use tries again.
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
    // Before the start, which may use it.
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
        // An `await` must not take it for a promise, and printing it must not make it.
        if (name === 'then' || typeof name === 'symbol') return undefined;
        const owner = use();
        const member: unknown = Reflect.get(owner, name);
        // A method may need private fields.
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
  // It has every member of the component.
  return { part: part as T, made: () => made, use, end };
}
