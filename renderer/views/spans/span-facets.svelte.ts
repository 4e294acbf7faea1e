/** Counts of the facets of a span list. The counts of a facet ignore its own choice, so that others can be chosen. */
import type { ColumnProfile, ListProfile } from '../../../electron/shared/analysis-model.ts';
import type { ListQuery } from '../../../electron/shared/model.ts';
import { client } from '../../lib/client.ts';
import { chosenValues, withChosenValues } from '../../lib/filter/chosen-values.ts';
import { SPAN_FILTERS } from '../../lib/filter/language.ts';
import type { Facet } from '../../lib/span-facets.ts';
import { filterOfParam } from '../../lib/span-query.ts';
import { ListProfiles, type ProfileWish } from '../../state/list-profile.svelte.ts';

type Counted = Omit<ProfileWish, 'fields'>;

export class SpanFacets {
  readonly #connectionId: string;
  /** Counts of facets without a choice, over the rows of the list itself. */
  readonly #rest: ListProfiles;
  /** Counts of each facet with a choice, by its field, over the rows that pass all other rules. */
  readonly #own = new Map<string, ListProfiles>();

  constructor(connectionId: string) {
    this.#connectionId = connectionId;
    this.#rest = new ListProfiles(connectionId, client);
  }

  #of(field: string): ListProfiles {
    const own = this.#own.get(field) ?? new ListProfiles(this.#connectionId, client);
    this.#own.set(field, own);
    return own;
  }

  /** Sets the rows to count, as in the list with this filter; null: the facets are not shown. */
  want(counted: Counted | null, facets: readonly Facet[], filter: string | null): void {
    const chosen = facets.filter(({ field }) => chosenValues(filter, field, SPAN_FILTERS).length > 0);
    const rest = facets.filter((facet) => !chosen.includes(facet)).map(({ column }) => column);
    this.#rest.want(counted === null ? null : { ...counted, fields: rest });
    for (const [field, own] of this.#own)
      if (counted === null || chosen.every((facet) => facet.field !== field)) own.want(null);
    if (counted === null) return;
    for (const { field, column } of chosen) {
      const query = counted.query === null ? null : withoutField(counted.query, filter, field);
      this.#of(field).want({ ...counted, query, fields: [column] });
    }
  }

  /** The counts of a facet, and the rows they were counted over; null without counts. */
  countsOf(
    { field, column }: Facet,
    isChosen: boolean,
  ): { profile: ColumnProfile | undefined; about: Omit<ListProfile, 'columns'> | null } {
    const profiles = isChosen ? this.#of(field) : this.#rest;
    return { profile: profiles.columns.get(column), about: profiles.about };
  }
}

function withoutField(query: ListQuery, filter: string | null, field: string): ListQuery {
  const { filter: _, ...body } = query.body ?? {};
  const rest = filterOfParam(withChosenValues(filter, field, [], SPAN_FILTERS) ?? undefined);
  return { ...query, body: rest === null ? body : { ...body, filter: rest } };
}
