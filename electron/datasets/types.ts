/** The dependencies and interfaces of builds and score runs; `createDatasets` in datasets.ts builds them. */
import type { OperationId } from '../api/endpoints.ts';
import type { ServiceClient } from '../api/types.ts';
import type { LeaseProcess } from '../core/jobs/lease.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import type { FileSpan } from '../core/spans/file-span.ts';
import type { DatasetStore } from '../db/build-store.ts';
import type { DamagedRows } from '../db/damaged-rows.ts';
import type { AnyJobSource } from '../jobs/source.ts';
import type { Plan } from '../scheduler/types.ts';
import type { BuildBatch, BuildBatchState } from '../shared/build-batch-model.ts';
import type { Coverage, CoverageQuery } from '../shared/coverage-model.ts';
import type { BuildAnswers, DatasetResults } from '../shared/dataset-contract.ts';
import type {
  BuildPlan,
  BuildRowFilter,
  DatasetBuild,
  DatasetTarget,
  Mapping,
  MappingCheck,
  SpanRef,
  StepDirection,
  TimeRange,
  UnresolvedAction,
} from '../shared/dataset-model.ts';
import type {
  ExtractedItems,
  FilePlace,
  ItemReading,
  ItemsCheck,
  ItemsJob,
  ItemsPart,
  ItemsPlan,
  SettledItems,
} from '../shared/items-model.ts';
import type { PartDecision } from '../shared/job-contract.ts';
import type { ListQuery, ListRow, RowPage } from '../shared/model.ts';
import type { NearDuplicatePair, NearDuplicateSkips } from '../shared/near-duplicate-model.ts';
import type { PickedRows, PickSource } from '../shared/pick-source.ts';
import type { Preset, PresetContent, PresetOwner } from '../shared/preset-contract.ts';
import type { Review } from '../shared/review-fold.ts';
import type { ReviewEvent } from '../shared/review-model.ts';
import type {
  ChosenItem,
  RunItem,
  RunRef,
  RunsComparison,
  RunsQuery,
  StoredExperiment,
  UsageQuery,
} from '../shared/run-comparison.ts';
import type { RunsUsage } from '../shared/run-usage.ts';
import type { ScoreItemState, ScorePlan, ScoreResult, ScoreRun, ScoreStart } from '../shared/score-model.ts';
import type { GroupAgreement, ReviewAgreement, SecondReviewCounts } from '../shared/second-review.ts';
import type { SentBefore } from '../shared/sent-before.ts';
import type { SpanFile, SpanFileCheck } from '../shared/span-file.ts';
import type { CheckedRow, RowStart } from '../shared/upload-model.ts';
import type { ValueLedger } from '../shared/value-ledger.ts';
import type { VerdictCounts } from '../shared/verdict-counts.ts';
import type { FoundNearDuplicate, NearDuplicateRequest } from './near-duplicate-thread.ts';
import type { StoredAnswer, StoredRequest } from './stored-comparison.ts';

/** The request for a near-duplicate search, without the paths of the stores. */
type NearDuplicateQuery = Omit<NearDuplicateRequest, 'datasetsFile' | 'snapshotsFile'>;

export interface DatasetOptions {
  /** Time after a call was sent from which its items are assumed to be visible, if they were stored. */
  evidenceSettleMs: number;
  /** Page size for picking a query into the basket. The service may return fewer. */
  pageRows: number;
  /** Maximum number of score requests of one run in flight. */
  maxScoring: number;
}

export interface ReadableFile {
  path: string;
  state: { sizeBytes: number; mtimeMs: number };
}

/**
 * If `start` is null, reads from the first row. Ends with the row that reaches the size limit, or with row number
 * `lastRow`.
 */
type ExtractStretch = (stretch: {
  path: string;
  reading: ItemReading;
  start: FilePlace | null;
  state: ReadableFile['state'] | null;
  most: { rows: number; bytes: number; lastRow: number | null };
  /** Identifies the job. Item ids are derived from it and from their rows. */
  seed: string;
}) => Promise<ExtractedItems>;

