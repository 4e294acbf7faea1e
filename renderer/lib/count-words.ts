/** A whole and its parts, for bars and sums. Pure. */
import { formatCount, formatNumber } from './format.ts';

/** Determines the colour and pattern of a part. */
export type PartLook = 'acknowledged' | 'undone' | 'refused' | 'unknown' | 'rejected' | 'unsent';

export interface CountPart {
  look: PartLook;
  word: string;
  meaning: string;
  count: number;
}

/** A whole and its parts in drawing order; the parts add up to the whole. */
export interface CountSum {
  whole: number;
  /** Noun for one counted thing: `row`. */
  noun: string;
  /** Shown under the total: `rows`. */
  wholeWord: string;
  parts: readonly CountPart[];
}

/** `10,000 rows = 9,000 acknowledged + 1,000 not sent`; parts of zero are omitted. */
export function equation({ whole, noun, parts }: CountSum): string {
  const words = parts
    .filter(({ count }) => count > 0)
    .map(({ count, word }) => `${formatNumber(count)} ${word}`);
  return `${formatCount(whole, noun)} = ${words.length === 0 ? '0' : words.join(' + ')}`;
}
