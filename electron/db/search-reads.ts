/** Answers searches: the matches of each kind, ranked, with the data that the window shows. */
import { MAX_DATE_MS } from '../core/jobs/job-record.ts';
import type { Clock } from '../core/ports.ts';
import { readable } from '../core/readable.ts';
import {
  documentOf,
  fieldsOf,
  noteOf,
  STORED_KINDS,
  type StoredKind,
  searchedText,
  targetOf,
  titleOf,
} from '../core/search/documents.ts';
import { foldForSearch, rangesOf, snippetOf } from '../core/search/fold.ts';
import { rankHits } from '../core/search/rank.ts';
import { matchesTerms, parseTerms, type SearchTerms } from '../core/search/terms.ts';
import type { ListQuery } from '../shared/model.ts';
import { parseRecord } from '../shared/record-parts.ts';
import {
  MAX_COUNTED_HITS,
  type SearchAnswer,
  type SearchGroup,
  type SearchHit,
  type SearchRequest,
} from '../shared/search-contract.ts';
import * as z from '../shared/zod.ts';
import { type ChangedRange, ChangedRanges } from './changed-ranges.ts';
import { WHOLE_RECORD } from './list-reads.ts';
import { type Database, parseRow } from './open.ts';
import { recordHash } from './search-identity.ts';
import { unknownWords, wordsNear } from './search-near.ts';
import { SearchSources, type Source } from './search-sources.ts';
import { anyOf, LAST_CHARACTER, partsOf, type WordPart, WordReader } from './search-words.ts';

export interface SearchReads {
  /**
   * Matches found within about `mostMs`; `isCut` if there may be more. `pending`: changes that the index has not taken
   * over. `isStopped` is called while rows are read; if it returns true, the search ends as if its time had run out.
   */
  find(
    request: SearchRequest,
    mostMs: number,
    isStopped?: () => boolean,
    pending?: readonly ChangedRange[],
  ): Omit<SearchAnswer, 'rowsLeft'>;
}

/**
 * Maximum words matched at once for one part of the typed text. A part with more words excludes few rows, and is
 * searched in the texts instead.
 */
const MAX_WORDS = 500;
/** Number of words whose rows are read first, because a common part finds enough rows with few words. */
const FIRST_WORDS = 8;
/** Kinds whose title is the complete text. */
const TITLED: ReadonlySet<StoredKind> = new Set(['names', 'values']);
/**
 * Maximum titles that begin with the typed text. They are searched first, so that they rank first however many texts
 * contain the typed text.
 */
const MAX_BEGINNING = 100;
const LOOKED_AT_BEGINNING = 2_000;
/** Number of alternative spellings that are offered, and number that are examined. */
const MAX_NEAR = 3;
const NEAR_LOOKED_AT = 6;
/** Number of rows between two checks of the clock. */
const ROWS_A_LOOK = 64;

interface Found {
  id: number;
  source: Source;
  position: number;
  title: string;
  atMs: number | null;
  applicationId: string | null;
  same: number | null;
}

const place = z.tuple([
  z.int(),
  z.int(),
  z.int(),
  z.string(),
  z.number().nullable(),
  z.string().nullable(),
  z.number().nullable(),
]);
type Place = z.infer<typeof place>;
const json = z.string();

function* rangesIn(rows: Iterable<unknown>): Generator<ChangedRange> {
  // Safe cast: the rows come from this application's index, as in `#fitting`.
  for (const row of rows) yield row as ChangedRange;
}

interface Search {
  request: SearchRequest;
  terms: SearchTerms;
  endMs: number;
}

export function createSearchReads(library: Database, index: Database, clock: Clock): SearchReads {
  const reader = new Reader(library, index, clock);
  return {
    find: (request, mostMs, isStopped = () => false, pending = []) =>
      reader.find(request, mostMs, isStopped, pending),
  };
}

class Reader {
  readonly #index: Database;
  readonly #clock: Clock;
  readonly #sources: SearchSources;
  readonly #kinds = new Map<StoredKind, ReturnType<typeof prepareKind>>();
  readonly #record;
  readonly #identity;
  readonly #changedRanges;
  #changed = new ChangedRanges([], () => true);
  #pending: readonly ChangedRange[] = [];
  #isCut = false;
  #isStopped = (): boolean => false;

