/** Makes a list query from the parameters of a tab. Pure, except for objects that a tab keeps. */
import type { ListQuery } from '../../../electron/shared/model.ts';
import { FilterModel } from '../../components/filter/filter-model.svelte.ts';
import { type FilterLanguage, LIST_FILTERS } from '../../lib/filter/language.ts';
import { checkFilterText } from '../../lib/filter/text.ts';
import { app } from '../../state/app.svelte.ts';

/** A fixed rule of the view that shows the list. It is combined with the user's own filter. */
export interface ScopeRule {
  field: string;
  value: string;
}

/**
 * The filter to send: all fixed rules and the user's filter; null if there are none. A stored filter that can no longer
 * be read is ignored, and its chip says so.
 */
export function joinFilters(scope: readonly ScopeRule[], filter: string | null): string | null {
  const rules: unknown[] = scope.map(({ field, value }) => ({ field, operator: 'equal', value }));
  if (rules.length === 0) return filter;
  const own = filter === null ? null : checkFilterText(filter, LIST_FILTERS);
  if (own?.isOk && own.tree !== null) rules.push(own.tree);
  return JSON.stringify({ condition: 'AND', rules });
}

interface ListingParts {
  operation: string;
  path: Readonly<Record<string, string>>;
  /** Parameters that the view sets, e.g. `type`. Empty ones are omitted. */
  query?: Readonly<Record<string, string>>;
  search: string;
  ordering: string;
  filter: string | null;
}

export function listingQuery({ operation, path, query, search, ordering, filter }: ListingParts): ListQuery {
  const all = { ...query, search, ordering, filter: filter ?? '' };
  return {
    operation,
    path: { ...path },
    query: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
  };
}

/** The filter editor of a list. Unfinished input is kept as long as its tab is open. */
export function filterOfTab(tabId: string, name: string, language: FilterLanguage): FilterModel {
  return app.tabs.hold(tabId, `filter.${name}`, () => new FilterModel(language));
}
