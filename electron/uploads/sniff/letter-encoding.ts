/**
 * Guesses the encoding of text that is not UTF-8 from its words with letters beyond ASCII. The other words of a table,
 * such as its header, are English in every language and would hide them. Pure.
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
/** Encodings with characters of several bytes, in which the detector knows the permitted ones. */
const WIDE = /^(?:shift_jis|euc-|gb|big5|iso-2022)/;
const OTHER_SCRIPTS = /^(?:windows-(?:125[1356]|874)|iso-8859-(?:[5678]|11)|koi8|tis-620)/;
/** Latin ones that the detector may not name, most common first. */
const LATIN = ['windows-1250', 'iso-8859-15'];
/** Encodings of DOS and of old Macs, which have a letter for every byte: tried only for bytes that the usual one lacks. */
const OLD_LATIN = ['cp850', 'cp852', 'macintosh'];
/** Any letter but signs of money, degrees, powers and fractions (¢£¤¥§©®°±²³¹¼½¾). */
const NOT_SYMBOL = /[^\0-\x7f\xa2-\xa5\xa7\xa9\xae\xb0-\xb3\xb9\xbc-\xbe]/;
const NOT_WESTERN = /[\x81\x8d\x8f\x90\x9d]/;
/** Supersets of standards, in which files are really written. */
const SUPERSETS: Readonly<Record<string, string>> = {
  ascii: WESTERN,
  'utf-8': WESTERN,
  'iso-8859-1': WESTERN,
  'iso-8859-9': 'windows-1254',
};
/** Encodings whose letters have the same codes, or nearly the same, in an encoding of Windows. */
const SAME_ALPHABET: Readonly<Record<string, string>> = {
  'iso-8859-6': 'windows-1256',
  'iso-8859-7': 'windows-1253',
  'iso-8859-8': 'windows-1255',
  'iso-8859-11': 'windows-874',
};
/** Weight of a sure guess of the detector against the logarithm of the frequency of letters. */
const SURE_WEIGHT = 6;
const RUSSIAN = 'koi8-r';
/** Letters of Ukrainian at the places of frames in the Russian encoding, which is the same otherwise. */
const UKRAINIAN = /[\xa4\xa6\xa7\xad\xb4\xb6\xb7\xbd]/;
const MAX_WORDS = 2_000;
/** Bytes that are tried in an encoding with characters of several bytes. */
const WIDE_BYTES = 64 * 1024;
/** Length of a word that says something about its script, and letters of all of them. */
const MIN_SCRIPT_WORD = 3;
const MIN_SCRIPT_LETTERS = 6;
/** Fewest letters without one of ASCII among them: hardly any Latin word has as many. */
const MIN_PURE_LETTERS = 4;
/** A guess against the usual encoding needs this many words, and this many times its confidence. */
const MIN_SURE = { words: 4, times: 1.5 };
/** Share of bytes beyond ASCII in words of scripts other than Latin; heavily accented Latin reaches about 0.6. */
const OTHER_SCRIPT_SHARE = 0.8;
/** Minimum number of valid UTF-8 characters for each invalid byte; text of other encodings has fewer by chance. */
const VALID_PER_INVALID = 2;
/** The same for encodings of several bytes, in which most pairs of bytes are a character. */
const WIDE_PER_INVALID = 20;

/** The counts of valid characters beyond ASCII and of bytes that belong to none. */
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

