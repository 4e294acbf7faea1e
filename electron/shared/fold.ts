/** Text comparison for all searches by people. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters need no normal form either.
const ONLY_ASCII = /^[\x00-\x7f]*$/;

/** Maximum length of a text to search or to filter by. */
export const MAX_TYPED_CHARS = 500;

/** Normalized text: case-folded, with accents in one form. */
export const fold = (text: string): string => inOneForm(text.toLowerCase());

/** The text with accents in one form: `é` may be one character or two, which look the same (Unicode NFC). */
export function inOneForm(text: string): string {
  return ONLY_ASCII.test(text) ? text : text.normalize('NFC');
}
