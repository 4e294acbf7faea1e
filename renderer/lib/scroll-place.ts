/**
 * Restores the scroll position of a part of a view while its content is still loading. Pure. Lengths are in
 * pixels; `most` is the maximum scroll position at present.
 */

export interface ScrollPlace {
  /** Position to restore. */
  readonly top: number;
  /** Whether the position has been reached; otherwise the content is not high enough yet. */
  readonly isFound: boolean;
}

/** Browsers round to fractions of a pixel. */
const SAME = 1;

/** Reads a stored position; anything invalid is the top. */
export function placeOf(kept: unknown): ScrollPlace {
  const top =
    typeof kept === 'object' && kept !== null && 'top' in kept && typeof kept.top === 'number' ? kept.top : 0;
  return { top: Number.isFinite(top) ? Math.max(0, top) : 0, isFound: false };
}

/** The state after scrolling as far as possible. Further content can still move the position. */
export function reached(place: ScrollPlace, most: number, isMoreComing: boolean): ScrollPlace {
  return { top: place.top, isFound: most >= place.top - SAME && !isMoreComing };
}

/**
 * The state after scrolling from `last`. A scroll at the end of content that shrank was not made by the user:
 * the position is kept and restored later.
 */
export function scrolled(place: ScrollPlace, top: number, last: number, most: number): ScrollPlace {
  if (Math.abs(top - last) <= SAME) return place;
  const isCutShort = top < last && top >= most - SAME && most < place.top;
  return isCutShort ? { top: place.top, isFound: false } : { top, isFound: true };
}

/** The user interacted with the part: its current position is kept. */
export const inHand = (top: number): ScrollPlace => ({ top, isFound: true });