/** Jobs that add items from files. Failures are AppErrors. */
export interface ItemJobs {
  /** Reads the whole file, without sending anything. */
  check(plan: ItemsPlan): Promise<ItemsCheck>;
  /** Earlier jobs that added the same content to the same dataset, newest first. Rejects with FILE_* errors. */
  addedBefore(plan: ItemsPlan): Promise<SentBefore[]>;
  /** The reason why a text cannot replace a value of a column; null if it can. `text`: null for no value. */
  checkValue(plan: ItemsPlan, value: { source: string; text: string | null }): string | null;
  /**
   * The rows at these places, with the findings of the check. `plan.columns` must be as the check returned them.
   * Rejects with FILE_* errors.
   */
  checkRows(plan: ItemsPlan, places: RowStart[]): Promise<CheckedRow[]>;
  /** Keys of a JSON file that none of these columns reads. */
  newKeys(plan: Pick<ItemsPlan, 'fileId' | 'dialect' | 'columns'>): Promise<string[]>;
  /** Changed values and other findings from the check of the whole file; empty before it. */
  ledgerOf(itemsId: string): ValueLedger;
  /**
   * `told`: see `checkTold`. Rejects with NEEDS_DECISION if the same content was added before, unless the person has
   * seen that warning.
   */
  create(
    plan: ItemsPlan,
    startsNow: boolean,
    startAtMs: number | null,
    told?: readonly string[] | null,
  ): Promise<ItemsJob>;
  /** Newest first. If the id is null, jobs of every dataset. */
  list(datasetId: string | null): ItemsJob[];
  /** Throws INVALID_ARGUMENT for an unknown id. */
  get(itemsId: string): ItemsJob;
  control(
    itemsId: string,
    action: 'start' | 'pause' | 'resume' | 'cancel' | 'schedule' | 'unschedule',
    startAtMs: number | null,
  ): ItemsJob;
  decide(itemsId: string, part: number, decision: PartDecision): ItemsJob;
  listParts(
    itemsId: string,
    states: readonly string[] | null,
    offset: number,
    limit: number,
  ): { parts: ItemsPart[]; total: number };
  /** Writes the row, item id and request of everything that was added. */
  writeReceipts(itemsId: string, path: string): Promise<{ rows: number }>;
  forget(itemsId: string): void;
  whenIdle(itemsId: string): Promise<ItemsJob>;
}

export type ItemJobsDeps = DatasetsDeps & {
  options: Pick<DatasetOptions, 'pageRows' | 'evidenceSettleMs'>;
  /** Deletes the rows of removed jobs in the background. */
  tidyUp: () => void;
};

