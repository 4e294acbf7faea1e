import type { Builds } from '../datasets/types.ts';
import type { BuildChange } from '../shared/dataset-contract.ts';
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
    'builds:change': async ({ connectionId, buildId, change }, readsNow) => {
      const sends = change.type === 'pick-all' || change.type === 'settle-unresolved';
      const own = await (sends ? asking : builds)(connectionId);
      await changeBuild(own, buildId, change);
      readsNow();
      return own.get(buildId);
    },
    'builds:pick-spans': async ({ connectionId, buildId, query, spans }, readsNow) => {
      const own = await builds(connectionId);
      const answer = await own.pickRows(buildId, query, spans);
      readsNow();
      return { ...answer, build: own.get(buildId) };
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

function changeBuild(builds: Builds, buildId: string, change: BuildChange): unknown {
  switch (change.type) {
    case 'settings':
      return builds.change(buildId, change.patch);
    case 'pick-all':
      return builds.pickAll(buildId, change.selection);
    case 'unpick':
      return builds.unpick(buildId, change.spans);
    case 'exclude':
      return builds.exclude(buildId, change.positions, change.isExcluded);
    case 'settle-unresolved':
      return builds.settleUnresolved(buildId, change.action, change.marginMs);
  }
}

export function scoreHandlers(deps: HandlerDeps): HandlersOf<'scores'> {
  const scores = async (connectionId: string) => (await deps.engine.session(connectionId)).datasets.scores;
  return {
    'scores:of-items': async ({ connectionId, datasetId, itemIds }) =>
      (await scores(connectionId)).ofItems(datasetId, itemIds),
  };
}
