/** Cuts texts between visible characters. Pure. */

let segmenter: Intl.Segmenter | null = null;

/** Start of the visible character that contains the UTF-16 unit `at`. */
function characterAt(text: string, at: number): number {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text).containing(at)?.index ?? 0;
}

/**
 * The text in at most `most` UTF-16 units: a longer one ends with an ellipsis, and no visible character (an emoji, a
 * letter with its accents) is split.
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  // Omits the character at the limit, which may be incomplete.
  return `${text.slice(0, characterAt(text.slice(0, most + 1), most - 1))}…`;
}

/** Upper bound of the UTF-16 units of a visible character, so that long texts are not segmented as a whole. */
const MAX_CHARACTER = 64;

/** The text from about the UTF-16 unit `from` on: if something is omitted, it begins with an ellipsis. */
export function cutStart(text: string, from: number): string {
  const start = from <= 0 ? 0 : characterAt(text.slice(0, from + MAX_CHARACTER), from);
  return start === 0 ? text : `…${text.slice(start)}`;
}