  constructor(library: Database, index: Database, clock: Clock) {
    this.#index = index;
    this.#clock = clock;
    this.#sources = new SearchSources(library);
    this.#record = library
      .prepare(`SELECT ${WHOLE_RECORD} FROM list_row WHERE generation_id = ? AND position = ?`)
      .pluck();
    this.#identity = library
      .prepare('SELECT identity FROM list_row WHERE generation_id = ? AND position = ?')
      .pluck();
    this.#changedRanges = index
      .prepare(
        'SELECT generation_id, from_position, to_position FROM todo ORDER BY generation_id, from_position',
      )
      .raw();
  }

  find(
    request: SearchRequest,
    mostMs: number,
    isStopped: () => boolean,
    pending: readonly ChangedRange[],
  ): Omit<SearchAnswer, 'rowsLeft'> {
    this.#pending = pending;
    this.#isStopped = isStopped;
    const startedAt = this.#clock.monotonicMs();
    const answer = this.#find(request, mostMs);
    if (answer.groups.some(({ count }) => count > 0)) return { ...answer, near: [] };
    const isCut = this.#isCut;
    const near = this.#near(request, startedAt + mostMs);
    this.#isCut = isCut;
    return { ...answer, near, tookMs: this.#clock.monotonicMs() - startedAt };
  }

  #isOver(endMs: number): boolean {
    return this.#clock.monotonicMs() > endMs || this.#isStopped();
  }

