import { byAction, type HandlerDeps, type HandlersOf } from './handler-deps.ts';

export function keepHandlers({ engine }: HandlerDeps): HandlersOf<'keep'> {
  const keep = async (connectionId: string) => (await engine.session(connectionId)).keep;
  return {
    'keep:act': byAction<'keep:act'>({
      test: async ({ connectionId }) => (await keep(connectionId)).test(null),
      'get-space': async ({ connectionId }) => (await keep(connectionId)).space(),
      'plan-sync': async ({ connectionId, keptId }) => (await keep(connectionId)).planSync(keptId),
      'plan-drop': async ({ connectionId, keptId }) => (await keep(connectionId)).planDrop(keptId),
    }),
  };
}
