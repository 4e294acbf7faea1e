import { expect, test } from 'vitest';
import { itemsTitle } from '../../electron/shared/items-model.ts';
import type { FieldDrift, Snapshot } from '../../electron/shared/snapshot-model.ts';
import {
  type ComparedSide,
  driftSince,
  driftText,
  inOrder,
  isChangedSince,
  versionsText,
} from '../../renderer/lib/version-words.ts';

const drift = (path: string, kind: FieldDrift['kind']): FieldDrift => {
  return { path, kind, before: ['number'], after: ['string'], items: 2 };
};
const version = (number: number, path: string): Snapshot => ({
  ...{ snapshotId: number, datasetId: 'd', number, takenAtMs: 0, seenAtMs: 0, items: 2 },
  ...{ added: 0, changed: 0, removed: 0, drift: [drift(path, 'new')] },
});

test('changes since a seen version are listed in order, and none before the first look', () => {
  const versions = [version(3, 'c'), version(2, 'b'), version(1, 'a')];
  expect(driftSince(versions, 1).map(({ path }) => path)).toEqual(['b', 'c']);
  expect(driftSince(versions, 3)).toEqual([]);
  expect(driftSince(versions, null)).toEqual([]);
});

test('describes each change by one phrase', () => {
  expect(['new', 'gone', 'type'].map((kind) => driftText(drift('m.a', kind as 'new')))).toEqual([
    'm.a is new in 2 items',
    'm.a is gone',
    'm.a went from number to string',
  ]);
});

test('a comparison starts with the dataset created first, unless it is reversed', () => {
  const side = (name: string, createdAtMs: number | null, takenAtMs: number): ComparedSide => ({
    ...{ name, createdAtMs },
    version: { ...version(1, 'a'), datasetId: name, takenAtMs },
  });
  const names = (sides: readonly ComparedSide[]) => sides.map(({ name }) => name);
  // The original was read again after its copy was made.
  const [original, copy] = [side('original', 100, 900), side('copy', 500, 600)];
  expect(names(inOrder(original, copy, false))).toEqual(['original', 'copy']);
  expect(names(inOrder(copy, original, false))).toEqual(['original', 'copy']);
  expect(names(inOrder(copy, original, true))).toEqual(['copy', 'original']);
  // A creation time is not compared with the reading time of the other side.
  expect(names(inOrder(side('b', null, 700), side('a', 500, 900), false))).toEqual(['b', 'a']);
  // If neither has a creation time, the reading times decide.
  expect(names(inOrder(side('b', null, 7), side('a', null, 3), false))).toEqual(['a', 'b']);
  const own = (number: number): ComparedSide => ({
    name: 'd',
    createdAtMs: 1,
    version: version(number, 'a'),
  });
  expect(inOrder(own(3), own(1), false).map(({ version: one }) => one.number)).toEqual([1, 3]);
});

test('the job that makes a copy is named by its source, not by the intermediate file', () => {
  const copyOf = { datasetId: 'd', name: 'Support assistant', version: 2, changes: 1 };
  const fileName = 'version 2.jsonl';
  expect(itemsTitle({ copyOf, fileName })).toBe('Edited copy of Support assistant');
  expect(itemsTitle({ copyOf: { ...copyOf, changes: 0 }, fileName })).toBe('Support assistant, version 2');
  expect(itemsTitle({ fileName: 'churn.jsonl' })).toBe('churn.jsonl');
});

test('damaged versions are counted and reported', () => {
  const versions = [version(3, 'c'), version(1, 'a')];
  expect(versionsText(versions, 0)).toBe('2 versions · v3');
  expect(versionsText(versions, 2)).toBe('4 versions · 2 damaged');
  expect(versionsText([], 2)).toBe('2 versions damaged');
  expect(versionsText([], 0)).toBe('');
});

test('a dataset has changed since its version if it was updated after it was last read', () => {
  const read = { ...version(1, 'a'), takenAtMs: Date.parse('2026-03-01T10:00Z') };
  const seen = { ...read, seenAtMs: Date.parse('2026-03-03T10:00Z') };
  expect(isChangedSince(read, '2026-03-02T10:00:00Z')).toBe(true);
  expect(isChangedSince(seen, '2026-03-02T10:00:00Z')).toBe(false);
  expect(isChangedSince(read, undefined)).toBe(false);
});
