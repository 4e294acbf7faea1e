/** Durable jobs of every kind: their state, actions and channels; merged into contract.ts. */
import type { BuildBatch } from './build-batch-model.ts';
import type { BulkAct, BulkItem } from './bulk-contract.ts';
import { buildChange } from './dataset-contract.ts';
import type { BuildPlan, DatasetBuild } from './dataset-model.ts';
import type { WireError } from './errors.ts';
import type { ExportJob } from './export-model.ts';
import { type ItemsCheck, type ItemsJob, type ItemsPart, itemsPlan } from './items-model.ts';
import { buildKind } from './job-kinds/build.ts';
import { bulkKind } from './job-kinds/bulk.ts';
import { deletionKind } from './job-kinds/deletion.ts';
import { exportKind } from './job-kinds/export.ts';
import { fileKind } from './job-kinds/file.ts';
import { itemsKind } from './job-kinds/items.ts';
import { JOB_STATES, type JobAction, type JobKind, type JobOf, jobId } from './job-kinds/job-kind.ts';
import { keepOfflineKind } from './job-kinds/keep-offline.ts';
import { mirrorKind } from './job-kinds/mirror.ts';
import { outboxKind } from './job-kinds/outbox.ts';
import { scoresKind } from './job-kinds/scores.ts';
import { uploadKind } from './job-kinds/upload.ts';
import { boundedBody } from './json-body.ts';
import { type KeepEstimate, type Kept, keepPlan, refreshHours } from './keep-model.ts';
import type { MirrorJob } from './mirror-model.ts';
import type { OutboxEntry } from './outbox-model.ts';
import { repeatChange } from './repeat-model.ts';
import type { ScoreResult, ScoreRun } from './score-model.ts';
import type { EventDeletion, UndoPlan, UploadBatch, UploadJob } from './upload-model.ts';
import type { WholeFile, WholeFileLook } from './whole-file-contract.ts';
import * as z from './zod.ts';

/** For each kind, the details of its jobs besides the common fields, and the type of one part. */
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
  /** Stored tables written to a folder for notebooks. */
  mirror: { own: MirrorJob; part: never };
}
export const JOB_KINDS = {
  upload: uploadKind,
  file: fileKind,
  deletion: deletionKind,
  build: buildKind,
  scores: scoresKind,
  items: itemsKind,
  bulk: bulkKind,
  outbox: outboxKind,
  'keep-offline': keepOfflineKind,
  export: exportKind,
  mirror: mirrorKind,
} as const satisfies { readonly [K in keyof KindTypes]: JobKind & { id: K } };
export type JobKindId = keyof typeof JOB_KINDS;
const JOB_KIND_IDS = Object.values(JOB_KINDS).map(({ id: kind }) => kind);

/** A job of one of these kinds. */
export type Job<K extends JobKindId = JobKindId> = { [Kind in K]: JobOf<Kind, KindTypes[Kind]['own']> }[K];
export type OwnOf<K extends JobKindId> = KindTypes[K]['own'];
export type PartOf<K extends JobKindId> = KindTypes[K]['part'];

const connectionId = z.uuid();
const id = jobId;
const offset = z.int().min(0);
const limit = z.int().min(1).max(200);
export const wallTime = z.int().min(0).max(8_640_000_000_000_000);
/** Absent or null: starts now. */
const startAtMs = wallTime.nullish();
const of = <K extends string>(kind: K) => z.strictObject({ connectionId, kind: z.literal(kind), id });

export type JobPlan<K extends JobKindId> = z.output<(typeof JOB_KINDS)[K]['plan']>;
const create = <K extends JobKindId, P extends z.ZodType>({ id: kind, plan }: { id: K; plan: P }) =>
  z.strictObject({ connectionId, kind: z.literal(kind), plan, startAtMs });
const control = <K extends JobKindId, const A extends readonly JobAction[]>(kind: { id: K; actions: A }) =>
  of(kind.id).extend({ action: z.enum(kind.actions), startAtMs });
const parts = <K extends JobKindId, const S extends readonly string[]>(kind: { id: K; parts: S }) =>
  of(kind.id).extend({ states: z.array(z.enum(kind.parts)).min(1).nullable(), offset, limit });
