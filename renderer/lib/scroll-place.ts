/**
 * Restores the scroll position of a part of a view whose content is still loading. Pure. Lengths are in pixels; `most`
 * is the maximum scroll position at present.
 */

export interface ScrollPlace {
  /** Position to restore. */
  readonly top: number;
  /** Whether the position has been reached; otherwise the content is not high enough yet. */
  readonly isFound: boolean;
}

/** Positions closer than this are equal, as browsers round to fractions of a pixel. */
const SAME = 1;

/** Reads a stored position. Anything invalid means the top. */
export function placeOf(kept: unknown): ScrollPlace {
  const top =
    typeof kept === 'object' && kept !== null && 'top' in kept && typeof kept.top === 'number' ? kept.top : 0;
  return { top: Number.isFinite(top) ? Math.max(0, top) : 0, isFound: false };
}

/** The state after scrolling as far as possible at present. More content can follow and allow scrolling further. */
export function reached(place: ScrollPlace, most: number, isMoreComing: boolean): ScrollPlace {
  return { top: place.top, isFound: most >= place.top - SAME && !isMoreComing };
}

/**
 * The state after a scroll event. If the content shrank and the view is at its new end, the user did not scroll: the
 * position is kept and restored later.
 */
export function scrolled(place: ScrollPlace, top: number, last: number, most: number): ScrollPlace {
  if (Math.abs(top - last) <= SAME) return place;
  const isCutShort = top < last && top >= most - SAME && most < place.top;
  return isCutShort ? { top: place.top, isFound: false } : { top, isFound: true };
}

/** The state after the user scrolled: the current position is final. */
export const inHand = (top: number): ScrollPlace => ({ top, isFound: true });
