/**
 * Handles placeholders for the ids of new records. Until a record is created, other requests use the id of the entry
 * that creates it in their path and body. Pure.
 */
import type { OutboxRequest } from '../shared/outbox-model.ts';

/** The given ids that occur in a request. */
export function namesIn({ path, body }: OutboxRequest, ids: readonly string[]): string[] {
  const text = JSON.stringify([path, body]);
  return ids.filter((id) => text.includes(JSON.stringify(id)));
}

/** The request with placeholders replaced by the ids of the created records. */
export function withMade(request: OutboxRequest, made: ReadonlyMap<string, string>): OutboxRequest {
  if (made.size === 0) return request;
  const path = Object.fromEntries(
    Object.entries(request.path).map(([name, value]) => [name, made.get(value) ?? value]),
  );
  return { ...request, path, body: replaced(request.body, made) };
}

/** Replaces texts only; the result has the same shape. */
function replaced<T>(value: T, made: ReadonlyMap<string, string>): T {
  const visit = (part: unknown): unknown => {
    if (typeof part === 'string') return made.get(part) ?? part;
    if (Array.isArray(part)) return part.map(visit);
    if (typeof part !== 'object' || part === null || Object.getPrototypeOf(part) !== Object.prototype)
      return part;
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, visit(inner)]));
  };
  return visit(value) as T;
}
