/** Finds the stored lists and records that a change at the service affects. Pure. */
import type { ListQuery } from '../shared/model.ts';
import type { Invalidation } from './types.ts';

/** The effect on a stored query: read it again at its next use, mark it as gone at the service, or none. */
export function invalidationMark(
  invalidations: readonly Invalidation[],
  query: ListQuery,
): 'outdated' | 'gone' | null {
  const met = invalidations.filter((invalidate) => isMet(invalidate, query));
  if (met.length === 0) return null;
  return met.some(({ isGone }) => isGone === true) ? 'gone' : 'outdated';
}

function isMet({ operation, path, mentions }: Invalidation, query: ListQuery): boolean {
  if (operation !== query.operation) return false;
  if (!Object.entries(path ?? {}).every(([name, value]) => query.path[name] === value)) return false;
  return mentions === undefined || JSON.stringify([query.path, query.query, query.body]).includes(mentions);
}