export interface DatasetsDeps {
  connectionId: string;
  store: DatasetStore;
  client: ServiceClient;
  clock: Clock;
  random: Random;
  logger: Logger;
  process: LeaseProcess;
  isReadOnly: () => boolean;
  /** Rejects with CONFLICT if a record was read only at a former address; undefined without a former address. */
  checkRead?: ((ids: readonly string[]) => Promise<void>) | undefined;
  /** Rows of a stored list, in the service's order. */
  readRows: (query: ListQuery, offset: number, limit: number) => Promise<RowPage>;
  /**
   * Items of a dataset from a position on, if its list is stored completely; otherwise null. Each batch states the
   * position after its last item.
   */
  readItemsHere: (
    datasetId: string,
    from: number,
  ) => AsyncIterable<{ items: Record<string, unknown>[]; offset: number }> | null;
  /** Results of an experiment, if their list is stored completely; otherwise null. */
  readResultsHere: (experimentId: string) => AsyncIterable<Record<string, unknown>[]> | null;
  /** Complete stored rows that a grid shows, in batches. Throws like `Library.chooseRows`. */
  readChosen: (choice: PickedRows, limit: number) => AsyncIterable<{ rows: ListRow[]; total: number }>;
  /** The expected cost of these requests, according to the scheduler's lanes. */
  plan: (requests: readonly { operation: OperationId; count: number }[]) => Plan;
  /** Fields of a dataset's items from its stored schema; null if it is not stored. */
  readSchema: (datasetId: string) => Promise<Record<string, unknown> | null>;
  /** Called after items or datasets were added, because stored data is then outdated. */
  onDatasetChanged: (datasetId: string) => void;
  /** Called after results of an experiment were added. */
  onExperimentChanged: (experimentId: string) => void;
  /** Writes a file completely or not at all. */
  writeFile: (path: string, lines: AsyncIterable<string> | Iterable<string>) => Promise<void>;
  onBuildChanged: (build: DatasetBuild) => void;
  onRunChanged: (run: ScoreRun) => void;
  onItemsChanged: (job: ItemsJob) => void;
  /** Reads items of a section of a file, in a separate thread. Rejects with FILE_* errors. */
  extractItems: ExtractStretch;
  /** Hexadecimal SHA-256 of a whole file, computed in a thread. */
  hashFile: (path: string) => Promise<string>;
  /** Reads the whole file. */
  settleItems: (file: {
    path: string;
    reading: ItemReading;
    state: ReadableFile['state'] | null;
    /** Name for an id that rows can share, used in notes. */
    idName?: string;
  }) => Promise<SettledItems>;
  /** Reads single rows of a file, in a thread. */
  checkItemRows: (rows: {
    path: string;
    reading: ItemReading;
    state: ReadableFile['state'];
    places: RowStart[];
  }) => Promise<CheckedRow[]>;
  /** See `ItemJobs.checkValue`. */
  replacementProblem: (reading: ItemReading, value: { source: string; text: string | null }) => string | null;
  /** Reads spans of a section of a file, or of the whole file, in a thread. */
  extractSpans: (
    stretch: ReadableFile & {
      dialect: SpanFile['dialect'];
      readings?: SpanFile['readings'];
      start: FilePlace | null;
      most: { rows: number; bytes: number };
    },
  ) => Promise<{ spans: FileSpan[]; rows: number; end: FilePlace | null }>;
  checkSpans: (file: ReadableFile & Pick<SpanFile, 'dialect' | 'readings'>) => Promise<SpanFileCheck>;
  /**
   * The text of an offered file: the file itself, or its uncompressed copy, which is kept. Rejects with FILE_* errors.
   */
  readableFile: (file: SpanFile) => Promise<ReadableFile>;
  /** Runs in a separate thread. Aborting `signal` ends the thread, and the call rejects with CANCELLED. */
  measureCoverage: (query: CoverageQuery, signal: AbortSignal) => Promise<Coverage>;
  /** An experiment as stored here. */
  experimentHere: (experimentId: string) => Promise<StoredExperiment>;
  /** Asks a thread that is kept for further requests. */
  askComparison: (request: StoredRequest) => Promise<StoredAnswer>;
  /** Deletes everything stored for comparisons of a removed run. Rejects with file errors. */
  forgetCompared: (run: RunRef) => Promise<void>;
  /** Runs in a separate thread. */
  findNearDuplicates: (query: NearDuplicateQuery, signal: AbortSignal) => Promise<FoundNearDuplicate[]>;
  options?: Partial<DatasetOptions>;
}

export interface BuildPatch {
  name?: string | undefined;
  mapping?: Mapping | undefined;
  target?: DatasetTarget | null | undefined;
  skipsAdded?: boolean | undefined;
  skipsUnresolved?: boolean | undefined;
  /** True to search spans that are not found in wider time ranges first. */
  widens?: boolean | undefined;
  /** True to read the spans again before the first call. */
  rechecks?: boolean | undefined;
  /** True to ask the service, before the first call, which spans of files it has. */
  asks?: boolean | undefined;
  timeRange?: TimeRange | null | undefined;
  marginMs?: number | undefined;
}

export interface GivenSpan extends SpanRef {
  start_time: string | null;
  /** In the form of spans.query. */
  record: Record<string, unknown> | null;
}

export type BuildAction =
  | 'commit'
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'schedule'
  | 'unschedule'
  | 'gather-evidence'
  | 'verify';
