/** Detects a known binary format or an encoding from the bytes of a file. */
import { isAscii, isUtf8 } from 'node:buffer';
import { counted } from '../../shared/count-text.ts';
import { AppError } from '../../shared/errors.ts';
import { byteStage, decoderFor } from '../readers/encoding.ts';
import { excerptOf } from '../readers/row-source.ts';
import { isDamagedUtf8, letterEncoding } from './letter-encoding.ts';
import { otherNotation } from './other-notation.ts';
import { isUtf7 } from './utf7.ts';

const MAGIC: readonly [bytes: readonly number[], name: string][] = [
  [[0x1f, 0x8b], 'a gzip archive'],
  [[0x50, 0x4b, 0x03, 0x04], 'a zip archive or an Excel workbook'],
  [[0x50, 0x41, 0x52, 0x31], 'a Parquet file'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'a Zstandard archive'],
  [[0x42, 0x5a, 0x68], 'a bzip2 archive'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], 'an xz archive'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'a 7-Zip archive'],
  [[0xd0, 0xcf, 0x11, 0xe0], 'an old or password-protected Excel workbook'],
  [[0x25, 0x50, 0x44, 0x46], 'a PDF document'],
  [[0x89, 0x50, 0x4e, 0x47], 'a PNG image'],
  [[0xff, 0xd8, 0xff], 'a JPEG image'],
  [[0x41, 0x52, 0x52, 0x4f, 0x57, 0x31], 'an Arrow file'],
  [[0x4f, 0x62, 0x6a, 0x01], 'an Avro file'],
  [[0x4f, 0x52, 0x43], 'an ORC file'],
  [[0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66], 'a SQLite database'],
  [[0x1f, 0x9d], 'an archive of compress (.Z)'],
  [[0x04, 0x22, 0x4d, 0x18], 'an LZ4 archive'],
  [[0x52, 0x61, 0x72, 0x21, 0x1a], 'a RAR archive'],
  [[0x46, 0x45, 0x41, 0x31], 'a Feather file of version 1'],
  [[0x50, 0x41, 0x52, 0x45], 'an encrypted Parquet file'],
  [[0x89, 0x48, 0x44, 0x46], 'an HDF5 file'],
  [[0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59], 'a NumPy array'],
  [[0x80, 0x04, 0x95], 'a pickle of Python'],
  [[0x80, 0x05, 0x95], 'a pickle of Python'],
  [[0x24, 0x46, 0x4c, 0x32], 'an SPSS file'],
  [[0x00, 0x00, 0xfe, 0xff], 'text in UTF-32'],
  [[0xff, 0xfe, 0x00, 0x00], 'text in UTF-32'],
];
/** In a tar archive, the magic bytes come after the name of the first member. */
const TAR = { at: 257, mark: 'ustar' };
/**
 * Control characters that occur in text: tab, line feed, vertical tab (a line end within a cell), form feed, carriage
 * return, end of file and escape.
 */
const TEXT_CONTROLS = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1a, 0x1b]);
/** Control characters that separate cells in files of Hive and by ASCII. */
const CELL_CONTROLS = [0x01, 0x1f];
const SEEN_LINES = 20;
const MAX_CONTROLS = 0.01;
const MARKUP_BYTES = 1_000;

function binaryError(
  file: string,
  found: string,
  next = /archive/.test(found) ? 'Unpack it first.' : 'Export it as CSV or JSONL first.',
): AppError {
  return new AppError(
    'FILE_BINARY',
    `Expected rows as CSV, TSV, JSON, JSON Lines, Excel, Parquet or Arrow, got ${found}: ${file}. ${next}`,
    { file },
  );
}

/** Escape sequences that switch to Japanese, Korean or Chinese characters. */
const SHIFTED = new RegExp(`${String.fromCharCode(0x1b)}(?:\\$[@A-C]|\\$[()*+][A-M@]|\\([JI])`);

const NOTATION_BYTES = 4_096;

/** Throws FILE_BINARY for a text that is neither a table nor JSON. `head` begins after the byte order mark. */
export function refuseOtherNotation(file: string, head: Buffer, encoding: string): void {
  const start = byteStage(encoding).push(head.subarray(0, NOTATION_BYTES));
  const notation = otherNotation(file, decoderFor(encoding)(start, 0, start.length));
  if (notation !== null) throw binaryError(file, notation.found, notation.next);
}

interface EncodingGuess {
  encoding: string;
  note: string;
}

