/** Builds the title of a stored list from its contents, owner, range and selection. Pure. */
import type { ListQuery } from '../shared/model.ts';
import { isoTime } from '../shared/zone-time.ts';

const WORDS: Readonly<Record<string, string>> = {
  'spans.query': 'Spans',
  'datasets.items': 'Items',
  'catalog.list': 'Entities',
  'catalog.values': 'Values',
  'alert-rules.records': 'Alerts',
};
/** Parameters that are already part of the title, or do not change the meaning of the query. */
const PASSED_OVER = new Set([
  'ordering',
  'application_id',
  'dataset_id',
  'start_time',
  'end_time',
  'filter',
  'limit',
]);
const MAX_TITLE_CHARS = 120;
const MAX_PARTS = 6;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** For example `Spans of Support assistant, 19–26 Nov, type llm`. `names`: names by id. */
export function titleOfList(
  { operation, path, query, body = {} }: ListQuery,
  names: ReadonlyMap<string, string>,
): string {
  const nameOf = (id: unknown) => (typeof id === 'string' ? (names.get(id) ?? shortId(id)) : null);
  const owners = [...Object.values(path), body['application_id'] ?? query['application_id']].flatMap(
    (id) => nameOf(id) ?? [],
  );
  const what =
    WORDS[operation] ?? sentence(operation.replace(/\.(?:list|query)$/, '').replaceAll(/[^a-z0-9]+/gi, ' '));
  const range = rangeOf({ ...query, ...body });
  const asked = Object.entries({ ...query, ...body }).flatMap(([field, value]) =>
    PASSED_OVER.has(field) || value === null ? [] : [`${field.replaceAll('_', ' ')} ${plain(value)}`],
  );
  const filter = typeof query['filter'] === 'string' ? [query['filter']] : rulesOf(body['filter']);
  const parts = [...(range === null ? [] : [range]), ...asked, ...filter].slice(0, MAX_PARTS);
  const of = owners.length === 0 ? '' : ` of ${owners.join(', ')}`;
  // A title is typed in quotes, so characters that would end or hide it are removed.
  const title = [`${what}${of}`, ...parts]
    .join(', ')
    .replaceAll(/["#\p{C}]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return title.length > MAX_TITLE_CHARS ? `${title.slice(0, MAX_TITLE_CHARS - 1).toWellFormed()}…` : title;
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
const shortId = (id: string): string => (/^[0-9a-f]{8}-/.test(id) ? id.slice(0, 8) : id);
const plain = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** Writes `span_type eq llm` as `type llm`. */
function rulesOf(filter: unknown): string[] {
  if (typeof filter !== 'object' || filter === null) return [];
  if (Array.isArray(filter)) return filter.flatMap(rulesOf);
  const { field, value, ...rest } = filter as Readonly<Record<string, unknown>>;
  if (typeof field === 'string' && value !== undefined)
    return [`${field.replace(/^span_/, '').replaceAll('_', ' ')} ${plain(value)}`];
  return Object.values(rest).flatMap(rulesOf);
}

/** Days in UTC. A range that ends at midnight ends with the previous day. */
function rangeOf({ start_time: start, end_time: end }: Readonly<Record<string, unknown>>): string | null {
  if (typeof start !== 'string' || typeof end !== 'string') return null;
  const [startMs, endMs] = [isoTime(start), isoTime(end)];
  if (startMs === null || endMs === null) return null;
  const [from, to] = [new Date(startMs), new Date(Math.max(startMs, endMs - 1))];
  const month = (date: Date) => MONTHS[date.getUTCMonth()] ?? '';
  const [firstDay, lastDay] = [from.getUTCDate(), to.getUTCDate()];
  const isOfYear = from.getUTCFullYear() === to.getUTCFullYear();
  if (!isOfYear)
    return `${firstDay} ${month(from)} ${from.getUTCFullYear()}–${lastDay} ${month(to)} ${to.getUTCFullYear()}`;
  if (month(from) !== month(to)) return `${firstDay} ${month(from)}–${lastDay} ${month(to)}`;
  return firstDay === lastDay ? `${firstDay} ${month(from)}` : `${firstDay}–${lastDay} ${month(from)}`;
}
