/** List queries as values, with one key for equal queries however their parameters were written. Pure. */
import { createHash } from 'node:crypto';
import type { OperationInfo, ServiceClient } from '../api/types.ts';
import { AppError } from '../shared/errors.ts';
import { isRawNumber } from '../shared/exact-json.ts';
import { bodyProblem, type JsonObject } from '../shared/json-body.ts';
import type { ListQuery } from '../shared/model.ts';

type Json = JsonObject[string];

const PAGING = ['limit', 'offset'];
const PAGING_IN_BODY = ['page_size', 'offset'];

/**
 * Sorts the parameters and drops empty ones, which the service treats as absent. Throws INVALID_ARGUMENT for paging
 * parameters, because the library does the paging, and for a body that is too large for a stored query.
 */
export function canonicalQuery(query: ListQuery): ListQuery {
  const { operation, body } = query;
  const set = [
    ...PAGING.filter((name) => Object.hasOwn(query.query, name)),
    ...PAGING_IN_BODY.filter((name) => body !== undefined && Object.hasOwn(body, name)),
  ];
  if (set[0] !== undefined) {
    throw new AppError('INVALID_ARGUMENT', `"${set[0]}" is set by the library. Leave it out of the query.`);
  }
  const problem = body === undefined ? null : bodyProblem(body);
  if (problem !== null)
    throw new AppError('INVALID_ARGUMENT', `${operation}: ${problem}. Request fewer rows.`);
  const canonical = { operation, path: sorted(query.path), query: sorted(query.query) };
  return body === undefined ? canonical : { ...canonical, body: sortedJson(body) };
}

/**
 * The same value with sorted keys in every object. Absent and null top-level fields are equivalent, so null ones are
 * dropped.
 */
function sortedJson(body: JsonObject): JsonObject {
  return sortKeys(Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)));
}

function sortKeys(value: JsonObject): JsonObject {
  const pairs = Object.entries(value).map(([key, part]): [string, Json] => [key, sortJson(part)]);
  return Object.fromEntries(pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

function sortJson(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortJson);
  return typeof value === 'object' && value !== null && !isRawNumber(value) ? sortKeys(value) : value;
}

function sorted(record: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(record).filter(([, value]) => value !== '');
  return Object.fromEntries(pairs.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/**
 * The description of a read operation. Throws INVALID_ARGUMENT for any other operation, because the library never
 * changes anything.
 */
export function readOperation(client: Pick<ServiceClient, 'describe'>, operation: string): OperationInfo {
  const info = client.describe(operation);
  if (info.isRead) return info;
  throw new AppError('INVALID_ARGUMENT', `${info.text} is not an operation that reads.`);
}

/** A stable text for a connection and a canonical query. */
export function keyOf(connectionId: string, query: ListQuery): string {
  const text = JSON.stringify([
    connectionId,
    query.operation,
    Object.entries(query.path),
    Object.entries(query.query),
    ...(query.body === undefined ? [] : [query.body]),
  ]);
  return `${query.operation}:${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
}