/** The format of a review file, and the spans that it includes. */
export interface ReviewChoice {
  format: 'csv' | 'jsonl';
  /** True to leave cells unescaped, even if a spreadsheet would execute them. */
  isExact: boolean;
  fits: (mark: Mark) => boolean;
}

/** A span of a build with the decision about it. */
export interface ReviewedSpan extends Mark {
  traceId: string;
  spanId: string;
  name: string | null;
  spanType: string | null;
  startTime: string | null;
  /** Id of the item that was made from the span; null if there is none. */
  itemId: string | null;
  failureKind: string | null;
}
type Mark = NonNullable<ReturnType<Review['marks']['get']>>;

export type BuildFile = 'receipts' | 'unresolved' | 'items' | 'review' | 'spans' | 'verdicts';

/** Builds of one connection: basket, mapping, preview, commit. Arguments are those of the channels `builds:*`. */
export interface Builds {
  create(given: { applicationId: string; applicationName: string; name: string }): DatasetBuild;
  list(): DatasetBuild[];
  get(buildId: string): DatasetBuild;
  copy(buildId: string): Promise<DatasetBuild>;
  forget(buildId: string): void;
  /** Like `forget`, but a basket with spans can be restored for a while. */
  softDelete(buildId: string): void;
  /** Throws INVALID_ARGUMENT if the build is already deleted. */
  restore(buildId: string): DatasetBuild;
  change(buildId: string, patch: BuildPatch): Promise<DatasetBuild>;
  pickRows(
    buildId: string,
    query: ListQuery,
    spans: readonly (SpanRef & { position: number })[],
    continues?: boolean,
  ): Promise<DatasetResults['builds:pick-spans']>;
  /**
   * Picks spans from other sources. A span with a `record` is complete; otherwise it has only its ids, and its start if
   * known.
   */
  pickGiven(
    buildId: string,
    spans: readonly GivenSpan[],
    continues?: boolean,
  ): Promise<{ build: DatasetBuild; added: number; known: number }>;
  /** Throws INVALID_ARGUMENT for a source of another application. */
  pickAll(buildId: string, source: PickSource): DatasetBuild;
  /** Reads a whole file of spans without picking any. Rejects with FILE_* errors. */
  checkFile(file: SpanFile): Promise<SpanFileCheck>;
  /**
   * Asks the service for spans of files, and for spans of which only the ids are stored. Rejects if the service is
   * unreachable.
   */
  ask(buildId: string): Promise<DatasetBuild>;
  /** Does nothing if picking has just ended. Throws CONFLICT if another process works on the build. */
  stopPicking(buildId: string): DatasetBuild;
  /** Copies spans of another basket of the same application, as one undo step. Includes excluded spans. */
  pickOf(buildId: string, fromId: string, positions: readonly number[]): Promise<DatasetBuild>;
  /** `continues`: the change is undone together with the previous one. */
  unpick(
    buildId: string,
    spans: readonly SpanRef[] | 'all' | 'excluded',
    continues?: boolean,
  ): Promise<DatasetBuild>;
  /** Undoes or redoes one change of the basket. Throws INVALID_ARGUMENT if there is none. */
  step(buildId: string, direction: StepDirection): Promise<DatasetBuild>;
  exclude(buildId: string, positions: readonly number[], isExcluded: boolean): DatasetBuild;
  findPicked(buildId: string, spans: readonly SpanRef[]): BuildAnswers['find-picked'];
  /** Searches for near-duplicates and excludes them according to `skips`, except those that a person keeps. */
  findNearDuplicates(buildId: string, threshold: number, skips?: NearDuplicateSkips): Promise<DatasetBuild>;
  /** Throws INVALID_ARGUMENT for a span that no search since the start found as a near-duplicate. */
  readNearDuplicate(buildId: string, position: number): NearDuplicatePair;
  /** Differences between the prepared spans and the spans that were read again. */
  readDifferences(buildId: string, offset: number, limit: number): BuildAnswers['differences'];
  readRows(
    buildId: string,
    request: { mapping: Mapping | null; show: BuildRowFilter; offset: number; limit: number },
  ): BuildAnswers['rows'];
  /** Complete records of picked spans from this position on. */
  readRecords(buildId: string, position: number): BuildAnswers['records'];
  /** One complete span, and the item made from it. */
  readSpan(buildId: string, mapping: Mapping | null, position: number): BuildAnswers['span'];
  listKeys(buildId: string, request: { search: string; offset: number; limit: number }): BuildAnswers['keys'];
  checkMapping(buildId: string, mapping: Mapping): Promise<MappingCheck>;
  suggestMapping(buildId: string): Promise<BuildAnswers['suggest-mapping']>;
  plan(buildId: string): BuildPlan;
  /** Events from number `seq` on. The answer may be incomplete; continue after its last event. */
  readReview(buildId: string, seq: number): BuildAnswers['review'];
  /** Positions of picked spans from `position` on, ascending, at most a few thousand. Continue after the last one. */
  readPlaces(buildId: string, position: number): number[];
  /**
   * Adds events, the first with number `seq`. They are on disk when the call returns, together with their effects on a
   * build that is being edited: rejected spans are excluded, skipped ones too unless the review includes them, and
   * edited ones get their expected output. Events that are already stored are no error. Throws CONFLICT if other events
   * are stored with these numbers.
   */
  addReview(buildId: string, seq: number, events: readonly ReviewEvent[]): Promise<void>;
  /** The review computed from its events. */
  review(buildId: string): Promise<Review>;
  /** The reviewed spans of a build, in order. */
  reviewedSpans(buildId: string): AsyncIterable<ReviewedSpan>;
  /**
   * Reads the review file of another reviewer. It replaces an earlier one of the same name. Rejects with FILE_* errors,
   * and INVALID_ARGUMENT if no decision concerns a span of this build.
   */
  addSecondReview(buildId: string, file: SpanFile, reviewer: string): Promise<SecondReviewCounts>;
  /** The agreement with each other reviewer. */
  agreements(buildId: string): Promise<ReviewAgreement[]>;
  /** The agreement of all reviewers; null for fewer than three. */
  groupAgreement(buildId: string): Promise<GroupAgreement | null>;
  /**
   * Writes the decisions as results of an experiment, with `Human` as the evaluator. If `datasetId` is null, the
   * dataset of the build is used. Throws INVALID_ARGUMENT if it has none.
   */
  /**
   * Writes the verdicts as results of a new experiment, or with `experiment` as scores to be added to its results.
   * Throws NOT_STORED unless all results are stored here.
   */
  writeVerdicts(
    buildId: string,
    path: string,
    datasetId: string | null,
    experiment?: { id: string; name: string },
  ): Promise<VerdictCounts>;
  /** The counts that `writeVerdicts` would return for an experiment, without writing a file. */
  countVerdicts(
    buildId: string,
    datasetId: string | null,
    experiment: { id: string; name: string },
  ): Promise<VerdictCounts>;
  /** Writes the reviewed spans that match to a file. */
  writeReview(buildId: string, path: string, choice: ReviewChoice): Promise<{ rows: number }>;
  /** `startAtMs`, a future wall time, is only used by `schedule`. `unschedule` leaves the build's state unchanged. */
  control(buildId: string, action: BuildAction, startAtMs?: number | null): Promise<DatasetBuild>;
  settleUnresolved(buildId: string, action: UnresolvedAction, marginMs: number | null): Promise<DatasetBuild>;
  listBatches(
    buildId: string,
    offset: number,
    limit: number,
    states?: readonly BuildBatchState[] | null,
  ): { batches: BuildBatch[]; total: number };
  decideBatch(
    buildId: string,
    batch: number,
    decision: 'stored' | 'resend' | 'give-up',
  ): Promise<DatasetBuild>;
  writeFile(buildId: string, what: BuildFile, path: string): Promise<{ rows: number; notes?: string[] }>;
  /** Resolves when no span or call of the build is in flight, and no automatic start in this process is due. */
  whenIdle(buildId: string): Promise<DatasetBuild>;
}

