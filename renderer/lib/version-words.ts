/** What changed of the schema of a dataset, in words. Pure. */
import type { FieldDrift, Snapshot, SnapshotDiff } from '../../electron/shared/snapshot-model.ts';
import { formatCount } from './format.ts';

export function driftText({ path, kind, before, after, items }: FieldDrift): string {
  if (kind === 'new') return `${path} is new in ${formatCount(items, 'item')}`;
  return kind === 'gone'
    ? `${path} is gone`
    : `${path} went from ${before.join(' or ')} to ${after.join(' or ')}`;
}

/** Versions newest first. What changed after the version of this number; nothing where none was seen before. */
export function driftSince(versions: readonly Snapshot[], seen: number | null): FieldDrift[] {
  if (seen === null) return [];
  return versions
    .filter(({ number }) => number > seen)
    .toReversed()
    .flatMap(({ drift }) => drift);
}

/** Items of two datasets that both have are what must not be in a training set and in a test set. */
export function overlapText({ same, changed }: SnapshotDiff['counts']): string {
  if (same + changed === 0) return 'No item is in both datasets.';
  return `In both datasets: ${formatCount(same, 'item')} the same, ${formatCount(changed, 'item')} with the same source or inputs and other fields.`;
}