const save = <K extends JobKindId, const F extends readonly string[]>(kind: { id: K; files: F }) =>
  of(kind.id).extend({ what: z.enum(kind.files) });
const decision = z.enum(['stored', 'resend', 'give-up']);
/** Kinds whose idle jobs can be removed. */
export const FORGET_KINDS = [
  'upload',
  'file',
  'build',
  'scores',
  'items',
  'bulk',
  'outbox',
  'keep-offline',
  'export',
  'mirror',
] as const;

export const jobContract = {
  /** The expected cost, before anything is sent. */
  'jobs:plan': z.discriminatedUnion('kind', [
    /** The cost of sending an offered file raw. */
    z.strictObject({ connectionId, kind: z.literal('file'), fileId: z.string().max(100) }),
    z.strictObject({ connectionId, kind: z.literal('build'), id }),
    /** Reads the whole file and sends nothing. */
    z.strictObject({ connectionId, kind: z.literal('items'), plan: itemsPlan }),
    /** For the deletions that undo an upload, from `startAtMs` on. */
    z.strictObject({ connectionId, kind: z.literal('deletion'), uploadId: id, startAtMs }),
    /** Requests and bytes needed for keeping data. May read the first page of each list. */
    z.strictObject({ connectionId, kind: z.literal('keep-offline'), plan: keepPlan }),
  ]),
  'jobs:create': z.discriminatedUnion('kind', [
    create(uploadKind),
    create(fileKind),
    create(deletionKind),
    create(buildKind),
    create(scoresKind),
    create(itemsKind),
    create(bulkKind),
    create(outboxKind),
    create(keepOfflineKind),
    create(exportKind),
    create(mirrorKind),
  ]),
  /** Newest first. Null: all. */
  'jobs:list': z.strictObject({
    connectionId,
    kinds: z.array(z.enum(JOB_KIND_IDS)).min(1).nullable(),
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
    control(uploadKind),
    control(fileKind),
    control(deletionKind),
    control(buildKind),
    control(scoresKind),
    control(itemsKind),
    control(bulkKind),
    control(outboxKind),
    control(keepOfflineKind),
    control(exportKind),
    control(mirrorKind),
  ]),
  /**
   * Sets, pauses, resumes or ends the repeat of a job that only reads. Returns the run that has the repeat afterwards,
   * which is another one if this run has ended.
   */
  'jobs:repeat': z.strictObject({ connectionId, kind: z.enum(JOB_KIND_IDS), id, change: repeatChange }),
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
  /** Parts of a job in order. A message holds about 100 KB, so there may be fewer than requested. */
  'jobs:parts': z.discriminatedUnion('kind', [
    parts(uploadKind),
    parts(buildKind),
    parts(scoresKind),
    parts(itemsKind),
    parts(bulkKind),
  ]),
  /** Removes an idle job with its receipts; data kept for offline use is removed too. */
  'jobs:forget': z.strictObject({
    connectionId,
    kind: z.enum(FORGET_KINDS),
    id,
  }),
  /** Asks where to save, then writes the file. Null if cancelled. */
  'jobs:save': z.discriminatedUnion('kind', [
    save(uploadKind),
    save(buildKind),
    save(scoresKind),
    save(itemsKind),
    save(exportKind),
    save(mirrorKind),
  ]),
} as const;

type Argument<C extends keyof typeof jobContract> = z.output<(typeof jobContract)[C]>;
type PlanRequests = Argument<'jobs:plan'>;
export type PlanKind = PlanRequests['kind'];
/** A request for a plan, with the subject that its kind needs. */
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
  'jobs:repeat': Job;
  'jobs:decide': Job;
  'jobs:parts': { parts: PartOf<PartKind>[]; total: number };
  'jobs:forget': null;
  /** `notes`: sentences about data that the file lacks. */
  'jobs:save': { fileName: string; rows: number; notes?: string[] } | null;
}

export interface JobEvents {
  /** Sent at most four times a second for one job; null: the job was removed. */
  'jobs:changed': { connectionId: string; kind: JobKindId; id: string; job: Job | null };
}
