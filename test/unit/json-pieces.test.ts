/** Values are sent between threads in pieces that are cheap to parse. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AnswerScan } from '../../electron/api/answer-bounds.ts';
import { cutJson, JsonBuilder } from '../../electron/api/json-pieces.ts';
import { runs } from '../helpers/runs.ts';

const MAX_CHARS = 140_000;

function through(value: unknown): { value: unknown; longest: number } {
  const builder = new JsonBuilder(JSON.parse);
  let longest = 0;
  for (const piece of cutJson(value, (part) => JSON.stringify(part))) {
    longest = Math.max(longest, piece.text.length);
    builder.add(piece);
  }
  return { value: builder.value, longest };
}

test.each([
  ['a text', '😀"'.repeat(100_000)],
  ['a text in a list', [1, 'é'.repeat(300_000), [2]]],
  ['a text in a record', { a: { b: 'x'.repeat(300_000), c: ['y'.repeat(200_000)] }, d: null }],
  ['many texts', Array.from({ length: 50 }, (_, at) => `${at}`.repeat(40_000))],
])('%s that is long is split', (_name, value) => {
  const { value: again, longest } = through(value);
  expect(again).toEqual(value);
  expect(longest).toBeLessThan(MAX_CHARS);
});

const COMMAS = ','.repeat(600_000);
const escaped = fc.array(fc.constantFrom('\\\\', '\\"', 'x', '\\u0022', ','), { maxLength: 6 });

test('a text ends at its own quote, wherever the bytes are split', () =>
  fc.assert(
    fc.property(escaped, fc.integer({ min: 1, max: 40 }), (parts, size) => {
      const text = parts.join('');
      const scan = (json: string): string | null => {
        const bytes = Buffer.from(json);
        const scanner = new AnswerScan();
        let found: string | null = null;
        for (let from = 0; from < 40; from += size)
          found ??= scanner.add(bytes.subarray(from, Math.min(40, from + size)));
        return found ?? scanner.add(bytes.subarray(40));
      };
      expect(scan(`["${text}${COMMAS}"]`)).toBe(null);
      expect(scan(`["${text}",1${COMMAS}]`)).toContain('values');
    }),
    { numRuns: runs(40, 200) },
  ));
