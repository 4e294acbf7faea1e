/** What a room offers of the jobs of one kind, behind the channels `jobs:*`, which are the same for every kind. */

import { AppError } from '../shared/errors.ts';
import type {
  ChangeKind,
  ChangeOf,
  FileOf,
  Job,
  JobAction,
  JobKindId,
  JobPlan,
  PartDecision,
  PartKind,
  PartOf,
  PartQuery,
  PlanAnswers,
  PlanKind,
  PlanQuestion,
  SaveKind,
} from '../shared/job-contract.ts';
import type { PlannedStarts } from './schedule.ts';
import type { ListedJob } from './types.ts';

/** Where the jobs of one kind are; `Jobs` is one. */
export interface Listing {
  readonly starts: Pick<PlannedStarts, 'listen' | 'all'>;
  listed(): readonly ListedJob[];
}

interface PartPage<K extends PartKind> {
  parts: PartOf<K>[];
  total: number;
}

/** Failures are AppErrors. What a kind does not offer is not asked for: the contract of the channels says so. */
export interface JobSource<K extends JobKindId> {
  readonly kind: K;
  readonly jobs: Listing;
  get(id: string): Job<K>;
  /** What it would take; sends nothing of it. */
  plan?(of: PlanQuestion<K & PlanKind>): PlanAnswers[K & PlanKind] | Promise<PlanAnswers[K & PlanKind]>;
  /** `startAtMs`: wall time to come at which it begins by itself; null: now. */
  create(plan: JobPlan<K>, startAtMs: number | null): Promise<Job<K>> | Job<K>;
  /** What only this kind lets change. */
  change?(id: string, change: ChangeOf<K & ChangeKind>): unknown;
  /** `startAtMs` belongs to `schedule`. */
  control(id: string, action: JobAction, startAtMs: number | null): Promise<Job<K>> | Job<K>;
  /** Until it rests, after a planned start as well; what the service goes on with by itself is not waited for. */
  whenRest(id: string): Promise<unknown>;
  decide?(id: string, part: number, decision: PartDecision): Promise<Job<K>>;
  parts?(id: string, query: PartQuery<K & PartKind>): PartPage<K & PartKind>;
  forget?(id: string): unknown;
  /** Proposed name of a file that can be saved of it. */
  fileName?(id: string, what: FileOf<K & SaveKind>): string;
  writeFile?(id: string, what: FileOf<K & SaveKind>, path: string): Promise<{ rows: number }>;
}

/** Of whichever kind. */
export type AnyJobSource = { [K in JobKindId]: JobSource<K> }[JobKindId];

/** The kind's own word for an action. Throws where it has none: the contract lets no such action come. */
export function ownAction<Own extends string>(
  actions: Readonly<Partial<Record<JobAction, Own>>>,
  action: JobAction,
): Own {
  const own = actions[action];
  if (own === undefined) throw new AppError('INVALID_ARGUMENT', `This job does not know "${action}".`);
  return own;
}
