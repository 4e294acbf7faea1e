/** Durable jobs of every kind: their state, actions and channels; merged into contract.ts. */
import { z } from 'zod';
import type { BuildBatch } from './build-batch-model.ts';
import {
  BULK_ITEM_STATES,
  type BulkAct,
  type BulkItem,
  bulkRecord,
  bulkRequest,
  bulkWords,
  MAX_RECORDS,
} from './bulk-contract.ts';
import { buildChange } from './dataset-contract.ts';
import type { BuildPlan, DatasetBuild } from './dataset-model.ts';
import type { WireError } from './errors.ts';
import { type ExportJob, exportPlan } from './export-model.ts';
import {
  ITEM_PART_STATES,
  type ItemsCheck,
  type ItemsJob,
  type ItemsPart,
  itemsPlan,
} from './items-model.ts';
import { boundedBody } from './json-body.ts';
import { type KeepEstimate, type Kept, keepPlan, refreshHours } from './keep-model.ts';
import { type OutboxEntry, outboxPlan } from './outbox-model.ts';
import { SCORE_ITEM_STATES, type ScoreResult, type ScoreRun, scorePlan } from './score-model.ts';
import type { EventDeletion, LateStart, UndoPlan, UploadBatch, UploadJob } from './upload-model.ts';
import { MAX_DELETION_IDS, uploadPlan } from './upload-model.ts';
import type { WholeFile, WholeFileLook } from './whole-file-contract.ts';

/** For each kind, its details besides the common fields of jobs, and the type of one of its parts. */
interface KindTypes {
  /** Rows of a file, sent as events. */
  upload: { own: UploadJob; part: UploadBatch };
  /** A raw file sent unparsed. */
  file: { own: WholeFile; part: never };
  /** A deletion of events. */
  deletion: { own: EventDeletion; part: never };
  /** Items of a dataset, made from spans. */
  build: { own: DatasetBuild; part: BuildBatch };
  /** Scores of items of a dataset. */
  scores: { own: ScoreRun; part: ScoreResult };
  /** Items of a dataset, from the rows of a file. */
  items: { own: ItemsJob; part: ItemsPart };
  /** One change for many records. */
  bulk: { own: BulkAct; part: BulkItem };
  /** A change waiting to be sent. */
  outbox: { own: OutboxEntry; part: never };
  /** Something read completely for offline use. */
  'keep-offline': { own: Kept; part: never };
  /** A list that is written to a file. */
  export: { own: ExportJob; part: never };
}
const JOB_KINDS = [
  'upload',
  'file',
  'deletion',
  'build',
  'scores',
  'items',
  'bulk',
  'outbox',
  'keep-offline',
  'export',
] as const;
export type JobKindId = (typeof JOB_KINDS)[number];

const JOB_STATES = [
  'draft',
  'ready',
  'running',
  'waiting',
  'paused',
  'needs-decision',
  'done',
  'cancelled',
  'failed',
] as const;
/** `draft`: in preparation. `waiting`: continues automatically. A job that starts later is idle, with a `startAtMs`. */
export type JobPhase = (typeof JOB_STATES)[number];

export interface PlannedRequest {
  operation: string;
  count: number;
}

/** Common fields of all jobs. Times are wall time. */
export interface JobHead<K extends JobKindId> {
  kind: K;
  id: string;
  /** Its name in a list, e.g. `churn.csv`. */
  title: string;
  state: JobPhase;
  /** Why it waits or is idle; otherwise empty. */
  reason: string;
  error: WireError | null;
  /** Completed share; a null total is not known yet. */
  progress: { done: number; total: number | null };
  /** Number of parts with an unknown outcome. */
  unknown: number;
  /** The requests it will send after an automatic start, by operation id; empty if none is planned. */
  requests: PlannedRequest[];
  /** Its owner, if it is opened through that, e.g. the dataset of a score run. */
  of: { id: string; name: string } | null;
  startAtMs: number | null;
  lateStart: LateStart | null;
  createdAtMs: number;
  endedAtMs: number | null;
}
type JobOfKind<K extends JobKindId> = JobHead<K> & { own: KindTypes[K]['own'] };
/** A job of one of these kinds. */
export type Job<K extends JobKindId = JobKindId> = { [Kind in K]: JobOfKind<Kind> }[K];
export type OwnOf<K extends JobKindId> = KindTypes[K]['own'];
export type PartOf<K extends JobKindId> = KindTypes[K]['part'];

