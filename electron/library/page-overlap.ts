/**
 * Makes pages of a list overlap by one row. Offsets count from the front, so if a row there is deleted while the list
 * is read, all later rows move forward and the next page would miss one. Each page after the first is therefore
 * requested to begin with the last stored row. If it does not, the reader steps back until it finds a known row.
 */

import type { ItemRow } from '../api/item-row.ts';
import type { NewPage, NewRow } from '../db/library-rows.ts';
import { toAppError } from '../shared/errors.ts';

/** The largest page size that is known to work (SERVICE.md F4). */
export const MAX_PAGE_ROWS = 1_000;
/** Maximum number of steps back. After that, reading continues and the list is marked as moved. */
const MAX_STEPS_BACK = 5;

export interface FetchedPage extends Omit<NewPage, 'rows'> {
  rows: readonly ItemRow[];
  sizeBytes: number;
}

/** Values that identify a row. */
type KnownRow = Pick<NewRow, 'identity' | 'record'>;

export interface OverlapReads {
  /** Requests the page at an offset and accepts it even if the answer states another offset. */
  ask: (offset: number, pageRows: number) => Promise<FetchedPage>;
  /** Like `ask`, but throws if the answer states a different offset. */
  page: (offset: number) => Promise<FetchedPage>;
  /** Whether a row with this identity is already stored. */
  isKnown: (row: KnownRow) => boolean;
}

export class PageOverlap {
  #last: KnownRow | null;
  /** Number of rows in the last answer, including already stored ones; null before the first answer. */
  #gaveRows: number | null = null;
  #overlaps = true;
  #stepsLeft = MAX_STEPS_BACK;

  /** `last`: the stored row before the first page to read; null if it is uncertain. */
  constructor(last: KnownRow | null) {
    this.#last = last;
  }

  /** The page that begins at `frontOffset`. Throws AppError. */
  async next(reads: OverlapReads, frontOffset: number, pageRows: number): Promise<FetchedPage> {
    const last = this.#last;
    // If an answer has only one row, overlapping by one row would never advance.
    const isOfOne = Math.min(pageRows, this.#gaveRows ?? pageRows) < 2;
    if (last === null || frontOffset === 0 || isOfOne || !this.#overlaps)
      return this.#given(await reads.page(frontOffset));
    const page = await this.#overlapping(reads, frontOffset - 1, pageRows + 1);
    if (page === null) return this.#given(await reads.page(frontOffset));
    const [first, ...rest] = page.rows;
    if (first !== undefined && isSame(first, last)) {
      // If the page has only the known row, the list has ended only if the total confirms it.
      if (rest.length === 0 && page.total !== frontOffset) return this.#given(await reads.page(frontOffset));
      return { ...page, offset: frontOffset, rows: rest };
    }
    // Rows were added at the front, so stored rows came again. No row was missed.
    if (page.rows.some((row) => isSame(row, last))) return { ...page, hasMoved: true };
    return { ...this.#given(await this.#stepBack(reads, page, pageRows)), hasMoved: true };
  }

  /** Must be called after a page was written; with null if another reader wrote first. */
  wrote(page: FetchedPage | null): void {
    this.#last = page === null ? null : (page.rows.at(-1) ?? this.#last);
  }

  /** Null if the service ignores offset or limit. Then no overlap is requested any more. */
  async #overlapping(reads: OverlapReads, offset: number, pageRows: number): Promise<FetchedPage | null> {
    try {
      const page = await reads.ask(offset, Math.min(pageRows, MAX_PAGE_ROWS));
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

  async #stepBack(reads: OverlapReads, from: FetchedPage, pageRows: number): Promise<FetchedPage> {
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

/** Rows without an identity are compared by their content. */
function isSame(one: KnownRow, other: KnownRow): boolean {
  return one.identity === null && other.identity === null
    ? one.record === other.record
    : one.identity === other.identity;
}
