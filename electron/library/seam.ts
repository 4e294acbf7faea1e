/**
 * Where one page of a list joins the one before. Offsets count from the front: when a row goes away there while the
 * list is read, all later ones step forward, and the next page would pass over one unseen. So a page after the first
 * is asked to begin with the last row that is here; where it does not, the reading steps back until it knows a row.
 */
import type { NewPage, NewRow } from '../db/library-rows.ts';
import { toAppError } from '../shared/errors.ts';

/** The largest page that an operation is known to take (SERVICE.md F4). */
const MOST_PAGE_ROWS = 1_000;
/** A list that never keeps still is read on all the same, and says that it moved. */
const MOST_STEPS_BACK = 5;

export interface FetchedPage extends NewPage {
  sizeBytes: number;
}

export interface SeamReads {
  /** The page that the service gives for an offset, whatever offset it states itself. */
  ask: (offset: number, pageRows: number) => Promise<FetchedPage>;
  /** The same; throws where the answer is for another offset. */
  page: (offset: number) => Promise<FetchedPage>;
  /** Is a row of this identity stored already? */
  isKnown: (row: NewRow) => boolean;
}

export class Seam {
  #last: NewRow | null;
  /** Rows that the service gave the last time, those that were here already included; null before. */
  #gaveRows: number | null = null;
  #overlaps = true;
  #stepsLeft = MOST_STEPS_BACK;

  /** `last` is the row in front of the first page, as it is stored; null where that is not known for sure. */
  constructor(last: NewRow | null) {
    this.#last = last;
  }

  /** The page that goes on from `frontOffset`. Throws AppError. */
  async next(reads: SeamReads, frontOffset: number, pageRows: number): Promise<FetchedPage> {
    const last = this.#last;
    // A service that gives one row at a time would never come past the one that is here.
    const isOfOne = Math.min(pageRows, this.#gaveRows ?? pageRows) < 2;
    if (last === null || frontOffset === 0 || isOfOne || !this.#overlaps)
      return this.#given(await reads.page(frontOffset));
    const page = await this.#overlapping(reads, frontOffset - 1, pageRows + 1);
    if (page === null) return this.#given(await reads.page(frontOffset));
    const [first, ...rest] = page.rows;
    if (first !== undefined && isSame(first, last)) {
      // Nothing but the row that was here is only the end where the service says so.
      if (rest.length === 0 && page.total !== frontOffset) return this.#given(await reads.page(frontOffset));
      return { ...page, offset: frontOffset, rows: rest };
    }
    // Rows came in front: those that are here already come again, and nothing was passed over.
    if (page.rows.some((row) => isSame(row, last))) return { ...page, hasMoved: true };
    return { ...this.#given(await this.#stepBack(reads, page, pageRows)), hasMoved: true };
  }

  /** After a page was written. Null: somebody else wrote. */
  wrote(page: FetchedPage | null): void {
    this.#last = page === null ? null : (page.rows.at(-1) ?? this.#last);
  }

  /** Null where the service takes offsets or limits only as it likes; it is not asked in this way again. */
  async #overlapping(reads: SeamReads, offset: number, pageRows: number): Promise<FetchedPage | null> {
    try {
      const page = await reads.ask(offset, Math.min(pageRows, MOST_PAGE_ROWS));
      if (page.offset === offset) return this.#given(page);
    } catch (problem) {
      if (toAppError(problem).code !== 'BAD_REQUEST') throw problem;
    }
    this.#overlaps = false;
    return null;
  }

  #given(page: FetchedPage): FetchedPage {
    this.#gaveRows = page.rows.length;
    return page;
  }

  async #stepBack(reads: SeamReads, from: FetchedPage, pageRows: number): Promise<FetchedPage> {
    let page = from;
    while (page.offset > 0 && this.#stepsLeft > 0) {
      this.#stepsLeft -= 1;
      page = await reads.page(Math.max(0, page.offset - (pageRows - 1)));
      const first = page.rows[0];
      if (first !== undefined && reads.isKnown(first)) break;
    }
    return page;
  }
}

/** Rows without an identity are compared by what is in them. */
function isSame(one: NewRow, other: NewRow): boolean {
  return one.identity === null && other.identity === null
    ? one.record === other.record
    : one.identity === other.identity;
}
