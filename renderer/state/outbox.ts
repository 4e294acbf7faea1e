/** Actions on pending changes in the outbox, besides those of all jobs. */
import { AppError, toAppError } from '../../electron/shared/errors.ts';
import { bodyProblem, type JsonObject, jsonObject } from '../../electron/shared/json-body.ts';
import type { OutboxEntry } from '../../electron/shared/outbox-model.ts';
import { client } from '../lib/client.ts';
import { jobs } from './jobs.svelte.ts';

type Fields = Readonly<Record<string, unknown>>;

/** One change to send to the service. */
export interface Act {
  operation: string;
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Fields | null;
}

/** `base`: the record as shown; null if there is none. */
interface SeenAct {
  request: Act;
  base: Fields | null;
}

/** Stores a change without sending anything. Throws AppError. */
export function putInOutbox(connectionId: string, { request, base }: SeenAct): Promise<OutboxEntry> {
  const { operation, path = {}, query = {}, body = null } = request;
  const sent = { operation, path: { ...path }, query: { ...query }, body: objectOf(body) };
  const plan = { request: sent, base: bodyProblem(base) === null ? objectOf(base) : null };
  return jobs.create('outbox', plan, null, connectionId);
}

/**
 * Stores each change separately, so that it is later compared with its own record. Throws AppError, which says how many
 * were stored.
 */
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

/** The conversion is safe, as forms and records contain only JSON. */
function objectOf(value: Fields | null): JsonObject | null {
  return jsonObject.nullable().parse(value);
}

/** Sends all pending changes in order. Returns their number. Throws AppError. */
export async function sendOutbox(connectionId: string): Promise<number> {
  return (await client.invoke('outbox:send-all', { connectionId })).count;
}
