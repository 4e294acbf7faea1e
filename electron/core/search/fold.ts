/** Normalizes texts for search, and maps matches back to positions in the original text. Pure. */

import { fold } from '../../shared/fold.ts';
import type { TextRange } from '../../shared/search-contract.ts';
import { elementAt } from '../element-at.ts';

/** Separates two texts of a record. It cannot be typed, so no match extends across it. */
export const GAP = '\u0001';

/** The text in lower case in any script, with accents normalized. A Greek final sigma becomes a normal sigma. */
export function foldForSearch(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the two that the index keeps for itself
  return fold(text.toWellFormed().replace(/[\u0000\u0001]/g, ' ')).replaceAll('ς', 'σ');
}

/** A character with its combining marks. The parts of a Hangul syllable form one, because folding joins them. */
const CLUSTER = /[\uac00-\ud7a3]?[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]+|\P{M}\p{M}*|\p{M}+/gsu;

interface Folded {
  text: string;
  /**
   * For each UTF-16 unit of the folded text, and for its end: the start of the corresponding cluster in the original
   * text.
   */
  starts: number[];
  /** For each unit, the end of its cluster in the original text. */
  ends: number[];
}

function foldWithPlaces(text: string): Folded {
  const starts: number[] = [];
  const ends: number[] = [];
  let folded = '';
  for (const { 0: cluster, index } of text.toWellFormed().matchAll(CLUSTER)) {
    const part = foldForSearch(cluster);
    folded += part;
    for (let unit = 0; unit < part.length; unit += 1) {
      starts.push(index);
      ends.push(index + cluster.length);
    }
  }
  return { text: folded, starts, ends };
}

/** Ranges of the folded terms in a text, ascending and without overlaps. */
export function rangesOf(text: string, terms: readonly string[]): TextRange[] {
  const folded = foldWithPlaces(text);
  const found: TextRange[] = [];
  for (const term of terms) {
    if (term === '') continue;
    for (let at = folded.text.indexOf(term); at !== -1; at = folded.text.indexOf(term, at + term.length)) {
      found.push([elementAt(folded.starts, at), elementAt(folded.ends, at + term.length - 1)]);
    }
  }
  return joined(found);
}

function joined(ranges: readonly TextRange[]): TextRange[] {
  const result: TextRange[] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => a - b)) {
    const last = result.at(-1);
    if (last !== undefined && from <= last[1]) result[result.length - 1] = [last[0], Math.max(last[1], to)];
    else result.push([from, to]);
  }
  return result;
}

const SNIPPET_CHARS = 160;
const BEFORE_CHARS = 30;

/** The part of a text around the first match, on one line, with the ranges of its matches. */
export function snippetOf(text: string, terms: readonly string[]): { text: string; ranges: TextRange[] } {
  const [first] = rangesOf(text, terms);
  let from = Math.max(0, (first?.[0] ?? 0) - BEFORE_CHARS);
  let to = Math.min(text.length, from + SNIPPET_CHARS);
  if (isLowSurrogate(text, from)) from -= 1;
  if (isLowSurrogate(text, to)) to += 1;
  const line = text.slice(from, to).replace(/\s+/g, ' ');
  const shown = `${from > 0 ? '…' : ''}${line}${to < text.length ? '…' : ''}`;
  // A match with a line break must be searched again in the text on one line.
  const inLine = terms.map((term) => term.replace(/\s+/g, ' '));
  return { text: shown, ranges: rangesOf(shown, inLine) };
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0xdc00 && unit <= 0xdfff;
}
