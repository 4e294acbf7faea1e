import type { HandlerDeps, HandlersOf } from './handler-deps.ts';

export function healthHandlers({ engine: { health } }: HandlerDeps): HandlersOf<'health'> {
  return {
    'health:get-storage': () => health.storage(),
    'health:check': () => health.check(),
    'health:compact': ({ connectionId }) => health.compact(connectionId),
    'health:repair': ({ connectionId, store }) => health.repair(connectionId, store),
  };
}
