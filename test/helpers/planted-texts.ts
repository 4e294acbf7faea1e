/** Generated questions and answers in natural language. Some are near-duplicates. */

interface PlantedTexts {
  textOf(index: number): string;
  /** Index of the text that this one nearly duplicates; null if it does not. */
  sourceOf(index: number): number | null;
}

/** Every 20th text is a copy of an earlier one. */
const EVERY = 20;
const VOCABULARY = 6_000;

function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const WORDS = Array.from({ length: VOCABULARY }, (_, place) => {
  const next = numbersFrom(place * 977 + 13);
  return Array.from({ length: 3 + Math.floor(next() * 7) }, () =>
    'etaoinshrdlucmfwypvbgk'.charAt(Math.floor(next() * 22)),
  ).join('');
});

/** Texts are generated from their index on access, and not stored. */
export function plantedTexts(seed: number, wordsInText: number): PlantedTexts {
  const sourceOf = (index: number): number | null => {
    if (index < EVERY || index % EVERY !== 0) return null;
    const source = Math.floor(numbersFrom(seed ^ (index * 31))() * index);
    return source % EVERY === 0 ? source + 1 : source;
  };
  const wordsOf = (index: number): string[] => {
    const next = numbersFrom(seed + Math.imul(index, 0x9e3779b1));
    const source = sourceOf(index);
    const words =
      source === null
        ? Array.from({ length: wordsInText }, () => WORDS[Math.floor(next() * VOCABULARY)] ?? '')
        : wordsOf(source);
    if (source === null) return words;
    // One word in fifty is replaced. In a third of the copies, only case and spaces differ.
    const edits = index % 3 === 0 ? 0 : Math.max(1, Math.floor(wordsInText / 50));
    for (let edit = 0; edit < edits; edit += 1) {
      words[Math.floor(next() * words.length)] = WORDS[Math.floor(next() * VOCABULARY)] ?? '';
    }
    return words;
  };
  return {
    sourceOf,
    textOf: (index) => {
      const text = wordsOf(index).join(' ');
      return index % 3 === 0 ? `  ${text.toUpperCase()}\n` : text;
    },
  };
}
