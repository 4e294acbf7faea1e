/** Causes every declared error of every operation: by a request, by a token, or otherwise by a scripted fault. */
import { expect } from 'vitest';
import { type Endpoint, endpoint, type OperationId } from '../../../electron/api/endpoints.ts';
import { READ_ONLY_TOKEN, TOKEN } from '../../helpers/sample-service.ts';
import { CASES } from '../sample-service-cases.ts';
import { UNRESOLVABLE } from './datasets.ts';
import { NO_PROJECT_TOKEN, type Sending, UNKNOWN_ID, type World } from './world.ts';

export interface Provocation {
  sending: Sending;
  token: string;
  /** Whether the body violates the schema of the row. A client that validates must be made to send it. */
  isMalformed: boolean;
}

export const STRANGER_TOKEN = 'a-token-nobody-knows';

/** The path parameters of a row, all with the same value. */
export function parametersOf(row: Endpoint, value: string): Record<string, string> {
  return Object.fromEntries([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, value]));
}

/** A request whose form the operation rejects. */
function malformed(row: Endpoint, success: Sending): Sending {
  if (row.body !== null) return { ...success, body: [] };
  if (row.path.includes('{')) return { ...success, parameters: parametersOf(row, 'not-a-uuid') };
  return { ...success, query: `${success.query ?? '?'}&limit=0` };
}

/** Prepares that the next request of `operation` is answered with `status`. Replaces the scripted faults. */
export async function provocation(
  world: World,
  operation: OperationId,
  status: number,
): Promise<Provocation> {
  const row = endpoint(operation);
  world.raw.service.setFaults([]);
  const own = CASES[operation].errors?.[status];
  const plain = { token: TOKEN, isMalformed: false };
  if (own !== undefined) return { ...plain, sending: await own(world) };
  const sending = await CASES[operation].success(world);
  const isOverall = row.method === 'GET' && !row.path.includes('{');
  if (status === 400) return { ...plain, sending: malformed(row, sending), isMalformed: row.body !== null };
  if (status === 401) return { ...plain, sending, token: STRANGER_TOKEN };
  if (status === 403 && !isOverall)
    return { ...plain, sending, token: row.isWrite ? READ_ONLY_TOKEN : NO_PROJECT_TOKEN };
  if (status === 404) return { ...plain, sending: { ...sending, parameters: parametersOf(row, UNKNOWN_ID) } };
  world.raw.service.setFaults([{ match: { operation }, times: 1, action: { type: 'status', status } }]);
  return { ...plain, sending };
}

/** The expected entries of an error with `status`: one for each missing span, otherwise a single one. */
export function issuesOf(status: number): unknown[] {
  if (status !== 422) return [{ reason: expect.any(String), message: expect.any(String) }];
  return UNRESOLVABLE.map(({ span_id }) => ({
    reason: 'SpanNotFound',
    message: expect.stringContaining(span_id),
  }));
}
