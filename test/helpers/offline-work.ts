/**
 * One job of each kind that changes the service, started through a complete engine, and a token that is always
 * available.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine, type Engine } from '../../electron/engine/engine.ts';
import type { Session } from '../../electron/engine/session.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { createFileLogger } from '../../electron/platform/logger.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { planColumns } from '../../electron/shared/column-plan.ts';
import { knownKeys, suggestItemColumns } from '../../electron/shared/item-columns.ts';
import type { Job, JobKindId } from '../../electron/shared/job-contract.ts';
import { churnCsv } from './make-files.ts';
import { TOKEN } from './sample-service.ts';

/** Data of the service that the user had read before the network was lost. */
export interface Known {
  connectionId: string;
  applicationId: string;
  datasetId: string;
  itemId: string;
  modelId: string;
  modelColumns: Parameters<typeof planColumns>[1];
  span: { trace_id: string; span_id: string; start_time: string };
}

/** As in the window, waiting jobs continue automatically. */
export function openEngine(folder: string, onJob: () => void = () => undefined): Engine {
  const nothing = () => Promise.resolve();
  const paths = dataPaths(folder);
  return createEngine({
    ...{ paths, clock: systemClock, random: systemRandom, startChild: startNodeChild },
    logger: createFileLogger(paths.logsDir, systemClock),
    keychain: {
      status: async () => ({ isAvailable: true, backend: 'stand-in', reason: '' }),
      read: async () => TOKEN,
      ...{ write: nothing, remove: nothing },
      ...{ isBusy: () => false, isWaiting: () => false, onWaiting: () => undefined },
    },
    followsOfflineAtStart: true,
    resumesUploads: true,
    checksStoresAfterMs: null,
    copyNotice: null,
    tokenPatienceMs: null,
    publish: (channel) => {
      if (channel === 'jobs:changed') onJob();
    },
  });
}

async function offered(engine: Engine, file: string, text: string) {
  writeFileSync(file, text);
  const [found] = await engine.files.offer([file]);
  if (found === undefined) throw new Error('Nothing was offered.');
  return { ...found, preview: await engine.files.inspect(found.fileId, null) };
}

type Begin = (work: Work) => Promise<{ kind: JobKindId; id: string }>;
interface Work extends Known {
  engine: Engine;
  session: Session;
  folder: string;
}

async function addItems({ engine, session, folder, datasetId, applicationId }: Work, isNew: boolean) {
  const name = isNew ? 'new.csv' : 'more.csv';
  const { fileId, preview } = await offered(engine, join(folder, name), `question\n${name} 1\n${name} 2\n`);
  const items = {
    ...{ fileId, fileName: name, dialect: preview.dialect, flattens: false, itemsPerRequest: 200 },
    columns: suggestItemColumns(preview.columns, knownKeys(null)),
    onBadRow: 'stop' as const,
    ...(isNew
      ? { datasetId: '', datasetName: 'Made offline', newIn: { applicationId } }
      : { datasetId, datasetName: 'Claims' }),
  };
  return session.jobs.create('items', { items, startsNow: true }, null);
}

/** Actions by the name that the user knows. */
export const BEGIN: Readonly<Record<string, Begin>> = {
  'rows as items': (work) => addItems(work, false),
  'rows as items of a new dataset': (work) => addItems(work, true),
  'an upload': async ({ engine, session, folder, modelId, modelColumns }) => {
    const { fileId, preview } = await offered(engine, join(folder, 'churn.csv'), churnCsv(20));
    const upload = {
      ...{ fileId, dialect: preview.dialect, modelId, modelName: 'Bank churn', mode: 'publish' as const },
      columns: planColumns(preview.columns, modelColumns),
      ...{ envType: 'PRODUCTION', envName: null, batchRows: 1_000, maxBatchBytes: 8_000_000 },
      onBadRow: 'skip' as const,
    };
    return session.jobs.create('upload', { upload, startsNow: true }, null);
  },
  'a file as it is': async ({ engine, session, folder, modelId }) => {
    const { fileId } = await offered(engine, join(folder, 'whole.csv'), churnCsv(5));
    const of = { modelId, envType: 'PRODUCTION', envName: null, publishes: true };
    return session.jobs.create('file', { fileId, ...of }, null);
  },
  'a deletion of events': ({ session, modelId }) =>
    session.jobs.create(
      'deletion',
      { modelId, eventIds: ['no such event'], timeRange: null, updateMetrics: false },
      null,
    ),
  'a dataset from spans': async ({ session, applicationId, span }) => {
    const { builds } = session.datasets;
    const of = { applicationId, applicationName: 'Support assistant', name: 'Picked offline' };
    const { id } = await session.jobs.create('build', of, null);
    await builds.pickGiven(id, [{ ...span, record: null }]);
    await builds.change(id, {
      mapping: [{ bucket: 'inputs', field: 'question', key: 'system.gen_ai.llm.input.user' }],
      target: { kind: 'new', name: 'Picked offline', description: null, metadata: null },
      rechecks: true,
    });
    return session.jobs.control('build', id, 'start', null);
  },
  'a score run': ({ session, datasetId, itemId }) => {
    const inputs = [{ input: 'text', from: { kind: 'text' as const, text: 'x' } }];
    const scores = {
      ...{ datasetId, datasetName: 'Claims', evaluator: 'conciseness', parameters: {}, inputs },
      itemIds: [itemId],
    };
    return session.jobs.create('scores', { scores }, null);
  },
  'a change of many records': ({ session, datasetId }) =>
    session.jobs.create(
      'bulk',
      {
        request: {
          operation: 'datasets.update',
          ...{ path: {}, query: {}, body: { description: 'Changed offline' } },
          ids: { place: 'path', name: 'dataset_id' },
        },
        words: {
          ...{ title: 'Describe 1 dataset', noun: 'dataset', nouns: 'datasets' },
          ...{ going: 'Describing', done: 'described' },
        },
        records: [{ id: datasetId, name: 'Claims' }],
      },
      null,
    ),
};

export interface Begun {
  name: string;
  kind: JobKindId;
  id: string;
}

/** Notifies waiting tests when any job changes. */
export class News {
  #news = Promise.withResolvers<void>();

  notify(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  next(): Promise<void> {
    return this.#news.promise;
  }
}

/** Resolves once each condition is met. */
export async function whenAll(
  session: Session,
  begun: readonly Begun[],
  fits: (job: Job) => boolean,
  news: News,
): Promise<void> {
  for (;;) {
    const next = news.next();
    if (begun.every(({ kind, id }) => fits(session.jobs.get(kind, id)))) return;
    await next;
  }
}

/** Whether a job waits for a connection to the service, whether it has started or not. */
export const waits = ({ state, startAtMs, error }: Job): boolean =>
  error !== null && (state === 'waiting' || startAtMs !== null);
