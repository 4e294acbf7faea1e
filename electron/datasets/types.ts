/** What builds and score runs are given and what they offer; `createDatasets` in datasets.ts builds them. */
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
import type { Coverage, CoverageQuestion } from '../shared/coverage-model.ts';
import type { BuildAnswers, DatasetResults } from '../shared/dataset-contract.ts';
import type {
  BuildPlan,
  BuildRowFilter,
  DatasetBuild,
  DatasetTarget,
  Mapping,
  MappingCheck,
  SpanRef,
  StepWay,
  TimeRange,
  UnresolvedAction,
} from '../shared/dataset-model.ts';
import type {
  CutItems,
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
import type { PickedRows, PickSource } from '../shared/pick-source.ts';
import type { Preset, PresetContent, PresetOwner } from '../shared/preset-contract.ts';
import type { Review } from '../shared/review-fold.ts';
import type { ReviewEvent } from '../shared/review-model.ts';
import type { ComparisonQuestion, ScoreComparison } from '../shared/score-comparison.ts';
import type { ScoreItemState, ScorePlan, ScoreResult, ScoreRun, ScoreStart } from '../shared/score-model.ts';
import type { SentBefore } from '../shared/sent-before.ts';
import type { SpanFile, SpanFileCheck } from '../shared/span-file.ts';
import type { TwinPair, TwinSkips } from '../shared/twin-model.ts';
import type { ValueLedger } from '../shared/value-ledger.ts';
import type { FoundTwin, TwinRequest } from './twin-thread.ts';

/** What a search for twins is asked; where the stores lie is known. */
type TwinQuestion = Omit<TwinRequest, 'datasetsFile' | 'snapshotsFile'>;

export interface DatasetOptions {
  /** So long after a call was sent, its items are taken to show where they are going to. */
  evidenceSettleMs: number;
  /** Spans of one page while a query is paged into the basket; the service may answer with fewer. */
  pageRows: number;
  /** Score requests of one run on their way at once. */
  maxScoring: number;
}

export interface ReadableFile {
  path: string;
  state: { sizeBytes: number; mtimeMs: number };
}

/** `start` null: the first row. It ends with the row that makes it so large, or with the row `lastRow`. */
type CutStretch = (stretch: {
  path: string;
  reading: ItemReading;
  start: FilePlace | null;
  state: ReadableFile['state'] | null;
  most: { rows: number; bytes: number; lastRow: number | null };
  /** Ids of the items are derived from it and from their rows. */
  seed: string;
}) => Promise<CutItems>;

/** Additions of items from files. Failures are AppErrors. */
export interface ItemJobs {
  /** Reads the whole file and sends nothing. */
  check(plan: ItemsPlan): Promise<ItemsCheck>;
  /** Earlier additions of the same content to the same dataset, newest first. Rejects with FILE_* errors. */
  addedBefore(plan: ItemsPlan): Promise<SentBefore[]>;
  /** Why a text cannot stand in place of a value of a column, in words; null where it can. `text`: null for no value. */
  checkValue(plan: ItemsPlan, value: { source: string; text: string | null }): string | null;
  /** Keys of a JSON file that are in none of these columns. */
  newKeys(plan: Pick<ItemsPlan, 'fileId' | 'dialect' | 'columns'>): Promise<string[]>;
  /** What the check of the whole file said of values; empty before it. */
  ledgerOf(itemsId: string): ValueLedger;
  /** `told`: see `checkTold`. Rejects with NEEDS_DECISION where the same content was added, and nobody was told. */
  create(
    plan: ItemsPlan,
    startsNow: boolean,
    startAtMs: number | null,
    told?: readonly string[] | null,
  ): Promise<ItemsJob>;
  /** Newest first; null: of every dataset. */
  list(datasetId: string | null): ItemsJob[];
  /** Throws INVALID_ARGUMENT where there is none. */
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
  /** Deletes what was forgotten, in the background. */
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
  /** Stored rows that a grid shows, whole, at most so many at a time. Throws as `Library.chooseRows` does. */
  readChosen: (choice: PickedRows, limit: number) => AsyncIterable<{ rows: ListRow[]; total: number }>;
  /** What these requests would take, by the scheduler's lanes. */
  plan: (requests: readonly { operation: OperationId; count: number }[]) => Plan;
  /** Fields of a dataset's items, as far as its schema is stored; null where it is not. */
  readSchema: (datasetId: string) => Promise<Record<string, unknown> | null>;
  /** Items or datasets were added: what is stored of them is outdated. */
  onDatasetChanged: (datasetId: string) => void;
  /** Writes a whole file or none. */
  writeFile: (path: string, lines: AsyncIterable<string> | Iterable<string>) => Promise<void>;
  onBuildChanged: (build: DatasetBuild) => void;
  onRunChanged: (run: ScoreRun) => void;
  onItemsChanged: (job: ItemsJob) => void;
  /** Items of a stretch of a file, read in a thread of their own. Rejects with FILE_* errors. */
  cutItems: CutStretch;
  /** SHA-256 of a whole file, in hexadecimal digits; the same. */
  hashFile: (path: string) => Promise<string>;
  /** Reads the whole file. */
  settleItems: (file: {
    path: string;
    reading: ItemReading;
    state: ReadableFile['state'] | null;
  }) => Promise<SettledItems>;
  /** See `ItemJobs.checkValue`. */
  replacementProblem: (reading: ItemReading, value: { source: string; text: string | null }) => string | null;
  /** Spans of a stretch of a file, and of all of it; the same. */
  cutSpans: (
    stretch: ReadableFile & {
      dialect: SpanFile['dialect'];
      readings?: SpanFile['readings'];
      start: FilePlace | null;
      most: { rows: number; bytes: number };
    },
  ) => Promise<{ spans: FileSpan[]; rows: number; end: FilePlace | null }>;
  checkSpans: (file: ReadableFile & Pick<SpanFile, 'dialect' | 'readings'>) => Promise<SpanFileCheck>;
  /** The text of a file that was offered: itself, or its unpacked copy, which is kept. Rejects with FILE_* errors. */
  readableFile: (file: SpanFile) => Promise<ReadableFile>;
  /** In a thread of its own, which ends with `signal`: then it rejects with CANCELLED. */
  measureCoverage: (question: CoverageQuestion, signal: AbortSignal) => Promise<Coverage>;
  /** The same. */
  findTwins: (question: TwinQuestion, signal: AbortSignal) => Promise<FoundTwin[]>;
  options?: Partial<DatasetOptions>;
}

export interface BuildPatch {
  name?: string | undefined;
  mapping?: Mapping | undefined;
  target?: DatasetTarget | null | undefined;
  skipsAdded?: boolean | undefined;
  skipsUnresolved?: boolean | undefined;
  /** Spans that are not found are looked for in wider time ranges first. */
  widens?: boolean | undefined;
  /** The spans are read again before the first call. */
  rechecks?: boolean | undefined;
  /** The service is asked before the first call which spans of files it has. */
  asks?: boolean | undefined;
  timeRange?: TimeRange | null | undefined;
  marginMs?: number | undefined;
}

export interface GivenSpan extends SpanRef {
  start_time: string | null;
  /** As spans.query would give it. */
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
/** How a review is written to a file, and of which spans. */
export interface ReviewChoice {
  format: 'csv' | 'jsonl';
  /** Cells as they are, also where a spreadsheet would run them. */
  isExact: boolean;
  fits: (mark: NonNullable<ReturnType<Review['marks']['get']>>) => boolean;
}

export type BuildFile = 'receipts' | 'unresolved' | 'items' | 'review';

/** Builds of one connection: basket, mapping, preview, commit. Arguments are those of the channels `builds:*`. */
export interface Builds {
  create(given: { applicationId: string; applicationName: string; name: string }): DatasetBuild;
  list(): DatasetBuild[];
  get(buildId: string): DatasetBuild;
  copy(buildId: string): Promise<DatasetBuild>;
  forget(buildId: string): void;
  /** The same, but a basket with spans can be taken back for a while. */
  putAway(buildId: string): void;
  /** Throws INVALID_ARGUMENT for one that is gone. */
  takeBack(buildId: string): DatasetBuild;
  change(buildId: string, patch: BuildPatch): Promise<DatasetBuild>;
  pickRows(
    buildId: string,
    query: ListQuery,
    spans: readonly (SpanRef & { position: number })[],
    continues?: boolean,
  ): Promise<DatasetResults['builds:pick-spans']>;
  /** Spans from elsewhere: whole where `record` is there, else known by identity, with their start where it is known. */
  pickGiven(
    buildId: string,
    spans: readonly GivenSpan[],
    continues?: boolean,
  ): Promise<{ build: DatasetBuild; added: number; known: number }>;
  /** Throws INVALID_ARGUMENT for a source of another application. */
  pickAll(buildId: string, source: PickSource): DatasetBuild;
  /** Reads a whole file of spans and picks none. Rejects with FILE_* errors. */
  checkFile(file: SpanFile): Promise<SpanFileCheck>;
  /** Asks the service for spans of files, and for those of which only their ids are here. Rejects where it cannot. */
  ask(buildId: string): Promise<DatasetBuild>;
  stopPicking(buildId: string): DatasetBuild;
  /** Spans of another basket of the same application, as one step back; what is left out there comes too. */
  pickOf(buildId: string, fromId: string, positions: readonly number[]): Promise<DatasetBuild>;
  /** `continues`: undone together with the change before. */
  unpick(
    buildId: string,
    spans: readonly SpanRef[] | 'all' | 'excluded',
    continues?: boolean,
  ): Promise<DatasetBuild>;
  /** Undoes, or redoes, one change of what is in the basket. Throws INVALID_ARGUMENT where there is none. */
  step(buildId: string, way: StepWay): Promise<DatasetBuild>;
  exclude(buildId: string, positions: readonly number[], isExcluded: boolean): DatasetBuild;
  findPicked(buildId: string, spans: readonly SpanRef[]): BuildAnswers['find-picked'];
  /** Looks for twins and excludes them as `skips` says, but for those that a person keeps. */
  findTwins(buildId: string, threshold: number, skips?: TwinSkips): Promise<DatasetBuild>;
  /** Throws INVALID_ARGUMENT for a span that is no twin, as far as was looked for since the start. */
  readTwin(buildId: string, position: number): TwinPair;
  /** What differs between the spans as they were prepared and as they were read again. */
  readDifferences(buildId: string, offset: number, limit: number): BuildAnswers['differences'];
  readRows(
    buildId: string,
    request: { mapping: Mapping | null; show: BuildRowFilter; offset: number; limit: number },
  ): BuildAnswers['rows'];
  /** Whole records of picked spans from this position on. */
  readRecords(buildId: string, position: number): BuildAnswers['records'];
  /** One span whole, and the item it becomes. */
  readSpan(buildId: string, mapping: Mapping | null, position: number): BuildAnswers['span'];
  listKeys(buildId: string, request: { search: string; offset: number; limit: number }): BuildAnswers['keys'];
  checkMapping(buildId: string, mapping: Mapping): Promise<MappingCheck>;
  suggestMapping(buildId: string): Promise<BuildAnswers['suggest-mapping']>;
  plan(buildId: string): BuildPlan;
  /** Events from number `seq` on; may be fewer than there are: ask again from the one after the last. */
  readReview(buildId: string, seq: number): BuildAnswers['review'];
  /** Positions of picked spans from this one on, ascending: a few thousand at most. Ask again from after the last. */
  readPlaces(buildId: string, position: number): number[];
  /**
   * Adds events, the first with number `seq`, on the disk before it returns, and with them what follows for a build that
   * is edited: rejected spans are excluded, skipped ones unless they are taken, edited ones get their expected output. Events that are there already are no
   * error. Throws CONFLICT where others are.
   */
  addReview(buildId: string, seq: number, events: readonly ReviewEvent[]): Promise<void>;
  /** The review as its events give it. */
  review(buildId: string): Promise<Review>;
  /** Of the spans of which something was said, those that fit, as a file. */
  writeReview(buildId: string, path: string, choice: ReviewChoice): Promise<{ rows: number }>;
  /** `startAtMs`, a wall time to come, belongs to `schedule`; `unschedule` leaves the build as it is. */
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
  writeFile(buildId: string, what: BuildFile, path: string): Promise<{ rows: number }>;
  /** Resolves when nothing of the build is on its way, neither spans nor calls, nor about to begin by itself here. */
  whenIdle(buildId: string): Promise<DatasetBuild>;
}

export type RunAction = 'pause' | 'resume' | 'retry' | 'schedule' | 'unschedule';

/** Score runs of one connection. */
export interface Scores {
  /** Begins to score, or with `startAtMs` plans it. */
  start(plan: ScorePlan, start?: ScoreStart): ScoreRun;
  list(datasetId: string | null): ScoreRun[];
  get(runId: string): ScoreRun;
  /** `startAtMs` belongs to `schedule`; `unschedule` leaves the run paused. */
  control(runId: string, action: RunAction, startAtMs?: number | null): ScoreRun;
  forget(runId: string): void;
  listResults(
    runId: string,
    request: { show: 'all' | ScoreItemState; offset: number; limit: number },
  ): { results: ScoreResult[]; total: number };
  ofItems(datasetId: string, itemIds: readonly string[]): DatasetResults['scores:of-items'];
  /** Every result, read as it is asked for; null: of each state. */
  results(runId: string, state: ScoreResult['state'] | null): Iterable<ScoreResult>;
  /** Throws INVALID_ARGUMENT for runs of two datasets and for runs without a score of one name. */
  compare(question: ComparisonQuestion): Promise<ScoreComparison>;
  writeFile(runId: string, path: string): Promise<{ rows: number }>;
  whenIdle(runId: string): Promise<ScoreRun>;
}

/** Mappings that are kept by name, of spans and of files. Failures are AppErrors. */
export interface Presets {
  /** By name. */
  list(owner: PresetOwner): Preset[];
  /** Replaces the one of that name. Throws INVALID_ARGUMENT for a content that cannot be kept. */
  save(owner: PresetOwner, name: string, content: PresetContent): Preset;
  /** Nothing where there is none. */
  remove(owner: PresetOwner, name: string): void;
}

export interface Datasets {
  builds: Builds;
  scores: Scores;
  presets: Presets;
  items: ItemJobs;
  /** A dataset against production, over what is stored. Rejects with STORE_* errors. */
  measureCoverage(question: CoverageQuestion): Promise<Coverage>;
  /** What is stored and cannot be read. */
  damaged: DamagedRows;
  /** Builds and score runs, as jobs. */
  sources: readonly AnyJobSource[];
  /**
   * To be called once after start: calls that a killed process left on their way become unknown, what it left
   * running goes on (`continues`) or becomes paused, and with `continues` what was planned begins by itself in this
   * process. What another living process is at work on is left alone.
   */
  recover(how: { continues: boolean }): void;
  /** The service can be reached again: what waits goes on at once. */
  wake(): void;
  /** Lets requests on their way finish for `graceMs`, then ends everything. */
  stop(graceMs?: number): Promise<void>;
}
