/** Text as a terminal shows it: how wide it is, where it can be cut, and what must not reach it. Pure. */
import { sentence } from '../shared/untrusted-text.ts';

/** What JSON must not hold: control characters, where JSON.stringify leaves it as it is, with the marks that turn text around unseen. */
const UNSAFE_IN_JSON = /(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;
/** Made for the first text that is not plain: it takes ten milliseconds. */
let segmenter: Intl.Segmenter | null = null;

/** The same as one line: a line end in a name must not begin a line that looks like another answer. */
export function oneLine(text: string): string {
  return sentence(text.replaceAll(/[\r\n\t]+/g, ' '));
}

/** JSON that shows on any terminal what it holds, with nothing lost: what could steer it is escaped. */
export function jsonText(value: unknown, indent?: number): string {
  return (JSON.stringify(value, null, indent) ?? 'null').replaceAll(
    UNSAFE_IN_JSON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Columns it takes: two for what is wide in East Asian scripts and for emoji. */
export function widthOf(text: string): number {
  // Plain letters are most of what is shown.
  if (/^[ -~]*$/.test(text)) return text.length;
  return [...graphemesOf(text)].reduce((sum, { segment }) => sum + widthOfOne(segment), 0);
}

/** At most so many columns; what is cut ends with an ellipsis, and no character is cut apart. */
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
