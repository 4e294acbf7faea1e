/** Data read completely for offline use. Pure. */
import { type Kept, keepPlan, refreshHours } from '../keep-model.ts';
import * as z from '../zod.ts';
import type { JobKind, JobOf } from './job-kind.ts';

export const keepOfflineKind = {
  id: 'keep-offline',
  storedAs: 'keep-offline',
  damaged: { noun: 'kept entry', goes: 'but not what was read for it' },
  plan: z.strictObject({ keep: keepPlan, refreshHours }),
  noRepeat:
    'this one is read again by its own setting (--every on the command line, Read again in the offline library)',
  // `start`: reads everything again.
  actions: ['start', 'pause', 'resume', 'retry', 'restore'],
} as const satisfies JobKind;

export function keepAsJob(own: Kept): JobOf<'keep-offline', Kept> {
  const { keptId: id, plan, state, reason, error, counts } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  return {
    ...{ kind: 'keep-offline', id, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    title: plan.name,
    state,
    progress: { done: counts.read + counts.failed, total: counts.questions },
    unknown: 0,
    requests: [],
    of: { id: plan.id, name: plan.name },
  };
}
