/** The unit of the durations of spans, which is inferred from the spans if the service does not state it. */
import { expect, test } from 'vitest';
import { spanColumns } from '../../renderer/lib/span-columns.ts';
import { formatSpanDuration, readUnit, unitWord } from '../../renderer/lib/span-duration.ts';

test.each([
  [430, 1, '430 ms'],
  [4_430, 1, '4.43 s'],
  [4.43, 1_000, '4.43 s'],
  [12_345, 1, '12.3 s'],
  [999.7, 1, '1.00 s'],
  [59_980, 1, '1 min'],
  [200_000, 1, '3 min'],
  [2.5, 1, '2.5 ms'],
  [250, 1e-3, '250 µs'],
  [12, 1e-6, '12 ns'],
  [0, 1, '0 ms'],
  [-3, 1, '-3'],
])('%d at %d ms is %s', (value, unitMs, text) => {
  expect(formatSpanDuration(value, unitMs)).toBe(text);
});

const at = (ms: number) => new Date(1_773_000_000_000 + ms).toISOString();
const parent = (duration: number) => ({ span_id: 'a', start_time: at(0), duration });
const child = { span_id: 'b', parent_span_id: 'a', start_time: at(2_000), duration: 1 };

test('the unit is the one in which children start during their parents', () => {
  expect(readUnit([parent(4_430), child])).toBe(1);
  expect(readUnit([parent(4.43), child])).toBe(1_000);
  expect(readUnit([child])).toBeNull();
  expect(
    readUnit([
      { ...parent(4), span_id: '' },
      { ...child, parent_span_id: '' },
    ]),
  ).toBeNull();
  expect([1_000, 1, 1e-3, 1e-6].map(unitWord)).toEqual(['s', 'ms', 'µs', 'ns']);
});

test('the column of a list uses the unit known by then', () => {
  let unitMs = 1;
  const column = spanColumns([], [], () => unitMs).find(({ id }) => id === 'duration');
  expect(column?.write?.(4)).toBe('4 ms');
  unitMs = 1_000;
  expect(column?.write?.(4)).toBe('4.00 s');
});
