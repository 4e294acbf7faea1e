/** Results of a search. Only the answer to the latest query counts. */
import { AppError, toAppError } from '../../electron/shared/errors.ts';
import type {
  SearchAnswer,
  SearchHit,
  SearchKind,
  SearchRequest,
} from '../../electron/shared/search-contract.ts';
import { client as realClient } from '../lib/client.ts';
import { readRows } from './row-answers.ts';

type Client = Pick<typeof realClient, 'invoke' | 'on'>;
type Asked = Omit<SearchRequest, 'offset' | 'limit'>;
/** A text that is equal for the same search at different times. */
const aboutOf = (asked: Asked): string => JSON.stringify({ ...asked, sinceMs: asked.sinceMs === null });
const aboutAll = (asked: Asked): string => aboutOf({ ...asked, kind: null });

/** Maximum number of hits per kind: while all kinds are shown, and while one kind is shown. */
const IN_GROUP = 3;
const IN_KIND = 50;
/** Delay before a search is repeated: while rows are indexed, and after lists changed. */
const REPEAT_DELAY_MS = 700;
const FAR_MS = 86_400_000;

/** The query for the text and filters that are stored in a tab. */
export function askedOf(
  params: Readonly<Record<string, string>>,
  kinds: readonly SearchKind[],
  nowMs: number,
): Asked {
  const days = Number(params['days'] ?? '');
  return {
    typed: params['typed'] ?? '',
    kind: kinds.find((kind) => kind === params['kind']) ?? null,
    applicationId: params['applicationId'] ?? null,
    // Rounded down to the minute, so that repeating the search within it is the same query.
    sinceMs: days > 0 ? Math.floor((nowMs - days * FAR_MS) / 60_000) * 60_000 : null,
    untilMs: null,
  };
}

/** The stored record of a hit. If no list contains it, the data of the search result. */
export async function recordOfHit(
  from: Client,
  connectionId: string,
  hit: SearchHit,
): Promise<Record<string, unknown>> {
  const { row, title, note, place, atMs } = hit;
  if (row === null) {
    const said = { name: title, note, place, time: atMs === null ? '' : new Date(atMs).toISOString() };
    return Object.fromEntries(Object.entries(said).filter(([, text]) => text !== ''));
  }
  const window = { offset: row.position, limit: 1, sort: null, narrow: null };
  const { rows } = await readRows(from, { connectionId, query: row.query, window });
  const [found] = rows;
  if (found === undefined)
    throw new AppError('NOT_STORED', `The record of ${title} is not stored any more: search again.`);
  return found.record;
}

export class SearchState {
  answer = $state.raw<SearchAnswer | null>(null);
  /** The same search over all kinds, for their counts; null while they are not known, or if that search failed. */
  counts = $state.raw<SearchAnswer | null>(null);
  /** The text for which the answer was found. */
  typed = $state('');
  error = $state.raw<AppError | null>(null);
  isAsking = $state(false);

  readonly #client: Client;
  readonly #connectionId: string;
  #asked: Asked | null = null;
  #limit = 0;
  /** Whether another query waits: there is one at a time, and text typed meanwhile is searched afterwards. */
  #isWaiting = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The search to count next; null if there is none. */
  #toCount: Asked | null = null;
  #isCounting = false;
  /** The search over all kinds that `counts` belongs to. */
  #counted = '';

  constructor(connectionId: string, client: Client = realClient) {
    this.#connectionId = connectionId;
    this.#client = client;
  }

  /**
   * Repeats the search if lists change while it is shown, and when it is shown again, as lists may have changed
   * meanwhile. Returns a function that unsubscribes.
   */
  listen(): () => void {
    void this.#run();
    const stop = this.#client.on('library:list-changed', ({ connectionId }) => {
      if (connectionId === this.#connectionId) this.#again();
    });
    return () => {
      stop();
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = null;
    };
  }

  ask(asked: Asked): void {
    const before = this.#asked;
    if (JSON.stringify(asked) === JSON.stringify(before)) return;
    this.#asked = asked;
    // As time passes, the same search begins later. The loaded hits stay.
    const isMoved = before !== null && aboutOf(asked) === aboutOf(before);
    if (!isMoved) this.#limit = asked.kind === null ? IN_GROUP : IN_KIND;
    if (asked.typed.trim() === '') {
      this.answer = null;
      this.counts = null;
      this.error = null;
      this.typed = '';
      return;
    }
    void this.#run();
  }

  /** Loads more hits of the only shown kind. */
  more(): void {
    this.#limit += IN_KIND;
    void this.#run(false);
  }

  retry(): void {
    void this.#run();
  }

  #again(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      void this.#run();
    }, REPEAT_DELAY_MS);
  }

  async #run(withCounts = true): Promise<void> {
    if (this.#isWaiting) return;
    const asked = this.#asked;
    if (asked === null || asked.typed.trim() === '') return;
    const limit = this.#limit;
    this.#isWaiting = true;
    this.isAsking = true;
    try {
      const answer = await this.#find(asked, limit);
      if (this.#isCurrent(asked)) {
        this.answer = answer;
        this.typed = asked.typed;
        this.error = null;
        if (asked.kind === null) {
          this.counts = answer;
          this.#counted = aboutAll(asked);
        } else if (withCounts) {
          // Counts of another text or range do not stand beside these hits.
          if (this.#counted !== aboutAll(asked)) this.counts = null;
          void this.#count(asked);
        }
        if (answer.rowsLeft > 0) this.#again();
      }
    } catch (thrown) {
      if (this.#isCurrent(asked)) this.error = toAppError(thrown);
    }
    this.#isWaiting = false;
    this.isAsking = false;
    // The user typed or requested more meanwhile.
    if (this.#asked !== null && (!this.#isCurrent(asked) || this.#limit !== limit)) void this.#run();
  }

  #isCurrent(asked: Asked): boolean {
    return asked === this.#asked;
  }

  /** Searches all kinds for their counts. The hits do not wait for it, and stay if it fails. */
  async #count(asked: Asked): Promise<void> {
    this.#toCount = asked;
    if (this.#isCounting) return;
    this.#isCounting = true;
    for (let next: Asked | null = asked; next !== null; next = this.#toCount) {
      this.#toCount = null;
      const request = { ...next, kind: null, offset: 0, limit: IN_GROUP };
      const asking = this.#client.invoke('library:search', { connectionId: this.#connectionId, ...request });
      const counts = await asking.catch(() => null);
      if (this.#isCurrent(next)) {
        this.counts = counts;
        this.#counted = aboutAll(next);
      }
    }
    this.#isCounting = false;
  }

  /** The main process limits the length of an answer, so further hits come with the following ones. */
  async #find(asked: Asked, limit: number): Promise<SearchAnswer> {
    const connectionId = this.#connectionId;
    const ask = (offset: number, count: number) =>
      this.#client.invoke('library:search', { connectionId, ...asked, offset, limit: count });
    const answer = await ask(0, Math.min(limit, IN_KIND));
    const [group] = answer.groups;
    if (group === undefined || limit <= IN_KIND) return answer;
    const hits = [...group.hits];
    for (let offset = IN_KIND; offset < Math.min(limit, group.count); offset += IN_KIND) {
      const [next] = (await ask(offset, IN_KIND)).groups;
      hits.push(...(next?.hits ?? []));
    }
    return { ...answer, groups: [{ ...group, hits }] };
  }
}
