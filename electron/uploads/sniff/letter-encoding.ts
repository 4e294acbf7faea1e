/**
 * Guesses the encoding of text that is not UTF-8 from its words with letters beyond ASCII. Other words are ignored: in
 * a table, for instance in its header, they are often English whatever the language. Pure.
 */
import { isUtf8 } from 'node:buffer';
import chardet from 'chardet';
import iconv from 'iconv-lite';
import { AppError } from '../../shared/errors.ts';
import { knownEncoding } from '../readers/encoding.ts';
import { scriptsOfWords } from './script-words.ts';
import { shortWideEncoding } from './wide-encoding.ts';

const WESTERN = 'windows-1252';
const TURKISH = 'windows-1254';
/** Minimum confidence, in percent, to accept the detector's guess against the most common encoding of its script. */
const SURE_ENOUGH = 40;
/** Multi-byte encodings. For these, the detector knows which byte sequences are valid. */
const WIDE = /^(?:shift_jis|euc-|gb|big5|iso-2022)/;
const OTHER_SCRIPTS = /^(?:windows-(?:125[1356]|874)|iso-8859-(?:[5678]|11)|koi8|tis-620)/;
/** Latin encodings that the detector may not report, most common first. */
const LATIN = ['windows-1250', 'iso-8859-15'];
/**
 * Encodings of DOS and old Macs. Every byte is a character in them, so they are tried only if the usual encoding lacks
 * some bytes.
 */
const OLD_LATIN = ['cp850', 'cp852', 'macintosh'];
/** Any character but signs of currencies, degrees, powers and fractions (¢£¤¥§©®°±²³¹¼½¾). */
const NOT_SYMBOL = /[^\0-\x7f\xa2-\xa5\xa7\xa9\xae\xb0-\xb3\xb9\xbc-\xbe]/;
const NOT_WESTERN = /[\x81\x8d\x8f\x90\x9d]/;
/** Replaces a standard encoding by the superset that programs really write. */
const SUPERSETS: Readonly<Record<string, string>> = {
  ascii: WESTERN,
  'utf-8': WESTERN,
  'iso-8859-1': WESTERN,
  'iso-8859-9': 'windows-1254',
};
/** Encodings whose letters have the same or nearly the same codes in a Windows encoding. */
const SAME_ALPHABET: Readonly<Record<string, string>> = {
  'iso-8859-6': 'windows-1256',
  'iso-8859-7': 'windows-1253',
  'iso-8859-8': 'windows-1255',
  'iso-8859-11': 'windows-874',
};
/** Weight of a certain guess of the detector, relative to the log-frequency of letters. */
const SURE_WEIGHT = 6;
const RUSSIAN = 'koi8-r';
/** Ukrainian letters of KOI8-U. KOI8-R has box-drawing characters at these codes and is otherwise the same. */
const UKRAINIAN = /[\xa4\xa6\xa7\xad\xb4\xb6\xb7\xbd]/;
const MAX_WORDS = 2_000;
/** Maximum number of bytes that are decoded to try a multi-byte encoding. */
const WIDE_BYTES = 64 * 1024;
/** Minimum length of a word that shows its script, and minimum number of letters in all such words. */
const MIN_SCRIPT_WORD = 3;
const MIN_SCRIPT_LETTERS = 6;
/** Minimum number of letters in words without ASCII letters. Latin text hardly ever has as many. */
const MIN_PURE_LETTERS = 4;
/** A guess that contradicts the usual encoding needs at least this many words, and this many times its confidence. */
const MIN_SURE = { words: 4, times: 1.5 };
/**
 * Minimum share of bytes beyond ASCII in words of a script other than Latin. Heavily accented Latin reaches about 0.6.
 */
const OTHER_SCRIPT_SHARE = 0.8;
/**
 * Minimum number of valid UTF-8 characters for each invalid byte. Text in other encodings has fewer valid ones, which
 * occur by chance.
 */
const VALID_PER_INVALID = 2;
/**
 * Minimum number of valid characters for each invalid byte in a multi-byte encoding, in which most pairs of bytes are
 * valid.
 */
const WIDE_PER_INVALID = 20;

/** The number of valid characters beyond ASCII, and of bytes that belong to no valid character. */
function utf8Counts(bytes: Buffer): { valid: number; invalid: number } {
  let [valid, invalid] = [0, 0];
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) {
      at += 1;
      continue;
    }
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    const isValid = length > 1 && at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length));
    if (isValid) valid += 1;
    else invalid += 1;
    at += isValid ? length : 1;
  }
  return { valid, invalid };
}

