/** Outbox changes as jobs, behind the channels `jobs:*`. */
import { type JobSource, type Listing, ownAction } from '../jobs/source.ts';
import { outboxAsJob } from '../shared/job-kinds/outbox.ts';
import type { OutboxEntry } from '../shared/outbox-model.ts';
import type { Outbox } from './types.ts';

const ACTIONS = {
  start: 'send',
  cancel: 'discard',
  schedule: 'schedule',
  unschedule: 'unschedule',
  restore: 'restore',
} as const;

export function outboxSource(outbox: Omit<Outbox, 'source'>, jobs: Listing): JobSource<'outbox'> {
  const acts: Record<(typeof ACTIONS)[keyof typeof ACTIONS], (id: string, at: number | null) => OutboxEntry> =
    {
      send: (id) => outbox.send(id),
      discard: (id) => outbox.discard(id),
      schedule: (id, at) => outbox.schedule(id, at),
      unschedule: (id) => outbox.unschedule(id),
      restore: (id) => outbox.restore(id),
    };
  return {
    kind: 'outbox',
    jobs,
    get: (id) => outboxAsJob(outbox.get(id)),
    create: async (plan, startAtMs) => outboxAsJob(await outbox.create(plan, startAtMs)),
    change: (id, { body }) => outbox.edit(id, body),
    control: (id, action, startAtMs) => outboxAsJob(acts[ownAction(ACTIONS, action)](id, startAtMs)),
    whenRest: (id) => outbox.whenIdle(id),
    decide: async (id, _part, decision) => outboxAsJob(outbox.decide(id, decision)),
    forget: (id) => outbox.forget(id),
  };
}
