/** Builds and score runs with a real store, a real library and a real service, but without a window. */
import { join } from 'node:path';
import type { ServiceClient } from '../../electron/api/types.ts';
import { ComparisonThread } from '../../electron/datasets/comparison-thread.ts';
import { coverageInThread } from '../../electron/datasets/coverage-thread.ts';
import { createDatasets } from '../../electron/datasets/datasets.ts';
import { findInThread } from '../../electron/datasets/near-duplicate-thread.ts';
import type { DatasetOptions, Datasets, DatasetsDeps } from '../../electron/datasets/types.ts';
import { type DatasetStore, openDatasetStore } from '../../electron/db/build-store.ts';
import { systemIdentity } from '../../electron/db/process-identity.ts';
import { removeColumns } from '../../electron/db/run-column-files.ts';
import { laneOf } from '../../electron/engine/budgets.ts';
import { readChosen } from '../../electron/library/read-chosen.ts';
import { readExperimentHere } from '../../electron/library/read-experiment-here.ts';
import { readItemsHere, readResultsHere } from '../../electron/library/read-items-here.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import type { DatasetBuild, Mapping } from '../../electron/shared/dataset-model.ts';
import type { ItemsJob } from '../../electron/shared/items-model.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { SpanSelection } from '../../electron/shared/pick-source.ts';
import type { ScoreRun } from '../../electron/shared/score-model.ts';
import { readFileState } from '../../electron/uploads/file-state.ts';
import { checkItemRows } from '../../electron/uploads/items/check-item-rows.ts';
import { extractItems } from '../../electron/uploads/items/extract-items.ts';
import { replacementProblem } from '../../electron/uploads/items/item-of-row.ts';
import { settleItems } from '../../electron/uploads/items/settle-items.ts';
import { checkSpans, extractSpans } from '../../electron/uploads/spans/extract-spans.ts';
import { hashFile } from '../../electron/uploads/validate/scan-file.ts';
import { writeWhole } from '../../electron/uploads/whole-file-writer.ts';
import { lastingFolder } from './child-life.ts';
import { DataFolder } from './data-folder.ts';
import { CONNECTION_ID, LibraryRig } from './library-rig.ts';
import { Notices } from './notices.ts';
import { silentLogger } from './virtual-world.ts';

export const MAPPING: Mapping = [
  { bucket: 'inputs', field: 'question', key: 'system.gen_ai.llm.input.user' },
  { bucket: 'inputs', field: 'intent', key: 'user.intent' },
  { bucket: 'expected_outputs', field: 'answer', key: 'system.gen_ai.llm.output' },
  { bucket: 'metadata', field: 'model', key: 'system.gen_ai.request.model' },
  { bucket: 'extras', field: 'tokens', key: 'system.gen_ai.usage.total_tokens' },
];

export interface DatasetRigOptions {
  baseUrl: string;
  token: string;
  /** The folder for the files. It remains when the rig ends. */
  keptFolder?: Pick<DataFolder, 'path' | 'file'>;
  options?: Partial<DatasetOptions>;
  /** Factor by which timers are shortened. */
  haste?: number;
  /** Factor by which the scheduler's waits are shortened, for a service without limits. */
  schedulerHaste?: number;
  /** How far the wall time is ahead at present, in ms. */
  aheadMs?: () => number;
  /** Another process id, for tests with two processes on one folder. */
  processId?: number;
  wrapClient?: (client: ServiceClient) => ServiceClient;
  /** Reads ranges of span files. */
  extractSpans?: DatasetsDeps['extractSpans'];
}

export class DatasetRig implements AsyncDisposable {
  readonly library: LibraryRig;
  readonly store: DatasetStore;
  readonly datasets: Datasets;
  readonly client: ServiceClient;
  readonly builds: DatasetBuild[] = [];
  readonly runs: ScoreRun[] = [];
  readonly additions: ItemsJob[] = [];
  readonly touched: string[] = [];
  readonly #folder: DataFolder;
  readonly #notices = new Notices();
  readonly #comparison: ComparisonThread;

