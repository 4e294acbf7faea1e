/** Stand-ins for components whose store does not open, so that the rest of the application works. */
import type { Listing } from '../jobs/source.ts';
import type { AppError } from '../shared/errors.ts';
import { toAppError } from '../shared/errors.ts';

/** An opened component, or the error with which it did not open. */
export type Opened<T> = { value: T; error: null } | { value: null; error: AppError };

export function tryOpen<T>(open: () => T): Opened<T> {
  try {
    return { value: open(), error: null };
  } catch (thrown) {
    return { value: null, error: toAppError(thrown) };
  }
}

/** The jobs of a store that cannot be read: listing them throws the reason, and none starts automatically. */
export function noJobs(error: AppError): Listing {
  return {
    starts: { listen: () => undefined, all: () => [] },
    listed: () => {
      throw error;
    },
    whenJudged: () => null,
  };
}

/** A stand-in whose methods throw `error`, except those in `quiet`, which are called without an action of a person. */
export function refusing<T extends object>(error: AppError, quiet: Partial<T>): T {
  const refuse = () => {
    throw error;
  };
  const target: object = quiet;
  // A Proxy, so that methods added later also throw. It has the type of the component.
  return new Proxy(target, {
    get: (own, name, receiver) => {
      if (Reflect.has(own, name)) return Reflect.get(own, name, receiver);
      // `await` must not take the stand-in for a promise.
      return name === 'then' || typeof name === 'symbol' ? undefined : refuse;
    },
  }) as T;
}
