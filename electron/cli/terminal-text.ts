/** Text as a terminal shows it: how wide it is, where it can be cut, and what must not reach it. Pure. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
const UNSAFE = /(?![\n\t])[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;
const WIDE =
  /^(?:\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}])/u;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Without what would move the cursor, change colours or turn text around: it may come from anybody's data. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(UNSAFE, '\ufffd');
}

/** Columns it takes: two for what is wide in East Asian scripts and for emoji. */
export function widthOf(text: string): number {
  // Plain letters are most of what is shown.
  if (/^[ -~]*$/.test(text)) return text.length;
  return [...graphemes.segment(text)].reduce((sum, { segment }) => sum + widthOfOne(segment), 0);
}

/** At most so many columns; what is cut ends with an ellipsis, and no character is cut apart. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += widthOfOne(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

function widthOfOne(grapheme: string): number {
  return WIDE.test(grapheme) ? 2 : 1;
}
