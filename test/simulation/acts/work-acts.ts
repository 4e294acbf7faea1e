import { join } from 'node:path';
import { activeRepeat, type RepeatRule } from '../../../electron/shared/repeat-model.ts';
import type { Draw } from '../draw.ts';
import type { Act, Stage } from '../stage.ts';
import { someDataset } from './list-acts.ts';

const DATASETS = { operation: 'datasets.list', path: {}, query: {} };
const UNFILTERED = { narrow: null, filters: [], sort: null, ranges: null, seen: null };
const RULES: readonly RepeatRule[] = [
  { on: 'time', days: [0, 1, 2, 3, 4, 5, 6], hour: 7, minute: 0, zone: 'Europe/Berlin' },
  { on: 'time', days: [1, 2, 3, 4, 5], hour: 2, minute: 30, zone: 'UTC' },
  { on: 'sync' },
];
const AS_CSV = { columns: null, format: 'csv' as const, isExact: false, partitionBy: null };

async function someScoreRun(stage: Stage, draw: Draw, states: readonly string[]) {
  const opened = await stage.session(draw);
  const runs =
    opened === null
      ? []
      : opened.session.datasets.scores.list(null).filter(({ state }) => states.includes(state));
  return opened === null || runs.length === 0 ? null : { session: opened.session, run: draw.of(runs) };
}

export const WORK_ACTS = {
  /** More requests in a second than the service allows, for reading and for writing. */
  'look for many records': {
    weight: 3,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      const count = draw.of([8, 40, 120]);
      // Simultaneous requests of the same record are combined, so each is for another record. None of the records
      // exists.
      const asked = Array.from({ length: count }, () =>
        opened.session.client.call(
          'datasets.get',
          { path: { dataset_id: draw.uuid() } },
          { priority: 'click' },
        ),
      );
      await Promise.allSettled(asked);
      return `looked for ${count} records`;
    },
  },
  'change many datasets': {
    weight: 2,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const dataset = opened === null ? null : await someDataset(opened.session, draw);
      if (opened === null || dataset === null) return 'sees no dataset';
      const count = draw.of([4, 15, 40]);
      for (let number = 0; number < count; number += 1) {
        const body = { description: stage.newName('Described') };
        const request = {
          ...{ operation: 'datasets.update', path: { dataset_id: dataset.id }, query: {}, body },
        };
        opened.session.outbox.put({ request, base: null }, null);
      }
      return `sends ${opened.session.outbox.sendAll()} of ${count} changes`;
    },
  },
  'export a list': {
    weight: 3,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      const name = stage.newName('Export');
      const file = join(stage.computer.documents, `${name}.csv`);
      const plan = {
        ...{ ...AS_CSV, ...UNFILTERED, name, query: DATASETS },
        reads: draw.of(['whole', 'stored'] as const),
      };
      const rule = draw.chance(0.3) ? draw.of(RULES) : null;
      const start = { file, startAtMs: null, notBeforeMs: draw.chance(0.5) ? Date.now() : 0, rule };
      const { exportId } = await opened.session.exports.create(plan, start);
      return `exports datasets as ${exportId}${rule === null ? '' : `, again ${rule.on}`}`;
    },
  },
  'control an export': {
    weight: 1,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const all = opened === null ? [] : opened.session.exports.list();
      if (opened === null || all.length === 0) return 'exports nothing';
      const { exportId, state } = draw.of(all);
      if (state === 'done' || state === 'cancelled') {
        opened.session.exports.forget(exportId);
        return `forgot ${exportId}`;
      }
      const action = state === 'paused' ? 'resume' : draw.of(['pause', 'cancel'] as const);
      opened.session.exports.control(exportId, action);
      return `${action} of ${exportId}`;
    },
  },
  'change a repeat': {
    weight: 1,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const all = opened?.session.exports.list().filter((job) => activeRepeat(job) !== null) ?? [];
      if (opened === null || all.length === 0) return 'has nothing that repeats';
      const { exportId } = draw.of(all);
      const type = draw.of(['pause', 'resume', 'end'] as const);
      opened.session.exports.repeat(exportId, { type });
      return `${type} of the repeat ${exportId}`;
    },
  },
  /** The simulated analysis engine refuses every statement. */
  'ask in SQL': {
    weight: 2,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      if (opened === null) return 'has no connection';
      await opened.session.sql.run(stage.newName('run'), 'SELECT 1 AS one');
      return 'ran a statement';
    },
  },
  score: {
    weight: 3,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const dataset = opened === null ? null : await someDataset(opened.session, draw);
      if (opened === null || dataset === null) return 'sees no dataset';
      const { runId } = opened.session.datasets.scores.start({
        ...{ datasetId: dataset.id, datasetName: dataset.name, evaluator: 'answer_relevance' },
        parameters: { model: 'm', credential: 'c' },
        inputs: [
          { input: 'prompt', from: { kind: 'field', bucket: 'inputs', field: 'question' } },
          { input: 'response', from: { kind: 'field', bucket: 'expected_outputs', field: 'answer' } },
        ],
        itemIds: null,
      });
      return `scores ${dataset.name} as ${runId}`;
    },
  },
  'control scoring': {
    weight: 2,
    do: async (stage, draw) => {
      const found = await someScoreRun(stage, draw, ['reading', 'running', 'waiting', 'paused', 'stopped']);
      if (found === null) return 'scores nothing';
      const { session, run } = found;
      const action = ['paused', 'stopped'].includes(run.state) ? 'resume' : 'pause';
      session.datasets.scores.control(run.runId, action);
      return `${action} of ${run.runId}`;
    },
  },
  review: {
    weight: 2,
    do: async (stage, draw) => {
      const opened = await stage.session(draw);
      const builds = opened?.session.datasets.builds.list() ?? [];
      if (opened === null || builds.length === 0) return 'has no build to review';
      const { buildId } = draw.of(builds);
      const methods = opened.session.datasets.builds;
      const { total } = methods.readReview(buildId, 0);
      const verdict = draw.of(['accepted', 'rejected'] as const);
      const [position = 0] = methods.readPlaces(buildId, 0);
      const event = { type: 'mark' as const, position, patch: { verdict }, atMs: Date.now() };
      await methods.addReview(buildId, total, [event]);
      return `reviewed ${buildId}: ${verdict}`;
    },
  },
} as const satisfies Record<string, Act>;
