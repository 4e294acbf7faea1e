/** Lists as values: one key for one question, however its parameters were written down. Pure. */
import { createHash } from 'node:crypto';
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
