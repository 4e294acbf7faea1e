/** The candidate that needs the fewest edits to become what was typed; null where none is near. Pure. */
export function nearest(typed: string, candidates: readonly string[]): string | null {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: edits(typed.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits);
  const best = ranked[0];
  if (best === undefined) return null;
  // Half a word of other letters is another word.
  if (best.edits <= Math.max(1, Math.floor(typed.length / 2))) return best.candidate;
  // `url` means base-url.
  const asPart = candidates.filter((candidate) => candidate.split('-').includes(typed.toLowerCase()));
  return asPart.length === 1 ? (asPart[0] ?? null) : null;
}

/** ` Did you mean models?`, or nothing where no candidate is near. */
export function didYouMean(typed: string, candidates: readonly string[], before = ''): string {
  const close = typed === '' ? null : nearest(typed, candidates);
  return close === null ? '' : ` Did you mean ${before}${close}?`;
}

/** Insertions, deletions and replacements between two texts. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, replaced));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