export type RunAction = 'pause' | 'resume' | 'retry' | 'schedule' | 'unschedule';

/** Score runs of one connection. */
export interface Scores {
  /** Starts scoring, or schedules it with `startAtMs`. `create` first checks the dataset with `checkRead`. */
  start(plan: ScorePlan, start?: ScoreStart): ScoreRun;
  create(plan: ScorePlan, start: ScoreStart): Promise<ScoreRun>;
  list(datasetId: string | null): ScoreRun[];
  get(runId: string): ScoreRun;
  /** `startAtMs` is only used by `schedule`. `unschedule` leaves the run paused. */
  control(runId: string, action: RunAction, startAtMs?: number | null): ScoreRun;
  forget(runId: string): void;
  listResults(
    runId: string,
    request: { show: 'all' | ScoreItemState; offset: number; limit: number },
  ): { results: ScoreResult[]; total: number };
  ofItems(datasetId: string, itemIds: readonly string[]): DatasetResults['scores:of-items'];
  /** Every result in a state, read lazily; null for all states. */
  results(runId: string, state: ScoreResult['state'] | null): Iterable<ScoreResult>;
  /** The trace of each item that was built here from a span. */
  tracesOf(datasetId: string): Promise<ReadonlyMap<string, string>>;
  writeFile(runId: string, path: string): Promise<{ rows: number }>;
  /** Writes the scores as results of an experiment. Throws NOT_STORED, INVALID_ARGUMENT. */
  writeResults(runId: string, path: string): Promise<{ rows: number; notes: string[] }>;
  whenIdle(runId: string): Promise<ScoreRun>;
}

