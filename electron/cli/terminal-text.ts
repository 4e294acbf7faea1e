/** Text for terminals: its width, where it can be cut, and which characters must be removed. Pure. */
import { sentence } from '../shared/untrusted-text.ts';

/**
 * Characters that JSON output must not contain: control characters that JSON.stringify does not escape, and marks that
 * change the text direction.
 */
const UNSAFE_IN_JSON = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;
/** Created for the first text that is not ASCII, because that takes ten milliseconds. */
let segmenter: Intl.Segmenter | null = null;

/** The text on one line, so that a line end in a name cannot start a line that looks like another answer. */
export function oneLine(text: string): string {
  return sentence(text.replaceAll(/[\r\n\t]+/g, ' '));
}

/** JSON that is displayed unchanged on any terminal: control sequences are escaped, and nothing is lost. */
export function jsonText(value: unknown, indent?: number): string {
  return (JSON.stringify(value, null, indent) ?? 'null').replaceAll(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Width of a text in terminal columns: two for wide East Asian characters and for emoji. */
export function widthOf(text: string): number {
  // Fast path for ASCII, which is the most frequent.
  if (/^[ -~]*$/.test(text)) return text.length;
  return [...graphemesOf(text)].reduce((sum, { segment }) => sum + widthOfOne(segment), 0);
}

/** Cuts the text to a number of columns, with an ellipsis, without splitting a character. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemesOf(text)) {
    width += widthOfOne(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

function widthOfOne(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}

/** Quotes the text for a shell if needed. */
export const quotedForShell = (text: string): string =>
  /^[\w=.:@%+/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
