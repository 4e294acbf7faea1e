/** Twins of a build: picked spans whose input is the same, or nearly, as that of another span or a stored item. */
import type { TextPiece } from './word-diff.ts';

/** Share of their shingles that two inputs must have in common. */
export const TWIN_THRESHOLD = 0.85;
export const LEAST_TWIN_THRESHOLD = 0.5;

/**
 * Which twins are excluded. `all`: a person asked for it. `sure`: by itself; those of an input that the dataset has, and
 * of long inputs. Many spans share a short input and differ in the rest: such twins are marked only.
 */
export const TWIN_SKIPS = ['all', 'sure'] as const;
export type TwinSkips = (typeof TWIN_SKIPS)[number];

/**
 * What a twin is like: a span picked before it, or an item that the dataset has. `isSameSpan`: the item was made of the
 * span itself, with whatever input.
 */
type TwinSource = { kind: 'span'; position: number } | { kind: 'item'; itemId: string; isSameSpan?: boolean };

export interface SpanTwin {
  of: TwinSource;
  /** 1 where the inputs are the same but for case and spaces. */
  likeness: number;
}

/** As they were found last. */
export interface BuildTwins {
  threshold: number;
  found: number;
  /** Left out of the dataset; the others a person keeps. */
  skipped: number;
}

/** Both inputs: `same` and `removed` are that of the source, `same` and `added` that of the twin. */
export interface TwinPair extends SpanTwin {
  pieces: TextPiece[];
  /** The texts are longer than what is compared here. */
  isCut: boolean;
}
