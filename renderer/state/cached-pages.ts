/** Cached pages of a list. Pure. */

/** Maximum number of pages; the least recently used ones are evicted. */
const MAX_PAGES = 120;
/** Maximum number of messages of about 100 KB each, as rows can be large. */
const MAX_MESSAGES = 600;

interface CachedPage<Row> {
  rows: readonly (Row | undefined)[];
  /** The read generation of the page; null while the page is incomplete. */
  generation: number | null;
  /** Number of messages that reading the page needed. */
  messages: number;
}

export class CachedPages<Row> {
  readonly #pages = new Map<number, CachedPage<Row>>();

  get(page: number): CachedPage<Row> | undefined {
    return this.#pages.get(page);
  }

  /** Whether the cache holds an older reading of one of these pages. `generation`: number of the present reading. */
  areMixed(pages: readonly number[], generation: number): boolean {
    return pages.some((page) => this.#pages.has(page) && this.#pages.get(page)?.generation !== generation);
  }

  /** Caches a page and evicts others if necessary, except those for which `stays` is true because they are visible. */
  keep(page: number, held: CachedPage<Row>, stays: (page: number) => boolean): void {
    this.#pages.delete(page);
    this.#pages.set(page, held);
    let messages = 0;
    for (const each of this.#pages.values()) messages += each.messages;
    for (const [old, each] of this.#pages) {
      if (this.#pages.size <= MAX_PAGES && messages <= MAX_MESSAGES) break;
      if (old === page || stays(old)) continue;
      this.#pages.delete(old);
      messages -= each.messages;
    }
  }

  replace(pages: ReadonlyMap<number, CachedPage<Row>>): void {
    this.#pages.clear();
    for (const [page, held] of pages) this.#pages.set(page, held);
  }
}