  constructor({ baseUrl, token, keptFolder, options, haste = 1, wrapClient, ...rest }: DatasetRigOptions) {
    const { aheadMs = () => 0, processId, schedulerHaste } = rest;
    this.#folder = keptFolder === undefined ? new DataFolder() : lastingFolder(keptFolder.path);
    this.library = new LibraryRig(baseUrl, {
      ...{ token, folder: this.#folder },
      ...(schedulerHaste === undefined ? {} : { haste: schedulerHaste }),
    });
    // More rows than tests select. Otherwise the rest of the list would be read in every test.
    Object.assign(this.library.settings, { pageRows: 500, prefetchRows: 1_000 });
    this.client = wrapClient?.(this.library.clientRig.client) ?? this.library.clientRig.client;
    const clock = {
      ...systemClock,
      nowMs: () => systemClock.nowMs() + aheadMs(),
      setTimer: (callback: () => void, delayMs: number) => systemClock.setTimer(callback, delayMs / haste),
    };
    this.store = openDatasetStore({ file: this.#folder.file('datasets.db'), clock, logger: silentLogger });
    this.#comparison = new ComparisonThread(
      {
        libraryFile: this.#folder.file('library.db'),
        datasetsFile: this.#folder.file('datasets.db'),
        columnsFolder: this.#folder.file('analysis'),
      },
      removeColumns,
    );
    const { pid, isRunning } = systemIdentity();
    const { library } = this.library;
    const { scheduler, switches } = this.library.clientRig;
    this.datasets = createDatasets({
      connectionId: CONNECTION_ID,
      store: this.store,
      client: this.client,
      clock,
      random: systemRandom,
      logger: silentLogger,
      process: processId === undefined ? { pid, isRunning } : { pid: processId, isRunning: () => true },
      isReadOnly: () => switches.isReadOnly,
      readRows: (query, offset, limit) =>
        library.readRows({ query, window: { offset, limit, sort: null, narrow: null } }),
      readChosen: (choice, limit) => readChosen(library, clock, choice, limit),
      readItemsHere: (datasetId, from) => readItemsHere(library, clock, datasetId, from),
      readResultsHere: (experimentId) => readResultsHere(library, clock, experimentId),
      readSchema: async (datasetId) => {
        const query = { operation: 'datasets.schema', path: { dataset_id: datasetId }, query: {} };
        return (await library.openRecord({ viewId: 'schema', query, refresh: 'never' })).record;
      },
      plan: (requests) =>
        scheduler.plan(
          requests.map(({ operation, count }) => ({
            lane: laneOf({ origin: baseUrl, tokenId: 'rig' }, operation),
            count,
          })),
        ),
      onDatasetChanged: (datasetId) => {
        this.touched.push(datasetId);
      },
      onExperimentChanged: (experimentId) => {
        this.touched.push(experimentId);
      },
      writeFile: writeWhole,
      onBuildChanged: (build) => this.#heard(() => this.builds.push(build)),
      onRunChanged: (run) => this.#heard(() => this.runs.push(run)),
      onItemsChanged: (job) => this.#heard(() => this.additions.push(job)),
      extractItems,
      hashFile,
      settleItems,
      checkItemRows,
      replacementProblem,
      extractSpans: rest.extractSpans ?? extractSpans,
      checkSpans,
      readableFile: async ({ fileId: path }) => ({ path, state: await readFileState(path) }),
      experimentHere: (experimentId) => readExperimentHere(library, experimentId),
      askComparison: (request) => this.#comparison.ask(request),
      forgetCompared: (run) => this.#comparison.forget(run),
      measureCoverage: (query, signal) =>
        coverageInThread(
          {
            query,
            libraryFile: this.#folder.file('library.db'),
            datasetsFile: this.#folder.file('datasets.db'),
          },
          signal,
        ),
      findNearDuplicates: (query, signal) =>
        findInThread(
          {
            ...query,
            datasetsFile: this.#folder.file('datasets.db'),
            snapshotsFile: this.#folder.file('snapshots.db'),
          },
          signal,
        ),
      options: { evidenceSettleMs: 0, ...options },
    });
  }

  #heard(note: () => void): void {
    note();
    this.#notices.heard();
  }

  /** Waits for a matching event. */
  until<T>(find: () => T | undefined): Promise<T> {
    return this.#notices.until(find);
  }

  path(name: string): string {
    return join(this.#folder.path, name);
  }

  async applicationId(name = 'Support assistant'): Promise<string> {
    const { value } = await this.client.list('applications.list', {}, { priority: 'view' });
    const found = value.items.find((application) => application.name === name) ?? value.items[0];
    if (found === undefined) throw new Error('The service has no application.');
    return found.id;
  }

  /** A selection of every span of the application. */
  async selection(): Promise<SpanSelection> {
    return {
      application_id: await this.applicationId(),
      start_time: '2020-01-01T00:00:00Z',
      end_time: '2040-01-01T00:00:00Z',
    };
  }

  /** Opens the stored list of the spans. */
  async openSpans(selection: SpanSelection): Promise<ListQuery> {
    const { application_id, start_time, end_time, ordering } = selection;
    const body = { application_id, start_time, end_time, ...(ordering ? { ordering } : {}) };
    const query = { operation: 'spans.query', path: {}, query: {}, body };
    await this.library.read(query);
    return query;
  }

  async newBuild(name = 'Answers'): Promise<string> {
    const applicationId = await this.applicationId();
    return this.datasets.builds.create({ applicationId, applicationName: 'Support assistant', name }).buildId;
  }

  /** Selects the first `count` matching spans by their positions in the stored list. */
  async pick(
    buildId: string,
    count: number,
    fits: (record: Record<string, unknown>) => boolean = () => true,
  ): Promise<Record<string, unknown>[]> {
    const query = await this.openSpans(await this.selection());
    const picked: { position: number; record: Record<string, unknown> }[] = [];
    for (let offset = 0; picked.length < count; offset += 200) {
      const window = { offset, limit: 200, sort: null, narrow: null };
      const { rows } = await this.library.library.readRows({ query, window });
      if (rows.length === 0) throw new Error(`Only ${picked.length} spans fit.`);
      picked.push(...rows.filter(({ record }) => fits(record)).slice(0, count - picked.length));
    }
    for (let from = 0; from < picked.length; from += 500) {
      const spans = picked.slice(from, from + 500).map(({ position, record }) => ({
        position,
        trace_id: String(record['trace_id']),
        span_id: String(record['span_id']),
      }));
      await this.datasets.builds.pickRows(buildId, query, spans);
    }
    return picked.map(({ record }) => record);
  }

  async target(buildId: string, name: string, mapping = MAPPING): Promise<void> {
    const target = { kind: 'new' as const, name, description: 'From spans', metadata: null };
    await this.datasets.builds.change(buildId, { target, mapping });
  }

  async commit(buildId: string): Promise<DatasetBuild> {
    await this.datasets.builds.control(buildId, 'commit');
    return this.datasets.builds.whenIdle(buildId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.datasets.stop(0);
    await this.#comparison.close();
    this.store.close();
    await this.library[Symbol.asyncDispose]();
  }
}
