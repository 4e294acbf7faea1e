/**
 * Lists that are small enough to be read completely, with filter, search, ordering and paging (SERVICE.md S4 rule 3).
 */
import { matchesFilter, parseFilter } from '../core/text/filters.ts';
import { compareByOrdering, parseOrdering } from '../core/text/ordering.ts';
import { holdsText, recordField } from '../core/text/record-search.ts';
import { AppError } from '../shared/errors.ts';
import type { Answer } from './envelope.ts';
import type { HandlerRequest } from './handlers/handler.ts';
import { malformed } from './service-error.ts';
import type { JsonRecord } from './store.ts';

/** Turns an invalid filter or ordering into a 400 of the service. */
export function parsing<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AppError) throw malformed(error.message);
    throw error;
  }
}

function sort(records: JsonRecord[], ordering: string): JsonRecord[] {
  const terms = parsing(() => parseOrdering(ordering));
  for (const { field } of terms) {
    const isKnown =
      records.length === 0 || records.some((record) => recordField(record, field) !== undefined);
    if (!isKnown) throw malformed(`Ordering: no record has the field "${field}".`);
  }
  return records.toSorted((a, b) =>
    compareByOrdering(
      terms,
      (field) => recordField(a, field),
      (field) => recordField(b, field),
    ),
  );
}

/** Answers with one page of the records that match the request's filter and search, in its ordering. */
export function listAnswer(records: readonly JsonRecord[], request: HandlerRequest): Answer {
  let selected = [...records];
  const [filterText, searchText, ordering] = [
    request.query('filter'),
    request.query('search'),
    request.query('ordering'),
  ];
  if (ordering !== null) selected = sort(selected, ordering);
  if (filterText !== null) {
    const filter = parsing(() => parseFilter(filterText));
    selected = selected.filter((record) => matchesFilter(filter, (field) => recordField(record, field)));
  }
  if (searchText !== null) selected = selected.filter((record) => holdsText(record, searchText));
  const { limit, offset } = request.page;
  return {
    kind: 'page',
    items: selected.slice(offset, offset + limit),
    total: selected.length,
    limit,
    offset,
  };
}
