import type { HandlerDeps, HandlersOf } from './handler-deps.ts';
import { saveAs } from './save-dialog.ts';

const SAVED_NAMES = {
  receipts: 'receipts.csv',
  unresolved: 'spans-not-found.csv',
  items: 'items.jsonl',
};

export function buildHandlers(deps: HandlerDeps): HandlersOf<'builds'> {
  const builds = async (connectionId: string) => (await deps.engine.session(connectionId)).datasets.builds;
  /** For what sends at once: a token that was refused is tried once more. */
  const asking = async (connectionId: string) => {
    const session = await deps.engine.session(connectionId);
    await session.askAgain();
    return session.datasets.builds;
  };
  return {
    'builds:create': async ({ connectionId, ...given }) => (await builds(connectionId)).create(given),
    'builds:list': async ({ connectionId }) => (await builds(connectionId)).list(),
    'builds:get': async ({ connectionId, buildId }) => (await builds(connectionId)).get(buildId),
    'builds:copy': async ({ connectionId, buildId }) => (await builds(connectionId)).copy(buildId),
    'builds:forget': async ({ connectionId, buildId }) => {
      (await builds(connectionId)).forget(buildId);
      return null;
    },
    'builds:change': async ({ connectionId, buildId, patch }) =>
      (await builds(connectionId)).change(buildId, patch),
    'builds:pick-spans': async ({ connectionId, buildId, query, spans }) =>
      (await builds(connectionId)).pickRows(buildId, query, spans),
    'builds:pick-all': async ({ connectionId, buildId, selection }) =>
      (await asking(connectionId)).pickAll(buildId, selection),
    'builds:stop-picking': async ({ connectionId, buildId }) =>
      (await builds(connectionId)).stopPicking(buildId),
    'builds:unpick-spans': async ({ connectionId, buildId, spans }) =>
      (await builds(connectionId)).unpick(buildId, spans),
    'builds:exclude-spans': async ({ connectionId, buildId, positions, isExcluded }) =>
      (await builds(connectionId)).exclude(buildId, positions, isExcluded),
    'builds:find-picked': async ({ connectionId, buildId, spans }) =>
      (await builds(connectionId)).findPicked(buildId, spans),
    'builds:read-rows': async ({ connectionId, buildId, ...request }) =>
      (await builds(connectionId)).readRows(buildId, request),
    'builds:read-span': async ({ connectionId, buildId, mapping, position }) =>
      (await builds(connectionId)).readSpan(buildId, mapping, position),
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
    'builds:control': async ({ connectionId, buildId, action, startAtMs }) =>
      (await asking(connectionId)).control(buildId, action, startAtMs ?? null),
    'builds:settle-unresolved': async ({ connectionId, buildId, action, marginMs }) =>
      (await asking(connectionId)).settleUnresolved(buildId, action, marginMs),
    'builds:list-batches': async ({ connectionId, buildId, offset, limit }) =>
      (await builds(connectionId)).listBatches(buildId, offset, limit),
    'builds:decide-batch': async ({ connectionId, buildId, batch, decision }) =>
      (await asking(connectionId)).decideBatch(buildId, batch, decision),
    'builds:save-file': async ({ connectionId, buildId, what }) => {
      const own = await builds(connectionId);
      return saveAs(deps, SAVED_NAMES[what], (path) => own.writeFile(buildId, what, path));
    },
  };
}

export function scoreHandlers(deps: HandlerDeps): HandlersOf<'scores'> {
  const scores = async (connectionId: string) => (await deps.engine.session(connectionId)).datasets.scores;
  const asking = async (connectionId: string) => {
    const session = await deps.engine.session(connectionId);
    await session.askAgain();
    return session.datasets.scores;
  };
  return {
    'scores:start': async ({ connectionId, plan, startAtMs, expectedItems }) =>
      (await asking(connectionId)).start(plan, {
        startAtMs: startAtMs ?? null,
        expectedItems: expectedItems ?? null,
      }),
    'scores:list': async ({ connectionId, datasetId }) => (await scores(connectionId)).list(datasetId),
    'scores:get': async ({ connectionId, runId }) => (await scores(connectionId)).get(runId),
    'scores:control': async ({ connectionId, runId, action, startAtMs }) =>
      (await asking(connectionId)).control(runId, action, startAtMs ?? null),
    'scores:forget': async ({ connectionId, runId }) => {
      (await scores(connectionId)).forget(runId);
      return null;
    },
    'scores:list-results': async ({ connectionId, runId, ...request }) =>
      (await scores(connectionId)).listResults(runId, request),
    'scores:of-items': async ({ connectionId, datasetId, itemIds }) =>
      (await scores(connectionId)).ofItems(datasetId, itemIds),
    'scores:save-file': async ({ connectionId, runId }) => {
      const own = await scores(connectionId);
      return saveAs(deps, 'scores.csv', (path) => own.writeFile(runId, path));
    },
  };
}