/**
 * Guesses the encoding of a text file from its beginning and pieces of the rest. Throws FILE_BINARY if it is not text,
 * FILE_EMPTY if it is only white space.
 */
export function guessEncoding(
  file: string,
  head: Buffer,
  pieces: readonly Buffer[],
  isWhole: boolean,
): EncodingGuess {
  const magic = MAGIC.find(([bytes]) => bytes.every((byte, index) => head[index] === byte));
  // The first column name of a table may look like magic bytes, for example PARENT.
  if (magic !== undefined && !(magic[0].every((byte) => byte >= 0x20) && isPlainText(head)))
    throw binaryError(file, magic[1]);
  if (head.toString('latin1', TAR.at, TAR.at + TAR.mark.length) === TAR.mark)
    throw binaryError(file, 'a tar archive');
  const markup = /^(?:\xef\xbb\xbf)?\s*<(\?xml|!doctype html|html|table|thead|tbody|tr)\b/i.exec(
    head.toString('latin1', 0, MARKUP_BYTES),
  );
  if (markup !== null)
    throw binaryError(file, markup[1] === '?xml' ? 'an XML document' : 'a web page (HTML)');
  const guess = fromMark(head) ?? fromNulls(head) ?? textEncoding(file, head, pieces, isWhole);
  if (isWhole && isBlank(head)) {
    throw new AppError(
      'FILE_EMPTY',
      `${file} holds only white space. Check that it was written completely.`,
      { file },
    );
  }
  return guess;
}

function isBlank(head: Buffer): boolean {
  return head.every((byte) => byte <= 0x20 || byte >= 0xef) && head.length < 1_000_000;
}

function isPlainText(bytes: Buffer): boolean {
  return !bytes.includes(0) && controlShare(bytes) <= MAX_CONTROLS;
}

function fromMark(head: Buffer): EncodingGuess | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) {
    return { encoding: 'utf-8', note: 'Encoding utf-8: the file begins with its byte order mark.' };
  }
  if (head[0] === 0xff && head[1] === 0xfe) {
    return { encoding: 'utf-16le', note: 'Encoding utf-16le: the file begins with its byte order mark.' };
  }
  if (head[0] === 0xfe && head[1] === 0xff) {
    return { encoding: 'utf-16be', note: 'Encoding utf-16be: the file begins with its byte order mark.' };
  }
  return null;
}

/** Detects UTF-16 without a byte order mark: nearly every second byte is zero. */
function fromNulls(head: Buffer): EncodingGuess | null {
  const length = head.length - (head.length % 2);
  if (length < 4) return null;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < length; at += 2) {
    if (head[at] === 0) even += 1;
    if (head[at + 1] === 0) odd += 1;
  }
  const pairs = length / 2;
  const note = (name: string) => ({ encoding: name, note: `Encoding ${name}: every second byte is zero.` });
  if (odd > pairs * 0.4 && even < pairs * 0.05) return note('utf-16le');
  if (even > pairs * 0.4 && odd < pairs * 0.05) return note('utf-16be');
  const found = (['utf-16le', 'utf-16be'] as const).filter((name) =>
    isUtf16Text(head.subarray(0, length), name),
  );
  const [only] = found;
  return found.length !== 1 || only === undefined
    ? null
    : { encoding: only, note: `Encoding ${only}: read in pairs of bytes, the file is text.` };
}

/** Number of bytes that show whether data is UTF-16. In other data, a pair of bytes soon forms no valid character. */
const UTF16_BYTES = 64 * 1024;
const MIN_UTF16_CHARS = 8;

/**
 * True for bytes with zeros that are text in UTF-16: with line ends, without other control characters, and with
 * assigned characters only.
 */
function isUtf16Text(bytes: Buffer, encoding: 'utf-16le' | 'utf-16be'): boolean {
  if (!bytes.includes(0) || isTextWithZeros(bytes)) return false;
  const seen = bytes.subarray(0, UTF16_BYTES);
  const text = new TextDecoder(encoding).decode(seen);
  // The last character may be cut off.
  const whole = text.replace(/\ufffd$/, '');
  return (
    whole.length >= MIN_UTF16_CHARS &&
    /[\r\n]/.test(whole) &&
    !/[\p{Cc}\p{Cn}\p{Co}\ufffd]/u.test(whole.replaceAll(/[\t\r\n]/g, ''))
  );
}

