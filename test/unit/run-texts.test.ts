/** Words in the texts of runs: found in the store at first, then in texts that were read ahead. */
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
  const reads = { inStore: 0, ahead: 0 };
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
        resultsWith: () => {
          reads.inStore += 1;
          return new Set(['i1']);
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
  const search = (words: string, version = '1') => {
    const ref = { kind: 'experiment' as const, id: 'e' };
    const found = comparisons.answer({
      sources: [{ ref, version, isComplete: true, generationId: 1, evaluator: '', inputs: [] }],
      ...{ datasetId: null },
      ask: {
        form: 'ids',
        query: {
          ...{ baseline: 0, score: null, lowerIsBetter: false, filter: { ...NO_FILTER, words } },
          ...{ offset: 0, limit: 500 },
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

test('later words are found without the store, until the results change', () => {
  const { reads, search, readToTheEnd, comparisons } = rig();
  expect(search('bank')).toBe(1);
  // A part of the texts is no answer.
  comparisons.readAhead();
  expect([search('booked'), reads.inStore]).toEqual([1, 2]);
  readToTheEnd();
  expect([search('BANK HAS'), search('on its way'), search('nothing')]).toEqual([500, 500, 0]);
  expect(reads).toEqual({ inStore: 2, ahead: 3 });
  expect([search('bank', '2'), reads.inStore]).toEqual([1, 3]);
});

test('a run with very long texts is searched in the store, and not read again for each search', () => {
  const { reads, search, readToTheEnd } = rig(600);
  search('bank');
  readToTheEnd();
  const { ahead } = reads;
  search('booked');
  readToTheEnd();
  expect(reads).toEqual({ inStore: 2, ahead });
});