const connectionId = z.uuid();
const id = z.string().min(1).max(100);
const offset = z.int().min(0);
const limit = z.int().min(1).max(200);
export const wallTime = z.int().min(0).max(8_640_000_000_000_000);
/** Absent or null: now. */
const startAtMs = wallTime.nullish();
const envText = z.string().max(500);
const of = <K extends string>(kind: K) => z.strictObject({ connectionId, kind: z.literal(kind), id });

/**
 * Ids of the earlier jobs with the same content that the person was notified of: if there are others, creation is
 * refused (NEEDS_DECISION). Absent or null: the caller has already asked.
 */
const told = z.array(z.string().max(100)).nullish();

const plans = {
  upload: z.strictObject({
    upload: uploadPlan,
    /** False: it waits to be started. Ignored with a `startAtMs`. */
    startsNow: z.boolean(),
    /** Its preparation, which ends with the creation. */
    preparationId: z.string().max(100).nullish(),
    told,
  }),
  /** For a file offered by `uploads:choose-files` or `uploads:offer-files`. */
  file: z.strictObject({
    fileId: z.string().max(100),
    modelId: z.uuid().nullable(),
    envType: envText,
    envName: envText.nullable(),
    publishes: z.boolean(),
    /** Its preparation, which ends with the creation. */
    preparationId: z.string().max(100).nullish(),
  }),
  /** Exactly one of ids and time range. */
  deletion: z.strictObject({
    modelId: z.uuid(),
    eventIds: z.array(z.string().max(500)).max(MAX_DELETION_IDS).nullable(),
    timeRange: z.strictObject({ startTime: z.string().max(40), endTime: z.string().max(40) }).nullable(),
    updateMetrics: z.boolean(),
  }),
  build: z.union([
    z.strictObject({
      applicationId: z.uuid(),
      applicationName: z.string().max(500),
      name: z.string().max(200),
    }),
    /** A new unsent one in `editing` with the same spans, mapping and target. */
    z.strictObject({ copyOf: id }),
  ]),
  scores: z.strictObject({
    scores: scorePlan,
    /** The dataset's total number of items, as far as the window knows. */
    expectedItems: z.int().min(0).nullish(),
  }),
  /** For an offered file. `startsNow` false: it waits to be started. */
  items: z.strictObject({ items: itemsPlan, startsNow: z.boolean(), told }),
  bulk: z.strictObject({
    request: bulkRequest,
    words: bulkWords,
    records: z.array(bulkRecord).min(1).max(MAX_RECORDS),
  }),
  /** Waits until it is sent: by a person, or at `startAtMs`. */
  outbox: outboxPlan,
  'keep-offline': z.strictObject({ keep: keepPlan, refreshHours }),
  /** A draft: it starts once its file was chosen with jobs:save. */
  export: exportPlan,
} as const;
export type JobPlan<K extends JobKindId> = z.output<(typeof plans)[K]>;
const create = <K extends JobKindId>(kind: K) =>
  z.strictObject({ connectionId, kind: z.literal(kind), plan: plans[kind], startAtMs });

/**
 * `start`: starts it, even if it is planned. `cancel`: final, unsent parts are left. `retry`: failed or left parts are
 * sent again. `schedule`: schedules an automatic start or continuation at `startAtMs`; `unschedule` cancels that.
 */
export type JobAction =
  | 'start'
  | 'pause'
  | 'resume'
  | 'cancel'
  | 'retry'
  | 'schedule'
  | 'unschedule'
  | 'gather-evidence'
  /** Reads back the result and compares it with the expectation. */
  | 'verify'
  /** Shows its file in the system's file manager. */
  | 'show-file'
  /** Stops picking spans from a query. */
  | 'stop-picking'
  /** Restores a removed, dropped or discarded job unchanged; possible for a limited time. */
  | 'restore';
