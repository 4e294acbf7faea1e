/**
 * Finds items of one snapshot whose input also occurs in another one, exactly or nearly. Such items are leakage between
 * a training set and a test set. Pure.
 */
import type { NearDuplicateKind } from '../../shared/snapshot-model.ts';
import { NearDuplicateIndex } from '../near-duplicates/near-duplicate-index.ts';

interface Inputs {
  count: number;
  /** The input of the item at an index as one text. */
  textOf: (place: number) => string;
}

/** Indices in the two snapshots. */
export interface PlacedNearDuplicate {
  from: number;
  to: number;
  kind: NearDuplicateKind;
  /** Similarity; 1 if both are equal except for case and spaces. */
  likeness: number;
}

/**
 * Similar pairs in the order of `to`, each of its items at most once. If `from` is null, finds items of `to` that are
 * similar to an earlier one.
 */
export function nearDuplicatesAcross(
  from: Inputs | null,
  to: Inputs,
  threshold: number,
): PlacedNearDuplicate[] {
  const before = from?.count ?? 0;
  const textOf = (at: number) => (from !== null && at < before ? from.textOf(at) : to.textOf(at - before));
  const index = new NearDuplicateIndex({ capacity: before + to.count, threshold, textOf });
  for (let place = 0; place < before; place += 1) index.add(textOf(place), 'stored');
  const role = from === null ? 'leads' : 'follows';
  const found: PlacedNearDuplicate[] = [];
  for (let place = 0; place < to.count; place += 1) {
    const nearDuplicate = index.add(to.textOf(place), role);
    if (nearDuplicate === null) continue;
    const { of, likeness } = nearDuplicate;
    found.push({ from: of, to: place, kind: likeness === 1 ? 'same' : 'near', likeness });
  }
  return found;
}
