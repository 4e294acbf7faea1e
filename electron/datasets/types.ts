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

/** The request of a near-duplicate search, without the paths of the stores. */
type NearDuplicateQuery = Omit<NearDuplicateRequest, 'datasetsFile' | 'snapshotsFile'>;

export interface DatasetOptions {
  /** This long after a call was sent, its items are assumed to be visible if they were stored. */
  evidenceSettleMs: number;
  /** Page size for picking a query into the basket; the service may return fewer. */
  pageRows: number;
  /** Maximum score requests of one run in flight. */
  maxScoring: number;
}

export interface ReadableFile {
  path: string;
  state: { sizeBytes: number; mtimeMs: number };
}

/** `start` null: the first row. Ends with the row that reaches the size limit, or with the row `lastRow`. */
type ExtractStretch = (stretch: {
  path: string;
  reading: ItemReading;
  start: FilePlace | null;
  state: ReadableFile['state'] | null;
  most: { rows: number; bytes: number; lastRow: number | null };
  /** Item ids are derived from it and from their rows. */
  seed: string;
}) => Promise<ExtractedItems>;

/** Jobs that add items from files. Failures are AppErrors. */
export interface ItemJobs {
  /** Reads the whole file and sends nothing. */
  check(plan: ItemsPlan): Promise<ItemsCheck>;
  /** Earlier jobs that added the same content to the same dataset, newest first. Rejects with FILE_* errors. */
  addedBefore(plan: ItemsPlan): Promise<SentBefore[]>;
  /** Why a text cannot replace a value of a column; null if it can. `text`: null for no value. */
  checkValue(plan: ItemsPlan, value: { source: string; text: string | null }): string | null;
  /** Rows at these places with their check results; `plan.columns` as the check returned them. Rejects with FILE_* errors. */
  checkRows(plan: ItemsPlan, places: RowStart[]): Promise<CheckedRow[]>;
  /** Keys of a JSON file that are in none of these columns. */
  newKeys(plan: Pick<ItemsPlan, 'fileId' | 'dialect' | 'columns'>): Promise<string[]>;
  /** The report on values from the check of the whole file; empty before it. */
  ledgerOf(itemsId: string): ValueLedger;
  /**
   * `told`: see `checkTold`. Rejects with NEEDS_DECISION if the same content was added before and the person was not
   * notified.
   */
  create(
    plan: ItemsPlan,
    startsNow: boolean,
    startAtMs: number | null,
    told?: readonly string[] | null,
  ): Promise<ItemsJob>;
  /** Newest first; null: for every dataset. */
  list(datasetId: string | null): ItemsJob[];
  /** Throws INVALID_ARGUMENT if there is none. */
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
  /** Row, item id and request of everything that was added. */
  writeReceipts(itemsId: string, path: string): Promise<{ rows: number }>;
  forget(itemsId: string): void;
  whenIdle(itemsId: string): Promise<ItemsJob>;
}

