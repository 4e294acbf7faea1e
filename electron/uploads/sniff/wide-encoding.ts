/**
 * Distinguishes East Asian encodings in texts that are too short for the detector's statistics. Text in one encoding
 * uses its most frequent characters; decoded in another, it has rare ones. Pure.
 */

interface Wide {
  name: string;
  /** Length of the character that begins with these bytes; 0 if none begins with them. */
  length: (first: number, second: number) => number;
  isFrequent: (first: number, second: number) => boolean;
}

const isIn = (byte: number, from: number, to: number): boolean => byte >= from && byte <= to;
const isHigh = (byte: number): boolean => isIn(byte, 0xa1, 0xfe);
const isTrail = (byte: number): boolean => isIn(byte, 0x40, 0x7e) || isIn(byte, 0x80, 0xfe);

const ENCODINGS: readonly Wide[] = [
  {
    name: 'gb18030',
    length: (first, second) => (isIn(first, 0x81, 0xfe) && isTrail(second) ? 2 : 0),
    // The characters of level 1 of GB 2312, and punctuation.
    isFrequent: (first, second) => isHigh(second) && (isIn(first, 0xb0, 0xd7) || isIn(first, 0xa1, 0xa3)),
  },
  {
    name: 'big5',
    length: (first, second) => (isHigh(first) && (isIn(second, 0x40, 0x7e) || isHigh(second)) ? 2 : 0),
    isFrequent: (first) => isIn(first, 0xa1, 0xc6),
  },
  {
    name: 'euc-kr',
    length: (first, second) => (isIn(first, 0x81, 0xfe) && isTrail(second) ? 2 : 0),
    isFrequent: (first, second) => isHigh(second) && (isIn(first, 0xb0, 0xc8) || isIn(first, 0xa1, 0xa3)),
  },
  {
    name: 'shift_jis',
    // Half-width katakana take one byte and are rare.
    length: (first, second) => {
      if (isIn(first, 0xa1, 0xdf)) return 1;
      return (isIn(first, 0x81, 0x9f) || isIn(first, 0xe0, 0xfc)) && isTrail(second) ? 2 : 0;
    },
    isFrequent: (first) => isIn(first, 0x81, 0x83) || isIn(first, 0x88, 0x97),
  },
  {
    name: 'euc-jp',
    length: (first, second) => (isHigh(first) && isHigh(second) ? 2 : 0),
    isFrequent: (first) => isIn(first, 0xa4, 0xa5) || isIn(first, 0xb0, 0xcf) || first === 0xa1,
  },
];

/** Maximum number of distinct characters. Longer texts are left to the detector. */
const MAX_CHARACTERS = 30;

const isLetter = (byte: number | undefined): boolean =>
  byte !== undefined && /[A-Za-z]/.test(String.fromCharCode(byte));

/** A bar can be the second byte of a character, but in a short table it more likely separates cells. */
const BAR = 0x7c;

/** True if the two bytes may be an accented letter and a further letter of a Latin word. */
const isInWord = (bytes: Uint8Array, at: number, isBehindLetter: boolean): boolean =>
  isLetter(bytes[at + 1]) && (isBehindLetter || isLetter(bytes[at + 2]));

/**
 * Number of distinct characters beyond ASCII, and of rare ones among them. Null if the bytes are not in this encoding,
 * may be Latin words, or have too many characters.
 */
function countsIn(bytes: Uint8Array, { length, isFrequent }: Wide): { all: number; rare: number } | null {
  const seen = new Set<number>();
  let rare = 0;
  let isBehindLetter = false;
  for (let at = 0; at < bytes.length; ) {
    const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
    const size = first < 0x80 ? 1 : length(first, second);
    if (size === 0 || (size === 2 && (second === BAR || isInWord(bytes, at, isBehindLetter)))) return null;
    const code = size === 1 ? first : first * 256 + second;
    if (first >= 0x80 && !seen.has(code)) {
      seen.add(code);
      if (seen.size > MAX_CHARACTERS) return null;
      if (size === 1 || !isFrequent(first, second)) rare += 1;
    }
    isBehindLetter = isLetter(first);
    at += size;
  }
  return { all: seen.size, rare };
}

/** Minimum number of distinct characters for a guess. */
const MIN_CHARACTERS = 2;
const MAX_RARE_SHARE = 0.1;
/**
 * Minimum for a guess of Korean. Chinese in GB 2312 has other first bytes than Korean in about a third of its
 * characters, so fewer may look Korean by chance.
 */
const MIN_KOREAN = 4;

/**
 * The encoding in which a short text has hardly any rare characters; null if there is none or if the text is long. If
 * several encodings fit equally well, Korean is chosen for a text with enough characters, otherwise the most common
 * encoding.
 */
export function shortWideEncoding(bytes: Uint8Array): string | null {
  const found = ENCODINGS.flatMap((encoding) => {
    const counts = countsIn(bytes, encoding);
    if (counts === null || counts.all < MIN_CHARACTERS) return [];
    return [{ name: encoding.name, all: counts.all, share: counts.rare / counts.all }];
  });
  const least = Math.min(...found.map(({ share }) => share));
  const best = found.filter(({ share }) => share === least && share <= MAX_RARE_SHARE);
  const korean = best.find(({ name, all }) => name === 'euc-kr' && all >= MIN_KOREAN);
  return (korean ?? best[0])?.name ?? null;
}
