/** The datasets component of a session, with its store and dependencies. */
import type { ServiceClient } from '../api/types.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import { ComparisonThread } from '../datasets/comparison-thread.ts';
import { coverageInThread } from '../datasets/coverage-thread.ts';
import { createDatasets } from '../datasets/datasets.ts';
import { itemsSource } from '../datasets/items-jobs.ts';
import { buildSource, scoreSource } from '../datasets/job-sources.ts';
import { findInThread } from '../datasets/near-duplicate-thread.ts';
import type {
  Builds,
  Comparisons,
  Datasets,
  DatasetsDeps,
  ItemJobs,
  Presets,
  Scores,
} from '../datasets/types.ts';
import { type DatasetStore, openDatasetStore } from '../db/build-store.ts';
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { Generation } from '../db/library-rows.ts';
import { onlyReads } from '../db/only-reads.ts';
import { systemIdentity } from '../db/process-identity.ts';
import { removeColumns } from '../db/run-column-files.ts';
import type { ServiceOfStore } from '../db/service-of-store.ts';
import { readChosen } from '../library/read-chosen.ts';
import { readExperimentHere } from '../library/read-experiment-here.ts';
import { readInPieces, readItemsHere, readResultsHere } from '../library/read-items-here.ts';
import type { Library } from '../library/types.ts';
import type { Lane, RequestScheduler } from '../scheduler/types.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import type { Job } from '../shared/job-contract.ts';
import { buildAsJob } from '../shared/job-kinds/build.ts';
import { itemsAsJob } from '../shared/job-kinds/items.ts';
import { scoresAsJob } from '../shared/job-kinds/scores.ts';
import type { ListQuery } from '../shared/model.ts';
import type { RunRef } from '../shared/run-comparison.ts';
import { readFileState } from '../uploads/file-state.ts';
import { replacementProblem } from '../uploads/items/item-of-row.ts';
import type { FileRegistry } from '../uploads/types.ts';
import { writeWhole } from '../uploads/whole-file-writer.ts';
import { createFileReader, type FileReader } from '../uploads/worker/file-reader.ts';
import { askedOf } from './budgets.ts';
import type { CheckRead } from './former-records.ts';
import { noJobs, type Opened, refusing, tryOpen } from './unavailable-rooms.ts';
import { type WhenUsed, whenUsed } from './when-used.ts';

interface DatasetParts {
  connectionId: string;
  file: string;
  snapshotsFile: string;
  libraryFile: string;
  /** Folder for columns of compared runs, which can be rebuilt. */
  columnsFolder: string;
  client: ServiceClient;
  library: Library;
  scheduler: RequestScheduler;
  files: FileRegistry;
  token: Pick<Lane, 'origin' | 'tokenId'>;
  service: ServiceOfStore | undefined;
  clock: Clock;
  random: Random;
  logger: Logger;
  isReadOnly: () => boolean;
  checkRead: CheckRead | undefined;
  /** Damage found by checks while the store was in use. */
  damage: ReadonlyMap<string, AppError>;
  /** Whether builds and score runs that a killed process left running are continued. */
  continues: boolean;
  publishJob: (job: Job) => void;
  /** Called once, after the store was opened or refused. */
  onOpened: () => void;
}

interface OpenDatasets extends Datasets {
  /** False if the store could not be opened. */
  isOpen: boolean;
  /** Called when a list was read to its end. */
  onComplete(query: ListQuery, generation: Pick<Generation, 'rowCount'>): void;
  close(): Promise<void>;
}

/**
 * Minimum items of a run that is prepared for comparisons; a smaller run is read quickly enough when it is compared.
 */
const MIN_PREPARED = 5_000;
const SCHEMA_VIEW = 'schema of a build';

/**
 * Opens the store and starts the component at the first use. If the store cannot be opened, all calls fail with the
 * reason.
 */
export function openDatasets(parts: DatasetParts): WhenUsed<OpenDatasets> {
  const nothing = () => undefined;
  const ended = () => Promise.resolve();
  // Replaces these methods until the first use: only a process that continues jobs prepares anything, and it uses the
  // component at once.
  const resting = { wake: nothing, onComplete: nothing, stop: ended, close: ended };
  return whenUsed<OpenDatasets>(
    () => openNow(parts),
    resting,
    (datasets) => {
      parts.onOpened();
      try {
        if (!onlyReads()) datasets.recover({ continues: parts.continues });
      } catch (thrown) {
        parts.logger.error('builds not recovered', { reason: toAppError(thrown).message });
      }
    },
  );
}

