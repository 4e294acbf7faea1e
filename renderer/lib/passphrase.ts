/** Strength of a passphrase in words, estimated from its length and kinds of characters only. Pure. */

interface Strength {
  word: string;
  /** From 0 to 4. */
  level: number;
  isEnough: boolean;
}

const KINDS = [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[^\p{L}\p{Nd}]/u];
const SIGNS_OF_KINDS = [26, 26, 10, 20];
const LEVELS = [
  { bits: 0, word: 'Too short' },
  { bits: 45, word: 'Weak' },
  { bits: 60, word: 'Fair' },
  { bits: 75, word: 'Good' },
  { bits: 95, word: 'Strong' },
] as const;

export function strengthOf(text: string, least: number): Strength {
  if (text.length < least)
    return { word: `Too short: ${text.length} of at least ${least} characters`, level: 0, isEnough: false };
  const signs = KINDS.reduce((sum, kind, at) => sum + (kind.test(text) ? (SIGNS_OF_KINDS[at] ?? 0) : 0), 0);
  // Repeated characters add little strength.
  const different = new Set(text).size;
  const bits = different * Math.log2(Math.max(2, signs)) + (text.length - different);
  const level = LEVELS.findLastIndex((each) => bits >= each.bits);
  return { word: LEVELS[Math.max(1, level)]?.word ?? '', level: Math.max(1, level), isEnough: true };
}
