/** Builds of one connection, behind the channels `builds:*` and, as jobs, `jobs:*`. */

import { isIdle } from '../core/jobs/build-job.ts';
import type { LimitWindow } from '../core/limits/limits.ts';
import { readable } from '../core/readable.ts';
import {
  type KnownFields,
  suggestMapping,
  unfilledFields,
  unseenFields,
} from '../core/spans/suggest-mapping.ts';
import { NEW_SEARCH } from '../core/spans/wider-search.ts';
import { counted, numberText } from '../shared/count-text.ts';
import { BUCKETS, type BuildPlan } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import { verdictNotes } from '../shared/verdict-counts.ts';
import { Basket } from './basket.ts';
import type { BuildControl, ControlDeps } from './build-control.ts';
import { writeBuildFile } from './build-files.ts';
import type { BuildJobs } from './build-jobs.ts';
import { checkMapping, keyCounts, withSamples } from './build-keys.ts';
import type { BuildLedger } from './build-ledger.ts';
import { markAdded } from './build-runner.ts';
import { NearDuplicates } from './near-duplicates.ts';
import { NEW_ASK, newBuild } from './new-build.ts';
import { readOne, readPage, readRecords } from './preview.ts';
import { requestsFor } from './read-now.ts';
import { NEW_RECHECK, readDifferences } from './recheck.ts';
import { reviewFormat } from './review-file.ts';
import { Reviews } from './reviews.ts';
import type { BuildPatch, Builds } from './types.ts';

export function createBuilds(deps: ControlDeps, jobs: BuildJobs, control: BuildControl): Builds {
  const { store, clock, random, ledgers } = deps;
  const basket = new Basket(deps, control, jobs);
  const view = (buildId: string) => ledgers.get(buildId).view();
  const nearDuplicates = new NearDuplicates(deps, jobs);
  const reviews = new Reviews(deps).methods();
  const forget = (buildId: string) => {
    const ledger = jobs.idle(buildId);
    store.commit(() => {
      ledger.checkOwn();
      store.builds.forget(buildId);
    });
    ledgers.drop(buildId);
    jobs.starts.look();
    deps.tidyUp();
  };
  const look = (buildId: string) => ({
    store,
    ledger: ledgers.get(buildId),
    nearDuplicates: nearDuplicates.of(buildId),
  });
  return {
    ...basket.methods(),
    ...reviews,
    create: (given) => {
      const build = newBuild({ ...given, id: random.uuid(), createdAtMs: clock.nowMs() });
      store.commit(() => store.builds.create(build));
      return view(build.id);
    },
    list: () => readable(store.builds.list(), ({ id }) => view(id)),
    get: view,
    forget,
    softDelete: (buildId) => {
      const ledger = jobs.idle(buildId);
      const isKept = ledger.core.state === 'editing' && ledger.counts().picked > 0;
      if (!isKept) return forget(buildId);
      // A build that is restored after its planned time must not start automatically.
      if (ledger.core.startAtMs !== null) ledger.apply([{ type: 'unschedule' }]);
      store.commit(() => {
        ledger.checkOwn();
        store.softDelete(buildId, clock.nowMs());
      });
      ledgers.drop(buildId);
      jobs.starts.look();
    },
    restore: (buildId) => {
      if (!store.commit(() => store.restore(buildId))) {
        throw new AppError('INVALID_ARGUMENT', 'This draft is gone: it was deleted too long ago.');
      }
      return view(buildId);
    },
    change: async (buildId, patch) => {
      // A task may be in progress, except for settings that asking the service has read at its start.
      const isOfAsk = patch.asks !== undefined || patch.timeRange !== undefined;
      const ledger = isOfAsk ? jobs.idle(buildId) : jobs.resting(buildId);
      applyPatch(ledger, patch);
      const isPrepared = ledger.core.state === 'editing';
      if (isPrepared && (patch.target !== undefined || patch.skipsAdded !== undefined))
        await markAdded(deps, ledger);
      return ledger.view();
    },
    readRows: (buildId, { mapping, ...window }) => {
      const looked = look(buildId);
      return readPage(looked, mapping ?? looked.ledger.stored.mapping, window);
    },
    readSpan: (buildId, mapping, position) => {
      const looked = look(buildId);
      return readOne(looked, mapping ?? looked.ledger.stored.mapping, position);
    },
    readRecords: (buildId, position) => readRecords(look(buildId), position),
    findNearDuplicates: (buildId, threshold, skips = 'all') => nearDuplicates.find(buildId, threshold, skips),
    readNearDuplicate: (buildId, position) => nearDuplicates.pair(buildId, position),
    readDifferences: (buildId, offset, limit) => readDifferences(deps, ledgers.get(buildId), offset, limit),
    listKeys: (buildId, { search, offset, limit }) => {
      const looked = look(buildId);
      const text = search.trim().toLowerCase();
      const found = keyCounts(looked.ledger).filter(({ key }) => key.toLowerCase().includes(text));
      return { keys: withSamples(looked, found.slice(offset, offset + limit)), total: found.length };
    },
    checkMapping: async (buildId, mapping) => {
      const ledger = ledgers.get(buildId);
      const fields = await knownFields(deps, ledger);
      return {
        ...checkMapping(ledger, mapping),
        unfilled: unfilledFields(mapping, fields),
        unseen: unseenFields(mapping, fields),
      };
    },
    suggestMapping: async (buildId) => {
      const ledger = ledgers.get(buildId);
      return { entries: suggestMapping(keyCounts(ledger), await knownFields(deps, ledger)) };
    },
    checkFile: async (file) => {
      const { dialect, readings } = file;
      return deps.checkSpans({ ...(await deps.readableFile(file)), dialect, readings });
    },
    ask: (buildId) => control.ask(buildId),
    plan: (buildId) => planOf(deps, ledgers.get(buildId)),
    control: (buildId, action, startAtMs) => control.act(buildId, action, startAtMs),
    settleUnresolved: async (buildId, action, marginMs) =>
      control.settleUnresolved(buildId, action, marginMs),
    listBatches: (buildId, offset, limit, states = null) => ({
      batches: store.batches.list(buildId, states, offset, limit),
      total: store.batches.count(buildId, states),
    }),
    decideBatch: async (buildId, batch, decision) => control.decide(buildId, batch, decision),
    writeFile: async (buildId, what, path) => {
      if (what === 'verdicts') {
        const counts = await reviews.writeVerdicts(buildId, path, null);
        return { rows: counts.rows, notes: verdictNotes(counts) };
      }
      if (what !== 'review') return writeBuildFile(deps, ledgers.get(buildId), what, path);
      return reviews.writeReview(buildId, path, {
        ...{ format: reviewFormat(path), isExact: false, fits: () => true },
      });
    },
    whenIdle: async (buildId) => (await jobs.whenOver(buildId)).view(),
  };
}

