/** Items of a version are read a page at a time. */
import { expect, test } from 'vitest';
import { pageOf, placesWith } from '../../electron/core/snapshots/item-pages.ts';

const texts = (items: readonly object[]) => {
  const lines = items.map((item) => JSON.stringify(item));
  return { count: lines.length, textAt: (place: number) => lines[place] ?? '' };
};
const numbered = Array.from({ length: 30 }, (_, at) => ({ id: `i${at}`, inputs: { question: `Q ${at}` } }));

test('the pages add up to all items in order; a text filters them, ignoring case and accents', () => {
  const all = texts(numbered);
  const pages = [0, 12, 24].map((offset) => pageOf(all, null, { offset, limit: 12 }));
  expect(pages.flatMap(({ items }) => items)).toEqual(numbered);
  expect(pages.map(({ total }) => total)).toEqual([30, 30, 30]);
  const found = placesWith(all, ' q 2');
  expect(found).toEqual([2, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
  expect(pageOf(all, found, { offset: 10, limit: 12 })).toMatchObject({ total: 11, items: [{ id: 'i29' }] });
  expect(placesWith(all, '')).toBeNull();
  const quoted = texts([{ id: 'a', inputs: { question: 'She said "no"\nand left' } }]);
  expect(placesWith(quoted, 'SAID "NO"')).toEqual([0]);
  const escaped = { count: 1, textAt: () => String.raw`{"inputs":{"q":"149 \u20ac"}}` };
  expect(placesWith(escaped, '149 €')).toEqual([0]);
});

test('an item of any length is on a page: its long values are cut, and those of other items end the page', () => {
  const long = 'word '.repeat(200_000);
  const items = Array.from({ length: 20 }, (_, at) => ({
    id: `i${at}`,
    inputs: { question: `Q ${at}`, context: at % 2 === 0 ? long : 'short' },
  }));
  const page = pageOf(texts(items), null, { offset: 0, limit: 20 });
  expect(page.cut).toEqual(page.items.flatMap((_, at) => (at % 2 === 0 ? [at] : [])));
  expect(page.items.length).toBeGreaterThan(1);
  expect(page.items.length).toBeLessThan(20);
  expect(JSON.stringify(page.items).length).toBeLessThan(100_000);
  expect(page.items[0]).toMatchObject({ id: 'i0', inputs: { question: 'Q 0' } });
  expect(page.items[1]).toEqual(items[1]);
});
