/** The channel of changes that wait to be sent, beside those of all jobs; merged into contract.ts. */
import { z } from 'zod';

export const outboxContract = {
  /** All that waits, in its order; what needs a decision is left. */
  'outbox:send-all': z.strictObject({ connectionId: z.uuid() }),
} as const;

export interface OutboxResults {
  'outbox:send-all': { count: number };
}
