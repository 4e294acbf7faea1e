/** The spans from which the compared items were made. */
import { expect, test } from 'vitest';
import type { ChosenItem } from '../../electron/shared/run-comparison.ts';
import { leftOutText, spansOfItems } from '../../renderer/lib/chosen-spans.ts';

const item = (itemId: string, buildId: string | null, position = 0): ChosenItem => ({
  ...{ itemId, traceId: null },
  origin: buildId === null ? null : { buildId, position },
});
const draft = (buildId: string, applicationId: string) => ({
  ...{ buildId, applicationId, applicationName: `App ${applicationId}` },
});

test('are grouped by application and draft, the application with the most first', () => {
  const items = [item('a', 'd1', 4), item('b', 'd2', 0), item('c', 'd3', 7), item('d', 'd2', 3)];
  const found = spansOfItems(items, [draft('d1', 'one'), draft('d2', 'two'), draft('d3', 'two')]);
  expect(found.without).toBe(0);
  expect(found.groups).toEqual([
    {
      application: { id: 'two', name: 'App two' },
      positions: new Map([
        ['d2', [0, 3]],
        ['d3', [7]],
      ]),
      count: 3,
    },
    { application: { id: 'one', name: 'App one' }, positions: new Map([['d1', [4]]]), count: 1 },
  ]);
});

test('items without a span, and those of a removed draft, are counted and said', () => {
  const { groups, without } = spansOfItems(
    [item('a', null), item('b', 'gone'), item('c', 'd1')],
    [draft('d1', 'one')],
  );
  expect(groups.map(({ count }) => count)).toEqual([1]);
  expect(without).toBe(2);
  expect(leftOutText(without, 3)).toBe(
    '2 items without a span in a draft on this computer. 3 selected already.',
  );
  expect(leftOutText(1, 0)).toBe('1 item without a span in a draft on this computer.');
  expect(leftOutText(0, 0)).toBe('');
});
