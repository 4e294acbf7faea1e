/**
 * Where a part of a view was scrolled to, while its content is still coming. Pure. Lengths are pixels; `most` is the
 * furthest that the content lets it be scrolled now.
 */

export interface ScrollPlace {
  /** Where a person left it. */
  readonly top: number;
  /** It stands there. Else the content is not high enough yet. */
  readonly isFound: boolean;
}

/** Browsers round to parts of a pixel. */
const SAME = 1;

/** As it was kept; anything else is the beginning. */
export function placeOf(kept: unknown): ScrollPlace {
  const top =
    typeof kept === 'object' && kept !== null && 'top' in kept && typeof kept.top === 'number' ? kept.top : 0;
  return { top: Number.isFinite(top) ? Math.max(0, top) : 0, isFound: false };
}

/** After it was scrolled to the place as far as that goes. What is still to come may move it once more. */
export function reached(place: ScrollPlace, most: number, isMoreComing: boolean): ScrollPlace {
  return { top: place.top, isFound: most >= place.top - SAME && !isMoreComing };
}

/**
 * The part was scrolled, from `last` on. At the end of content that became too short it was not a person who did
 * that: the place stays, and is looked for again.
 */
export function scrolled(place: ScrollPlace, top: number, last: number, most: number): ScrollPlace {
  if (Math.abs(top - last) <= SAME) return place;
  const isCutShort = top < last && top >= most - SAME && most < place.top;
  return isCutShort ? { top: place.top, isFound: false } : { top, isFound: true };
}

/** A person took something in hand here: it stays where it stands. */
export const inHand = (top: number): ScrollPlace => ({ top, isFound: true });
