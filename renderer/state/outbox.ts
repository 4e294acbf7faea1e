/** What is done with changes that wait to be sent, beside what all jobs have. */
import type { JsonObject } from '../../electron/shared/json-body.ts';
import { client } from '../lib/client.ts';

/** Another body for one that waits. Throws AppError. */
export async function editEntry(
  connectionId: string,
  entryId: string,
  body: JsonObject | null,
): Promise<void> {
  await client.invoke('outbox:edit', { connectionId, entryId, body });
}

/** All that waits, in its order. Answers how many there are. Throws AppError. */
export async function sendOutbox(connectionId: string): Promise<number> {
  return (await client.invoke('outbox:send-all', { connectionId })).count;
}