/**
 * After the first call, mapping and target are fixed. Only the search ranges may change, and `skipsAdded` if the build
 * asks about spans of another build.
 */
function applyPatch(ledger: BuildLedger, patch: BuildPatch): void {
  const { state } = ledger.core;
  const isFixed = state !== 'editing';
  const isAnswer = ledger.stored.error?.code === 'NEEDS_DECISION';
  const touchesFixed =
    patch.mapping !== undefined ||
    patch.target !== undefined ||
    (patch.skipsAdded !== undefined && !isAnswer);
  if (isFixed && touchesFixed) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'Some requests of this build were already sent, so its mapping and dataset cannot change. Copy the build to change them.',
    );
  }
  if (!isIdle(state)) throw new AppError('CONFLICT', 'This build is being sent. Pause it first.');
  const { widens, rechecks, asks, ...rest } = patch;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  const search = widens === undefined ? {} : { search: widens ? NEW_SEARCH : null };
  const recheck = rechecks === undefined ? {} : { recheck: rechecks ? NEW_RECHECK : null };
  const phase = asks === true ? ('due' as const) : ('off' as const);
  const ask = asks === undefined ? {} : { ask: { ...(ledger.stored.ask ?? NEW_ASK), phase } };
  ledger.apply([], { ...Object.fromEntries(given), ...search, ...recheck, ...ask });
}

/** Fields of the items in the target, from its stored schema; null if unknown. */
async function knownFields(
  { readSchema }: ControlDeps,
  { stored: build }: BuildLedger,
): Promise<KnownFields> {
  if (build.target?.kind !== 'existing') return {};
  const schema = await readSchema(build.target.datasetId);
  const known = BUCKETS.map((bucket) => {
    const fields = schema?.[bucket];
    return [bucket, typeof fields === 'object' && fields !== null ? Object.keys(fields) : []];
  });
  return Object.fromEntries(known);
}

/** The planned cost of the rest of a build. It depends on its spans, on the target, and on concurrent use by others. */
function planOf({ plan, store }: Pick<ControlDeps, 'plan' | 'store'>, ledger: BuildLedger): BuildPlan {
  const { callSpans, baseline, datasetId, target, recheck, ask } = ledger.stored;
  const { unsent, unresolved } = ledger.counts();
  const spans = unsent + unresolved;
  const { edited, ofFile, ...said } = store.spanFiles.count(ledger.id);
  const spanCalls = Math.ceil((spans - edited - ofFile) / callSpans);
  const itemCalls = Math.ceil((edited + ofFile) / callSpans);
  const asked = ask?.phase === 'due' ? requestsFor(said.unasked) : 0;
  const read = asked + (recheck?.phase === 'due' ? requestsFor(spans - ofFile) : 0);
  const calls = spanCalls + itemCalls;
  const isNew = target?.kind === 'new' && datasetId === null;
  const requests = [
    ...(read > 0 ? [{ operation: 'spans.query' as const, count: read }] : []),
    ...(isNew ? [{ operation: 'datasets.create' as const, count: 1 }] : []),
    // Items are counted before the first call and after the last one.
    { operation: 'datasets.schema' as const, count: baseline === null ? 2 : 1 },
    ...(spanCalls === 0 && itemCalls > 0
      ? []
      : [{ operation: 'datasets.add-spans' as const, count: spanCalls }]),
    ...(itemCalls === 0 ? [] : [{ operation: 'datasets.add-items' as const, count: itemCalls }]),
  ];
  const { finishAtMs, bindingWindow } = plan(requests);
  return {
    calls,
    spans,
    edited,
    itemCalls,
    ofFile,
    ...said,
    requests,
    finishAtMs,
    limit: bindingWindow === null ? null : windowText(bindingWindow),
    sentence: `${counted(spans, 'item')} in ${counted(calls, 'request')} of at most ${counted(callSpans, 'span')}${sourcesText({ spans, edited, ofFile })}.`,
  };
}

/** Number of items sent in each form. */
function sourcesText({ spans, edited, ofFile }: Pick<BuildPlan, 'spans' | 'edited' | 'ofFile'>): string {
  if (ofFile === 0) return edited === 0 ? '' : `; ${numberText(edited)} of them edited`;
  const bySpan = spans - edited - ofFile;
  const parts = [
    `${numberText(ofFile)} from a file`,
    ...(edited > 0 ? [`${numberText(edited)} edited`] : []),
  ];
  return `: ${numberText(bySpan)} by their spans, ${numberText(edited + ofFile)} as items (${parts.join(', ')})`;
}

function windowText({ count, lengthMs }: LimitWindow): string {
  return `${count} in ${lengthMs / 1_000} s`;
}
