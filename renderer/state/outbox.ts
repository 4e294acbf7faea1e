/** What is done with changes that wait to be sent, beside what all jobs have. */
import { AppError, toAppError } from '../../electron/shared/errors.ts';
import { bodyProblem, type JsonObject, jsonObject } from '../../electron/shared/json-body.ts';
import type { OutboxEntry } from '../../electron/shared/outbox-model.ts';
import { client } from '../lib/client.ts';
import { jobs } from './jobs.svelte.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One change of the service. */
export interface Act {
  operation: string;
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Fields | null;
}

/** `base`: the record as it is shown, null where none is. */
interface SeenAct {
  request: Act;
  base: Fields | null;
}

/** Nothing is sent. Throws AppError. */
export function putInOutbox(connectionId: string, { request, base }: SeenAct): Promise<OutboxEntry> {
  const { operation, path = {}, query = {}, body = null } = request;
  const sent = { operation, path: { ...path }, query: { ...query }, body: objectOf(body) };
  const plan = { request: sent, base: bodyProblem(base) === null ? objectOf(base) : null };
  return jobs.create('outbox', plan, null, connectionId);
}

/** One change for each record, so that each is compared with its own. Throws AppError, which says how many are there. */
export async function putEach(connectionId: string, acts: readonly SeenAct[]): Promise<void> {
  for (const [index, act] of acts.entries()) {
    try {
      await putInOutbox(connectionId, act);
    } catch (thrown) {
      const { code, message, details } = toAppError(thrown);
      if (index === 0) throw thrown;
      const said = `${index} of ${acts.length} changes are in the outbox, the others are not. ${message}`;
      throw new AppError(code, said, details);
    }
  }
}

/** Forms and records hold JSON alone. */
function objectOf(value: Fields | null): JsonObject | null {
  return jsonObject.nullable().parse(value);
}

/** All that waits, in its order. Answers how many there are. Throws AppError. */
export async function sendOutbox(connectionId: string): Promise<number> {
  return (await client.invoke('outbox:send-all', { connectionId })).count;
}
