/**
 * Text that may come from anybody (a service, a file, a name that a person gave) inside sentences of this application:
 * it must not steer a terminal, nor turn round the words about it. Pure.
 */

/** All control characters but line end and tab, separators that some terminals break lines at, what turns text around. */
const UNSAFE = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;
/** Isolates that `isolated` puts around a text: what they hold has none of its own. */
const ISOLATED = /\u2068([^\u2066-\u2069]*)\u2069/g;
/** Letters that are read from right to left, and the marks that act like one. */
const RIGHT_TO_LEFT =
  /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Without what would move the cursor, change colours or turn text around; what is masked shows as U+FFFD. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(UNSAFE, '\ufffd');
}

/** A text to be put into a sentence: masked, and read in its own direction without changing the order of the rest. */
export function isolated(text: string): string {
  const safe = printable(text);
  return RIGHT_TO_LEFT.test(safe) ? `\u2068${safe}\u2069` : safe;
}

/** A whole sentence, masked as `printable` does; parts that are `isolated` stay so. */
export function sentence(text: string): string {
  let end = 0;
  let safe = '';
  for (const match of text.matchAll(ISOLATED)) {
    safe += `${printable(text.slice(end, match.index))}\u2068${printable(match[1] ?? '')}\u2069`;
    end = match.index + match[0].length;
  }
  return safe + printable(text.slice(end));
}
