import type { HandlerDeps, HandlersOf } from './handler-deps.ts';

export function damagedHandlers({ engine }: HandlerDeps): HandlersOf<'damaged'> {
  return {
    'damaged:list': async ({ connectionId }) => (await engine.session(connectionId)).damaged.list(),
    'damaged:remove': async ({ connectionId, kind, id }) => {
      (await engine.session(connectionId)).damaged.remove(kind, id);
      return null;
    },
  };
}
