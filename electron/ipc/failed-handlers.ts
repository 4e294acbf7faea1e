import { INVOKE_CHANNELS } from '../shared/channels.ts';
import type { AppError } from '../shared/errors.ts';
import { shellHandlers } from './handlers.ts';
import { lockHandlers } from './lock-handlers.ts';
import type { Handlers } from './register.ts';

type FailedDeps = Parameters<typeof lockHandlers>[0] &
  Parameters<typeof shellHandlers>[0] & {
    /** Why there is no engine. */
    error: AppError;
    /** Builds it again; throws if that fails. From then on the usual handlers answer. */
    tryAgain: () => Handlers;
  };

/**
 * The channels while there is no engine: the window can be unlocked, and shows the reason. It begins with
 * `app:get-info`: at the first time it gets the reason, and each later time is a new attempt.
 */
export function failedHandlers({ error, tryAgain, ...deps }: FailedDeps): Handlers {
  let isTold = false;
  const refuse = () => Promise.reject(error);
  const refusing = Object.fromEntries(INVOKE_CHANNELS.map((channel) => [channel, refuse]));
  return {
    // Each channel of the table has an entry.
    ...(refusing as unknown as Handlers),
    ...shellHandlers(deps),
    ...lockHandlers(deps),
    'app:get-info': async (argument, readsNow) => {
      if (isTold) return tryAgain()['app:get-info'](argument, readsNow);
      isTold = true;
      throw error;
    },
    'app:report-ready': () => null,
  };
}
