/** Text comparison for all searches by people. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters need no normal form either.
const ONLY_ASCII = /^[\x00-\x7f]*$/;

/** Maximum length of a text to search or to filter by. */
export const MAX_TYPED_CHARS = 500;

/** Normalized text: case-folded, with accents in one form. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  return ONLY_ASCII.test(lower) ? lower : lower.normalize('NFC');
}
