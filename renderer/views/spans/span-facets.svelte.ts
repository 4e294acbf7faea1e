/**
 * Counts for the facets of a span list. The counts of a facet ignore the values chosen in it, so that other values can
 * be chosen.
 */
import type { ColumnProfile, ListProfile } from '../../../electron/shared/analysis-model.ts';
import type { ListQuery } from '../../../electron/shared/model.ts';
import { client } from '../../lib/client.ts';
import { chosenValues, withChosenValues } from '../../lib/filter/chosen-values.ts';
import { SPAN_FILTERS } from '../../lib/filter/language.ts';
import type { Facet } from '../../lib/span-facets.ts';
import { filterOfParam } from '../../lib/span-query.ts';
import { ListProfiles, type ProfileWish } from '../../state/list-profile.svelte.ts';

type Counted = Omit<ProfileWish, 'fields'>;
type Client = ConstructorParameters<typeof ListProfiles>[1];

interface FacetCounts {
  profile: ColumnProfile | undefined;
  /** The rows that were counted; null if there are no counts. */
  about: Omit<ListProfile, 'columns'> | null;
  /**
   * Whether the counts are earlier ones or missing, because the present rows are not stored as a list or could not be
   * counted.
   */
  isBefore: boolean;
}

export class SpanFacets {
  readonly #connectionId: string;
  /** Counts of the facets without chosen values, over the rows of the list itself. */
  readonly #rest: ListProfiles;
  /** Counts of each facet with chosen values, by field, over the rows that match all other rules. */
  readonly #own = new Map<string, ListProfiles>();
  /** Fields of the facets that have chosen values at present. Counts of other facets belong to an earlier filter. */
  #chosen = new Set<string>();

  /** The last counts of each facet by column, whichever filter the spans had at the service. */
  readonly #last = new Map<string, Pick<FacetCounts, 'profile' | 'about'>>();
  #spans = '';
  readonly #client: Client;

  constructor(connectionId: string, from: Client = client) {
    this.#connectionId = connectionId;
    this.#client = from;
    this.#rest = new ListProfiles(connectionId, from);
  }

  #of(field: string): ListProfiles {
    const own = this.#own.get(field) ?? new ListProfiles(this.#connectionId, this.#client);
    this.#own.set(field, own);
    return own;
  }

  /** Sets the rows to count: those of the list with this filter; null if the facets are not shown. */
  want(counted: Counted | null, facets: readonly Facet[], filter: string | null): void {
    this.#keepLast(counted);
    const chosen = facets.filter(({ field }) => chosenValues(filter, field, SPAN_FILTERS).length > 0);
    const rest = facets.filter((facet) => !chosen.includes(facet)).map(({ column }) => column);
    if (counted !== null) this.#chosen = new Set(chosen.map(({ field }) => field));
    this.#rest.want(counted === null ? null : { ...counted, fields: rest });
    for (const [field, own] of this.#own) if (counted === null || !this.#chosen.has(field)) own.want(null);
    if (counted === null) return;
    for (const { field, column } of chosen) {
      const query = counted.query === null ? null : withoutField(counted.query, filter, field);
      this.#of(field).want({ ...counted, query, fields: [column] });
    }
  }

  /** The counts of a facet. As long as those for the present filter are not known, the last ones. */
  countsOf({ field, column }: Facet, isChosen: boolean): FacetCounts {
    const profiles = isChosen ? this.#of(field) : this.#rest;
    const { about, columns, isAsking, error } = profiles;
    const last = this.#last.get(column) ?? { profile: undefined, about: null };
    if (error !== null) return { ...last, isBefore: true };
    const profile = columns.get(column);
    if (about === null) return { ...last, isBefore: !isAsking && profiles.answered !== null };
    return profile === undefined && isAsking
      ? { ...last, isBefore: false }
      : { profile, about, isBefore: false };
  }

  /** Keeps the present counts before they change. Counts of other spans are dropped. */
  #keepLast(counted: Counted | null): void {
    if (counted === null) return;
    const spans = spansOf(counted);
    if (spans !== this.#spans) this.#last.clear();
    this.#spans = spans;
    const wanted = [...this.#own].filter(([field]) => this.#chosen.has(field)).map(([, own]) => own);
    for (const { about, columns, answered, error } of [this.#rest, ...wanted]) {
      // After an error, the columns are those of an earlier answer.
      if (error !== null || about === null || answered === null || spansOf(answered) !== spans) continue;
      for (const [column, profile] of columns) this.#last.set(column, { profile, about });
    }
  }
}

/** Identifies the counted spans without the filter of the service. */
function spansOf({ query, narrow, filters }: Counted): string {
  const { filter: _, ...body } = query?.body ?? {};
  return JSON.stringify([query && { ...query, body }, narrow, filters]);
}

function withoutField(query: ListQuery, filter: string | null, field: string): ListQuery {
  const { filter: _, ...body } = query.body ?? {};
  const rest = filterOfParam(withChosenValues(filter, field, [], SPAN_FILTERS) ?? undefined);
  return { ...query, body: rest === null ? body : { ...body, filter: rest } };
}
