/** Finds palette entries that match the typed text, best first. Pure. */
interface Searchable {
  title: string;
  kind: string;
  /** Additional words that match from their start. */
  keywords?: string;
}

/**
 * Score of a match, 0 if there is none. The whole phrase scores most at the start of the title, less at the start of a
 * word, and less inside a word. Otherwise all typed words must occur, or the typed letters in order and close together.
 */
function scoreMatch(entry: Searchable, typed: string): number {
  const wanted = typed.trim().toLowerCase();
  if (wanted === '') return 1;
  const title = entry.title.toLowerCase();
  const at = title.indexOf(wanted);
  if (at === 0) return 100 - title.length / 100;
  if (at > 0 && /[\s._-]/.test(title[at - 1] ?? '')) return 80 - title.length / 100;
  const keywords = ` ${entry.keywords?.toLowerCase() ?? ''}`;
  if (keywords.includes(` ${wanted}`)) return 70 - title.length / 100;
  if (at > 0) return 60 - title.length / 100;
  const whole = `${title} ${entry.kind.toLowerCase()}${keywords}`;
  const words = wanted.split(/\s+/);
  const inTitle = words.filter((word) => title.includes(word)).length / words.length;
  if (words.every((word) => whole.includes(word))) return 40 + 2 * inTitle - title.length / 100;
  return scoreWish(entry, wanted) || lettersInOrder(title, wanted);
}

/** Words without meaning for the search, e.g. in `how do I export to parquet`. */
const FILLERS = new Set(
  'a all an and at can do find for from go how i in is it me my of on open see show that the this to want where with'.split(
    ' ',
  ),
);
/** Minimum length of a typed word that may be longer than the matching word: `scoring` matches `score`. */
const MIN_STEM = 4;

const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** Whether one word begins with the other, except for a grammatical ending. */
function isSimilar(typed: string, known: string): boolean {
  if (known.startsWith(typed)) return true;
  const stem = typed.replace(/(?:s|es|ing|ed|e)$/, '');
  return stem.length >= MIN_STEM - 1 && known.length >= MIN_STEM - 1 && known.startsWith(stem);
}

/**
 * Score of a wish in plain words: without fillers, all its words, or all but one of several, must be in the title or
 * the keywords.
 */
function scoreWish({ title, kind, keywords = '' }: Searchable, typed: string): number {
  const all = wordsOf(typed);
  const meant = all.filter((word) => !FILLERS.has(word));
  const wanted = meant.length === 0 ? all : meant;
  const [inTitle, others] = [wordsOf(title), [...wordsOf(keywords), ...wordsOf(kind)]];
  const isIn = (words: readonly string[]) => (word: string) => words.some((known) => isSimilar(word, known));
  const found = wanted.filter(isIn([...inTitle, ...others])).length;
  const missing = wanted.length - found;
  if (missing > 1 || found === 0 || (missing === 1 && found < 2)) return 0;
  const share = wanted.filter(isIn(inTitle)).length / wanted.length;
  return (missing === 0 ? 33 : 30.5) + 2 * share - title.length / 1_000;
}

function lettersInOrder(title: string, wanted: string): number {
  let from = 0;
  let gaps = 0;
  for (const letter of wanted) {
    const found = title.indexOf(letter, from);
    if (found === -1) return 0;
    if (from > 0) gaps += found - from;
    from = found + 1;
  }
  return gaps > wanted.length ? 0 : 20 - gaps;
}

/** Minimum score if every typed word occurs; letters in order alone score lower. */
const BY_WORDS = 30;

/**
 * The best entries; equally good ones keep their order. `byWords`: ignores matches that only have the letters in order.
 */
export function findMatches<T extends Searchable>(
  entries: readonly T[],
  typed: string,
  most: number,
  byWords = false,
): T[] {
  const least = byWords && typed.trim() !== '' ? BY_WORDS : 0;
  return entries
    .map((entry, index) => ({ entry, index, score: scoreMatch(entry, typed) }))
    .filter(({ score }) => score > least)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, most)
    .map(({ entry }) => entry);
}