/** The most likely encoding of bytes that are not UTF-8, with a word that shows it; empty if there is none. */
export function letterEncoding(bytes: Buffer): { encoding: string; example: string } {
  const words = wordsOf(bytes);
  const found = encodingOf(bytes, words);
  const encoding = found === RUSSIAN && words.some((word) => UKRAINIAN.test(word)) ? 'koi8-u' : found;
  const read = (word: string, name: string) => iconv.decode(Buffer.from(word, 'latin1'), name);
  const long = words.filter(({ length }) => length >= MIN_SCRIPT_WORD);
  const rival = encoding === WESTERN ? TURKISH : WESTERN;
  const shown = long.find((word) => read(word, encoding) !== read(word, rival)) ?? long[0] ?? '';
  // A character of several bytes may have been cut off.
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
  // A damaged character, or one that is cut off at the start of a piece of a file, does not speak against a sure guess.
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
  // The second byte of a character may be ASCII, so that words of one byte cut it.
  const decoded = (name: string) =>
    WIDE.test(name)
      ? iconv.decode(bytes.subarray(0, WIDE_BYTES), name).replaceAll(/[\0-\x7f]+/g, ' ')
      : iconv.decode(text, name);
  const possible = [...new Set(names)].filter((name) => !WIDE.test(name) || validity(bytes, name) === 'all');
  const rated = possible.map((name) => ({ name, odd: oddShare(decoded(name)) }));
  return rated.reduce((best, each) => (each.odd < best.odd ? each : best), { name: WESTERN, odd: 2 }).name;
}

/** Whether the bytes are characters of the encoding. The last one may be cut off. */
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

/** The Latin encoding that clearly fits better than the usual one; an empty list if none does. */
function sureLatin(guesses: readonly Guess[], words: number): string[] {
  const western = guesses.find(({ name }) => name === WESTERN)?.confidence ?? 0;
  const best = guesses.find(({ name }) => isLatin(name));
  if (best === undefined || best.name === WESTERN || best.confidence < SURE_ENOUGH) return [];
  const isSure = western === 0 || (words >= MIN_SURE.words && best.confidence >= western * MIN_SURE.times);
  return isSure ? [best.name] : [];
}

/** Different words with at least one byte beyond ASCII. */
function wordsOf(bytes: Buffer): string[] {
  const found = new Set<string>();
  for (const [word] of bytes.toString('latin1').matchAll(/[A-Za-z]*[\x80-\xff][A-Za-z\x80-\xff]*/g)) {
    found.add(word);
    if (found.size >= MAX_WORDS) break;
  }
  return [...found];
}

/** The encoding of a single byte in which all words beyond ASCII have the letters of one alphabet; null if none fits. */
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

/** Bytes that are letters of Turkish, and no others: those of Icelandic include á, í, ó, ú and æ. */
const TURKISH_LETTERS = /^[A-Za-z\xc7\xd0\xd6\xdc\xdd\xde\xe2\xe7\xee\xf0\xf6\xfb-\xfe]*$/;
/**
 * Turkish has six letters at the places of Ð, ð, Ý, ý, Þ and þ in the usual encoding, where they would be letters as
 * well. ı is one of the most frequent; ý with ð or þ is rare in a text without other letters of Icelandic.
 */
function isTurkish(words: readonly string[]): boolean {
  const has = (letters: RegExp) => words.some((word) => letters.test(word));
  const areTurkish = words.every((word) => TURKISH_LETTERS.test(word));
  return areTurkish && has(/\xfd/) && has(/[\xd0\xdd\xde\xf0\xfe]/);
}

/** Excel for Mac ends the lines of a text in its old encoding by a carriage return alone. */
function hasOldLineEnds(bytes: Buffer): boolean {
  return bytes.includes(0x0d) && !bytes.includes(0x0a);
}

/** Typography, currencies and marks of names, which occur beside letters in any text. */
const USUAL_SIGN = String.raw`[‘’“”„‚«»‹›–—…•·®™©†‡§°ºª€ \u00a0\u00ad]`;
const ODD = new RegExp(
  [
    String.raw`[\p{C}\uFFFD]`,
    // Any other sign in a word, at its end, or before it (except the Spanish ones); units have small numbers at the
    // end.
    String.raw`(?<=\p{L})(?!${USUAL_SIGN})[^\p{L}\p{M}²³]|(?!${USUAL_SIGN}|£\p{Ll}{1,2}(?!\p{L}))[^\p{L}\p{M}¿¡](?=\p{L})`,
    // A capital after a small letter, or between a capital and a small letter.
    String.raw`(?<=(?!ß)\p{Ll}\p{M}*)\p{Lu}|(?<=\p{Lu})\p{Lu}(?=(?!ß)\p{Ll})`,
  ].join('|'),
  'gu',
);

/** Share of characters that words hardly have. */
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
