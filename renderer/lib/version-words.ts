/** Texts about versions of a dataset and changes of its schema. Pure. */
import type { FieldDrift, Snapshot, SnapshotDiff } from '../../electron/shared/snapshot-model.ts';
import { parseTime } from '../../electron/shared/zone-time.ts';
import { formatCount, formatNumber } from './format.ts';

export function driftText({ path, kind, before, after, items }: FieldDrift): string {
  if (kind === 'new') return `${path} is new in ${formatCount(items, 'item')}`;
  return kind === 'gone'
    ? `${path} is gone`
    : `${path} went from ${before.join(' or ')} to ${after.join(' or ')}`;
}

/** How a version differs from the one before: `22 added, 41 changed, 3 removed`. */
export function changeText({ number, items, added, changed, removed }: Snapshot): string {
  if (number === 1) return `first version, ${formatCount(items, 'item')}`;
  const parts = [
    { count: added, word: 'added' },
    { count: changed, word: 'changed' },
    { count: removed, word: 'removed' },
  ].flatMap(({ count, word }) => (count === 0 ? [] : [`${formatNumber(count)} ${word}`]));
  return parts.length === 0 ? 'other fields only' : parts.join(', ');
}

/**
 * `3 versions · v3`, `3 versions · 2 damaged`; empty if there are none. `versions`: the readable ones, newest first.
 */
export function versionsText(versions: readonly Snapshot[], damaged: number): string {
  const [newest] = versions;
  if (newest === undefined) return damaged === 0 ? '' : `${formatCount(damaged, 'version')} damaged`;
  const rest = damaged === 0 ? `v${formatNumber(newest.number)}` : `${formatNumber(damaged)} damaged`;
  return `${formatCount(versions.length + damaged, 'version')} · ${rest}`;
}

/**
 * Whether the dataset changed at the service after this computer last read it. `updatedAt`: field of the dataset's
 * record.
 */
export function isChangedSince({ takenAtMs, seenAtMs }: Snapshot, updatedAt: unknown): boolean {
  const updatedMs = parseTime(updatedAt);
  return updatedMs !== null && updatedMs > Math.max(takenAtMs, seenAtMs);
}

/** Schema changes after version `seen`; none if no version was seen before. `versions`: newest first. */
export function driftSince(versions: readonly Snapshot[], seen: number | null): FieldDrift[] {
  if (seen === null) return [];
  return versions
    .filter(({ number }) => number > seen)
    .toReversed()
    .flatMap(({ drift }) => drift);
}

/** A side of a comparison: a version, and when its dataset was created, if known. */
export interface ComparedSide {
  name: string;
  createdAtMs: number | null;
  version: Snapshot;
}

/**
 * Puts the older side first. Datasets are compared by creation if both times are known, as an edited copy is created
 * after its original; otherwise by when they were read. Versions of one dataset are compared by number. The user can
 * reverse the order.
 */
export function inOrder(
  one: ComparedSide,
  other: ComparedSide,
  isTurned: boolean,
): readonly [ComparedSide, ComparedSide] {
  const isOfOne = one.version.datasetId === other.version.datasetId;
  const [own, theirs] = [one, other].map(({ createdAtMs }) => createdAtMs);
  const isCreatedFirst =
    typeof own === 'number' && typeof theirs === 'number'
      ? own <= theirs
      : one.version.takenAtMs <= other.version.takenAtMs;
  const isOneFirst = isOfOne ? one.version.number < other.version.number : isCreatedFirst;
  return isOneFirst === isTurned ? [other, one] : [one, other];
}

/** Text about items that are in both datasets. Training and test sets must not share items. */
export function overlapText({ same, changed }: SnapshotDiff['counts']): string {
  if (same + changed === 0) return 'No item is in both datasets.';
  return `${formatNumber(same)} unchanged · ${formatNumber(changed)} changed`;
}
