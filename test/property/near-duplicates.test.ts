import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type NearDuplicate,
  NearDuplicateIndex,
} from '../../electron/core/near-duplicates/near-duplicate-index.ts';
import { distinct, folded, likeness, shinglesOf } from '../../electron/core/near-duplicates/shingles.ts';
import { plantedTexts } from '../helpers/planted-texts.ts';

const setOf = (text: string) => distinct(shinglesOf(folded(text)));

function findAll(texts: readonly string[], threshold: number): (NearDuplicate | null)[] {
  const index = new NearDuplicateIndex({
    capacity: texts.length,
    threshold,
    textOf: (at) => texts[at] ?? '',
  });
  return texts.map((text) => index.add(text, 'leads'));
}

test('near-duplicates planted among texts of any length are found, and nothing else', () => {
  fc.assert(
    fc.property(fc.integer(), fc.integer({ min: 12, max: 200 }), (seed, words) => {
      const planted = plantedTexts(seed, words);
      const texts = Array.from({ length: 1_500 }, (_, at) => planted.textOf(at));
      const found = findAll(texts, 0.85);
      const alike = (one: number, other: number) =>
        likeness(setOf(texts[one] ?? ''), setOf(texts[other] ?? ''));
      const wanted = texts.flatMap((_, at) => {
        const source = planted.sourceOf(at);
        return source !== null && alike(at, source) >= 0.85 ? [at] : [];
      });
      const got = found.flatMap((nearDuplicate, at) => (nearDuplicate === null ? [] : [at]));
      const hits = got.filter((at) => planted.sourceOf(at) !== null).length;
      expect(wanted.filter((at) => found[at] !== null).length).toBeGreaterThanOrEqual(wanted.length * 0.98);
      expect(hits).toBeGreaterThanOrEqual(got.length * 0.95);
    }),
    { numRuns: 8 },
  );
});

test('a near-duplicate has the stated similarity, is earlier, and is not a near-duplicate itself', () => {
  const word = fc.constantFrom('refund', 'order', 'the', 'my', '订单', 'é');
  const texts = fc.array(
    fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(texts, fc.double({ min: 0.5, max: 1, noNaN: true }), (given, threshold) => {
      const found = findAll(given, threshold);
      found.forEach((nearDuplicate, at) => {
        if (nearDuplicate === null) return;
        expect(nearDuplicate.of).toBeLessThan(at);
        expect(found[nearDuplicate.of]).toBeNull();
        expect(nearDuplicate.likeness).toBeGreaterThanOrEqual(threshold);
      });
      // A repeated text is a near-duplicate, whatever else resembles it.
      given.forEach((text, at) => {
        if (text !== '' && given.indexOf(text) < at) expect(found[at]).not.toBeNull();
      });
    }),
  );
});
