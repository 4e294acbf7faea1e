/** Converts bytes to text: readable encodings, byte order marks, and UTF-16 as a stream of UTF-8. */
import { isAscii, isUtf8 } from 'node:buffer';
import iconv from 'iconv-lite';
import { AppError } from '../../shared/errors.ts';
import type { Decode, Measure } from './row-source.ts';
import { wholeCharacters } from './whole-characters.ts';

const UTF16 = new Set(['utf-16le', 'utf-16be']);
/** Encodings whose second bytes may be ASCII letters, but never commas, semicolons, tabs, quotes or line ends. */
const WIDE = /^(shift_?jis|windows-?31j|cp932|gbk|gb2312|gb18030|cp936|big5|big5-hkscs|cp949|euc-?kr)$/i;
const FIRST_SHARED_BYTE = 0x30;

/** The name that this application uses. Throws INVALID_ARGUMENT for an unknown encoding. */
export function knownEncoding(name: string): string {
  const text = name.trim().toLowerCase();
  const alias: Record<string, string> = {
    utf8: 'utf-8',
    'utf-16': 'utf-16le',
    latin1: 'iso-8859-1',
    ascii: 'utf-8',
  };
  const encoding = alias[text] ?? text;
  // Imported only when needed, because loading the tables of all other encodings takes longer than reading a small
  // file.
  if (encoding === 'utf-8' || isUtf16(encoding)) return encoding;
  const isInternal = /^(base64|hex|binary|internal|utf-?7|utf-?32|cesu)/.test(encoding);
  if (isInternal || !iconv.encodingExists(encoding)) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `The encoding “${name}” is not known. Expected a name such as utf-8, utf-16le or windows-1252.`,
    );
  }
  return encoding;
}

export function isUtf16(encoding: string): boolean {
  return UTF16.has(encoding);
}

/** True if this character can separate cells in this encoding without being part of another character. */
export function canSeparate(encoding: string, character: string): boolean {
  const code = character.charCodeAt(0);
  if (character.length !== 1 || code > 0x7e || code === 0x0a || code === 0x0d || code === 0) return false;
  return !WIDE.test(encoding) || code < FIRST_SHARED_BYTE;
}

/** The character that decoders put in place of bytes that are no character. */
const REPLACEMENT = '\ufffd';

/** Decodes complete cells. UTF-16 files were converted to UTF-8 before. */
export function decoderFor(encoding: string): Decode {
  if (encoding === 'utf-8' || isUtf16(encoding)) {
    const decode = (bytes: Buffer, from: number, to: number) => bytes.toString('utf8', from, to);
    const isValid = (bytes: Buffer, isCut = false) =>
      isUtf8(isCut ? bytes.subarray(0, wholeCharacters(bytes)) : bytes);
    return Object.assign(decode, { isValid, encoding });
  }
  const decode = (bytes: Buffer, from: number, to: number) => {
    const part = bytes.subarray(from, to);
    return isAscii(part) ? part.toString('latin1') : iconv.decode(part, encoding);
  };
  // A decoder that is not told the end keeps an incomplete character back.
  const textOf = (bytes: Buffer, isCut: boolean) =>
    isCut ? iconv.getDecoder(encoding).write(bytes) : iconv.decode(bytes, encoding);
  const isValid = (bytes: Buffer, isCut = false) =>
    isAscii(bytes) || !textOf(bytes, isCut).includes(REPLACEMENT);
  return Object.assign(decode, { isValid, encoding });
}

/** Returns a function that gives the length in the file of bytes that may have been converted to UTF-8. */
export function measureFor(encoding: string): Measure {
  return isUtf16(encoding) ? utf16Length : (_bytes, from, to) => to - from;
}

/** The number of bytes that a chunk of UTF-8 takes in UTF-16. */
function utf16Length(bytes: Buffer, from: number, to: number): number {
  let length = 0;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80 || (byte >= 0xc0 && byte < 0xf0)) length += 2;
    else if (byte >= 0xf0) length += 4;
  }
  return length;
}

interface ByteStage {
  push(bytes: Buffer): Buffer;
  end(): Buffer;
}

const HALF_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
/** Three bytes that are no character of UTF-8, and so make their row a bad one. They count as two bytes of UTF-16. */
const NO_CHARACTER = Buffer.from([0xed, 0xa0, 0x80]);

/** UTF-8 in which half of a surrogate pair does not become a replacement character without notice. */
function toUtf8(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts = text.split(HALF_PAIR).flatMap((part, at) => {
    const bytes = Buffer.from(part, 'utf8');
    return at === 0 ? [bytes] : [NO_CHARACTER, bytes];
  });
  return Buffer.concat(parts);
}

/** Converts UTF-16 to UTF-8, wherever the chunks are cut. Other encodings are passed on unchanged. */
export function byteStage(encoding: string): ByteStage {
  if (!isUtf16(encoding)) return { push: (bytes) => bytes, end: () => Buffer.alloc(0) };
  const isBigEndian = encoding === 'utf-16be';
  let rest: Buffer = Buffer.alloc(0);
  const convert = (bytes: Buffer, isLast: boolean): Buffer => {
    const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    let length = all.length - (all.length % 2);
    // A surrogate pair must not be split.
    if (!isLast && length >= 2) {
      const high = all[isBigEndian ? length - 2 : length - 1] ?? 0;
      if (high >= 0xd8 && high <= 0xdb) length -= 2;
    }
    rest = Buffer.from(all.subarray(length));
    const part = Buffer.from(all.subarray(0, length));
    return toUtf8((isBigEndian ? part.swap16() : part).toString('utf16le'));
  };
  return { push: (bytes) => convert(bytes, false), end: () => convert(Buffer.alloc(0), true) };
}

/** Length of the encoding's byte order mark at the start of the file, or 0. */
export function bomLength(head: Buffer, encoding: string): number {
  if (encoding === 'utf-8' && head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return 3;
  if (encoding === 'utf-16le' && head[0] === 0xff && head[1] === 0xfe) return 2;
  if (encoding === 'utf-16be' && head[0] === 0xfe && head[1] === 0xff) return 2;
  return 0;
}
