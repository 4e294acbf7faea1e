/** Lists as values: one key for one question, however its parameters were written down. Pure. */
import { createHash } from 'node:crypto';
import type { OperationInfo, ServiceClient } from '../api/types.ts';
import { AppError } from '../shared/errors.ts';
import type { ListQuery } from '../shared/model.ts';

const PAGING = ['limit', 'offset'];

/**
 * Sorts the parameters and drops empty ones, which the service reads like absent ones. Throws INVALID_ARGUMENT for
 * paging parameters: the library pages by itself.
 */
export function canonicalQuery(query: ListQuery): ListQuery {
  for (const name of PAGING) {
    if (Object.hasOwn(query.query, name)) {
      throw new AppError('INVALID_ARGUMENT', `"${name}" is set by the library. Leave it out of the query.`);
    }
  }
  return { operation: query.operation, path: sorted(query.path), query: sorted(query.query) };
}

function sorted(record: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(record).filter(([, value]) => value !== '');
  return Object.fromEntries(pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** What is known of an operation that reads. Throws INVALID_ARGUMENT for any other: whatever asks, the library changes nothing. */
export function readOperation(client: Pick<ServiceClient, 'describe'>, operation: string): OperationInfo {
  const info = client.describe(operation);
  if (info.isRead) return info;
  throw new AppError('INVALID_ARGUMENT', `${info.text} is not an operation that reads.`);
}

/** Stable text of connection and canonical query. */
export function keyOf(connectionId: string, query: ListQuery): string {
  const text = JSON.stringify([
    connectionId,
    query.operation,
    Object.entries(query.path),
    Object.entries(query.query),
  ]);
  return `${query.operation}:${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}