  /** Alternative spellings of one word that have matches. */
  #near(request: SearchRequest, endMs: number): string[] {
    const { wanted } = parseTerms(request.typed) ?? { wanted: [] };
    const readers = STORED_KINDS.map((kind) => this.#kind(kind).words);
    // With two unknown words, the intended text cannot be guessed.
    const [unknown, another] = unknownWords(wanted, readers);
    if (unknown === undefined || another !== undefined) return [];
    const typed = foldForSearch(request.typed).trim();
    const near: string[] = [];
    for (const word of wordsNear(unknown, readers, NEAR_LOOKED_AT)) {
      const leftMs = endMs - this.#clock.monotonicMs();
      if (leftMs <= 0 || near.length === MAX_NEAR || this.#isStopped()) break;
      const other = typed.replaceAll(unknown, word);
      // The alternative word may occur only in lists that are no longer shown.
      const { groups } = this.#find({ ...request, typed: other, offset: 0, limit: 0 }, leftMs);
      if (groups.some(({ count }) => count > 0)) near.push(other);
    }
    return near;
  }

  #find(request: SearchRequest, mostMs: number): Omit<SearchAnswer, 'rowsLeft' | 'near'> {
    const startedAt = this.#clock.monotonicMs();
    this.#sources.renew();
    // Half of the time is left for the search itself.
    this.#changed = this.#readChanged(startedAt + mostMs / 2);
    this.#isCut = this.#changed.isCut || this.#pending.length > 0;
    const terms = parseTerms(request.typed);
    const kinds = STORED_KINDS.filter((kind) => request.kind === null || request.kind === kind);
    const byApplication = new Map<string, number>();
    const groups = kinds.map((kind, at) => {
      // Time that one kind does not use becomes available to the following ones.
      const left = startedAt + mostMs - this.#clock.monotonicMs();
      const endMs = this.#clock.monotonicMs() + left / (kinds.length - at);
      if (terms === null) return this.#empty(kind, request);
      return this.#group(kind, { request, terms, endMs }, byApplication);
    });
    const applications = [...byApplication]
      .map(([id, count]) => ({ id, name: this.#sources.nameOf(id) ?? id, count }))
      .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
    return { groups, applications, isCut: this.#isCut, tookMs: this.#clock.monotonicMs() - startedAt };
  }

  #empty(kind: StoredKind, { applicationId }: SearchRequest): SearchGroup {
    return { kind, hits: [], count: 0, hasMore: false, reach: this.#sources.reachOf(kind, applicationId) };
  }

  #group(kind: StoredKind, search: Search, byApplication: Map<string, number>): SearchGroup {
    const { request, terms } = search;
    const found = this.#unique(kind, search);
    const hasMore = found.length > MAX_COUNTED_HITS;
    const ranked = rankHits(found, terms).slice(0, MAX_COUNTED_HITS);
    for (const each of ranked) {
      const id = each.applicationId ?? each.source.applicationId;
      if (id !== null) byApplication.set(id, (byApplication.get(id) ?? 0) + 1);
    }
    const hits = ranked
      .slice(request.offset, request.offset + request.limit)
      .flatMap((each) => this.#hit(kind, each, terms) ?? []);
    return { ...this.#empty(kind, request), hits, count: ranked.length, hasMore };
  }

  /** Lists each record only once, even if several lists contain it. */
  #unique(kind: StoredKind, search: Search): Found[] {
    const found: Found[] = [];
    const [ids, same] = [new Set<number>(), new Set<number>()];
    for (const each of this.#candidates(kind, search)) {
      if (ids.has(each.id) || (each.same !== null && same.has(each.same))) continue;
      ids.add(each.id);
      if (each.same !== null) same.add(each.same);
      found.push(each);
      if (found.length > MAX_COUNTED_HITS) break;
    }
    return found;
  }

  *#candidates(kind: StoredKind, search: Search): Generator<Found> {
    const { terms } = search;
    const { beginning } = this.#kind(kind);
    const [first = ''] = terms.wanted;
    const isAlone = terms.wanted.length === 1 && terms.unwanted.length === 0;
    if (isAlone) {
      let begun = 0;
      const rows = beginning.iterate(first, first + LAST_CHARACTER, LOOKED_AT_BEGINNING);
      for (const found of this.#fitting(rows, search, null)) {
        yield found;
        begun += 1;
        if (begun === MAX_BEGINNING) break;
      }
    }
    yield* this.#matching(kind, search);
  }

  *#matching(kind: StoredKind, search: Search): Generator<Found> {
    const { wanted, unwanted } = search.terms;
    const { matching, words } = this.#kind(kind);
    const parts = wanted.flatMap(partsOf);
    const [first] = parts;
    if (first === undefined) return;
    const isSingle = parts.length === wanted.length;
    if (parts.length === 1 && unwanted.length === 0) {
      yield* this.#fitting(this.#rowsOf(kind, first, search), search, null);
      return;
    }
    const some = (part: WordPart) => [...words.find(part, MAX_WORDS + 1)];
    const isNarrow = (ids: readonly unknown[]) => ids.length <= MAX_WORDS;
    const found = parts.map(some);
    if (found.some((ids) => ids.length === 0)) return;
    const narrow = found.filter(isNarrow);
    const without = unwanted
      .map(partsOf)
      .map(([part, next]) => (part === undefined || next !== undefined ? null : some(part)))
      .filter((ids) => ids !== null && isNarrow(ids));
    const isExact = isSingle && narrow.length === found.length && without.length === unwanted.length;
    if (narrow.length > 0) {
      const left = without.flatMap((ids) => (ids === null || ids.length === 0 ? [] : [` NOT ${anyOf(ids)}`]));
      const expression = `(${narrow.map(anyOf).join(' AND ')})${left.join('')}`;
      yield* this.#fitting(matching.iterate(expression), search, isExact ? null : kind);
      return;
    }
    const longest = parts.reduce((a, b) => (b.text.length > a.text.length ? b : a));
    yield* this.#fitting(this.#rowsOf(kind, longest, search), search, kind);
  }

  /** Rows with a word that contains this part, each once. Words are read in groups while more rows are requested. */
  *#rowsOf(kind: StoredKind, part: WordPart, { endMs }: Search): Generator<unknown> {
    const { matching, words } = this.#kind(kind);
    const seen = new Set<number>();
    let size = FIRST_WORDS;
    let ids: unknown[] = [];
    const rows = function* () {
      for (const row of matching.iterate(anyOf(ids))) {
        // Safe cast: the rows come from this application's index, as in `#fitting`.
        const [id] = row as Place;
        if (seen.has(id)) continue;
        seen.add(id);
        yield row;
      }
      ids = [];
      size = Math.min(MAX_WORDS, size * FIRST_WORDS);
    };
    for (const id of words.find(part, -1)) {
      ids.push(id);
      if (ids.length < size) continue;
      yield* rows();
      if (this.#isOver(endMs)) {
        this.#isCut = true;
        return;
      }
    }
    if (ids.length > 0) yield* rows();
  }

  /** Rows of shown lists that pass the filters. `checked`: the kind whose texts are compared too. */
  *#fitting(rows: Iterable<unknown>, search: Search, checked: StoredKind | null): Generator<Found> {
    const { request, terms, endMs } = search;
    const { applicationId, sinceMs, untilMs } = request;
    let looked = 0;
    for (const row of rows) {
      looked += 1;
      if (looked % ROWS_A_LOOK === 0 && this.#isOver(endMs)) {
        this.#isCut = true;
        return;
      }
      // A plain cast: only the index writes these rows, and a schema check of thousands of rows would take longer than
      // finding them.
      const [id, generationId, position, title, storedMs, ownApplication, same] = row as Place;
      const atMs = Math.abs(storedMs ?? 0) > MAX_DATE_MS ? null : storedMs;
      const source = this.#sources.shown(generationId);
      if (source === null) continue;
      if (this.#changed.has(generationId, position)) {
        if (this.#isOver(endMs)) {
          this.#isCut = true;
          return;
        }
        const found = this.#foundNow({ id, source, position }, search);
        if (found !== null) yield found;
        continue;
      }
      const belongsTo = ownApplication ?? source.applicationId;
      if (applicationId !== null && belongsTo !== applicationId) continue;
      if (sinceMs !== null && (atMs === null || atMs < sinceMs)) continue;
      if (untilMs !== null && (atMs === null || atMs >= untilMs)) continue;
      if (checked !== null && !isTitled(checked, title, terms)) {
        const record = this.#recordAt(generationId, position);
        if (record === null || !matchesTerms(searchedText(fieldsOf(checked, record)), terms)) continue;
      }
      yield { id, source, position, title, atMs, applicationId: ownApplication, same };
    }
  }

