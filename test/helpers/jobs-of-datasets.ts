/** Builds of datasets from spans, and score runs, for the suite of durable jobs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatasets } from '../../electron/datasets/datasets.ts';
import { openDatasetStore } from '../../electron/db/build-store.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import type { ItemsPlan } from '../../electron/shared/items-model.ts';
import { readFileState } from '../../electron/uploads/file-state.ts';
import { checkItemRows } from '../../electron/uploads/items/check-item-rows.ts';
import { extractItems } from '../../electron/uploads/items/extract-items.ts';
import { replacementProblem } from '../../electron/uploads/items/item-of-row.ts';
import { settleItems } from '../../electron/uploads/items/settle-items.ts';
import { hashFile } from '../../electron/uploads/validate/scan-file.ts';
import { hasNoAction, hasNoDecision, hasNoUnknown, ID, type Kind, MAX_STATES, none } from './jobs-kind.ts';
import { ITEMS, Life, type World } from './jobs-world.ts';
import { silentLogger } from './virtual-world.ts';

/** Builds and score runs share a store. */
function openDatasets(world: World, pid: number) {
  const life = new Life(world, pid);
  const { clock, client } = life;
  const file = join(world.folder, 'datasets.db');
  const store = life.onDisk(openDatasetStore({ file, clock, logger: silentLogger }));
  const datasets = createDatasets({
    connectionId: ID,
    store,
    client,
    clock,
    random: systemRandom,
    logger: silentLogger,
    process: { pid, isRunning: life.isAlive },
    isReadOnly: () => false,
    readRows: none,
    readItemsHere: () => null,
    readResultsHere: () => null,
    readChosen: () => {
      throw new Error('This kind has no such act.');
    },
    readSchema: async () => null,
    plan: () => ({
      ...{ requests: 0, startAtMs: 0, finishAtMs: 0, leftToday: null, bindingWindow: null, lanes: [] },
    }),
    onDatasetChanged: () => undefined,
    onExperimentChanged: () => undefined,
    writeFile: none,
    onBuildChanged: life.note,
    onRunChanged: life.note,
    onItemsChanged: life.note,
    extractItems,
    hashFile,
    settleItems,
    checkItemRows,
    replacementProblem,
    extractSpans: none,
    checkSpans: none,
    readableFile: async ({ fileId: path }) => ({ path, state: await readFileState(path) }),
    findNearDuplicates: none,
    measureCoverage: none,
    experimentHere: none,
    askComparison: none,
    forgetCompared: () => Promise.resolve(),
    options: { evidenceSettleMs: 0, maxScoring: 1 },
  });
  life.onEnd(() => datasets.stop(0), store);
  const wake = () => datasets.wake();
  const recover = async (continues: boolean) => datasets.recover({ continues });
  return { program: { life, wake, recover, decide: none }, store, datasets };
}

const TIMES = { startTime: '2025-11-01T00:00:00Z', endTime: '2025-11-02T00:00:00Z' };

export const build: Kind = {
  name: 'build of items from spans',
  parts: ['s1', 's2', 's3'],
  atOnce: 1,
  lacks: {},
  states: {
    ...MAX_STATES,
    sending: 'committing',
    planned: 'editing',
    calledOff: 'editing',
  },
  whenLimited: 'waits',
  open: (world, pid) => {
    const { program, store, datasets } = openDatasets(world, pid);
    const { builds } = datasets;
    const view = () => builds.list().map(({ buildId: id, ...job }) => ({ id, ...job }))[0];
    const id = () => view()?.id ?? '';
    return {
      ...program,
      leases: store.builds.leases,
      begin: async (startAtMs) => {
        const { buildId } = builds.create({ applicationId: 'app', applicationName: 'App', name: 'Build' });
        const spans = build.parts.map((span_id) => ({
          trace_id: 't',
          span_id,
          start_time: TIMES.startTime,
          record: null,
        }));
        await builds.pickGiven(buildId, spans);
        await builds.change(buildId, {
          target: { kind: 'existing', datasetId: 'dataset', name: 'Dataset' },
          mapping: [{ bucket: 'inputs', field: 'question', key: 'q' }],
          timeRange: TIMES,
        });
        const stored = store.builds.get(buildId);
        // Limits calls to one span each.
        if (stored !== null) store.commit(() => store.builds.save({ ...stored, callSpans: 1 }));
        await builds.control(buildId, startAtMs === null ? 'commit' : 'schedule', startAtMs);
      },
      view,
      stored: () => ({ build: store.builds.get(id()), calls: store.batches.list(id(), null, 0, 10) }),
      control: async (action, startAtMs) => {
        const isNew = view()?.state === 'editing';
        const acts = { 'call-off': 'unschedule', start: isNew ? 'commit' : 'resume' } as const;
        return builds.control(
          id(),
          action === 'call-off' || action === 'start' ? acts[action] : action,
          startAtMs,
        );
      },
      decide: async (decision) => {
        const [batch] = store.batches.list(id(), ['unknown'], 0, 1);
        return builds.decideBatch(id(), batch?.batch ?? -1, decision);
      },
    };
  },
};