const planned = ['start', 'schedule', 'unschedule'] as const;
const running = [...planned, 'pause', 'resume'] as const;
const control = <K extends JobKindId, const A extends readonly JobAction[]>(kind: K, actions: A) =>
  of(kind).extend({ action: z.enum(actions), startAtMs });

const decision = z.enum(['stored', 'resend', 'give-up']);
const parts = <K extends JobKindId, const S extends readonly string[]>(kind: K, states: S) =>
  of(kind).extend({ states: z.array(z.enum(states)).min(1).nullable(), offset, limit });
const save = <K extends JobKindId, const F extends readonly string[]>(kind: K, files: F) =>
  of(kind).extend({ what: z.enum(files) });

export const jobContract = {
  /** The expected cost, before anything is sent. */
  'jobs:plan': z.discriminatedUnion('kind', [
    /** For an offered file, to be sent raw. */
    z.strictObject({ connectionId, kind: z.literal('file'), fileId: z.string().max(100) }),
    z.strictObject({ connectionId, kind: z.literal('build'), id }),
    /** Reads the whole file and sends nothing. */
    z.strictObject({ connectionId, kind: z.literal('items'), plan: itemsPlan }),
    /** For the deletions that undo an upload, from `startAtMs` on. */
    z.strictObject({ connectionId, kind: z.literal('deletion'), uploadId: id, startAtMs }),
    /** Requests and bytes needed for keeping. May read the first page of each list. */
    z.strictObject({ connectionId, kind: z.literal('keep-offline'), plan: keepPlan }),
  ]),
  'jobs:create': z.discriminatedUnion('kind', [
    create('upload'),
    create('file'),
    create('deletion'),
    create('build'),
    create('scores'),
    create('items'),
    create('bulk'),
    create('outbox'),
    create('keep-offline'),
    create('export'),
  ]),
  /** Newest first. Null: all. */
  'jobs:list': z.strictObject({
    connectionId,
    kinds: z.array(z.enum(JOB_KINDS)).min(1).nullable(),
    states: z.array(z.enum(JOB_STATES)).min(1).nullable(),
    /** Text contained in the title, ignoring case. */
    search: z.string().max(200).nullable(),
    offset,
    limit: z.int().min(1).max(1_000),
  }),
  /** Changes specific to this kind; returns the changed job. */
  'jobs:change': z.discriminatedUnion('kind', [
    of('build').extend({ change: buildChange }),
    /** A new body for a waiting change; the service's record as shown counts as seen. */
    of('outbox').extend({ change: z.strictObject({ body: boundedBody.nullable() }) }),
    /** Hours between automatic readings; 0: at each start; null: manual. */
    of('keep-offline').extend({ change: z.strictObject({ refreshHours }) }),
  ]),
  'jobs:control': z.discriminatedUnion('kind', [
    control('upload', [...running, 'cancel', 'gather-evidence']),
    control('file', [...planned, 'cancel', 'retry']),
    control('deletion', planned),
    control('build', [...running, 'cancel', 'gather-evidence', 'verify', 'stop-picking', 'restore']),
    control('scores', [...running, 'retry']),
    control('items', [...running, 'cancel']),
    control('bulk', [...running, 'cancel', 'retry']),
    // `start`: sends it now, including a failed or interrupted one. `cancel`: discards it.
    control('outbox', [...planned, 'cancel', 'restore']),
    // `start`: reads everything again.
    control('keep-offline', ['start', 'pause', 'resume', 'retry', 'restore']),
    control('export', [...running, 'cancel', 'show-file']),
  ]),
  /**
   * A person's knowledge about a part of unknown outcome. `stored`: counts as acknowledged; `resend`: is sent again;
   * `give-up`: is left out. For a change in the outbox, `resend` also overwrites the service's present record, as it
   * was shown.
   */
  'jobs:decide': z.strictObject({
    connectionId,
    kind: z.enum(['upload', 'build', 'items', 'outbox']),
    id,
    part: z.int().min(0),
    decision,
  }),
  /** In order. A message holds about 100 KB: there may be fewer than requested. */
  'jobs:parts': z.discriminatedUnion('kind', [
    parts('upload', [
      'pending',
      'sending',
      'acknowledged',
      'refused',
      'unknown',
      'cancelled',
      // Acknowledged, but the answer is not a receipt of the rows.
      'doubtful',
    ]),
    parts('build', ['sending', 'acknowledged', 'refused', 'unsent', 'unknown', 'given-up']),
    parts('scores', SCORE_ITEM_STATES),
    parts('items', ITEM_PART_STATES),
    parts('bulk', BULK_ITEM_STATES),
  ]),
  /** Removes an idle job with its receipts; data kept for offline use is dropped. */
  'jobs:forget': z.strictObject({
    connectionId,
    kind: z.enum(['upload', 'file', 'build', 'scores', 'items', 'bulk', 'outbox', 'keep-offline', 'export']),
    id,
  }),
  /** Asks where to save, then writes the file. Null if cancelled. */
  'jobs:save': z.discriminatedUnion('kind', [
    // `bad-rows` also accepts the id of a dry run.
    save('upload', ['receipts', 'refused-rows', 'bad-rows']),
    save('build', ['receipts', 'unresolved', 'items', 'review']),
    save('scores', ['results']),
    save('items', ['receipts']),
    // For a draft: starts the job, which writes its rows to the file.
    save('export', ['file']),
  ]),
} as const;

