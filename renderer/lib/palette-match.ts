/** Which entries of the palette answer to what is typed, best first. Pure. */
interface Searchable {
  title: string;
  kind: string;
  /** Other words it is found by, each from its start. */
  keywords?: string;
}

/**
 * 0 where it does not match; more is better. Whole phrase at the start beats at a word's start, beats inside;
 * else every typed word must occur; else the letters in order, close together.
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
  if (words.every((word) => whole.includes(word))) return 40 - title.length / 100;
  return lettersInOrder(title, wanted);
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

/** Every typed word occurs: not only letters in order. */
const BY_WORDS = 30;

/** The best entries; those that match equally keep their order. `byWords`: none whose letters only stand in order. */
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