export type ItemJobsDeps = DatasetsDeps & {
  options: Pick<DatasetOptions, 'pageRows'>;
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
  /** Rows of a stored list, in the service's order. */
  readRows: (query: ListQuery, offset: number, limit: number) => Promise<RowPage>;
  /**
   * Items of a dataset from a position on, if its list is stored completely; null otherwise. Each batch states the
   * position after its last item.
   */
  readItemsHere: (
    datasetId: string,
    from: number,
  ) => AsyncIterable<{ items: Record<string, unknown>[]; offset: number }> | null;
  /** Results of an experiment, if their list is stored completely; null otherwise. */
  readResultsHere: (experimentId: string) => AsyncIterable<Record<string, unknown>[]> | null;
  /** Complete stored rows that a grid shows, in batches. Throws as `Library.chooseRows` does. */
  readChosen: (choice: PickedRows, limit: number) => AsyncIterable<{ rows: ListRow[]; total: number }>;
  /** The expected cost of these requests, by the scheduler's lanes. */
  plan: (requests: readonly { operation: OperationId; count: number }[]) => Plan;
  /** Fields of a dataset's items from its stored schema; null if it is not stored. */
  readSchema: (datasetId: string) => Promise<Record<string, unknown> | null>;
  /** Items or datasets were added: their stored data is outdated. */
  onDatasetChanged: (datasetId: string) => void;
  /** Results of an experiment were added. */
  onExperimentChanged: (experimentId: string) => void;
  /** Writes a file atomically. */
  writeFile: (path: string, lines: AsyncIterable<string> | Iterable<string>) => Promise<void>;
  onBuildChanged: (build: DatasetBuild) => void;
  onRunChanged: (run: ScoreRun) => void;
  onItemsChanged: (job: ItemsJob) => void;
  /** Items of a section of a file, read in a separate thread. Rejects with FILE_* errors. */
  extractItems: ExtractStretch;
  /** Hexadecimal SHA-256 of a whole file; also in a thread. */
  hashFile: (path: string) => Promise<string>;
  /** Reads the whole file. */
  settleItems: (file: {
    path: string;
    reading: ItemReading;
    state: ReadableFile['state'] | null;
    /** The name of the id that rows can share, in notes. */
    idName?: string;
  }) => Promise<SettledItems>;
  /** Single rows of a file; also in a thread. */
  checkItemRows: (rows: {
    path: string;
    reading: ItemReading;
    state: ReadableFile['state'];
    places: RowStart[];
  }) => Promise<CheckedRow[]>;
  /** See `ItemJobs.checkValue`. */
  replacementProblem: (reading: ItemReading, value: { source: string; text: string | null }) => string | null;
  /** Spans of a section of a file, and of the whole file; also in a thread. */
  extractSpans: (
    stretch: ReadableFile & {
      dialect: SpanFile['dialect'];
      readings?: SpanFile['readings'];
      start: FilePlace | null;
      most: { rows: number; bytes: number };
    },
  ) => Promise<{ spans: FileSpan[]; rows: number; end: FilePlace | null }>;
  checkSpans: (file: ReadableFile & Pick<SpanFile, 'dialect' | 'readings'>) => Promise<SpanFileCheck>;
  /** The text of an offered file: itself, or its uncompressed copy, which is kept. Rejects with FILE_* errors. */
  readableFile: (file: SpanFile) => Promise<ReadableFile>;
  /** In a separate thread, which `signal` ends: then it rejects with CANCELLED. */
  measureCoverage: (query: CoverageQuery, signal: AbortSignal) => Promise<Coverage>;
  /** An experiment as it is stored here. */
  experimentHere: (experimentId: string) => Promise<StoredExperiment>;
  /** In a thread that is kept for further requests. */
  askComparison: (request: StoredRequest) => Promise<StoredAnswer>;
  /** Deletes everything that comparisons kept of a removed run. Rejects with file errors. */
  forgetCompared: (run: RunRef) => Promise<void>;
  /** In a separate thread. */
  findNearDuplicates: (query: NearDuplicateQuery, signal: AbortSignal) => Promise<FoundNearDuplicate[]>;
  options?: Partial<DatasetOptions>;
}

