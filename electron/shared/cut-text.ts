/** Cuts texts between visible characters. Pure. */

let segmenter: Intl.Segmenter | null = null;

/**
 * The text in at most `most` UTF-16 units: a longer one ends with an ellipsis, and no visible character (an emoji, a
 * letter with its accents) is split.
 */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  // Omits the character at the limit, which may be incomplete.
  const end = segmenter.segment(text.slice(0, most + 1)).containing(most - 1)?.index ?? 0;
  return `${text.slice(0, end)}…`;
}