  #readChanged(endMs: number): ChangedRanges {
    const mayRead = () => !this.#isOver(endMs);
    const stored = this.#changedRanges.iterate();
    if (this.#pending.length === 0) return new ChangedRanges(rangesIn(stored), mayRead);
    const all = [...rangesIn(stored), ...this.#pending];
    return new ChangedRanges(
      all.sort(([a, from], [b, other]) => a - b || from - other),
      mayRead,
    );
  }

  /** The record that is now at the place of an outdated row; null if it does not match. */
  #foundNow(at: Pick<Found, 'id' | 'source' | 'position'>, { request, terms }: Search): Found | null {
    const { kind, query, generationId, applicationId: ofList } = at.source;
    const record = this.#recordAt(generationId, at.position);
    if (record === null) return null;
    const { title, fields, atMs, applicationId } = documentOf(kind, query, record);
    const belongsTo = applicationId ?? ofList;
    if (request.applicationId !== null && belongsTo !== request.applicationId) return null;
    if (request.sinceMs !== null && (atMs === null || atMs < request.sinceMs)) return null;
    if (request.untilMs !== null && (atMs === null || atMs >= request.untilMs)) return null;
    if (!matchesTerms(searchedText(fields), terms)) return null;
    const identity = this.#identity.get(generationId, at.position);
    const same = recordHash(query, record, typeof identity === 'string' ? identity : null);
    // Rounded in the same way as SQLite returns it.
    const rounded = same === null ? null : Number(same);
    return { ...at, title: foldForSearch(title), atMs, applicationId, same: rounded };
  }

