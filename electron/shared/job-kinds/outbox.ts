/** Changes waiting in the outbox to be sent. Pure. */
import { type OutboxEntry, outboxPlan } from '../outbox-model.ts';
import { ifPlanned, type JobKind, type JobOf, PLANNED, WRITES } from './job-kind.ts';

export const outboxKind = {
  id: 'outbox',
  storedAs: 'outbox',
  damaged: { noun: 'change in the outbox', goes: 'and is not sent' },
  /** The change waits until a person sends it, or until `startAtMs`. */
  plan: outboxPlan,
  noRepeat: WRITES,
  // `start`: sends the change now, even after a failure or an interruption. `cancel`: discards the change.
  actions: [...PLANNED, 'cancel', 'restore'],
} as const satisfies JobKind;

export function outboxAsJob(own: OutboxEntry): JobOf<'outbox', OutboxEntry> {
  const { entryId: id, title, state, reason, error, request, sentAtMs } = own;
  const { startAtMs, lateStart, createdAtMs, endedAtMs } = own;
  return {
    ...{ kind: 'outbox', id, title, state, reason, error, startAtMs, lateStart, createdAtMs, endedAtMs, own },
    progress: { done: state === 'done' ? 1 : 0, total: 1 },
    unknown: sentAtMs === null || state === 'running' ? 0 : 1,
    requests: ifPlanned(own, () => [{ operation: request.operation, count: 1 }]),
    of: null,
  };
}
