/** Parts of one whole, as bars and sums draw them. Pure. */
import { formatCount, formatNumber } from './format.ts';

/** Colour and pattern of a part. */
export type PartLook = 'acknowledged' | 'undone' | 'refused' | 'unknown' | 'rejected' | 'unsent';

export interface CountPart {
  look: PartLook;
  word: string;
  meaning: string;
  count: number;
}

/** A whole and the parts it falls into, in the order they are drawn; they add up to it. */
export interface CountSum {
  whole: number;
  /** What is counted: `row`. */
  noun: string;
  /** Under the figure of the whole: `rows`. */
  wholeWord: string;
  parts: readonly CountPart[];
}

/** `10,000 rows = 9,000 acknowledged + 1,000 not sent`; parts that are zero are left out. */
export function equation({ whole, noun, parts }: CountSum): string {
  const words = parts
    .filter(({ count }) => count > 0)
    .map(({ count, word }) => `${formatNumber(count)} ${word}`);
  return `${formatCount(whole, noun)} = ${words.length === 0 ? '0' : words.join(' + ')}`;
}
