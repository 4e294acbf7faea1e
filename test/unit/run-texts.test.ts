/** Finds words in the texts of runs: first in texts that were read in advance, then in the store. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RunColumnsBuilder } from '../../electron/core/items/run-columns.ts';
import { itemsWithWords, textPart } from '../../electron/core/items/run-texts.ts';
import { StoredComparisons } from '../../electron/datasets/stored-comparison.ts';
import type { RunReads } from '../../electron/db/run-reads.ts';
import { fold } from '../../electron/shared/fold.ts';
import { NO_FILTER } from '../../electron/shared/run-comparison.ts';

const word = fc.constantFrom('ba', 'ab', 'Ä', 'ä', 'b', '7', ' ');
const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(''));
const value = fc.oneof(text, fc.record({ a: text, b: fc.array(text, { maxLength: 2 }) }), fc.constant(null));

test('words are found in each single text of an item, in any case, and never across two texts or items', () => {
  const holds = (found: unknown, wanted: string): boolean =>
    typeof found === 'object' && found !== null
      ? Object.values(found).some((each) => holds(each, wanted))
      : found !== null && fold(String(found)).includes(wanted);
  fc.assert(
    fc.property(fc.array(value, { maxLength: 20 }), text, fc.nat({ max: 7 }), (values, words, cut) => {
      fc.pre(words !== '');
      const rows = values.map((each, position) => ({ position, itemId: `i${position}`, value: each }));
      const parts = [textPart(rows.slice(0, cut)), textPart(rows.slice(cut))];
      const expected = rows.filter((row) => holds(row.value, fold(words))).map(({ itemId }) => itemId);
      expect([...itemsWithWords(parts, words)]).toEqual(expected);
    }),
  );
});

const ITEMS = 4_500;
const answerOf = (at: number) => (at % 3 === 0 ? 'The Bank has booked it.' : 'It is on its way.');

function rig(lengthOf = 1) {
  const reads = { inStore: [] as number[], ahead: 0 };
  const columns = () => {
    const builder = new RunColumnsBuilder();
    for (let at = 0; at < ITEMS; at += 1)
      builder.add({ itemId: `i${at}`, position: at, fate: 'good', durationMs: null, scores: [] });
    return builder.finish();
  };
  const comparisons = new StoredComparisons(
    () =>
      ({
        experiment: columns,
        resultsWith: (_, words, from) => {
          reads.inStore.push(from);
          const found = new Set<string>();
          for (let at = from; at < ITEMS; at += 1)
            if (fold(answerOf(at)).includes(fold(words))) found.add(`i${at}`);
          return found;
        },
        resultTexts: (_, from, limit) => {
          reads.ahead += 1;
          return Array.from({ length: Math.max(0, Math.min(limit, ITEMS - from)) }, (__, at) => ({
            ...{ position: from + at, itemId: `i${from + at}` },
            value: { answer: answerOf(from + at).repeat(lengthOf) },
          }));
        },
        close: () => undefined,
      }) as Partial<RunReads> as RunReads,
  );
  const search = (words: string, { version = '1', isComplete = true } = {}) => {
    const ref = { kind: 'experiment' as const, id: 'e' };
    const found = comparisons.answer({
      sources: [{ ref, version, isComplete, generationId: 1, evaluator: '', inputs: [] }],
      ...{ datasetId: null },
      ask: {
        form: 'ids',
        query: {
          ...{ baseline: 0, score: null, lowerIsBetter: false, filter: { ...NO_FILTER, words } },
          ...{ offset: 0, limit: ITEMS },
        },
      },
    });
    return found.form === 'ids' ? found.items.length : 0;
  };
  const readToTheEnd = () => {
    for (let step = 0; comparisons.isReadingAhead && step < 100; step += 1) comparisons.readAhead();
  };
  return { reads, search, readToTheEnd, comparisons };
}

test('the first words are found without the store once a comparison was shown, until the results change', () => {
  const { reads, search, readToTheEnd } = rig();
  search('');
  readToTheEnd();
  expect([search('BANK HAS'), search('on its way'), search('nothing')]).toEqual([1_500, 3_000, 0]);
  expect(reads).toEqual({ inStore: [], ahead: 10 });
  expect(search('bank', { version: '2' })).toBe(1_500);
  expect(reads.inStore).toEqual([0]);
});

test('words are searched in the store after the texts that were read ahead', () => {
  const { reads, search, comparisons } = rig();
  search('');
  comparisons.readAhead();
  comparisons.readAhead();
  expect([search('bank'), search('on its way'), search('nothing')]).toEqual([1_500, 3_000, 0]);
  expect(reads.inStore).toEqual([1_000, 1_000, 1_000]);
});

test('texts of a run in progress are read only if words are searched', () => {
  const { search, comparisons } = rig();
  search('', { isComplete: false });
  expect(comparisons.isReadingAhead).toBe(false);
  search('bank', { isComplete: false });
  expect(comparisons.isReadingAhead).toBe(true);
});

test('a run with very long texts is searched in the store, and not read again for each search', () => {
  const { reads, search, readToTheEnd } = rig(600);
  search('bank');
  readToTheEnd();
  const { ahead } = reads;
  search('booked');
  readToTheEnd();
  expect(reads).toEqual({ inStore: [0, 0], ahead });
});
