import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Marked, markChange } from '../../renderer/lib/repair-words.ts';

const textOf = (parts: readonly Marked[]) => parts.map(({ text }) => text).join('');
const sameOf = (parts: readonly Marked[]) => textOf(parts.filter(({ isChanged }) => !isChanged));

describe('a value before and after its repair', () => {
  test('only the different characters are marked', () => {
    const { before, after } = markChange('83.807,86', '83807.86');
    expect(before.filter(({ isChanged }) => isChanged).map(({ text }) => text)).toEqual(['.', ',']);
    expect(after.filter(({ isChanged }) => isChanged).map(({ text }) => text)).toEqual(['.']);
  });
  test('both texts are complete, and share the unmarked parts', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const { before, after } = markChange(a, b);
        expect([textOf(before), textOf(after)]).toEqual([a, b]);
        expect(sameOf(before)).toBe(sameOf(after));
      }),
    );
  });
});
