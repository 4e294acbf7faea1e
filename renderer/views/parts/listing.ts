/** What a list asks the service for, made of a tab's parameters. Pure but for what a tab holds. */
import type { ListQuery } from '../../../electron/shared/model.ts';
import { FilterModel } from '../../components/filter/filter-model.svelte.ts';
import { type FilterLanguage, LIST_FILTERS } from '../../lib/filter/language.ts';
import { checkFilterText } from '../../lib/filter/text.ts';
import { app } from '../../state/app.svelte.ts';

/** A rule that the place of the list sets: a person's own filter comes beside it. */
export interface ScopeRule {
  field: string;
  value: string;
}

/**
 * The filter that is sent: the place's own rules and the person's, all of them; null for none. A kept filter that
 * cannot be read any more is left out: its chip says so.
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
  /** Parameters that the view sets itself, e.g. `type`. Empty ones are left out. */
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

/** The editor of a list's filter; what is unfinished in it stays while its tab is open. */
export function heldFilter(tabId: string, name: string, language: FilterLanguage): FilterModel {
  return app.tabs.hold(tabId, `filter.${name}`, () => new FilterModel(language));
}
