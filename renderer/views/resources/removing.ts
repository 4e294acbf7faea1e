/** Consequences of a deletion. */
import type { Act } from '../../state/outbox.ts';
import { joinFilters, listingQuery } from '../parts/listing.ts';
import { listOfTab, recordOfTab } from '../parts/tab-models.ts';
import type { Dependents, Removal } from './types.ts';

export function removalOf({ operation, param }: Removal, id: string): Act {
  return { operation, path: { [param]: id } };
}

/** The known number of things of a kind that depend on a record. */
interface DependentCount {
  /** Reads it: from the cache first, refreshed in the background. */
  open: () => Promise<void>;
  /** Reactive; null while it is unknown. */
  count: () => number | null;
  say: (count: number) => string;
  unknown: string | undefined;
}

export function dependentsOfTab(
  tabId: string,
  kind: Dependents,
  record: Record<string, unknown>,
  id: string,
): DependentCount {
  const { operation, scope, count, say, unknown } = kind;
  const path = kind.path?.(record) ?? {};
  const name = `dependents.${kind.id}.${id}`;
  if (count !== undefined) {
    const answer = recordOfTab(tabId, name);
    return {
      open: () => answer.open({ operation, path, query: {} }),
      count: () => (answer.record === null ? null : count(answer.record)),
      say,
      unknown,
    };
  }
  const list = listOfTab(tabId, name);
  const filter = joinFilters(scope?.(record) ?? [], null);
  return {
    open: () => list.open(listingQuery({ operation, path, search: '', ordering: '', filter })),
    count: () => {
      const { freshness } = list;
      return freshness === null || freshness.source === 'none'
        ? null
        : (freshness.totalRows ?? freshness.storedRows);
    },
    say,
    unknown,
  };
}
