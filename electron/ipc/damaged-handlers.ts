import type { HandlerDeps, HandlersOf } from './handler-deps.ts';

const OF_DATASETS: ReadonlySet<string> = new Set(['build', 'score']);

export function damagedHandlers({ engine }: HandlerDeps): HandlersOf<'damaged'> {
  return {
    'damaged:list': async ({ connectionId }) => {
      const { uploads, datasets } = await engine.session(connectionId);
      return [...uploads.damaged.list(), ...datasets.damaged.list()];
    },
    'damaged:remove': async ({ connectionId, kind, id }) => {
      const { uploads, datasets } = await engine.session(connectionId);
      (OF_DATASETS.has(kind) ? datasets : uploads).damaged.remove(kind, id);
      return null;
    },
  };
}
