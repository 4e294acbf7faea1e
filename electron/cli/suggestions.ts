/** Names that are similar to a typed one. Pure. */
import { editDistance } from '../core/text/edit-distance.ts';

/** The candidate with the fewest edits from the typed text; null if none is near. */
export function nearest(typed: string, candidates: readonly string[]): string | null {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: editDistance(typed.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits);
  const best = ranked[0];
  if (best === undefined) return null;
  // If half of the letters differ, it is another word.
  if (best.edits <= Math.max(1, Math.floor(typed.length / 2))) return best.candidate;
  // `url` means base-url.
  const asPart = candidates.filter((candidate) => candidate.split('-').includes(typed.toLowerCase()));
  return asPart.length === 1 ? (asPart[0] ?? null) : null;
}

/** ` Did you mean models?`, or empty if no candidate is near. */
export function didYouMean(typed: string, candidates: readonly string[], before = ''): string {
  const close = typed === '' ? null : nearest(typed, candidates);
  return close === null ? '' : ` Did you mean ${before}${close}?`;
}
