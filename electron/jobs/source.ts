/** The operations on jobs of one kind, behind the channels `jobs:*`, which are the same for every kind. */

import { AppError } from '../shared/errors.ts';
import type {
  ChangeKind,
  ChangeOf,
  FileOf,
  Job,
  JobKindId,
  JobPlan,
  PartDecision,
  PartKind,
  PartOf,
  PartQuery,
  PlanAnswers,
  PlanKind,
  PlanRequest,
  SaveKind,
} from '../shared/job-contract.ts';
import type { JobAction } from '../shared/job-kinds/job-kind.ts';
import type { RepeatChange } from '../shared/repeat-model.ts';
import type { PlannedStarts } from './schedule.ts';
import type { ListedJob } from './types.ts';

/** The jobs of one kind; `Jobs` implements it. */
export interface Listing {
  readonly starts: Pick<PlannedStarts, 'listen' | 'all'>;
  listed(): readonly ListedJob[];
  whenJudged(id: string): Promise<void> | null;
}

interface PartPage<K extends PartKind> {
  parts: PartOf<K>[];
  total: number;
}

/**
 * Failures are AppErrors. Methods that a kind does not have are never called, because the contract of the channels
 * prevents it.
 */
export interface JobSource<K extends JobKindId> {
  readonly kind: K;
  readonly jobs: Listing;
  get(id: string): Job<K>;
  /** Estimates the cost, without sending anything of the job. */
  plan?(of: PlanRequest<K & PlanKind>): PlanAnswers[K & PlanKind] | Promise<PlanAnswers[K & PlanKind]>;
  /** `startAtMs`: future wall time at which the job starts automatically; null for now. */
  create(plan: JobPlan<K>, startAtMs: number | null): Promise<Job<K>> | Job<K>;
  /** Makes a change that only this kind supports. */
  change?(id: string, change: ChangeOf<K & ChangeKind>): unknown;
  /** `startAtMs` is used by `schedule` only. */
  control(id: string, action: JobAction, startAtMs: number | null): Promise<Job<K>> | Job<K>;
  /** Returns the job that has the repeat after the change. */
  repeat?(id: string, change: RepeatChange): Job<K>;
  /**
   * Resolves when the job rests, also after a planned start. Does not wait for work that the service continues alone.
   */
  whenRest(id: string): Promise<unknown>;
  decide?(id: string, part: number, decision: PartDecision): Promise<Job<K>>;
  parts?(id: string, query: PartQuery<K & PartKind>): PartPage<K & PartKind>;
  forget?(id: string): unknown;
  /** Suggested name of a file that can be saved from the job. */
  fileName?(id: string, what: FileOf<K & SaveKind>): string;
  writeFile?(
    id: string,
    what: FileOf<K & SaveKind>,
    path: string,
  ): Promise<{ rows: number; notes?: string[] }>;
}

/** A source of any kind. */
export type AnyJobSource = { [K in JobKindId]: JobSource<K> }[JobKindId];

/** The kind's own name of an action. Throws if there is none, which the contract of the channels prevents. */
export function ownAction<Own extends string>(
  actions: Readonly<Partial<Record<JobAction, Own>>>,
  action: JobAction,
): Own {
  const own = actions[action];
  if (own === undefined) throw new AppError('INVALID_ARGUMENT', `This job does not know "${action}".`);
  return own;
}