export const scoreRun: Kind = {
  name: 'score run',
  parts: ['one', 'two', 'three'],
  atOnce: 1,
  lacks: {
    cancel: {
      reason: 'Scores that came stay. A run rests when it is paused, and is forgotten from there.',
      holds: hasNoAction('scores', 'cancel'),
    },
    unknown: {
      reason:
        'Scoring stores nothing at the service: a lost answer is a failed item, asked for again by retry.',
      holds: hasNoUnknown('scores'),
    },
    decide: {
      reason: 'Nothing of a run is unknown.',
      holds: hasNoDecision('scores'),
    },
  },
  states: {
    ...MAX_STATES,
    planned: 'paused',
    calledOff: 'paused',
    lost: 'done',
    refused: 'stopped',
    cancelled: '',
  },
  whenLimited: 'waits',
  open: (world, pid) => {
    const { program, store, datasets } = openDatasets(world, pid);
    const { scores } = datasets;
    const view = () => scores.list(null).map(({ runId: id, ...job }) => ({ id, ...job }))[0];
    const id = () => view()?.id ?? '';
    return {
      ...program,
      leases: store.scoreRuns.leases,
      begin: async (startAtMs) => {
        const input = {
          input: 'question',
          from: { kind: 'field', bucket: 'inputs', field: 'question' },
        } as const;
        const plan = {
          datasetId: 'dataset',
          datasetName: 'Dataset',
          evaluator: 'judge',
          parameters: {},
          inputs: [input],
        };
        scores.start({ ...plan, itemIds: null }, { startAtMs, expectedItems: ITEMS.length });
      },
      view,
      stored: () => ({ run: store.scoreRuns.get(id()), items: store.scores.page(id(), null, 0, 10) }),
      control: async (action, startAtMs) => {
        if (action === 'cancel') return none();
        const acts = { 'call-off': 'unschedule', start: 'resume' } as const;
        return scores.control(
          id(),
          action === 'call-off' || action === 'start' ? acts[action] : action,
          startAtMs,
        );
      },
    };
  },
};

const ADDED = ['one', 'two', 'three'];
const PLAN: Omit<ItemsPlan, 'fileId'> = {
  ...{ datasetId: 'dataset', datasetName: 'Dataset', fileName: 'questions.csv' },
  dialect: {
    ...{
      format: 'csv',
      encoding: 'utf-8',
      delimiter: ',',
      quote: '"',
      hasHeader: true,
      nullWords: [],
      sheet: null,
    },
  },
  columns: [{ source: 'question', place: 'inputs', field: 'question', type: 'str' }],
  flattens: false,
  onBadRow: 'stop',
  itemsPerRequest: 1,
};

export const addition: Kind = {
  name: 'items from a file',
  parts: ADDED,
  atOnce: 1,
  lacks: {},
  states: MAX_STATES,
  whenLimited: 'waits',
  open: (world, pid) => {
    const { program, store, datasets } = openDatasets(world, pid);
    const { items } = datasets;
    const view = () => items.list(null).map(({ itemsId: id, ...job }) => ({ id, ...job }))[0];
    const id = () => view()?.id ?? '';
    return {
      ...program,
      leases: store.items.jobs.leases,
      begin: async (startAtMs) => {
        const fileId = join(world.folder, 'questions.csv');
        writeFileSync(fileId, ['question', ...ADDED].join('\n'));
        await items.create({ ...PLAN, fileId }, true, startAtMs);
      },
      view,
      stored: () => ({ job: store.items.jobs.get(id()), parts: store.items.parts.list(id(), null, 0, 10) }),
      control: async (action, startAtMs = 0) =>
        items.control(id(), action === 'call-off' ? 'unschedule' : action, startAtMs),
      decide: async (decision) => {
        const [part] = items.listParts(id(), ['unknown'], 0, 1).parts;
        return items.decide(id(), part?.part ?? -1, decision);
      },
    };
  },
};
