/** Bulk changes as jobs, behind the channels `jobs:*`. */
import { type JobSource, type Listing, ownAction } from '../jobs/source.ts';
import { bulkAsJob } from '../shared/job-kinds/bulk.ts';
import type { Bulk } from './types.ts';

const ACTIONS = {
  start: 'start',
  pause: 'pause',
  resume: 'resume',
  cancel: 'stop',
  retry: 'retry',
  schedule: 'schedule',
  unschedule: 'stop',
} as const;

export function bulkSource(bulk: Omit<Bulk, 'source'>, jobs: Listing): JobSource<'bulk'> {
  return {
    kind: 'bulk',
    jobs,
    get: (id) => bulkAsJob(bulk.get(id)),
    create: async (plan, startAtMs) => bulkAsJob(await bulk.create({ ...plan, startAtMs })),
    control: (id, action, startAtMs) => bulkAsJob(bulk.control(id, ownAction(ACTIONS, action), startAtMs)),
    parts: (id, { states, offset, limit }) => {
      const { items: parts, total } = bulk.listItems(id, states, offset, limit);
      return { parts, total };
    },
    whenRest: (id) => bulk.whenIdle(id),
    forget: (id) => bulk.forget(id),
  };
}
