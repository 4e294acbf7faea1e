import { byAction, type HandlerDeps, type HandlersOf } from './handler-deps.ts';

export function buildHandlers(deps: HandlerDeps): HandlersOf<'builds'> {
  const builds = async (connectionId: string) => (await deps.engine.session(connectionId)).datasets.builds;
  return {
    'builds:pick-spans': async ({ connectionId, buildId, query, spans, continues }, readsNow) => {
      const own = await builds(connectionId);
      const answer = await own.pickRows(buildId, query, spans, continues);
      readsNow();
      return { ...answer, build: own.get(buildId) };
    },
    'builds:add-second-review': async ({ connectionId, buildId, file, reviewer }) =>
      (await builds(connectionId)).addSecondReview(buildId, file, reviewer),
    'builds:add-verdicts': byAction<'builds:add-verdicts'>({
      preview: async ({ connectionId, action: _, ...target }) =>
        (await deps.engine.session(connectionId)).verdicts.preview(target),
      send: async ({ connectionId, action: _, ...target }) =>
        (await deps.engine.session(connectionId)).verdicts.send(target),
    }),
    'builds:read': byAction<'builds:read'>({
      'find-picked': async ({ connectionId, buildId, spans }) =>
        (await builds(connectionId)).findPicked(buildId, spans),
      'check-file': async ({ connectionId, fileId, dialect }) =>
        (await builds(connectionId)).checkFile({ fileId, dialect }),
      rows: async ({ connectionId, buildId, action: _, ...request }) =>
        (await builds(connectionId)).readRows(buildId, request),
      keys: async ({ connectionId, buildId, action: _, ...request }) =>
        (await builds(connectionId)).listKeys(buildId, request),
      'check-mapping': async ({ connectionId, buildId, mapping }) =>
        (await builds(connectionId)).checkMapping(buildId, mapping),
      'suggest-mapping': async ({ connectionId, buildId }) =>
        (await builds(connectionId)).suggestMapping(buildId),
      review: async ({ connectionId, buildId, seq }) => (await builds(connectionId)).readReview(buildId, seq),
      places: async ({ connectionId, buildId, position }) =>
        (await builds(connectionId)).readPlaces(buildId, position),
      'group-agreement': async ({ connectionId, buildId }) =>
        (await builds(connectionId)).groupAgreement(buildId),
      agreements: async ({ connectionId, buildId }) => (await builds(connectionId)).agreements(buildId),
      records: async ({ connectionId, buildId, position }) =>
        (await builds(connectionId)).readRecords(buildId, position),
      span: async ({ connectionId, buildId, position }) =>
        (await builds(connectionId)).readSpan(buildId, null, position),
      differences: async ({ connectionId, buildId, offset, limit }) =>
        (await deps.engine.session(connectionId)).datasets.builds.readDifferences(buildId, offset, limit),
      'near-duplicate': async ({ connectionId, buildId, position }) =>
        (await builds(connectionId)).readNearDuplicate(buildId, position),
    }),
  };
}

export function scoreHandlers(deps: HandlerDeps): HandlersOf<'scores'> {
  const scores = async (connectionId: string) => (await deps.engine.session(connectionId)).datasets.scores;
  return {
    'scores:of-items': async ({ connectionId, datasetId, itemIds }) =>
      (await scores(connectionId)).ofItems(datasetId, itemIds),
  };
}

export function runHandlers(deps: HandlerDeps): HandlersOf<'runs'> {
  const comparisons = async (connectionId: string) =>
    (await deps.engine.session(connectionId)).datasets.comparisons;
  return {
    'runs:compare': async ({ connectionId, ...query }) => (await comparisons(connectionId)).compare(query),
    'runs:items': async ({ connectionId, ...query }) => (await comparisons(connectionId)).items(query),
    'runs:usage': async ({ connectionId, ...query }) => (await comparisons(connectionId)).usage(query),
    'runs:item': async ({ connectionId, runs, itemId }) =>
      (await comparisons(connectionId)).item(runs, itemId),
  };
}

export function snapshotHandlers(deps: HandlerDeps): HandlersOf<'snapshots'> {
  const snapshots = async (connectionId: string) => (await deps.engine.session(connectionId)).snapshots;
  const schema = async (connectionId: string) => (await deps.engine.session(connectionId)).schema;
  return {
    'snapshots:ask': byAction<'snapshots:ask'>({
      list: async ({ connectionId, ...query }) => (await snapshots(connectionId)).ask(query),
      diff: async ({ connectionId, ...query }) => (await snapshots(connectionId)).ask(query),
      compare: async ({ connectionId, ...query }) => (await snapshots(connectionId)).ask(query),
      items: async ({ connectionId, ...query }) => (await snapshots(connectionId)).ask(query),
      item: async ({ connectionId, ...query }) => (await snapshots(connectionId)).ask(query),
      'list-schema-changes': async ({ connectionId }) => ({
        changes: await (await schema(connectionId)).list(),
      }),
      'accept-schema-change': async ({ connectionId, changeId }) => ({
        changes: await (await schema(connectionId)).accept(changeId),
      }),
      'near-duplicates': async ({ connectionId, ...query }) => (await snapshots(connectionId)).ask(query),
      'compare-near-duplicates': async ({ connectionId, ...query }) =>
        (await snapshots(connectionId)).ask(query),
      recreate: async ({ connectionId, action: _, ...query }) => {
        const session = await deps.engine.session(connectionId);
        const { itemsId } = await session.recreate(query);
        return { itemsId };
      },
    }),
  };
}

export function coverageHandlers(deps: HandlerDeps): HandlersOf<'datasets'> {
  return {
    'datasets:coverage': async ({ connectionId, ...query }) =>
      (await deps.engine.session(connectionId)).datasets.measureCoverage(query),
    'datasets:check-value': async ({ connectionId, plan, ...value }) => ({
      problem: (await deps.engine.session(connectionId)).datasets.items.checkValue(plan, value),
    }),
    'datasets:check-rows': async ({ connectionId, plan, places }) =>
      (await deps.engine.session(connectionId)).datasets.items.checkRows(plan, places),
  };
}

export function presetHandlers(deps: HandlerDeps): HandlersOf<'presets'> {
  const presets = async (connectionId: string) => (await deps.engine.session(connectionId)).datasets.presets;
  return {
    'presets:list': async ({ connectionId, owner }) => (await presets(connectionId)).list(owner),
    'presets:save': async ({ connectionId, owner, name, content }) => {
      const own = await presets(connectionId);
      if (content === null) own.remove(owner, name);
      else own.save(owner, name, content);
      return null;
    },
  };
}
