/** Names that are similar to a typed one. Pure. */
import { editDistance } from '../core/text/edit-distance.ts';

/** Maximum number of suggestions; a longer list would not help. */
const MAX_SUGGESTIONS = 3;
/** Minimum number of common first letters of a long and a short form of the same word. */
const MIN_STEM = 3;
/** Minimum length of the beginning of an id. */
const SHORTEST_START = 6;
/**
 * Maximum shares of wrong letters in a mistyped word: up to the first it is surely that word, up to the second perhaps.
 */
const MAX_SLIP_SHARE = 0.25;
const MAX_WRONG_SHARE = 0.4;

/** Whether a typed text is this id or a beginning of it that is long enough. */
export const isIdOrStart = (id: string, typed: string): boolean =>
  id === typed || (typed.length >= SHORTEST_START && id.startsWith(typed));

/** The candidate with the fewest edits, or the only candidate that contains the typed text; null if none is similar. */
export function nearest(typed: string, candidates: readonly string[]): string | null {
  const [only, another] = suggestions(typed, candidates);
  return another === undefined ? (only ?? null) : null;
}

/** The text ` Did you mean models?`, or empty if no candidate is similar. `before` precedes each name. */
export function didYouMean(typed: string, candidates: readonly string[], before = ''): string {
  const names = typed === '' ? [] : suggestions(typed, candidates).map((name) => `${before}${name}`);
  return names.length === 0 ? '' : ` Did you mean ${names.join(' or ')}?`;
}

/** Like `didYouMean`, but for a word in `usual` suggests the names that it stands for. */
export function didYouMeanBy(
  usual: Readonly<Record<string, readonly string[]>>,
  typed: string,
  candidates: readonly string[],
  before = '',
): string {
  const word = typed.toLowerCase();
  const meant = Object.hasOwn(usual, word) ? (usual[word] ?? []) : null;
  if (meant === null || meant.length === 0) return didYouMean(typed, candidates, before);
  return ` Did you mean ${meant.map((name) => `${before}${name}`).join(' or ')}?`;
}

function suggestions(typed: string, candidates: readonly string[]): string[] {
  const text = typed.toLowerCase();
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: editDistance(text, candidate.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits);
  const best = ranked[0];
  const isWithin = (share: number) =>
    best !== undefined && best.edits <= Math.max(1, Math.floor(text.length * share));
  if (best !== undefined && isWithin(MAX_SLIP_SHARE)) return [best.candidate];
  const withPart = (isMeant: (part: string) => boolean) =>
    candidates.filter((candidate) => candidate.toLowerCase().split(/[-.]/).some(isMeant));
  // A part of a name is enough: `url` means base-url, and `environment` means env-type or env-name.
  for (const isMeant of [(part: string) => part === text, (part: string) => isStem(part, text)]) {
    const found = withoutParts(withPart(isMeant));
    if (found.length > 0) return found.length <= MAX_SUGGESTIONS ? found : [];
  }
  // With more wrong letters, the candidate is another word.
  return best !== undefined && isWithin(MAX_WRONG_SHARE) ? [best.candidate] : [];
}

/** Leaves out names such as `alert-rules.history` if `alert-rules` is included. */
const withoutParts = (names: readonly string[]): string[] =>
  names.filter((name) => !names.some((whole) => name.startsWith(`${whole}.`)));

function isStem(a: string, b: string): boolean {
  return Math.min(a.length, b.length) >= MIN_STEM && (a.startsWith(b) || b.startsWith(a));
}

/** A hint to use quotes; empty for a name with spaces, which was quoted already. */
export const quotesHint = (extra: string): string =>
  / /.test(extra) ? '' : ' Put quotes around a name with spaces.';