/** True for UTF-8 with some damaged characters, such as those of a line that another program appended. */
export function isDamagedUtf8(pieces: readonly Buffer[]): boolean {
  const counts = pieces.map(utf8Counts);
  const sum = (of: 'valid' | 'invalid') => counts.reduce((total, each) => total + each[of], 0);
  return sum('valid') >= VALID_PER_INVALID * sum('invalid') && sum('invalid') > 0;
}

/** The most likely encoding of bytes that are not UTF-8, with an example word; the word is empty if none shows it. */
export function letterEncoding(bytes: Buffer): { encoding: string; example: string } {
  const words = wordsOf(bytes);
  const found = encodingOf(bytes, words);
  const encoding = found === RUSSIAN && words.some((word) => UKRAINIAN.test(word)) ? 'koi8-u' : found;
  const read = (word: string, name: string) => iconv.decode(Buffer.from(word, 'latin1'), name);
  const long = words.filter(({ length }) => length >= MIN_SCRIPT_WORD);
  const rival = encoding === WESTERN ? TURKISH : WESTERN;
  const shown = long.find((word) => read(word, encoding) !== read(word, rival)) ?? long[0] ?? '';
  // A multi-byte character may be cut off at the end.
  return { encoding, example: read(shown, encoding).replace(/\ufffd+$/, '') };
}

function encodingOf(bytes: Buffer, words: readonly string[]): string {
  if (words.every((word) => !NOT_SYMBOL.test(word))) return WESTERN;
  const script = wordsOfScript(words);
  if (script !== null) return script;
  const whole = analysed(bytes);
  const [first] = whole;
  const isSure = first !== undefined && first.confidence >= SURE_ENOUGH;
  if (isSure && OTHER_SCRIPTS.test(first.name)) return first.name;
  const wide = shortWideEncoding(bytes);
  // A few invalid characters are accepted, e.g. one that is cut off at the start of a piece.
  if (wide !== null && validity(bytes, wide) !== 'few') return wide;
  if (isSure && !isLatin(first.name) && validity(bytes, first.name) !== 'few') return first.name;
  const text = Buffer.from(words.join(' '), 'latin1');
  const ofWords = analysed(text);
  const detected = [...ofWords, ...whole].map(({ name }) => name);
  const names = isOtherScript(words)
    ? [
        ...detected.filter((name) => OTHER_SCRIPTS.test(name)),
        'windows-1251',
        ...detected.filter((name) => WIDE.test(name)),
      ]
    : [
        ...(isTurkish(words) ? [TURKISH] : []),
        ...sureLatin(ofWords, words.length),
        ...(hasOldLineEnds(bytes) ? ['macintosh'] : []),
        WESTERN,
        ...detected.filter(isLatin),
        ...LATIN,
        ...(NOT_WESTERN.test(text.toString('latin1'))
          ? [...OLD_LATIN, ...detected.filter((name) => WIDE.test(name))]
          : []),
      ];
  // In a multi-byte encoding, the second byte of a character may be ASCII, so words found byte by byte would be cut.
  // The bytes are decoded as a whole.
  const decoded = (name: string) =>
    WIDE.test(name)
      ? iconv.decode(bytes.subarray(0, WIDE_BYTES), name).replaceAll(/[\0-\x7f]+/g, ' ')
      : iconv.decode(text, name);
  const possible = [...new Set(names)].filter((name) => !WIDE.test(name) || validity(bytes, name) === 'all');
  const rated = possible.map((name) => ({ name, odd: oddShare(decoded(name)) }));
  return rated.reduce((best, each) => (each.odd < best.odd ? each : best), { name: WESTERN, odd: 2 }).name;
}

/** Whether the bytes are valid in the encoding. The last character may be cut off. */
function validity(bytes: Buffer, name: string): 'all' | 'most' | 'few' {
  const text = iconv.decode(bytes.subarray(0, WIDE_BYTES), name).slice(0, -1);
  const invalid = text.split('\ufffd').length - 1;
  const letters = text.replaceAll(/[\0-\x7f\ufffd]/g, '').length;
  return invalid === 0 ? 'all' : letters >= WIDE_PER_INVALID * invalid ? 'most' : 'few';
}

interface Guess {
  name: string;
  /** In percent. */
  confidence: number;
}

const analysed = (bytes: Buffer): Guess[] =>
  chardet.analyse(bytes).map(({ name, confidence }) => ({ name: usable(name), confidence }));

const isLatin = (name: string): boolean => !WIDE.test(name) && !OTHER_SCRIPTS.test(name);

