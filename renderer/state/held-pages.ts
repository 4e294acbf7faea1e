/** The pages of a list that are at hand. Pure. */

/** Pages kept; further ones push out the longest unused. */
const MOST_PAGES = 120;
/** Each of at most about 100 KB: rows may be heavy. */
const MOST_MESSAGES = 600;

interface HeldPage<Row> {
  rows: readonly (Row | undefined)[];
  /** The reading it belongs to; null while only a part of it is here. */
  generation: number | null;
  /** Messages that it took to read. */
  messages: number;
}

export class HeldPages<Row> {
  readonly #pages = new Map<number, HeldPage<Row>>();

  get(page: number): HeldPage<Row> | undefined {
    return this.#pages.get(page);
  }

  /** `stays`: a page in view is not pushed out. */
  keep(page: number, held: HeldPage<Row>, stays: (page: number) => boolean): void {
    this.#pages.delete(page);
    this.#pages.set(page, held);
    let messages = 0;
    for (const each of this.#pages.values()) messages += each.messages;
    for (const [old, each] of this.#pages) {
      if (this.#pages.size <= MOST_PAGES && messages <= MOST_MESSAGES) break;
      if (old === page || stays(old)) continue;
      this.#pages.delete(old);
      messages -= each.messages;
    }
  }

  /** Other pages take the place of all of them. */
  replace(pages: ReadonlyMap<number, HeldPage<Row>>): void {
    this.#pages.clear();
    for (const [page, held] of pages) this.#pages.set(page, held);
  }
}
