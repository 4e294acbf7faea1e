/**
 * Rows that the column summaries of a paged table count: all of a short table, the first of a long one, again if
 * requested meanwhile.
 */
import { expect, test } from 'vitest';
import { PagedRows } from '../../renderer/state/uploads-paged.svelte.ts';
import { PagedPictures } from '../../renderer/views/parts/paged-pictures.svelte.ts';

function table(total: () => number) {
  const asked: number[] = [];
  const rows = new PagedRows<number>((offset, limit) => {
    asked.push(offset);
    const count = Math.max(0, Math.min(limit, total() - offset));
    return Promise.resolve({ rows: Array.from({ length: count }, (_, at) => offset + at), total: total() });
  });
  const pictures = new PagedPictures();
  pictures.isShown = true;
  const read = () =>
    pictures.read(
      () => rows,
      (place) => ({ place }),
    );
  return { asked, pictures, read };
}

test('a short table is counted completely, a long one up to 5,000 rows, shown by its total', async () => {
  const short = table(() => 250);
  await short.read();
  expect(short.pictures.rows).toHaveLength(250);
  expect(short.pictures.rows.at(-1)).toEqual({ place: 249 });
  const long = table(() => 1_000_000);
  await long.read();
  expect([long.pictures.rows.length, long.pictures.total]).toEqual([5_000, 1_000_000]);
  expect(long.asked).toHaveLength(50);
});

test('a request during a read causes one more read; a folded summary causes none', async () => {
  let total = 3;
  const { asked, pictures, read } = table(() => total);
  const first = read();
  total = 4;
  await Promise.all([first, read(), read()]);
  expect(pictures.rows).toHaveLength(4);
  expect(asked).toEqual([0, 0]);
  pictures.isShown = false;
  await read();
  expect(asked).toHaveLength(2);
});