type Argument<C extends keyof typeof jobContract> = z.output<(typeof jobContract)[C]>;
type PlanRequests = Argument<'jobs:plan'>;
export type PlanKind = PlanRequests['kind'];
/** The subject of the request. */
export type PlanRequest<K extends PlanKind> = Omit<
  Extract<PlanRequests, { kind: K }>,
  'connectionId' | 'kind'
>;
export interface PlanAnswers {
  file: WholeFileLook;
  build: BuildPlan;
  items: ItemsCheck;
  deletion: UndoPlan;
  'keep-offline': KeepEstimate;
}
type JobChange = Argument<'jobs:change'>;
export type ChangeKind = JobChange['kind'];
export type ChangeOf<K extends ChangeKind> = Extract<JobChange, { kind: K }>['change'];
export type JobQuery = Omit<Argument<'jobs:list'>, 'connectionId'>;
type JobControl = Argument<'jobs:control'>;
export type ActionOf<K extends JobKindId> = Extract<JobControl, { kind: K }>['action'];
type PartQueries = Argument<'jobs:parts'>;
export type PartKind = PartQueries['kind'];
export type PartQuery<K extends PartKind> = Pick<
  Extract<PartQueries, { kind: K }>,
  'states' | 'offset' | 'limit'
>;
export type PartDecision = Argument<'jobs:decide'>['decision'];
type SavedFiles = Argument<'jobs:save'>;
export type SaveKind = SavedFiles['kind'];
export type FileOf<K extends SaveKind> = Extract<SavedFiles, { kind: K }>['what'];
export type DecideKind = Argument<'jobs:decide'>['kind'];
export type ForgetKind = Argument<'jobs:forget'>['kind'];

export interface JobPage {
  jobs: Job[];
  /** Number of matching jobs. */
  total: number;
  /** Kinds whose jobs cannot be read, and why. */
  failures: { kind: JobKindId; error: WireError }[];
}

export interface JobResults {
  'jobs:plan': PlanAnswers[PlanKind];
  'jobs:create': Job;
  'jobs:list': JobPage;
  'jobs:change': Job<ChangeKind>;
  'jobs:control': Job;
  'jobs:decide': Job;
  'jobs:parts': { parts: PartOf<PartKind>[]; total: number };
  'jobs:forget': null;
  'jobs:save': { fileName: string; rows: number } | null;
}

export interface JobEvents {
  /** At most four times a second for one job; null: it was removed. */
  'jobs:changed': { connectionId: string; kind: JobKindId; id: string; job: Job | null };
}
