/** How search results are ordered, and their excerpts. */
import { describe, expect, test } from 'vitest';
import { snippetOf } from '../../electron/core/search/fold.ts';
import { rankHits } from '../../electron/core/search/rank.ts';

const hit = (id: number, title: string, atMs: number | null = null) => ({ id, title, atMs });
const order = (hits: ReturnType<typeof hit>[], wanted: string[]) =>
  rankHits(hits, { wanted, unwanted: [] }).map(({ id }) => id);

describe('search results', () => {
  test('are ordered by the place of the text in the title, then by length and age', () => {
    const hits = [
      hit(1, 'prechurn'),
      hit(2, 'bank churn of may'),
      hit(3, 'bank churn'),
      hit(4, 'churn of may'),
      hit(5, 'churn'),
    ];
    expect(order(hits, ['churn'])).toEqual([5, 4, 3, 2, 1]);
  });

  test('that were found outside the title are last, the newest first, whatever their length', () => {
    const hits = [hit(1, 'a'), hit(2, 'a much longer title', 20), hit(3, 'short', 10), hit(4, 'churn')];
    expect(order(hits, ['churn'])).toEqual([4, 2, 3, 1]);
  });

  test('without the text itself show the beginning', () => {
    const { text, ranges } = snippetOf('The beginning of a text', ['absent']);
    expect(text.startsWith('The beginning')).toBe(true);
    expect(ranges).toEqual([]);
  });
});
