/**
 * Reads the target of a change before it is sent: the record to be changed, or records with the same name as a new one.
 */
import { endpoint, OPERATION_IDS, type OperationId } from '../api/endpoints.ts';
import type { OutboxTarget } from '../core/jobs/outbox.ts';
import { toAppError } from '../shared/errors.ts';
import { type JsonObject, jsonObject } from '../shared/json-body.ts';
import type { OutboxChange } from '../shared/outbox-model.ts';
import { readOf } from './change-check.ts';
import type { ActOptions, ActRequest, ResourcesDeps } from './types.ts';

const PAGE = 100;
/** Maximum number of search results examined. */
const MAX_FOUND = 500;

export function changeOf(operation: OperationId): OutboxChange {
  if (readOf(operation) !== null) return endpoint(operation).method === 'DELETE' ? 'delete' : 'update';
  return listOf(operation) === null ? 'other' : 'create';
}

/** Throws the errors of reading. */
export async function readTarget(
  { client }: Pick<ResourcesDeps, 'client'>,
  operation: OperationId,
  { path, body }: ActRequest,
  given: ActOptions,
): Promise<OutboxTarget> {
  const options = { priority: 'click', isExact: true, ...given } as const;
  const reading = readOf(operation);
  if (reading !== null) {
    try {
      const { value } = await client.call(reading, { path }, options);
      return { kind: 'record', record: jsonObject.parse(value) };
    } catch (thrown) {
      if (toAppError(thrown).code !== 'NOT_FOUND') throw thrown;
      return { kind: 'gone' };
    }
  }
  const list = listOf(operation);
  const name = body?.['name'];
  if (list === null || typeof name !== 'string') return { kind: 'none' };
  const records: JsonObject[] = [];
  const search = 'search' in endpoint(list).query ? { search: name } : {};
  for (let offset = 0; offset < MAX_FOUND; ) {
    const input = { path, query: search, paging: { limit: PAGE, offset } };
    const { items, total } = (await client.list(list, input, options)).value;
    records.push(...items.map((item) => jsonObject.parse(item)).filter((item) => item['name'] === name));
    offset += items.length;
    if (items.length === 0 || (total !== null && offset >= total)) break;
  }
  return { kind: 'list', records };
}

/** The list that contains the record created by an operation; null if the operation creates no record with a name. */
function listOf(operation: OperationId): OperationId | null {
  const { path, method } = endpoint(operation);
  if (method !== 'POST' || operation === 'datasets.add-items') return null;
  return (
    OPERATION_IDS.find((id) => {
      const row = endpoint(id);
      return row.method === 'GET' && row.path === path && row.answer === 'paginated';
    }) ?? null
  );
}