function openNow(parts: DatasetParts): OpenDatasets {
  const { file, clock, logger, library, publishJob, scheduler, token } = parts;
  const store = tryOpen(() => {
    const found = parts.damage.get(file);
    if (found !== undefined) throw found;
    return openDatasetStore({ file, clock, logger, service: parts.service });
  });
  if (store.error !== null) {
    logger.error('store not opened', { code: store.error.code, reason: store.error.message });
    return refused(store);
  }
  const reader = createFileReader(clock);
  const { libraryFile, columnsFolder } = parts;
  const comparison = new ComparisonThread({ libraryFile, datasetsFile: file, columnsFolder }, removeColumns);
  const prepare = (run: RunRef, items: number) => {
    // A command would end before the preparation is complete.
    if (!parts.continues || items < MIN_PREPARED) return;
    datasets.comparisons.prepare(run).catch((problem: unknown) => {
      // Not an error: the first comparison then reads the run.
      logger.warn('a run is not prepared for comparisons', { reason: toAppError(problem).message });
    });
  };
  const datasets = createDatasets({
    ...parts,
    store: store.value,
    process: systemIdentity(),
    readRows: (query, offset, limit) => readInPieces(library, clock, query, { offset, limit }),
    readItemsHere: (datasetId, from) => readItemsHere(library, clock, datasetId, from),
    readResultsHere: (experimentId) => readResultsHere(library, clock, experimentId),
    readChosen: (choice, limit) => readChosen(library, clock, choice, limit),
    readSchema: async (datasetId) => {
      const query = { operation: 'datasets.schema', path: { dataset_id: datasetId }, query: {} };
      const { record } = await library.openRecord({ viewId: SCHEMA_VIEW, query, refresh: 'never' });
      library.release(SCHEMA_VIEW);
      return record;
    },
    plan: (requests) =>
      scheduler.plan(requests.map(({ operation, count }) => askedOf(token, operation, count))),
    onDatasetChanged: (datasetId) => touchDataset(library, datasetId),
    onExperimentChanged: (experimentId) => touchExperiment(library, experimentId),
    writeFile: writeWhole,
    onBuildChanged: (build) =>
      publishJob(buildAsJob(build, () => datasets.builds.plan(build.buildId).requests)),
    onRunChanged: (run) => {
      publishJob(scoresAsJob(run));
      if (run.state === 'done') prepare({ kind: 'scores', id: run.runId }, run.counts.items);
    },
    onItemsChanged: (job) => publishJob(itemsAsJob(job)),
    ...readingWith(reader, clock),
    replacementProblem,
    readableFile: (file) => readableFile(parts.files, file),
    experimentHere: (experimentId) => readExperimentHere(library, experimentId),
    askComparison: (request) => comparison.ask(request),
    forgetCompared: (run) => comparison.forget(run),
    measureCoverage: (query, signal) =>
      coverageInThread({ query, libraryFile: parts.libraryFile, datasetsFile: file }, signal),
    findNearDuplicates: (query, signal) =>
      findInThread({ ...query, datasetsFile: file, snapshotsFile: parts.snapshotsFile }, signal),
  });
  const close = async () => {
    try {
      await Promise.all([reader.stop(), comparison.close()]);
    } finally {
      store.value.close();
    }
  };
  const onComplete = ({ operation, path, query }: ListQuery, { rowCount }: Pick<Generation, 'rowCount'>) => {
    const id = path['experiment_id'];
    if (operation === 'experiments.results' && id !== undefined && Object.keys(query).length === 0)
      prepare({ kind: 'experiment', id }, rowCount);
  };
  return { isOpen: true, ...datasets, onComplete, close };
}

/** Rows of all files are read in one thread. */
function readingWith(
  reader: FileReader,
  clock: Clock,
): Pick<
  DatasetsDeps,
  'extractItems' | 'settleItems' | 'checkItemRows' | 'hashFile' | 'extractSpans' | 'checkSpans'
> {
  return {
    extractItems: (stretch) => reader.call('items', stretch),
    hashFile: async (path) => (await reader.call('hash', { path })).sha256,
    settleItems: (file) => reader.call('settle-items', { ...file, nowMs: clock.nowMs() }),
    checkItemRows: (rows) => reader.call('check-item-rows', rows),
    extractSpans: (stretch) => reader.call('spans', stretch),
    checkSpans: (file) => reader.call('check-spans', file),
  };
}

async function readableFile(
  files: FileRegistry,
  { fileId, dialect }: Parameters<DatasetsDeps['readableFile']>[0],
): ReturnType<DatasetsDeps['readableFile']> {
  const { path } = await files.readable(fileId, dialect);
  await files.keep(path);
  return { path, state: await readFileState(path) };
}

function touchDataset(library: Library, datasetId: string): void {
  const path = { dataset_id: datasetId };
  library.invalidate([
    { operation: 'datasets.items', path },
    { operation: 'datasets.schema', path },
    { operation: 'datasets.get', path },
    { operation: 'datasets.list' },
  ]);
}

function touchExperiment(library: Library, experimentId: string): void {
  const path = { experiment_id: experimentId };
  library.invalidate([
    { operation: 'experiments.results', path },
    { operation: 'experiments.metrics', path },
    { operation: 'experiments.metric-rows', path },
    { operation: 'experiments.get', path },
    { operation: 'experiments.list' },
  ]);
}

function refused({ error }: Opened<DatasetStore> & { value: null }): OpenDatasets {
  const nothing = () => undefined;
  const builds = refusing<Builds>(error, {});
  const scores = refusing<Scores>(error, {});
  const items = refusing<ItemJobs>(error, {});
  return {
    isOpen: false,
    builds,
    scores,
    comparisons: refusing<Comparisons>(error, {}),
    presets: refusing<Presets>(error, { list: () => [], ofApplication: () => [] }),
    items,
    measureCoverage: () => Promise.reject(error),
    damaged: refusing<DamagedRows>(error, { list: () => [] }),
    sources: [
      buildSource(builds, noJobs(error)),
      scoreSource(scores, noJobs(error)),
      itemsSource(items, noJobs(error)),
    ],
    recover: nothing,
    wake: nothing,
    stop: () => Promise.resolve(),
    onComplete: nothing,
    close: () => Promise.resolve(),
  };
}
