/**
 * Number of runs of a property: `usual`, or in a long run (`npm run soak`) PROPERTY_RUNS, but at most `most` if a run
 * is expensive.
 */
export function runs(usual: number, most = Number.POSITIVE_INFINITY): number {
  const wanted = Number(process.env['PROPERTY_RUNS'] ?? usual);
  return Math.min(most, Math.max(usual, wanted));
}