export interface BuildPatch {
  name?: string | undefined;
  mapping?: Mapping | undefined;
  target?: DatasetTarget | null | undefined;
  skipsAdded?: boolean | undefined;
  skipsUnresolved?: boolean | undefined;
  /** Spans that are not found are first searched for in wider time ranges. */
  widens?: boolean | undefined;
  /** The spans are read again before the first call. */
  rechecks?: boolean | undefined;
  /** Before the first call, the service is asked which spans of files it has. */
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
/** The file format of a review, and the spans included. */
export interface ReviewChoice {
  format: 'csv' | 'jsonl';
  /** Cells are not escaped, even if a spreadsheet would execute them. */
  isExact: boolean;
  fits: (mark: Mark) => boolean;
}

/** A span of a build with the decision on it. */
export interface ReviewedSpan extends Mark {
  traceId: string;
  spanId: string;
  name: string | null;
  spanType: string | null;
  startTime: string | null;
  /** Item that was made of it; null if there is none. */
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
  /** Throws INVALID_ARGUMENT if it is already deleted. */
  restore(buildId: string): DatasetBuild;
  change(buildId: string, patch: BuildPatch): Promise<DatasetBuild>;
  pickRows(
    buildId: string,
    query: ListQuery,
    spans: readonly (SpanRef & { position: number })[],
    continues?: boolean,
  ): Promise<DatasetResults['builds:pick-spans']>;
  /** Spans from other sources: complete if `record` is present, else by identity, with their start if known. */
  pickGiven(
    buildId: string,
    spans: readonly GivenSpan[],
    continues?: boolean,
  ): Promise<{ build: DatasetBuild; added: number; known: number }>;
  /** Throws INVALID_ARGUMENT for a source of another application. */
  pickAll(buildId: string, source: PickSource): DatasetBuild;
  /** Reads a whole file of spans and picks none. Rejects with FILE_* errors. */
  checkFile(file: SpanFile): Promise<SpanFileCheck>;
  /** Asks the service for spans of files, and for spans with only their ids stored. Rejects if it cannot be reached. */
  ask(buildId: string): Promise<DatasetBuild>;
  stopPicking(buildId: string): DatasetBuild;
  /** Copies spans of another basket of the same application, as one undo step; includes excluded spans. */
  pickOf(buildId: string, fromId: string, positions: readonly number[]): Promise<DatasetBuild>;
  /** `continues`: undone together with the previous change. */
  unpick(
    buildId: string,
    spans: readonly SpanRef[] | 'all' | 'excluded',
    continues?: boolean,
  ): Promise<DatasetBuild>;
  /** Undoes, or redoes, one change of the basket. Throws INVALID_ARGUMENT if there is none. */
  step(buildId: string, direction: StepDirection): Promise<DatasetBuild>;
  exclude(buildId: string, positions: readonly number[], isExcluded: boolean): DatasetBuild;
  findPicked(buildId: string, spans: readonly SpanRef[]): BuildAnswers['find-picked'];
  /** Searches for near-duplicates and excludes them as `skips` says, except those that a person keeps. */
  findNearDuplicates(buildId: string, threshold: number, skips?: NearDuplicateSkips): Promise<DatasetBuild>;
  /** Throws INVALID_ARGUMENT for a span that is not a near-duplicate, according to searches since the start. */
  readNearDuplicate(buildId: string, position: number): NearDuplicatePair;
  /** Differences between the prepared spans and those read again. */
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
  /** Events from number `seq` on; may be incomplete: continue after the last one. */
  readReview(buildId: string, seq: number): BuildAnswers['review'];
  /** Positions of picked spans from this one on, ascending: at most a few thousand. Continue after the last. */
  readPlaces(buildId: string, position: number): number[];
  /**
   * Adds events, the first with number `seq`. On disk before it returns, together with the effects on a build that is
   * being edited: rejected spans are excluded, skipped ones unless they are taken, and edited ones get their expected
   * output. Events that are already stored are not an error. Throws CONFLICT if other events are stored there.
   */
  addReview(buildId: string, seq: number, events: readonly ReviewEvent[]): Promise<void>;
  /** The review computed from its events. */
  review(buildId: string): Promise<Review>;
  /** The spans of a build with a review, in order. */
  reviewedSpans(buildId: string): AsyncIterable<ReviewedSpan>;
  /**
   * Reads the review file of another reviewer; replaces an earlier one of the same name. Rejects with FILE_* errors, and
   * INVALID_ARGUMENT if no decision is about a span of this build.
   */
  addSecondReview(buildId: string, file: SpanFile, reviewer: string): Promise<SecondReviewCounts>;
  /** The agreement with each other reviewer. */
  agreements(buildId: string): Promise<ReviewAgreement[]>;
  /** The agreement of all reviewers; null for fewer than three. */
  groupAgreement(buildId: string): Promise<GroupAgreement | null>;
  /**
   * Writes the decisions as results of an experiment, by the evaluator `Human`. `datasetId` null: the dataset of the build.
   * Throws INVALID_ARGUMENT if it has none.
   */
  /**
   * Writes the verdicts as results of a new experiment, or with `experiment` as scores that are added to its results.
   * Throws NOT_STORED unless all results are here.
   */
  writeVerdicts(
    buildId: string,
    path: string,
    datasetId: string | null,
    experiment?: { id: string; name: string },
  ): Promise<VerdictCounts>;
  /** The counts of `writeVerdicts` for an experiment, without a file. */
  countVerdicts(
    buildId: string,
    datasetId: string | null,
    experiment: { id: string; name: string },
  ): Promise<VerdictCounts>;
  /** Writes matching reviewed spans to a file. */
  writeReview(buildId: string, path: string, choice: ReviewChoice): Promise<{ rows: number }>;
  /** `startAtMs`, a future wall time, is only used by `schedule`; `unschedule` leaves the build's state unchanged. */
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
  /** Resolves when nothing of the build is in flight, neither spans nor calls, and no automatic start is due here. */
  whenIdle(buildId: string): Promise<DatasetBuild>;
}

export type RunAction = 'pause' | 'resume' | 'retry' | 'schedule' | 'unschedule';

/** Score runs of one connection. */
export interface Scores {
  /** Starts scoring, or schedules it with `startAtMs`. */
  start(plan: ScorePlan, start?: ScoreStart): ScoreRun;
  list(datasetId: string | null): ScoreRun[];
  get(runId: string): ScoreRun;
  /** `startAtMs` is only used by `schedule`; `unschedule` leaves the run paused. */
  control(runId: string, action: RunAction, startAtMs?: number | null): ScoreRun;
  forget(runId: string): void;
  listResults(
    runId: string,
    request: { show: 'all' | ScoreItemState; offset: number; limit: number },
  ): { results: ScoreResult[]; total: number };
  ofItems(datasetId: string, itemIds: readonly string[]): DatasetResults['scores:of-items'];
  /** Every result, read lazily; null: in any state. */
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
  /** A page of the items of a filter, in its order. Throws the same errors. */
  items(query: Omit<RunsQuery, 'hasShape'>): Promise<ChosenItem[]>;
  /** Throws the same errors. */
  item(runs: readonly RunRef[], itemId: string): Promise<RunItem>;
  /**
   * Tokens, cost and critical path of the traces that the results name, from stored spans: they are read in steps, and
   * other requests are answered in between. Throws the same errors.
   */
  usage(query: UsageQuery): Promise<RunsUsage>;
  /** Reads a large run before it is compared, so that its first comparison is fast. Throws the same errors. */
  prepare(run: RunRef): Promise<void>;
}

/** Named mappings, for spans and for files. Failures are AppErrors. */
export interface Presets {
  /** By name. */
  list(owner: PresetOwner): Preset[];
  /** Mappings for spans of an application, also for one of its datasets only. */
  ofApplication(applicationId: string): Preset[];
  /** Replaces the one of that name. Throws INVALID_ARGUMENT for content that cannot be stored. */
  save(owner: PresetOwner, name: string, content: PresetContent): Preset;
  /** Does nothing if there is none. */
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
   * Call once after start: calls in flight of a killed process become unknown, its running jobs resume (`continues`) or
   * become paused, and with `continues` planned jobs start automatically in this process. Jobs of another living
   * process are left alone.
   */
  recover(how: { continues: boolean }): void;
  /** The service is reachable again: waiting jobs continue at once. */
  wake(): void;
  /** Lets requests in flight finish for `graceMs`, then ends everything. */
  stop(graceMs?: number): Promise<void>;
}
