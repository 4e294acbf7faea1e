/** Stand-ins for a part whose file does not open: everything else of the application goes on without it. */
import type { Listing } from '../jobs/source.ts';
import type { AppError } from '../shared/errors.ts';
import { toAppError } from '../shared/errors.ts';

/** What opened, or why it did not. */
export type Opened<T> = { value: T; error: null } | { value: null; error: AppError };

export function tryOpen<T>(open: () => T): Opened<T> {
  try {
    return { value: open(), error: null };
  } catch (thrown) {
    return { value: null, error: toAppError(thrown) };
  }
}

/** Jobs of a store that cannot be read: listing them says why, and none begins by itself. */
export function noJobs(error: AppError): Listing {
  return {
    starts: { listen: () => undefined, all: () => [] },
    listed: () => {
      throw error;
    },
  };
}

/** Every method throws `error`, except those in `quiet`: what is called on the way, whether a person asked or not. */
export function refusing<T extends object>(error: AppError, quiet: Partial<T>): T {
  const refuse = () => {
    throw error;
  };
  const target: object = quiet;
  // A Proxy, so that a method added later refuses as well; its type is that of what it stands for.
  return new Proxy(target, {
    get: (own, name, receiver) => {
      if (Reflect.has(own, name)) return Reflect.get(own, name, receiver);
      // Whoever awaits it must not take it for a promise.
      return name === 'then' || typeof name === 'symbol' ? undefined : refuse;
    },
  }) as T;
}
