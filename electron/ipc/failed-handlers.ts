import { INVOKE_CHANNELS } from '../shared/channels.ts';
import type { AppError } from '../shared/errors.ts';
import { shellHandlers } from './handlers.ts';
import { lockHandlers } from './lock-handlers.ts';
import type { Handlers } from './register.ts';

type FailedDeps = Parameters<typeof lockHandlers>[0] &
  Parameters<typeof shellHandlers>[0] & {
    /** Why the engine could not be created. */
    error: AppError;
    /** Creates the engine again; throws if that fails. After success, its handlers answer. */
    tryAgain: () => Handlers;
  };

/**
 * The handlers while there is no engine: the window can be unlocked, and shows the reason. The window calls
 * `app:get-info` first. The first call gets the reason, and each later one is a new attempt.
 */
export function failedHandlers({ error, tryAgain, ...deps }: FailedDeps): Handlers {
  let isTold = false;
  const refuse = () => Promise.reject(error);
  const refusing = Object.fromEntries(INVOKE_CHANNELS.map((channel) => [channel, refuse]));
  return {
    // Safe cast: each channel of the table has an entry.
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
