/**
 * What an act on the rows of a grid is about: one rule for every button, menu and key. Rows that are ticked come first,
 * then those selected as a range, else the row of the cursor. Pure.
 */
import { formatCount, formatNumber } from './format.ts';

/** Rows that one act takes at most. */
export const MAX_ROWS_AT_ONCE = 20_000;

interface RowChoice {
  /** Rows with a tick, in this list or in others; grids without boxes have none. */
  ticked?: number;
  /** Rows of the selection, the row of the cursor included. */
  selected: number;
}

export interface ActObject {
  /** `row`: the one of the cursor. */
  kind: 'none' | 'row' | 'selected' | 'ticked';
  count: number;
  /** The first ones, which the act takes. */
  taken: number;
}

/** The row of the cursor. */
export const ONE_ROW: ActObject = { kind: 'row', count: 1, taken: 1 };

/** `max`: so many the act takes. */
export function actObject({ ticked = 0, selected }: RowChoice, max = MAX_ROWS_AT_ONCE): ActObject {
  const count = ticked > 0 ? ticked : selected;
  const kind = ticked > 0 ? 'ticked' : selected > 1 ? 'selected' : selected === 1 ? 'row' : 'none';
  return { kind, count, taken: Math.min(count, max) };
}

/**
 * The object as the name of an act has it: `this span`, `1 span`, `5 spans`, `first 20,000 of 30,000 spans`; `spans` where
 * there is none.
 */
export function objectText({ kind, count, taken }: ActObject, noun: string, nouns = `${noun}s`): string {
  if (kind === 'none') return nouns;
  if (kind === 'row') return `this ${noun}`;
  const all = formatCount(count, noun, nouns);
  return taken < count ? `first ${formatNumber(taken)} of ${all}` : all;
}
