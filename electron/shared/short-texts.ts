/**
 * Parses JSON that is mostly one list of short texts, such as the ids of an answer. JSON.parse looks up every text of
 * up to ten characters in a table of the whole program, which takes longer than everything else about them. Pure.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const SPACE = 0x20;
const BLANKS: ReadonlySet<number> = new Set([SPACE, 0x09, 0x0a, 0x0d]);

/** Minimum length of JSON for this method; shorter JSON is parsed as usual. */
const MIN_CHARS = 1_000;
/** Maximum length of the JSON before and after the list. */
const MAX_AROUND = 500;
/** JavaScript engines copy parts of a text up to this length; a longer part would keep the whole text in memory. */
const MAX_COPIED = 12;
/** Stands for the list: a noncharacter, which JSON can contain only inside texts. */
const SIGN = '\ufdd0';

/** JSON around a list: `around` has the text SIGN in place of the list. */
interface AroundTexts {
  around: string;
  list: string[];
}

/** Separates a list from the JSON around it; null if the JSON is not mostly such a list, or may be invalid. */
export function takeTexts(text: string): AroundTexts | null {
  if (text.length < MIN_CHARS) return null;
  const open = text.slice(0, MAX_AROUND).indexOf('["');
  if (open < 0) return null;
  const list: string[] = [];
  const close = readTexts(text, open + 1, list);
  if (close < 0 || text.length - close > MAX_AROUND) return null;
  // A list before a colon is invalid, but a text in its place would be a valid key.
  if (text.charCodeAt(passBlanks(text, close + 1)) === COLON) return null;
  const [before, after] = [text.slice(0, open), text.slice(close + 1)];
  // An escape may mean that a text only seems to end before the list, or may be another spelling of SIGN.
  if (/[\\\ufdd0]/.test(before + after)) return null;
  return { around: `${before}"${SIGN}"${after}`, list };
}

/** The value of `around` with the list in place of SIGN. Throws SyntaxError. */
export function withTexts({ around, list }: AroundTexts): unknown {
  return JSON.parse(around, (_key, value: unknown) => (value === SIGN ? list : value));
}

/** Reads the texts from the opening quote at `from`; returns the position of the bracket after them, or -1. */
function readTexts(text: string, from: number, list: string[]): number {
  for (let at = from; ; ) {
    if (text.charCodeAt(at) !== QUOTE) return -1;
    const start = at + 1;
    const most = start + MAX_COPIED;
    let code = 0;
    for (at = start; at <= most; at += 1) {
      code = text.charCodeAt(at);
      // The comparison is false for NaN, which marks the end of the text.
      if (!(code >= SPACE) || code === QUOTE || code === BACKSLASH) break;
    }
    if (code !== QUOTE) return -1;
    list.push(text.slice(start, at));
    at = passBlanks(text, at + 1);
    code = text.charCodeAt(at);
    if (code === CLOSE_LIST) return at;
    if (code !== COMMA) return -1;
    at = passBlanks(text, at + 1);
  }
}

function passBlanks(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= SPACE && BLANKS.has(text.charCodeAt(at))) at += 1;
  return at;
}
