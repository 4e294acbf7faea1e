/** The consequences of a deletion. */
import type { Act } from '../../state/outbox.ts';
import { joinFilters, listingQuery } from '../parts/listing.ts';
import { listOfTab, recordOfTab } from '../parts/tab-models.ts';
import type { Dependents, Removal } from './types.ts';

export function removalOf({ operation, param }: Removal, id: string): Act {
  return { operation, path: { [param]: id } };
}

/** The number of things of a kind that depend on a record, if it is known. */
interface DependentCount {
  /** Reads the number: first from the cache, then refreshed in the background. */
  open: () => Promise<void>;
  /** Null while it is unknown. Reactive. */
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