/** The Latin encoding that clearly fits better than the usual one; an empty list if there is none. */
function sureLatin(guesses: readonly Guess[], words: number): string[] {
  const western = guesses.find(({ name }) => name === WESTERN)?.confidence ?? 0;
  const best = guesses.find(({ name }) => isLatin(name));
  if (best === undefined || best.name === WESTERN || best.confidence < SURE_ENOUGH) return [];
  const isSure = western === 0 || (words >= MIN_SURE.words && best.confidence >= western * MIN_SURE.times);
  return isSure ? [best.name] : [];
}

/** Distinct words with at least one byte beyond ASCII. */
function wordsOf(bytes: Buffer): string[] {
  const found = new Set<string>();
  for (const [word] of bytes.toString('latin1').matchAll(/[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*/g)) {
    found.add(word);
    if (found.size >= MAX_WORDS) break;
  }
  return [...found];
}

/** The single-byte encoding in which all words beyond ASCII have letters of one alphabet; null if none fits. */
function wordsOfScript(words: readonly string[]): string | null {
  const pure = words.filter((word) => !/[A-Za-z]/.test(word));
  const letters = pure.join('').length;
  if (letters < MIN_PURE_LETTERS || letters < words.join('').length * OTHER_SCRIPT_SHARE) return null;
  const guesses = analysed(Buffer.from(pure.join(' '), 'latin1'));
  const rated = scriptsOfWords(pure).map(({ name, fit }) => {
    const sure = guesses.find((guess) => (SAME_ALPHABET[guess.name] ?? guess.name) === name)?.confidence ?? 0;
    return { name, fit: fit + (SURE_WEIGHT * sure) / 100 };
  });
  return rated.toSorted((a, b) => b.fit - a.fit)[0]?.name ?? null;
}

function isOtherScript(words: readonly string[]): boolean {
  const text = words.filter(({ length }) => length >= MIN_SCRIPT_WORD).join('');
  const high = text.replaceAll(/[^\x80-\xff]/g, '').length;
  return text.length >= MIN_SCRIPT_LETTERS && high / text.length >= OTHER_SCRIPT_SHARE;
}

/** Bytes that are Turkish letters, and no others. Icelandic also uses á, í, ó, ú and æ. */
const TURKISH_LETTERS = /^[A-Za-z\xc7\xd0\xd6\xdc\xdd\xde\xe2\xe7\xee\xf0\xf6\xfb-\xfe]*$/;
/**
 * Turkish has six letters at the codes of Ð, ð, Ý, ý, Þ and þ in the usual encoding, where they are also letters. The
 * Turkish ı (the code of ý) is very frequent. In Icelandic, ý together with ð or þ is rare in a text without its other
 * letters.
 */
function isTurkish(words: readonly string[]): boolean {
  const has = (letters: RegExp) => words.some((word) => letters.test(word));
  const areTurkish = words.every((word) => TURKISH_LETTERS.test(word));
  return areTurkish && has(/\xfd/) && has(/[\xd0\xdd\xde\xf0\xfe]/);
}

/** Excel for Mac writes text in the old Mac encoding with a single carriage return at the end of each line. */
function hasOldLineEnds(bytes: Buffer): boolean {
  return bytes.includes(0x0d) && !bytes.includes(0x0a);
}

/** Typographic marks, currency signs and trademark signs, which occur next to letters in any text. */
const USUAL_SIGN = String.raw`[‘’“”„‚«»‹›–—…•·®™©†‡§°ºª€ \u00a0\u00ad]`;
const ODD = new RegExp(
  [
    String.raw`[\p{C}\uFFFD]`,
    // Any other sign inside, at the end of, or before a word, except the Spanish opening marks and the superscripts of
    // units.
    String.raw`(?<=\p{L})(?!${USUAL_SIGN})[^\p{L}\p{M}²³]|(?!${USUAL_SIGN}|£\p{Ll}{1,2}(?!\p{L}))[^\p{L}\p{M}¿¡](?=\p{L})`,
    // A capital after a small letter, or a capital between a capital and a small letter.
    String.raw`(?<=(?!ß)\p{Ll}\p{M}*)\p{Lu}|(?<=\p{Lu})\p{Lu}(?=(?!ß)\p{Ll})`,
  ].join('|'),
  'gu',
);

/** Share of characters that rarely occur in words. */
function oddShare(words: string): number {
  return (words.match(ODD)?.length ?? 0) / Math.max(words.length, 1);
}

function usable(detected: string): string {
  const name = detected.toLowerCase();
  try {
    return knownEncoding(SUPERSETS[name] ?? name);
  } catch (problem) {
    if (problem instanceof AppError) return WESTERN;
    throw problem;
  }
}
