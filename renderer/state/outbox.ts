/** What is done with changes that wait to be sent, beside what all jobs have. */
import { client } from '../lib/client.ts';

/** All that waits, in its order. Answers how many there are. Throws AppError. */
export async function sendOutbox(connectionId: string): Promise<number> {
  return (await client.invoke('outbox:send-all', { connectionId })).count;
}
