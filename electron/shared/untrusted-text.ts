/**
 * Makes untrusted text (from a service, a file or a typed name) safe to show within sentences of this application: it
 * must not control a terminal, nor reverse the order of other words. Pure.
 */

/**
 * All control characters except line end and tab, separators that some terminals treat as line breaks, and
 * bidirectional controls.
 */
const UNSAFE = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
/** The isolating characters that `isolated` adds around a text, which itself contains none. */
const ISOLATED = /\u2068([^\u2066-\u2069]*)\u2069/g;
/** Letters that are read from right to left, and marks with the same effect. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Matches text without anything to mask. It is checked first, because building the set of unsafe characters takes 16 ms
 * at the first use.
 */
const PLAIN = /^[\n\t\x20-\x7e]*$/;

/** Masks characters that would move the cursor, change colours or reverse text; they become U+FFFD. */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll('\r\n', '\n').replaceAll(UNSAFE, '\ufffd');
}

/** A text for use in a sentence: masked, and displayed in its own direction without reordering the rest. */
export function isolated(text: string): string {
  const safe = printable(text);
  return RIGHT_TO_LEFT.test(safe) ? `\u2068${safe}\u2069` : safe;
}

/** Masks a complete sentence like `printable`, but keeps the parts made by `isolated`. */
export function sentence(text: string): string {
  let end = 0;
  let safe = '';
  for (const match of text.matchAll(ISOLATED)) {
    safe += `${printable(text.slice(end, match.index))}\u2068${printable(match[1] ?? '')}\u2069`;
    end = match.index + match[0].length;
  }
  return safe + printable(text.slice(end));
}