  #recordAt(generationId: number, position: number): Record<string, unknown> | null {
    const row = this.#record.get(generationId, position);
    const [text] = row === undefined ? [] : readable([row], (each) => parseRow(json, each, 'list row'));
    return text === undefined ? null : parseRecord(text);
  }

  /** A hit for a found row; null if the row has changed and the index has not been updated yet. */
  #hit(kind: StoredKind, { id, source, position, atMs, applicationId }: Found, terms: SearchTerms) {
    const record = this.#recordAt(source.generationId, position);
    if (record === null) return null;
    const fields = fieldsOf(kind, record);
    if (!matchesTerms(searchedText(fields), terms)) return null;
    const title = titleOf(kind, record);
    const hit: SearchHit = {
      id: `${kind} ${id}`,
      kind,
      title,
      titleRanges: rangesOf(title, terms.wanted),
      found: foundIn(fields, title, terms),
      note: noteOf(kind, source.query, record),
      place: this.#placeOf(kind, source, applicationId),
      atMs,
      target: this.#targetOf(kind, source.query, record),
      row: { query: source.query, position },
    };
    return hit;
  }

  #placeOf(kind: StoredKind, source: Source, ownApplication: string | null): string {
    const { dataset_id: datasetId, experiment_id: experimentId } = source.query.path;
    const owner = kind === 'items' ? datasetId : kind === 'results' ? experimentId : null;
    const id = owner === null ? (ownApplication ?? source.applicationId) : owner;
    return id === undefined || id === null ? '' : (this.#sources.nameOf(id) ?? '');
  }

  #targetOf(kind: StoredKind, query: ListQuery, record: Record<string, unknown>): Record<string, string> {
    const target = targetOf(kind, query, record);
    const { applicationId, datasetId, experimentId } = target;
    const applicationName = applicationId === undefined ? null : this.#sources.nameOf(applicationId);
    const datasetName = datasetId === undefined ? null : this.#sources.nameOf(datasetId);
    const experimentName = experimentId === undefined ? null : this.#sources.nameOf(experimentId);
    return {
      ...target,
      ...(applicationName === null ? {} : { applicationName }),
      ...(datasetName === null ? {} : { datasetName }),
      ...(experimentName === null ? {} : { experimentName }),
    };
  }

  #kind(kind: StoredKind): ReturnType<typeof prepareKind> {
    const known = this.#kinds.get(kind) ?? prepareKind(this.#index, kind);
    this.#kinds.set(kind, known);
    return known;
  }
}

/** Whether the title alone proves the match, without reading the record. */
function isTitled(kind: StoredKind, title: string, { wanted, unwanted }: SearchTerms): boolean {
  return TITLED.has(kind) && unwanted.length === 0 && wanted.every((term) => title.includes(term));
}

/** The field with the most matched words that the title does not show; null if the title shows all of them. */
function foundIn(
  fields: readonly { field: string; text: string }[],
  title: string,
  { wanted }: SearchTerms,
): SearchHit['found'] {
  const shown = foldForSearch(title);
  const missing = wanted.filter((term) => !shown.includes(term));
  if (missing.length === 0) return null;
  const counted = fields.map(({ field, text }) => {
    const folded = foldForSearch(text);
    return { field, text, count: missing.filter((term) => folded.includes(term)).length };
  });
  const best = counted.reduce<(typeof counted)[number] | null>(
    (most, each) => (each.count > (most?.count ?? 0) ? each : most),
    null,
  );
  return best === null ? null : { field: best.field, ...snippetOf(best.text, wanted) };
}

function prepareKind(index: Database, kind: StoredKind) {
  const columns =
    'doc.id, doc.generation_id, doc.position, doc.title, doc.at_ms, doc.application_id, doc.same';
  return {
    beginning: index
      .prepare(
        `SELECT ${columns} FROM doc_${kind} AS doc WHERE title >= ? AND title < ? ORDER BY title LIMIT ?`,
      )
      .raw(),
    matching: index
      .prepare(
        `SELECT ${columns} FROM text_${kind} AS found CROSS JOIN doc_${kind} AS doc ON doc.id = found.rowid
         WHERE found.text_${kind} MATCH ?`,
      )
      .raw(),
    words: new WordReader(index, kind),
  };
}
