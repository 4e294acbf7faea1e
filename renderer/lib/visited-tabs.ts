/** The history of shown tabs, for Back and Forward. Pure. */
import { aboutOf, type Tab } from './tab-kinds.ts';

const MAX_VISITED = 50;

export interface VisitedTabs {
  /** Oldest first. Each tab is in the state in which it was shown last. */
  list: readonly Tab[];
  /** Index of the current tab; -1 if none was shown yet. */
  at: number;
}

export const NO_VISITS: VisitedTabs = { list: [], at: -1 };

/**
 * Adds the shown tab, and removes those that Forward would have led to. If the tab shows the same subject as before,
 * its entry is updated.
 */
export function visit({ list, at }: VisitedTabs, tab: Tab): VisitedTabs {
  const current = list[at];
  if (current?.id === tab.id && aboutOf(current) === aboutOf(tab)) return { list: list.with(at, tab), at };
  const longer = [...list.slice(0, at + 1), tab].slice(-MAX_VISITED);
  return { list: longer, at: longer.length - 1 };
}

/** The tab before (-1) or after (1) the current one; null at the ends. */
export const visitedAt = ({ list, at }: VisitedTabs, by: -1 | 1): Tab | null => list[at + by] ?? null;
