/** Which stored lists and records a change at the service concerns. Pure. */
import type { ListQuery } from '../shared/model.ts';
import type { Touch } from './types.ts';

/** What becomes of a stored question: read again when next wanted, gone at the service, or nothing. */
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
