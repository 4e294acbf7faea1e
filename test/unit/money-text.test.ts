/** Amounts of money: no cost is shown as nothing, and the window and the command line write it alike. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { numberText } from '../../electron/shared/count-text.ts';
import { dollarsRange, dollarsText } from '../../electron/shared/money-text.ts';
import { usageSentence } from '../../electron/shared/usage-words.ts';
import { formatNumber } from '../../renderer/lib/format.ts';
import { withUnit } from '../../renderer/lib/read/units.ts';

test.each([
  [0, '$0.00'],
  [-0, '$0.00'],
  [0.000_4, '$0.0004'],
  [0.000_412_345, '$0.0004123'],
  [0.012_346, '$0.01235'],
  [0.5, '$0.50'],
  [0.999_99, '$1.00'],
  [12.345_6, '$12.35'],
  [1_234_567.891, '$1,234,567.89'],
  [-0.25, '-$0.25'],
  [4e-12, '$4e-12'],
  [1e21, '$1e+21'],
  [Number.NaN, 'NaN'],
])('%d is written as %s', (value, text) => {
  expect(dollarsText(value)).toBe(text);
  if (Number.isFinite(value)) expect(withUnit('cost_usd', value)).toBe(text);
});

test('keeps every amount within half a per cent, and its sign', () => {
  const amount = fc.double({ min: 1e-9, max: 1e14, noNaN: true });
  fc.assert(
    fc.property(amount, fc.boolean(), (size, isNegative) => {
      const value = isNegative ? -size : size;
      const read = Number(dollarsText(value).replaceAll(/[$,]/g, ''));
      expect(Math.abs(read - value)).toBeLessThanOrEqual(size * 0.005);
    }),
  );
});

test('writes different bounds of a range differently', () => {
  expect(dollarsRange(1.231, 1.234)).toBe('$1.231 to $1.234');
  expect(dollarsRange(0.000_1, 0.02)).toBe('$0.0001 to $0.02');
  expect(dollarsRange(2, 2)).toBe('$2.00 to $2.00');
});

test('writes the sum of a cost to the cent, also with a median and a difference', () => {
  expect(
    usageSentence({
      ...{ figure: 'costUsd', sum: 1_234.564, traces: 812 },
      median: { value: 0.000_4, items: 800, interval: [0.000_3, 0.000_5] },
      difference: { value: -0.000_1, items: 800, interval: [-0.000_2, -0.000_05] },
    }),
  ).toBe(
    'Cost: $1,234.56 over 812 traces. Median of 800 items $0.0004 ($0.0003 to $0.0005). Median difference from the baseline -$0.0001 in 800 items, 95 % sure between -$0.0002 and -$0.00005.',
  );
});

test.each([
  [0.000_4, '0.0004'],
  [-0.000_4, '-0.0004'],
  [0.123_456, '0.123'],
  [1_234.567_8, '1,234.568'],
  [3e-12, '3e-12'],
  [-0, '0'],
  [2 ** 53, '9,007,199,254,740,992'],
  [Number.NaN, 'NaN'],
])('the number %d is written as %s on the command line', (value, text) => {
  expect(numberText(value)).toBe(text);
});

test('no number but zero is written as zero, and zero has no sign', () => {
  const any = fc.double({ noNaN: true, noDefaultInfinity: true });
  fc.assert(
    fc.property(any, (value) => {
      for (const text of [numberText(value), formatNumber(value), dollarsText(value)])
        expect(/[1-9]/.test(text)).toBe(value !== 0);
    }),
  );
  expect(formatNumber(-0)).toBe('0');
});
