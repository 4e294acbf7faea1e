/** How items with long values, the text of their inputs, and picked spans of a basket are shown. */
import { expect, test } from 'vitest';
import { cutFields, valueLimit } from '../../electron/core/items/cut-item.ts';
import { sameSpansProblem } from '../../electron/core/jobs/same-spans.ts';
import { inputText } from '../../electron/core/near-duplicates/input-text.ts';
import { eachPicked } from '../../electron/core/spans/picked-records.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';

test('long values share the room of an item, and each keeps a readable beginning', () => {
  expect(valueLimit([{ a: 1 }], 20_000)).toBeNull();
  expect(
    valueLimit(
      [
        { a: 1, b: 2 },
        { c: 3, d: 4 },
      ],
      20_001,
    ),
  ).toBe(5_000);
  expect(valueLimit([], 50_000)).toBe(20_000);
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`f${index}`, 1]));
  expect(valueLimit([many], 50_000)).toBe(100);
});

test('long texts and long objects are cut and marked, everything else stays', () => {
  const exact = parseExact('{"id":9007199254740993}') as { id: unknown };
  const fields = {
    text: 'abcdef',
    short: 'abc',
    list: [1, 2, 3, 4],
    small: [1],
    none: null,
    flag: true,
    ...exact,
  };
  expect(cutFields(fields, 5)).toEqual({
    ...fields,
    text: 'abcd…',
    list: '[1,2…',
  });
});

test('the text of inputs does not depend on the order of fields, and omits fields without a value', () => {
  const text = inputText({ b: 'second', a: { y: 1, x: 2 }, c: null });
  expect(text).toBe(inputText({ c: null, a: { x: 2, y: 1 }, b: 'second' }));
  expect(text).toContain('second');
  expect([inputText(null), inputText('text'), inputText({})]).toEqual(['', '', '']);
});

test('picked spans are read in pages, each with its record, or with its known fields', () => {
  const all = Array.from({ length: 120 }, (_, position) => ({
    ...{ position, traceId: 't', spanId: `s${position}` },
    ...(position === 0
      ? { startTime: null, name: null, spanType: null }
      : { startTime: '2026-03-10T10:00:00Z', name: 'call', spanType: 'LLM' }),
  }));
  const asked: number[] = [];
  const store = {
    after: (_build: string, _filter: unknown, from: number, limit: number) =>
      all.filter(({ position }) => position >= from).slice(0, limit),
    records: (_build: string, positions: readonly number[]) => {
      asked.push(positions.length);
      return new Map(
        positions.filter((position) => position > 1).map((position) => [position, `record ${position}`]),
      );
    },
  };
  const found = [...eachPicked(store, 'b', 0)];
  expect(found.map(({ position }) => position)).toEqual(all.map(({ position }) => position));
  expect(asked).toEqual([50, 50, 20]);
  expect(JSON.parse(found[0]?.text ?? '')).toEqual({ trace_id: 't', span_id: 's0' });
  expect(JSON.parse(found[1]?.text ?? '')).toEqual({
    ...{ trace_id: 't', span_id: 's1', start_time: '2026-03-10T10:00:00Z' },
    ...{ name: 'call', span_type: 'LLM' },
  });
  expect(found[2]?.text).toBe('record 2');
});

test('a call whose spans another build sends to the same dataset waits for a decision', () => {
  expect(sameSpansProblem([], false)).toBeNull();
  expect(sameSpansProblem([], true)).toMatchObject({
    code: 'NEEDS_DECISION',
    details: { outcome: 'unsent' },
  });
  const problem = sameSpansProblem(
    [
      { name: 'Refunds', spans: 3, unknown: 1 },
      { name: 'Claims', spans: 1, unknown: 0 },
    ],
    false,
  );
  expect(problem?.message).toContain('The build Refunds has 3 spans of the next request');
  expect(problem?.message).toContain('1 of them without an answer');
  expect(problem?.message).toContain(
    'The build Claims has 1 span of the next request on the way to the same dataset.',
  );
  expect(problem?.details.nextStep).toContain('Let Refunds end');
});
