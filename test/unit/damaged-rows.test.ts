/**
 * A stored row that cannot be read is shown as damaged and can be removed. It hides no other row and breaks no list.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DatasetStore, openDatasetStore, type StoredBuild } from '../../electron/db/build-store.ts';
import type { StoredScoreRun } from '../../electron/db/score-store.ts';
import {
  openUploadStore,
  type StoredBulkAct,
  type StoredDeletion,
  type StoredJob,
  type StoredWholeFile,
  type UploadStore,
} from '../../electron/db/upload-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { DamagedKind } from '../../electron/shared/damaged-rows.ts';
import type { UploadPlan } from '../../electron/shared/upload-model.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const MODEL = '00000000-0000-4000-8000-000000000001';
let folder: string;
let uploads: UploadStore;
let datasets: DatasetStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandeck-damaged-'));
  const how = { clock: systemClock, logger: silentLogger };
  uploads = openUploadStore({ ...how, file: join(folder, 'uploads.db') });
  datasets = openDatasetStore({ ...how, file: join(folder, 'datasets.db') });
});
afterEach(() => {
  uploads.close();
  datasets.close();
  rmSync(folder, { recursive: true });
});

const plan = (changes: Partial<UploadPlan> = {}): UploadPlan => ({
  fileId: 'f',
  dialect: { format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
  columns: [{ source: 'a', target: 'a', type: 'str' }],
  modelId: MODEL,
  modelName: 'Model',
  envType: 'PRODUCTION',
  envName: null,
  mode: 'publish',
  batchRows: 10,
  maxBatchBytes: 1_000,
  onBadRow: 'stop',
  ...changes,
});
const job = (id: string, changes: Partial<StoredJob> = {}): StoredJob => ({
  ...{ id, path: `/${id}.csv`, fileName: `${id}.csv`, sizeBytes: 1, mtimeMs: 1, scanId: null },
  ...{ sha256: null, plan: plan(), schema: null, state: 'paused', reason: '', error: null, rows: null },
  ...{
    isCancelling: false,
    startAtMs: null,
    lateStart: null,
    rejected: 0,
    requests: 0,
    isolationRequests: 0,
  },
  ...{ batchRows: 10, maxBatchBytes: 1_000, baseline: null, createdAtMs: 7, endedAtMs: null },
  ...{ doubtfulBatches: 0, doubtfulRows: 0 },
  ...changes,
});
const deletion = (id: string): StoredDeletion => ({
  ...{
    id,
    modelId: MODEL,
    body: {},
    what: `what of ${id}`,
    createdAtMs: 7,
    startAtMs: null,
    endedAtMs: null,
  },
  ...{ lateStart: null, serviceJobId: null, state: 'sent', reason: '', progress: null, error: null },
  provenAtMs: null,
});
const file = (id: string): StoredWholeFile => ({
  ...{ id, path: `/${id}`, name: `${id}.csv`, sizeBytes: 1, mtimeMs: 1, partBytes: 1, partsSent: 0 },
  ...{ modelId: null, envType: 'PRODUCTION', envName: null, publishes: false, state: 'done' },
  ...{ file: null, jobId: null, jobStatus: null, progress: null, error: null, startAtMs: null },
  ...{ lateStart: null, createdAtMs: 7, endedAtMs: null, reason: '' },
});
const bulk = (id: string): StoredBulkAct => ({
  id,
  request: { operation: 'o', path: {}, query: {}, body: null, ids: { place: 'path', name: 'id' } },
  words: { title: 'T', noun: 'n', nouns: 'ns', going: 'g', done: 'd' },
  ...{ total: 1, state: 'stopped', reason: '', error: null, startAtMs: null, lateStart: null },
  ...{ createdAtMs: 7, endedAtMs: null },
});
const build = (id: string): StoredBuild => ({
  ...{ id, name: `build ${id}`, applicationId: 'a', applicationName: 'A' },
  ...{ state: 'editing', reason: '', error: null, mapping: [], target: null, datasetId: null },
  ...{
    creatingSinceMs: null,
    skipsAdded: true,
    nearDuplicates: null,
    skipsUnresolved: false,
    marginMs: 0,
    search: null,
    recheck: null,
    ask: null,
    timeRange: null,
  },
  ...{ pickedRange: null, firstStartMs: null, lastStartMs: null, callSpans: 1, nextPosition: 0 },
  ...{ baseline: null, fill: null, fileProgress: null, check: null, startAtMs: null, lateStart: null },
  ...{ createdAtMs: 7, changedAtMs: 7, endedAtMs: null },
});
const run = (id: string): StoredScoreRun => ({
  id,
  wantsAll: true,
  plan: {
    ...{ datasetId: 'd', datasetName: 'D', evaluator: 'e', parameters: {} },
    inputs: [{ input: 'n', from: { kind: 'text', text: 't' } }],
  },
  ...{ state: 'done', reason: '', error: null, readOffset: null, expectedItems: null, startAtMs: null },
  ...{ lateStart: null, createdAtMs: 7, endedAtMs: null },
});

const both = (make: (id: string) => void): void => {
  make('bad');
  make('good');
};

interface Case {
  kind: DamagedKind;
  title: string;
  create: () => void;
  list: () => unknown[];
  damage: string;
}
const CASES: Case[] = [
  {
    kind: 'upload',
    title: 'bad.csv',
    create: () => both((id) => uploads.jobs.create(job(id))),
    list: () => uploads.jobs.list(),
    damage: `UPDATE job SET plan_json = json_set(plan_json, '$.plan.batchRows', 200000) WHERE job_id = 'bad'`,
  },
  {
    kind: 'deletion',
    title: 'what of bad',
    create: () => both((id) => uploads.deletions.create(deletion(id))),
    list: () => uploads.deletions.list(),
    damage: `UPDATE job SET plan_json = '{' WHERE job_id = 'bad'`,
  },
  {
    kind: 'file',
    title: 'bad.csv',
    create: () => both((id) => uploads.wholeFiles.create(file(id))),
    list: () => uploads.wholeFiles.list(),
    damage: `UPDATE job SET state = 'gone' WHERE job_id = 'bad'`,
  },
  {
    kind: 'bulk',
    title: 'T',
    create: () => both((id) => uploads.bulk.create(bulk(id))),
    list: () => uploads.bulk.list(),
    damage: `UPDATE job SET plan_json = json_remove(plan_json, '$.words') WHERE job_id = 'bad'`,
  },
  {
    kind: 'build',
    title: 'build bad',
    create: () => both((id) => datasets.builds.create(build(id))),
    list: () => datasets.builds.list(),
    damage: `UPDATE job SET facts_json = json_set(facts_json, '$.mapping', json('[7]')) WHERE job_id = 'bad'`,
  },
  {
    kind: 'score',
    title: 'e',
    create: () => both((id) => datasets.scoreRuns.create(run(id))),
    list: () => datasets.scoreRuns.list(),
    damage: `UPDATE job SET plan_json = '{}' WHERE job_id = 'bad'`,
  },
  {
    kind: 'preset',
    title: 'bad',
    create: () =>
      both((id) =>
        datasets.presets.save('a', {
          ...{ presetId: id, name: id, savedAtMs: 7 },
          content: [{ bucket: 'inputs', field: 'f', key: 'k' }],
        }),
      ),
    list: () => datasets.presets.list('a'),
    damage: `UPDATE preset SET mapping_json = '[7]' WHERE preset_id = 'bad'`,
  },
];

describe('a damaged row', () => {
  test.each(CASES)('of $kind is left out of its list, named, and can be removed', (each) => {
    const store = ['build', 'score', 'preset'].includes(each.kind) ? datasets : uploads;
    each.create();
    expect(each.list()).toHaveLength(2);
    expect(store.damaged.list()).toEqual([]);
    const db = new BetterSqlite(join(folder, store === datasets ? 'datasets.db' : 'uploads.db'));
    db.prepare(each.damage).run();
    db.close();
    expect(each.list()).toHaveLength(1);
    expect(store.damaged.list()).toEqual([
      {
        kind: each.kind,
        id: 'bad',
        title: each.title,
        atMs: 7,
        reason: expect.stringMatching(/expected form/),
      },
    ]);
    expect(() => store.damaged.remove(each.kind, 'good')).toThrow(/this one can be read/);
    store.damaged.remove(each.kind, 'bad');
    expect(store.damaged.list()).toEqual([]);
    expect(each.list()).toHaveLength(1);
  });
});

describe('rows that could not be read again', () => {
  test.each([
    ['rows per request', { batchRows: 200_000 }],
    [
      'columns',
      {
        columns: Array.from({ length: 10_001 }, () => ({ source: 'a', target: null, type: 'str' as const })),
      },
    ],
    ['an environment name', { envName: 'e'.repeat(600) }],
    ['a model name', { modelName: 'm'.repeat(600) }],
  ])('are not written: %s', (_what, changes) => {
    expect(() => uploads.jobs.create(job('large', { plan: plan(changes) }))).toThrow(/cannot be stored/);
    expect(uploads.jobs.list()).toEqual([]);
    expect(uploads.damaged.list()).toEqual([]);
  });

  test('are not written: a score run without inputs, a change without a description', () => {
    const empty = { ...run('r'), plan: { ...run('r').plan, inputs: [] } };
    expect(() => datasets.scoreRuns.create(empty)).toThrow(/cannot be stored/);
    const wordless = { ...bulk('b'), words: { ...bulk('b').words, title: '' } };
    expect(() => uploads.bulk.create(wordless)).toThrow(/cannot be stored/);
  });
});
