/** Dates, filters and order of values that services send in unusual forms. */
import { describe, expect, test } from 'vitest';
import { createRedactor, MASKED } from '../../electron/core/masking/redact.ts';
import { distinct, likeness, shinglesOf } from '../../electron/core/near-duplicates/shingles.ts';
import { matchesFilter } from '../../electron/core/text/filters.ts';
import { parseHttpDate } from '../../electron/core/text/http-date.ts';
import { compareValues } from '../../electron/core/text/ordering.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';

describe('dates as texts', () => {
  test.each([
    ['2025-11-03T09:00:00Z', Date.UTC(2025, 10, 3, 9)],
    ['2025-11-03T09:00:00+05:30', Date.UTC(2025, 10, 3, 3, 30)],
    ['2025-11-03T09:00:00-05:30', Date.UTC(2025, 10, 3, 14, 30)],
    ['Mon, 03 Nov 2025 09:00:00 GMT', Date.UTC(2025, 10, 3, 9)],
    ['Mon, 03 Now 2025 09:00:00 GMT', null],
    ['2025-13-03T09:00:00Z', null],
  ])('%s', (text, expected) => {
    expect(parseHttpDate(text)).toBe(expected);
  });
});

describe('long numbers', () => {
  test('are ordered among the others by their size', () => {
    const values = ['3', '12345678901234567890123', '-7', '12345678901234567890124.5'].map((text) =>
      parseExact(text),
    );
    const sorted = values.toSorted(compareValues).map(Number);
    expect(sorted).toEqual(sorted.toSorted((one, other) => one - other));
    expect(compareValues(parseExact('12345678901234567890123'), 'text')).toBe(-1);
  });
});

describe('empty values', () => {
  const isEmpty = (value: unknown) => matchesFilter({ field: 'f', operator: 'is_empty' }, () => value);

  test.each([[null], [undefined], [''], [Number.NaN], [[]], [{}]])('%j is empty', (value) => {
    expect(isEmpty(value)).toBe(true);
  });

  test.each([[0], [false], [' '], [[null]], [{ a: null }]])('%j is not', (value) => {
    expect(isEmpty(value)).toBe(false);
  });
});

describe('texts compared by their parts', () => {
  test('an empty text is like no other, and every other like itself', () => {
    const parts = (text: string) => distinct(shinglesOf(text));
    expect(likeness(parts(''), parts(''))).toBe(0);
    expect(likeness(parts(''), parts('a long text about refunds'))).toBe(0);
    expect(likeness(parts('ab'), parts('ab'))).toBe(1);
  });
});

describe('a shared pack', () => {
  const ID = '0f3f2c1e-7c1b-4b6e-9a55-0c7c2e1d4a10';
  const OTHER = '5b0c1c8e-13f1-4b7e-8a0f-6d7f0b1c2d3e';

  test('hides a hidden id inside texts, in any case of letters, and leaves the others', () => {
    const redactor = createRedactor([], new Set([ID]));
    expect(redactor.mask({ note: `${ID.toUpperCase()} and ${OTHER}` })).toEqual({
      note: `${MASKED} and ${OTHER}`,
    });
  });

  test('hides a text of a masked field elsewhere too; missing values hide nothing', () => {
    const redactor = createRedactor(['customer.*'], new Set());
    redactor.learn({ customer: { name: 'Anna Example', mail: null, phone: undefined } });
    expect(redactor.mask({ note: 'Anna Example', other: null })).toEqual({ note: MASKED, other: null });
  });

  test('of more different paths than are remembered masks the same', () => {
    const redactor = createRedactor(['secret'], new Set());
    const wide = Object.fromEntries(
      Array.from({ length: 17_000 }, (_, at) => [`f${at}`, { secret: 'x', open: 'y' }]),
    );
    const masked = redactor.mask(wide);
    expect(Object.values(masked).every(({ secret, open }) => secret === MASKED && open === 'y')).toBe(true);
  });
});
