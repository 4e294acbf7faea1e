/**
 * What an act on the rows of a grid is about: one rule for every button, menu and key. Rows that are ticked come first,
 * then those selected as a range, else the row of the cursor. Pure.
 */
import { formatCount } from './format.ts';

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
}

export function actObject({ ticked = 0, selected }: RowChoice): ActObject {
  if (ticked > 0) return { kind: 'ticked', count: ticked };
  if (selected > 1) return { kind: 'selected', count: selected };
  return selected === 1 ? { kind: 'row', count: 1 } : { kind: 'none', count: 0 };
}

/** `this span`, `1 span`, `5 spans`: the object as the name of an act has it; `spans` where there is none. */
export function objectText({ kind, count }: ActObject, noun: string, nouns = `${noun}s`): string {
  if (kind === 'none') return nouns;
  return kind === 'row' ? `this ${noun}` : formatCount(count, noun, nouns);
}
