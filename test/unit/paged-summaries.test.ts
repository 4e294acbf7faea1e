/**
 * The column summaries of a paged table count all rows of a short table and the first rows of a long one, and count
 * again if requested meanwhile.
 */
import { expect, test } from 'vitest';
import { PagedRows } from '../../renderer/state/uploads-paged.svelte.ts';
import { PagedSummaries } from '../../renderer/views/parts/paged-summaries.svelte.ts';

function table(total: () => number) {
  const asked: number[] = [];
  const rows = new PagedRows<number>((offset, limit) => {
    asked.push(offset);
    const count = Math.max(0, Math.min(limit, total() - offset));
    return Promise.resolve({ rows: Array.from({ length: count }, (_, at) => offset + at), total: total() });
  });
  const summaries = new PagedSummaries();
  summaries.isShown = true;
  const read = () =>
    summaries.read(
      () => rows,
      (place) => ({ place }),
    );
  return { asked, summaries, read };
}

test('a short table is counted completely, a long one up to 5,000 rows, shown by its total', async () => {
  const short = table(() => 250);
  await short.read();
  expect(short.summaries.rows).toHaveLength(250);
  expect(short.summaries.rows.at(-1)).toEqual({ place: 249 });
  const long = table(() => 1_000_000);
  await long.read();
  expect([long.summaries.rows.length, long.summaries.total]).toEqual([5_000, 1_000_000]);
  expect(long.asked).toHaveLength(50);
});

test('a request during a read causes one more read; a folded summary causes none', async () => {
  let total = 3;
  const { asked, summaries, read } = table(() => total);
  const first = read();
  total = 4;
  await Promise.all([first, read(), read()]);
  expect(summaries.rows).toHaveLength(4);
  expect(asked).toEqual([0, 0]);
  summaries.isShown = false;
  await read();
  expect(asked).toHaveLength(2);
});
