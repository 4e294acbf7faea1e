import { byAction, type HandlerDeps, type HandlersOf } from './handler-deps.ts';

export function healthHandlers({ engine: { health } }: HandlerDeps): HandlersOf<'health'> {
  return {
    'health:act': byAction<'health:act'>({
      'get-storage': () => health.storage(),
      check: () => health.check(),
      compact: ({ connectionId }) => health.compact(connectionId),
      repair: ({ connectionId, store }) => health.repair(connectionId, store),
    }),
  };
}
