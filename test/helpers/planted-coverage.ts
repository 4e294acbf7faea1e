/**
 * Generated data for coverage: production, a dataset and stored spans, with three dimensions, decreasing shares, and a
 * biased dataset.
 */
import { Facets } from '../../electron/core/coverage/facets.ts';
import { Tally } from '../../electron/core/coverage/fill.ts';

const VALUES = [8, 30, 120];

/** Stored spans. They are biased towards common values, as are the spans that people view. */
export function plantedCandidates(seed: number, spans: number) {
  let state = seed * 2_654_435_761 || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
  const facets = new Facets();
  const dimensions = VALUES.map(() => facets.addDimension());
  for (const dimension of dimensions) {
    for (let value = 0; value < (VALUES[dimension] ?? 0); value += 1)
      facets.rows[facets.facetOf(dimension, `${value}`)] = Math.ceil(10_000 / (value + 1));
  }
  const draw = (lean: number) =>
    dimensions.map((dimension) =>
      facets.facetOf(dimension, `${Math.floor((VALUES[dimension] ?? 0) * next() ** lean)}`),
    );
  const tally = new Tally(facets);
  for (let item = 0; item < 60; item += 1) tally.add(draw(6));
  const candidates = Array.from({ length: spans }, () => draw(2));
  return { facets, tally, dimensions, candidates };
}
