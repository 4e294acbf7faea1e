/** Data kept for offline use as jobs, behind the channels `jobs:*`. */
import { type JobSource, type Listing, ownAction } from '../jobs/source.ts';
import { keepAsJob } from '../shared/job-kinds/keep-offline.ts';
import type { Keep } from './types.ts';

const ACTIONS = {
  start: 'refresh',
  pause: 'pause',
  resume: 'resume',
  retry: 'retry',
} as const;

export function keepSource(keep: Omit<Keep, 'source'>, jobs: Listing): JobSource<'keep-offline'> {
  return {
    kind: 'keep-offline',
    jobs,
    get: (id) => keepAsJob(keep.get(id)),
    plan: ({ plan }) => keep.estimate(plan),
    create: ({ keep: plan, refreshHours }) => keepAsJob(keep.start(plan, refreshHours)),
    change: (id, { refreshHours }) => keep.setRefresh(id, refreshHours),
    control: (id, action) =>
      keepAsJob(action === 'restore' ? keep.restore(id) : keep.control(id, ownAction(ACTIONS, action))),
    whenRest: (id) => keep.whenIdle(id),
    forget: (id) => keep.softDelete(id),
  };
}
