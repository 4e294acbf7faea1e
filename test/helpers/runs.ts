/**
 * How often a property is tried: `usual` times, or PROPERTY_RUNS times where a long run (`npm run soak`) asks for more,
 * at most `most` times where one try is dear.
 */
export function runs(usual: number, most = Number.POSITIVE_INFINITY): number {
  const wanted = Number(process.env['PROPERTY_RUNS'] ?? usual);
  return Math.min(most, Math.max(usual, wanted));
}
