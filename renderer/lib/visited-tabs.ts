/** The tabs shown one after another, for Back and Forward. Pure. */
import { aboutOf, type Tab } from './tab-kinds.ts';

const MAX_VISITED = 50;

export interface VisitedTabs {
  /** Oldest first, each in its last shown state. */
  list: readonly Tab[];
  /** Position of the current one; -1 if none was shown. */
  at: number;
}

export const NO_VISITS: VisitedTabs = { list: [], at: -1 };

/**
 * Adds the shown tab; those to which Forward would have led are left out. A tab that still shows the same subject keeps
 * its place in the history.
 */
export function visit({ list, at }: VisitedTabs, tab: Tab): VisitedTabs {
  const current = list[at];
  if (current?.id === tab.id && aboutOf(current) === aboutOf(tab)) return { list: list.with(at, tab), at };
  const longer = [...list.slice(0, at + 1), tab].slice(-MAX_VISITED);
  return { list: longer, at: longer.length - 1 };
}

/** The tab before (-1) or after (1) the current one; null at the ends. */
export const visitedAt = ({ list, at }: VisitedTabs, by: -1 | 1): Tab | null => list[at + by] ?? null;
