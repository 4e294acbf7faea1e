import { expect, test } from 'vitest';
import { bandsFor } from '../../electron/core/near-duplicates/minhash.ts';
import {
  NearDuplicateIndex,
  type NearDuplicateRole,
} from '../../electron/core/near-duplicates/near-duplicate-index.ts';

function finder(
  threshold = 0.85,
): (text: string, role?: NearDuplicateRole) => ReturnType<NearDuplicateIndex['add']> {
  const texts: string[] = [];
  const index = new NearDuplicateIndex({ capacity: 100, threshold, textOf: (at) => texts[at] ?? '' });
  return (text, role = 'leads') => {
    texts.push(text);
    return index.add(text, role);
  };
}

const LONG =
  'Where is the parcel that I ordered on Monday last week? The page says it was handed over already.';

test('case, width and spaces do not distinguish texts', () => {
  const add = finder();
  expect(add('Where is  my order?')).toBeNull();
  expect(add(' where is my\nＯＲＤＥＲ? ')).toEqual({ of: 0, likeness: 1 });
});

test('a long text with one word changed is a near-duplicate, another text is none', () => {
  const add = finder();
  expect(add(LONG)).toBeNull();
  const nearDuplicate = add(LONG.replace('Monday', 'Sunday'));
  expect(nearDuplicate?.of).toBe(0);
  expect(nearDuplicate?.likeness).toBeGreaterThan(0.85);
  expect(nearDuplicate?.likeness).toBeLessThan(1);
  expect(add('How do I cancel an order?')).toBeNull();
});

test('a text equal to a near-duplicate is a near-duplicate of the same text', () => {
  const add = finder();
  add(LONG);
  const first = add(LONG.replace('Monday', 'Sunday'));
  expect(add(LONG.replace('Monday', 'Sunday'))).toEqual(first);
});

test('stored texts have near-duplicates and are none; excluded ones have none', () => {
  const add = finder();
  add('Where is my order?', 'stored');
  expect(add('Where is my order?', 'stored')).toBeNull();
  expect(add('Where is my order?')).toEqual({ of: 0, likeness: 1 });
  expect(add('A text of its own', 'follows')).toBeNull();
  expect(add('A text of its own')).toBeNull();
});

test('texts without a letter or digit are not near-duplicates', () => {
  const add = finder();
  expect(add('')).toBeNull();
  expect(add('  ')).toBeNull();
});

test('short texts are compared too', () => {
  const add = finder();
  expect(add('yes')).toBeNull();
  expect(add('no')).toBeNull();
  expect(add('YES')).toEqual({ of: 0, likeness: 1 });
});

test('the lower the threshold, the more bands', () => {
  const bands = [0.5, 0.7, 0.85, 0.95].map((threshold) => bandsFor(threshold).bands);
  expect(bands).toEqual([...bands].sort((a, b) => b - a));
  for (const threshold of [0.5, 0.7, 0.85, 0.95]) {
    const { bands: count, rows } = bandsFor(threshold);
    expect((1 - threshold ** rows) ** count).toBeLessThanOrEqual(0.001);
  }
});

test('more texts than there is room for are refused', () => {
  const index = new NearDuplicateIndex({ capacity: 1, threshold: 1, textOf: () => 'one' });
  expect(index.add('one', 'leads')).toBeNull();
  expect(() => index.add('two', 'leads')).toThrow('More texts were added than there is room for.');
});