function textEncoding(
  file: string,
  head: Buffer,
  pieces: readonly Buffer[],
  isWhole: boolean,
): EncodingGuess {
  const delimiter = cellControl(head);
  for (const bytes of [head, ...pieces]) {
    if (bytes.includes(0)) throw zerosError(file, bytes, bytes === head);
    if (controlShare(bytes, delimiter) > MAX_CONTROLS)
      throw binaryError(file, 'binary data (control characters)');
  }
  const whole = [isWhole ? head : withoutCutEnds(head), ...pieces.map(withoutCutEnds)];
  const notUtf8 = whole.filter((bytes) => !isUtf8(bytes));
  const [first] = notUtf8;
  if (first === undefined && whole.some((bytes) => SHIFTED.test(bytes.toString('latin1'))))
    throw binaryError(
      file,
      'text in ISO-2022, whose letters are ASCII behind escape characters',
      'Save it as UTF-8 first.',
    );
  if (first === undefined && whole.every(isAscii) && isUtf7(head))
    throw binaryError(
      file,
      'text in UTF-7, whose letters are ASCII between + and -',
      'Save it as UTF-8 first.',
    );
  if (first === undefined)
    return { encoding: 'utf-8', note: 'Encoding utf-8: every byte that was checked is valid.' };
  if (isDamagedUtf8(notUtf8))
    return {
      encoding: 'utf-8',
      note: 'Encoding utf-8: most characters beyond ASCII that were checked are valid. A row with others cannot be read as it is.',
    };
  const { encoding, example } = letterEncoding(first);
  const check = example === '' ? 'Check them' : `Check that words such as “${excerptOf(example)}” are right`;
  return {
    encoding,
    note: `Encoding ${encoding}: guessed from the letters beyond ASCII. ${check}, or choose another.`,
  };
}

/** Maximum share of zero bytes in text. */
const MAX_ZEROS = 0.01;

const zerosIn = (bytes: Buffer): number => bytes.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0);

/** True for UTF-8 in which a few zero bytes stand. In UTF-16, delimiters and line ends have more of them. */
function isTextWithZeros(bytes: Buffer): boolean {
  const zeros = zerosIn(bytes);
  const others = controlShare(bytes) - zeros / bytes.length;
  return (
    zeros > 0 &&
    zeros <= Math.max(bytes.length * MAX_ZEROS, 1) &&
    others <= MAX_CONTROLS &&
    isUtf8(withoutCutEnds(bytes))
  );
}

/** The error for bytes with zeros: binary data, or text in which a few stand. `isHead`: these are the first bytes. */
function zerosError(file: string, bytes: Buffer, isHead: boolean): AppError {
  if (!isTextWithZeros(bytes)) return binaryError(file, 'binary data (zero bytes)');
  const zeros = zerosIn(bytes);
  const line = bytes.subarray(0, bytes.indexOf(0)).filter((byte) => byte === 0x0a).length + 1;
  const place = isHead ? `, the first in line ${line}` : '';
  return new AppError(
    'FILE_BINARY',
    `Expected text without zero bytes, got ${file} with ${counted(zeros, 'zero byte')}${isHead ? '' : ' or more'}${place}. Remove them first, in an editor or with tr -d '\\000'.`,
    { file },
  );
}

/** The control character that occurs equally often in each of the first lines; null if there is none. */
function cellControl(head: Buffer): number | null {
  const lines = head
    .subarray(0, 64 * 1024)
    .toString('latin1')
    .split(/[\r\n]+/)
    .filter((line) => line !== '');
  const seen = lines.slice(0, Math.min(SEEN_LINES, Math.max(lines.length - 1, 2)));
  const found = CELL_CONTROLS.find((control) => {
    const counts = seen.map((line) => line.split(String.fromCharCode(control)).length - 1);
    return counts.length > 1 && (counts[0] ?? 0) > 1 && counts.every((count) => count === counts[0]);
  });
  return found ?? null;
}

function controlShare(bytes: Buffer, delimiter: number | null = null): number {
  let controls = 0;
  // Uses an index, because the iterator of a buffer takes several times as long.
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 && byte !== delimiter && !TEXT_CONTROLS.has(byte)) controls += 1;
  }
  return bytes.length === 0 ? 0 : controls / bytes.length;
}

/** Removes partial characters at both ends. */
function withoutCutEnds(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  let end = bytes.length;
  for (let back = 1; back <= 3 && bytes.length - back >= start; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (needed > back) end = bytes.length - back;
    break;
  }
  return bytes.subarray(start, end);
}
