/** Which stored lists and records are affected by a change at the service. Pure. */
import type { ListQuery } from '../shared/model.ts';
import type { Touch } from './types.ts';

/** The effect on a stored query: read again on next use, gone at the service, or none. */
export function markOf(touches: readonly Touch[], query: ListQuery): 'outdated' | 'gone' | null {
  const met = touches.filter((touch) => isMet(touch, query));
  if (met.length === 0) return null;
  return met.some(({ isGone }) => isGone === true) ? 'gone' : 'outdated';
}

function isMet({ operation, path, mentions }: Touch, query: ListQuery): boolean {
  if (operation !== query.operation) return false;
  if (!Object.entries(path ?? {}).every(([name, value]) => query.path[name] === value)) return false;
  return mentions === undefined || JSON.stringify([query.path, query.query, query.body]).includes(mentions);
}
