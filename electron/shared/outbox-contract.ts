/** Channels of changes that wait to be sent, beside those of all jobs; merged into contract.ts. */
import { z } from 'zod';
import { boundedBody } from './json-body.ts';
import type { OutboxEntry } from './outbox-model.ts';

const connectionId = z.uuid();

export const outboxContract = {
  /** Another body for one that waits; what the service has as it was shown counts as seen. */
  'outbox:edit': z.strictObject({
    connectionId,
    entryId: z.string().min(1).max(100),
    body: boundedBody.nullable(),
  }),
  /** All that waits, in its order; what needs a decision is left. */
  'outbox:send-all': z.strictObject({ connectionId }),
} as const;

export interface OutboxResults {
  'outbox:edit': OutboxEntry;
  'outbox:send-all': { count: number };
}
