/**
 * Decides which rows of a grid an action applies to; every button, menu and key uses this rule. Ticked rows come first,
 * then a selected range, then the row of the cursor. Pure.
 */
import { formatCount, formatNumber } from './format.ts';

/** Maximum number of rows of one action. */
export const MAX_ROWS_AT_ONCE = 20_000;

interface RowChoice {
  /** Number of ticked rows in this and other lists; absent if the grid has no checkboxes. */
  ticked?: number;
  /** Number of selected rows, including the row of the cursor. */
  selected: number;
}

export interface ActObject {
  /** `row` means that only the row of the cursor is selected. */
  kind: 'none' | 'row' | 'selected' | 'ticked';
  count: number;
  /** Number of rows that the action takes, counted from the first. */
  taken: number;
}

/** The object of an action on the row of the cursor alone. */
export const ONE_ROW: ActObject = { kind: 'row', count: 1, taken: 1 };

/** The rows that an action takes, at most `max` of them. */
export function actObject({ ticked = 0, selected }: RowChoice, max = MAX_ROWS_AT_ONCE): ActObject {
  const count = ticked > 0 ? ticked : selected;
  const kind = ticked > 0 ? 'ticked' : selected > 1 ? 'selected' : selected === 1 ? 'row' : 'none';
  return { kind, count, taken: Math.min(count, max) };
}

/**
 * The object in the name of an action: `this span`, `1 span`, `5 spans`, `first 20,000 of 30,000 spans`; only the
 * plural if there is no row.
 */
export function objectText({ kind, count, taken }: ActObject, noun: string, nouns = `${noun}s`): string {
  if (kind === 'none') return nouns;
  if (kind === 'row') return `this ${noun}`;
  const all = formatCount(count, noun, nouns);
  return taken < count ? `first ${formatNumber(taken)} of ${all}` : all;
}

/** The chosen rows in a sentence: `the selected span`, `the 5 selected spans`, `the first 20,000 of 30,000 selected spans`. */
export function chosenText({ count, taken }: ActObject, noun: string, nouns = `${noun}s`): string {
  if (count === 1) return `the selected ${noun}`;
  const part = taken < count ? `first ${formatNumber(taken)} of ` : '';
  return `the ${part}${formatNumber(count)} selected ${nouns}`;
}
