/** `search`: searches all data stored for the connection. Sends nothing. */
import type { Session } from '../engine/session.ts';
import { systemClock } from '../platform/system.ts';
import { AppError } from '../shared/errors.ts';
import { MAX_TYPED_CHARS } from '../shared/fold.ts';
import { momentText } from '../shared/local-time.ts';
import {
  MAX_COUNTED_HITS,
  SEARCH_KINDS,
  type SearchAnswer,
  type SearchHit,
  type SearchRequest,
} from '../shared/search-contract.ts';
import { oneOf } from './budget-command.ts';
import type { CommandContext } from './context.ts';
import { counted, numberText } from './human-text.ts';
import { table, WIDEST_CELL } from './output.ts';
import { didYouMean } from './suggestions.ts';
import { pointOf } from './typed-time.ts';

const DEFAULT_HITS = 20;
const HITS_AT_ONCE = 100;
/** Maximum applications among which a name is looked up. */
const MAX_APPLICATIONS = 1_000;

/** Prints the best hits of each kind, or of one kind (--kind). */
export async function search(context: CommandContext): Promise<void> {
  const { args, output } = context;
  const typed = args.positionals[0]?.trim() ?? '';
  if (typed === '') throw new AppError('INVALID_ARGUMENT', 'search expects TEXT: the text to find.');
  if (typed.length > MAX_TYPED_CHARS)
    throw new AppError(
      'INVALID_ARGUMENT',
      `search expects a text of at most ${MAX_TYPED_CHARS} characters, got ${numberText(typed.length)}.`,
    );
  const kind = oneOf(SEARCH_KINDS, args.text('kind'), 'kind');
  const limit = args.isAll
    ? MAX_COUNTED_HITS
    : Math.min(MAX_COUNTED_HITS, args.wholeNumber('limit', 1) ?? DEFAULT_HITS);
  const since = args.text('since');
  const sinceMs = since === null ? null : pointOf('--since', since, systemClock.nowMs()).ms;
  const session = await context.session();
  const applicationId = await applicationOf(session, args.text('application'));
  await session.search.follow(context.signal);
  const times = { sinceMs, untilMs: null };
  const answer = await findAll(
    session,
    { typed, kind, applicationId, ...times, offset: 0, limit },
    context.signal,
  );
  const hits = answer.groups.flatMap((group) => group.hits);
  const items = hits.map(itemOf);
  const lines = hits.map((hit) => ({ ...itemOf(hit), found: foundLine(hit.found) }));
  const groups = answer.groups.map(({ kind: name, count, hasMore, reach, hits: shown }) => {
    return { kind: name, count, shown: shown.length, hasMore, ...reach };
  });
  const isPart = groups.some(({ count, shown }) => shown < count);
  const complete = !answer.isCut && answer.rowsLeft === 0 && !isPart;
  const { near } = answer;
  if (answer.rowsLeft > 0)
    output.note(
      `${counted(answer.rowsLeft, 'stored row')} are not in the search index and were not searched. The window brings it up to date, and so does: spandeck search TEXT`,
    );
  const guess = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
  output.answer(
    { items, groups, complete, near },
    () => (items.length === 0 ? [] : table(lines, ['kind', 'title', 'found', 'place', 'id']).split('\n')),
    { footer: `${summaryOf(answer)}${isPart ? shownText(groups) : ''}${guess}` },
  );
}

/** Text about the number of shown hits: ` Shown: 20 of 314 results, 20 of 83 spans. More: --limit N, or --all.` */
function shownText(groups: readonly { kind: string; count: number; shown: number }[]): string {
  const parts = groups
    .filter(({ count }) => count > 0)
    .map(({ kind, count, shown }) => `${numberText(shown)} of ${numberText(count)} ${kind}`);
  return ` Shown: ${parts.join(', ')}. More: --limit N, or --all.`;
}

/** Finds all hits, with several requests if one answer cannot hold them. */
async function findAll(session: Session, request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer> {
  const first = { ...request, limit: Math.min(HITS_AT_ONCE, request.limit) };
  let answer = await session.search.find(first, signal);
  for (let offset = HITS_AT_ONCE; offset < request.limit; offset += HITS_AT_ONCE) {
    if (answer.groups.every(({ count }) => count <= offset)) break;
    const limit = Math.min(HITS_AT_ONCE, request.limit - offset);
    const next = await session.search.find({ ...request, offset, limit }, signal);
    const groups = answer.groups.map((group) => {
      const more = next.groups.find(({ kind }) => kind === group.kind)?.hits ?? [];
      return { ...group, hits: [...group.hits, ...more] };
    });
    answer = { ...answer, groups };
  }
  return answer;
}

function itemOf({ kind, title, found, note, place, atMs, target }: SearchHit) {
  return {
    kind,
    title,
    found: found === null ? '' : `${found.field}: ${found.text}`,
    note,
    place,
    at: atMs === null ? null : new Date(atMs).toISOString(),
    id: target['id'] ?? target['spanId'] ?? target['itemId'] ?? target['job'] ?? target['file'] ?? '',
    target,
  };
}

const FIELD_CHARACTERS = 20;

/** The found text cut to the width of a cell: the end of the field's name, and the words around the first match. */
export function foundLine(found: SearchHit['found']): string {
  if (found === null) return '';
  const { field, text, ranges } = found;
  const name = field.length > FIELD_CHARACTERS ? `…${field.slice(1 - FIELD_CHARACTERS)}` : field;
  const room = WIDEST_CELL - name.length - 4;
  const [from = 0, to = 0] = ranges[0] ?? [];
  // The match is completely visible if it fits, with some text before it.
  const begin = Math.max(0, Math.min(from - Math.floor(room / 4), Math.max(from, to - room)));
  const part = text.slice(begin, begin + room);
  const [before, after] = [
    begin > 0 && !part.startsWith('…'),
    begin + room < text.length && !part.endsWith('…'),
  ];
  return `${name}: ${before ? '…' : ''}${part}${after ? '…' : ''}`;
}

function summaryOf({ groups, rowsLeft, isCut }: SearchAnswer): string {
  const found = groups.reduce((sum, { count }) => sum + count, 0);
  const hasMore = isCut || rowsLeft > 0 || groups.some((group) => group.hasMore);
  const stored = groups.reduce((sum, { reach }) => sum + reach.storedRows, 0);
  const least = groups.some(({ reach }) => reach.isAtLeast) ? 'at least ' : '';
  const oldest = groups.flatMap(({ reach }) => reach.oldestMs ?? []);
  const from = oldest.length === 0 ? '' : `, the oldest from ${momentText(Math.min(...oldest))}`;
  const left = rowsLeft === 0 ? '' : ` ${counted(rowsLeft, 'row')} are not indexed yet.`;
  return `${numberText(found)}${hasMore ? ' or more' : ''} found in ${least}${counted(stored, 'stored record')}${from}.${left}`;
}

/** The application of a given name, looked up among the stored ones without a request. */
async function applicationOf(session: Session, given: string | null): Promise<string | null> {
  if (given === null) return null;
  const query = { operation: 'applications.list', path: {}, query: {} };
  const rows = await session.library.readStored(query, 0, MAX_APPLICATIONS);
  const found = rows.find(({ record }) => record['id'] === given || record['name'] === given)?.record['id'];
  if (typeof found === 'string') return found;
  const names = rows.flatMap(({ record }) => (typeof record['name'] === 'string' ? [record['name']] : []));
  throw new AppError(
    'NOT_FOUND',
    `No application "${given}" is stored. Give its id or its whole name.${didYouMean(given, names)}`,
  );
}
