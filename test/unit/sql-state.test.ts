/** The list of stored tables beside an SQL query. */
import { expect, test } from 'vitest';
import type { DescribedView } from '../../electron/shared/sql-model.ts';
import type { client } from '../../renderer/lib/client.ts';
import { SqlState } from '../../renderer/state/sql.svelte.ts';

const SPANS: DescribedView = {
  ...{ name: 'spans', schema: null, title: 'All stored spans', operation: 'spans.query', query: null },
  ...{ storedRows: 80, mostRows: 80, isComplete: true, isSample: false, oldestMs: 0, columns: [] },
};

/** A client whose requests the test answers in their order. */
function heldClient() {
  const answers: ((views: readonly DescribedView[]) => void)[] = [];
  const invoke = () => new Promise((resolve) => answers.push(resolve));
  const held = { invoke, on: () => () => undefined } as unknown as typeof client;
  return { held, answer: (views: readonly DescribedView[]) => answers.shift()?.(views) };
}

test('does not report an empty library while it reads the stored data again', async () => {
  const { held, answer } = heldClient();
  const sql = new SqlState('c', held);
  const first = sql.readViews();
  expect(sql.views).toBeNull();
  answer([]);
  await first;
  expect(sql.views).toEqual([]);

  // The tab is shown again after lists were opened in other views.
  const second = sql.readViews();
  expect(sql.views).toBeNull();
  answer([SPANS]);
  await second;
  expect(sql.views).toEqual([SPANS]);

  // Known tables remain visible during the next read.
  const third = sql.readViews();
  expect(sql.views).toEqual([SPANS]);
  answer([SPANS]);
  await third;
});
