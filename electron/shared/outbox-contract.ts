/** The channel of changes waiting to be sent that is not common to all jobs; merged into contract.ts. */
import * as z from './zod.ts';

export const outboxContract = {
  /** Sends all waiting changes in order; those that need a decision are skipped. */
  'outbox:send-all': z.strictObject({ connectionId: z.uuid() }),
} as const;

export interface OutboxResults {
  'outbox:send-all': { count: number };
}
