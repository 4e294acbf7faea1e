import type { HandlerDeps, HandlersOf } from './handler-deps.ts';

export function buildHandlers(deps: HandlerDeps): HandlersOf<'builds'> {
  const builds = async (connectionId: string) => (await deps.engine.session(connectionId)).datasets.builds;
  /** For what sends at once: a token that was refused is tried once more. */
  const asking = async (connectionId: string) => {
    const session = await deps.engine.session(connectionId);
    await session.askAgain();
    return session.datasets.builds;
  };
  return {
    'builds:change': async ({ connectionId, buildId, patch }, readsNow) => {
      const own = await builds(connectionId);
      await own.change(buildId, patch);
      readsNow();
      return own.get(buildId);
    },
    'builds:pick-spans': async ({ connectionId, buildId, query, spans }, readsNow) => {
      const own = await builds(connectionId);
      const answer = await own.pickRows(buildId, query, spans);
      readsNow();
      return { ...answer, build: own.get(buildId) };
    },
    'builds:pick-all': async ({ connectionId, buildId, selection }, readsNow) => {
      const own = await asking(connectionId);
      readsNow();
      return own.pickAll(buildId, selection);
    },
    'builds:unpick-spans': async ({ connectionId, buildId, spans }, readsNow) => {
      const own = await builds(connectionId);
      await own.unpick(buildId, spans);
      readsNow();
      return own.get(buildId);
    },
    'builds:exclude-spans': async ({ connectionId, buildId, positions, isExcluded }, readsNow) => {
      const own = await builds(connectionId);
      readsNow();
      return own.exclude(buildId, positions, isExcluded);
    },
    'builds:find-picked': async ({ connectionId, buildId, spans }) =>
      (await builds(connectionId)).findPicked(buildId, spans),
    'builds:read-rows': async ({ connectionId, buildId, ...request }) =>
      (await builds(connectionId)).readRows(buildId, request),
    'builds:list-keys': async ({ connectionId, buildId, ...request }) =>
      (await builds(connectionId)).listKeys(buildId, request),
    'builds:check-mapping': async ({ connectionId, buildId, mapping }) =>
      (await builds(connectionId)).checkMapping(buildId, mapping),
    'builds:suggest-mapping': async ({ connectionId, buildId }) =>
      (await builds(connectionId)).suggestMapping(buildId),
    'builds:list-presets': async ({ connectionId, applicationId }) =>
      (await builds(connectionId)).listPresets(applicationId),
    'builds:save-preset': async ({ connectionId, ...preset }) =>
      (await builds(connectionId)).savePreset(preset),
    'builds:remove-preset': async ({ connectionId, presetId }) => {
      (await builds(connectionId)).removePreset(presetId);
      return null;
    },
    'builds:plan': async ({ connectionId, buildId }) => (await builds(connectionId)).plan(buildId),
    'builds:settle-unresolved': async ({ connectionId, buildId, action, marginMs }, readsNow) => {
      const own = await asking(connectionId);
      await own.settleUnresolved(buildId, action, marginMs);
      readsNow();
      return own.get(buildId);
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
