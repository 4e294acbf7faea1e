/**
 * Recognizes words of alphabets with one byte per letter. The bytes of a few words may also be valid in an East Asian
 * encoding and stand for frequent characters there, so their letters and their case decide. Pure.
 */
import iconv from 'iconv-lite';

const CYRILLIC = 'оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєјљњћђџўґ';

/** Minimum number of letters, in several words or one long word. Fewer could have such letters by chance. */
const MIN_LETTERS = 6;

interface Alphabet {
  /** The letters in order of frequency, the most frequent first. */
  letters: string;
  /** Matches a word if each letter is at a position where the script allows it. */
  form?: RegExp;
  /** At least one word of the text must match. */
  has?: RegExp;
  /** Minimum number of letters if all of them, read as Latin, are accented small letters. */
  least?: number;
}

const ALPHABETS: Readonly<Record<string, Alphabet>> = {
  'windows-1251': { letters: CYRILLIC },
  'koi8-r': { letters: CYRILLIC },
  cp866: { letters: CYRILLIC },
  'windows-1253': { letters: 'αοιετσνηυρπκμλςωγδβχθφξζψ', form: /^[^ς]*ς?$/ },
  'windows-874': {
    letters: 'านรกอเ่งมย้ลวดีทสิตะัปบค์หแจพุชข็ใไโูถซผำณศธืึภฟญฉษฐๆฝฮฎฏฒฌฆฬ๊๋ฯ',
    form: /^(?:[เแโใไ]?[ก-ฮ][ะ-ู็-์ๆฯ]*)+$/,
    has: /[ะ-ูเ-์]/,
  },
  'windows-1256': { letters: 'ايلمونرتبةعدسفهكقحجشصطخضذثزغظىأإءئآؤپچژگ' },
  'windows-1255': {
    letters: 'יוהלאמתרבשנםכעקדפחטסזצגןףךץ',
    form: /^[^םןףךץ]*[םןףךץ]?$/,
    least: MIN_LETTERS,
  },
};
/**
 * The mean position of the letters in their alphabet, as a share of its length. It is 0.5 by chance, and about 0.2 in
 * texts.
 */
const MAX_MEAN_POSITION = { words: 0.42, word: 0.33 };

/** The word in small letters, without the accents of Greek letters. */
const bare = (word: string): string =>
  [...word.toLowerCase()]
    .map((letter) => (/\p{Script=Greek}/u.test(letter) ? letter.normalize('NFD').charAt(0) : letter))
    .join('');

const hasUsualCase = (word: string): boolean =>
  word === word.toLowerCase() || word === word.toUpperCase() || word.slice(1) === word.slice(1).toLowerCase();

/**
 * Log-likelihood of the words in this alphabet. The log-frequency of a letter falls with the logarithm of its rank
 * (Gusein-Zade). Null if the words are not in the alphabet.
 */
function likelihood(
  words: readonly string[],
  { letters, form, has = /./, least = 0 }: Alphabet,
): number | null {
  const plain = words.map(bare);
  if (!words.every(hasUsualCase) || (form !== undefined && !plain.every((word) => form.test(word))))
    return null;
  const text = plain.join('');
  if (text.length < least || !has.test(text)) return null;
  const positions = [...text].map((letter) => letters.indexOf(letter) + 1);
  const most = positions.length < MIN_LETTERS ? MAX_MEAN_POSITION.word : MAX_MEAN_POSITION.words;
  if (positions.includes(0) || sum(positions) > most * letters.length * positions.length) return null;
  return sum(
    positions.map((position) => Math.log(Math.log((letters.length + 1) / position) / letters.length)),
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

/**
 * The encodings in which the words (bytes as Latin-1) look like text in the encoding's alphabet, and how well they fit
 * (log-likelihood).
 */
export function scriptsOfWords(words: readonly string[]): { name: string; fit: number }[] {
  return Object.entries(ALPHABETS).flatMap(([name, alphabet]) => {
    const fit = likelihood(
      words.map((word) => iconv.decode(Buffer.from(word, 'latin1'), name)),
      alphabet,
    );
    return fit === null ? [] : [{ name, fit }];
  });
}