/** Comparisons of runs over one dataset, from stored results. */
export interface Comparisons {
  /** Throws INVALID_ARGUMENT for equal runs, runs of several datasets and unknown scores; NOT_FOUND, STORE_* errors. */
  compare(query: RunsQuery): Promise<RunsComparison>;
  /** A page of the items that pass a filter, in order. Throws the same errors as `compare`. */
  items(query: Omit<RunsQuery, 'hasShape'>): Promise<ChosenItem[]>;
  /** Throws the same errors as `compare`. */
  item(runs: readonly RunRef[], itemId: string): Promise<RunItem>;
  /**
   * Tokens, cost and critical path of the traces that the results refer to, from stored spans. They are read in steps,
   * with other requests answered in between. Throws the same errors as `compare`.
   */
  usage(query: UsageQuery): Promise<RunsUsage>;
  /** Reads a large run in advance, so that its first comparison is fast. Throws the same errors as `compare`. */
  prepare(run: RunRef): Promise<void>;
}

/** Named mappings for spans and for files. Failures are AppErrors. */
export interface Presets {
  /** Sorted by name. */
  list(owner: PresetOwner): Preset[];
  /** Mappings for spans of an application, including those for only one of its datasets. */
  ofApplication(applicationId: string): Preset[];
  /** Replaces an existing preset of that name. Throws INVALID_ARGUMENT for content that cannot be stored. */
  save(owner: PresetOwner, name: string, content: PresetContent): Preset;
  /** Does nothing if there is no such preset. */
  remove(owner: PresetOwner, name: string): void;
}

export interface Datasets {
  builds: Builds;
  scores: Scores;
  comparisons: Comparisons;
  presets: Presets;
  items: ItemJobs;
  /** Compares a dataset with production, using stored data. Rejects with STORE_* errors. */
  measureCoverage(query: CoverageQuery): Promise<Coverage>;
  /** Unreadable stored rows. */
  damaged: DamagedRows;
  /** Builds and score runs, as jobs. */
  sources: readonly AnyJobSource[];
  /**
   * Must be called once after start. Calls in flight of a killed process become unknown. With `continues`, its running
   * jobs resume and planned jobs start automatically in this process; otherwise running jobs become paused. Jobs of
   * another living process are not touched.
   */
  recover(how: { continues: boolean }): void;
  /** Called when the service is reachable again. Waiting jobs continue at once. */
  wake(): void;
  /** Waits up to `graceMs` for requests in flight, then ends everything. */
  stop(graceMs?: number): Promise<void>;
}
