import { askedAgain, type HandlerDeps, type HandlersOf } from './handler-deps.ts';

export function keepHandlers({ engine }: HandlerDeps): HandlersOf<'keep'> {
  const keep = async (connectionId: string) => (await engine.session(connectionId)).keep;
  return {
    'keep:estimate': async ({ connectionId, plan }) =>
      (await askedAgain(engine, connectionId)).keep.estimate(plan),
    'keep:set-refresh': async ({ connectionId, keptId, refreshHours }) =>
      (await keep(connectionId)).setRefresh(keptId, refreshHours),
    'keep:test': async ({ connectionId }) => (await keep(connectionId)).test(null),
    'keep:get-space': async ({ connectionId }) => (await keep(connectionId)).space(),
    'keep:plan-drop': async ({ connectionId, keptId }) => (await keep(connectionId)).planDrop(keptId),
  };
}
