import { expect, test } from 'vitest';
import type { FieldDrift, Snapshot } from '../../electron/shared/snapshot-model.ts';
import { driftSince, driftText } from '../../renderer/lib/version-words.ts';

const drift = (path: string, kind: FieldDrift['kind']): FieldDrift => {
  return { path, kind, before: ['number'], after: ['string'], items: 2 };
};
const version = (number: number, path: string): Snapshot => ({
  ...{ snapshotId: number, datasetId: 'd', number, takenAtMs: 0, seenAtMs: 0, items: 2 },
  ...{ added: 0, changed: 0, removed: 0, drift: [drift(path, 'new')] },
});

test('what changed since a version was seen is told in order, and nothing before the first look', () => {
  const versions = [version(3, 'c'), version(2, 'b'), version(1, 'a')];
  expect(driftSince(versions, 1).map(({ path }) => path)).toEqual(['b', 'c']);
  expect(driftSince(versions, 3)).toEqual([]);
  expect(driftSince(versions, null)).toEqual([]);
});

test('each change is one phrase', () => {
  expect(['new', 'gone', 'type'].map((kind) => driftText(drift('m.a', kind as 'new')))).toEqual([
    'm.a is new in 2 items',
    'm.a is gone',
    'm.a went from number to string',
  ]);
});
