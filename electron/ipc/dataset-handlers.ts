import { byAction, type HandlerDeps, type HandlersOf } from './handler-deps.ts';

export function buildHandlers(deps: HandlerDeps): HandlersOf<'builds'> {
  const builds = async (connectionId: string) => (await deps.engine.session(connectionId)).datasets.builds;
  return {
    'builds:pick-spans': async ({ connectionId, buildId, query, spans }, readsNow) => {
      const own = await builds(connectionId);
      const answer = await own.pickRows(buildId, query, spans);
      readsNow();
      return { ...answer, build: own.get(buildId) };
    },
    'builds:read': byAction<'builds:read'>({
      'find-picked': async ({ connectionId, buildId, spans }) =>
        (await builds(connectionId)).findPicked(buildId, spans),
      rows: async ({ connectionId, buildId, action: _, ...request }) =>
        (await builds(connectionId)).readRows(buildId, request),
      keys: async ({ connectionId, buildId, action: _, ...request }) =>
        (await builds(connectionId)).listKeys(buildId, request),
      'check-mapping': async ({ connectionId, buildId, mapping }) =>
        (await builds(connectionId)).checkMapping(buildId, mapping),
      'suggest-mapping': async ({ connectionId, buildId }) =>
        (await builds(connectionId)).suggestMapping(buildId),
    }),
    'builds:list-presets': async ({ connectionId, applicationId }) =>
      (await builds(connectionId)).listPresets(applicationId),
    'builds:save-preset': async ({ connectionId, applicationId, name, mapping }) => {
      const own = await builds(connectionId);
      if (mapping === null) {
        const known = own.listPresets(applicationId).find((preset) => preset.name === name);
        if (known !== undefined) own.removePreset(known.presetId);
      } else own.savePreset({ applicationId, name, mapping });
      return null;
    },
  };
}

export function scoreHandlers(deps: HandlerDeps): HandlersOf<'scores'> {
  const scores = async (connectionId: string) => (await deps.engine.session(connectionId)).datasets.scores;
  return {
    'scores:of-items': async ({ connectionId, datasetId, itemIds }) =>
      (await scores(connectionId)).ofItems(datasetId, itemIds),
  };
}
