/** Results of a search. Only the answer to the latest question counts. */
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

/** Maximum per kind while all kinds are shown, and while one kind is shown. */
const IN_GROUP = 3;
const IN_KIND = 50;
/** Delay while rows are indexed, and after lists changed. */
const REPEAT_DELAY_MS = 700;
const FAR_MS = 86_400_000;

/** Converts the typed text and filters stored in a tab to a question. */
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
    // Rounded to the minute, so that a repetition within it is the same question.
    sinceMs: days > 0 ? Math.floor((nowMs - days * FAR_MS) / 60_000) * 60_000 : null,
    untilMs: null,
  };
}

/** The complete record of a hit, as stored; for a hit that is in no list, the data in the search result. */
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
  /** The text that the answer belongs to. */
  typed = $state('');
  error = $state.raw<AppError | null>(null);
  isAsking = $state(false);

  readonly #client: Client;
  readonly #connectionId: string;
  #asked: Asked | null = null;
  #limit = 0;
  /** One question at a time: text typed in the meantime is searched afterwards. */
  #isWaiting = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(connectionId: string, client: Client = realClient) {
    this.#connectionId = connectionId;
    this.#client = client;
  }

  /**
   * Returns a function that unsubscribes. The search is repeated if lists change while it is shown, and when it is shown
   * again, as they may have changed meanwhile.
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
    if (JSON.stringify(asked) === JSON.stringify(this.#asked)) return;
    this.#asked = asked;
    this.#limit = asked.kind === null ? IN_GROUP : IN_KIND;
    if (asked.typed.trim() === '') {
      this.answer = null;
      this.error = null;
      this.typed = '';
      return;
    }
    void this.#run();
  }

  /** Loads more of the single kind shown. */
  more(): void {
    this.#limit += IN_KIND;
    void this.#run();
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

  async #run(): Promise<void> {
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
        if (answer.rowsLeft > 0) this.#again();
      }
    } catch (thrown) {
      if (this.#isCurrent(asked)) this.error = toAppError(thrown);
    }
    this.#isWaiting = false;
    this.isAsking = false;
    // More was typed or requested in the meantime.
    if (this.#asked !== null && (!this.#isCurrent(asked) || this.#limit !== limit)) void this.#run();
  }

  #isCurrent(asked: Asked): boolean {
    return asked === this.#asked;
  }

  /** An answer of the main process is limited in length: further hits come with the next ones. */
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
