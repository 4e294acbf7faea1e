/** Checks in the present record whether a change was made. */
import { endpoint, OPERATION_IDS, type OperationId } from '../api/endpoints.ts';
import { toAppError } from '../shared/errors.ts';
import type { ActOptions, ActRequest, ResourcesDeps } from './types.ts';

/** Throws the errors of reading. */
export async function checkChange(
  { client }: Pick<ResourcesDeps, 'client'>,
  operation: OperationId,
  { path, body }: ActRequest,
  options: ActOptions,
): Promise<'done' | 'undone' | 'unknown'> {
  const { method, isRepeatSafe } = endpoint(operation);
  const otherwise = isRepeatSafe ? 'undone' : 'unknown';
  const reading = readOf(operation);
  if (reading === null) return otherwise;
  try {
    const { value } = await client.call(reading, { path }, { priority: 'click', isExact: true, ...options });
    return method === 'PATCH' && holds(value, body) ? 'done' : otherwise;
  } catch (problem) {
    if (toAppError(problem).code !== 'NOT_FOUND') throw problem;
    return method === 'DELETE' ? 'done' : otherwise;
  }
}

/** The operation that reads the record which another operation changes or deletes; null if there is none. */
export function readOf(operation: OperationId): OperationId | null {
  const { path } = endpoint(operation);
  const isItsRead = (row: ReturnType<typeof endpoint>) =>
    row.method === 'GET' && row.path === path && row.answer === 'record';
  return OPERATION_IDS.find((id) => isItsRead(endpoint(id))) ?? null;
}

/** Whether the record has all the values of the change. */
function holds(record: unknown, body: ActRequest['body']): boolean {
  if (typeof record !== 'object' || record === null || body === null) return false;
  const values = new Map(Object.entries(record));
  return Object.entries(body).every(
    ([field, wanted]) => JSON.stringify(values.get(field)) === JSON.stringify(wanted),
  );
}
