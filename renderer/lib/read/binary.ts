/** Base64 data in a value: its type and size, and whether it can be drawn. Pure. */

export interface Binary {
  /** Detected from the bytes, whatever type the text declares. */
  type: string;
  sizeBytes: number;
  /** Set for an image that may be drawn; otherwise null. */
  picture: { width: number; height: number; url: string } | null;
}

/** Minimum length of a text that is checked without a declared type. */
const MIN_CHARACTERS = 200;
const MAX_PICTURE_BYTES = 5_000_000;
/** Maximum area of an image, by the dimensions stated in the file: a small file can decode to gigabytes. */
const MAX_PIXELS = 16_000_000;
const HEAD_CHARACTERS = 64_000;

type Reader = (at: number) => number;

function sizeOfJpeg(byte: Reader, length: number): { width: number; height: number } | null {
  let at = 2;
  while (at + 9 < length) {
    if (byte(at) !== 0xff) return null;
    const marker = byte(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return { height: byte(at + 5) * 256 + byte(at + 6), width: byte(at + 7) * 256 + byte(at + 8) };
    }
    const step = byte(at + 2) * 256 + byte(at + 3);
    if (step < 2) return null;
    at += 2 + step;
  }
  return null;
}

/** Formats that browsers draw and that cannot run code: SVG is excluded. */
const PICTURES: readonly {
  type: string;
  begin: string;
  size: (byte: Reader, length: number) => { width: number; height: number } | null;
}[] = [
  {
    type: 'image/png',
    begin: '\u0089PNG\r\n\u001a\n',
    size: (byte) => ({
      width: ((byte(16) * 256 + byte(17)) * 256 + byte(18)) * 256 + byte(19),
      height: ((byte(20) * 256 + byte(21)) * 256 + byte(22)) * 256 + byte(23),
    }),
  },
  { type: 'image/jpeg', begin: '\u00ff\u00d8\u00ff', size: sizeOfJpeg },
  {
    type: 'image/gif',
    begin: 'GIF8',
    size: (byte) => ({ width: byte(6) + 256 * byte(7), height: byte(8) + 256 * byte(9) }),
  },
];
const OTHERS: readonly { type: string; begin: string }[] = [
  { type: 'application/pdf', begin: '%PDF' },
  { type: 'application/zip', begin: 'PK\u0003\u0004' },
  { type: 'audio/wav', begin: 'RIFF' },
  { type: 'application/gzip', begin: '\u001f\u008b' },
];

/** Reads a base64 data URL, or a long text that is entirely base64; null for any other text. */
export function readBinary(text: string): Binary | null {
  const named = /^data:([\w.+/-]{0,80})(?:;[\w=-]{1,40}){0,3};base64,/.exec(text.slice(0, 300));
  const data = named === null ? text : text.slice(named[0].length);
  if (named === null && (text.length < MIN_CHARACTERS || !hasDigitsAndCases(text.slice(0, 400)))) return null;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data) || data.length % 4 === 1) return null;
  const sizeBytes = Math.floor((data.replace(/=+$/, '').length * 3) / 4);
  const whole = data.slice(0, HEAD_CHARACTERS);
  const head = atob(whole.slice(0, whole.length - (whole.length % 4)));
  const byte: Reader = (at) => head.charCodeAt(at) || 0;
  const known = PICTURES.find(({ begin }) => head.startsWith(begin));
  if (known === undefined) {
    const type = OTHERS.find(({ begin }) => head.startsWith(begin))?.type ?? named?.[1];
    return { type: type === undefined || type === '' ? 'binary data' : type, sizeBytes, picture: null };
  }
  const size = known.size(byte, head.length);
  const mayDraw =
    size !== null &&
    size.width > 0 &&
    size.height > 0 &&
    size.width * size.height <= MAX_PIXELS &&
    sizeBytes <= MAX_PICTURE_BYTES;
  const url = `data:${known.type};base64,${data}`;
  return { type: known.type, sizeBytes, picture: mayDraw ? { ...size, url } : null };
}

/** Ordinary words, hexadecimal and numbers are not base64. */
const hasDigitsAndCases = (text: string): boolean =>
  /[0-9]/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text) && !/\s/.test(text);
