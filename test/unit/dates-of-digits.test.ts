/** Dates written in digits only are not read as seconds since 1970, although they have as many digits. */
import { expect, test } from 'vitest';
import { readTime } from '../../electron/uploads/validate/timestamps.ts';

test.each([
  ['202605011015', '2026-05-01 10:15:00'],
  ['199912312359', '1999-12-31 23:59:00'],
  ['20260501101500', '2026-05-01 10:15:00'],
  ['20260501', '2026-05-01'],
])('%s is a date', (text, time) => {
  expect(readTime(text)).toMatchObject({ form: 'compact', json: JSON.stringify(time), isZoneless: true });
});

test.each(['2026050110', '1990010100', '2035123123'])('%s may be a date with its hour', (text) => {
  expect(readTime(text)).toMatch(
    /may be a date with its hour, \d{4}-\d\d-\d\d \d\d:00\. .*choose seconds for the column \(--time-unit s\)/,
  );
  expect(readTime(text, { unit: 's' })).toMatchObject({ form: 'epoch-s', json: text });
});

test.each([
  ['1714557600', 'epoch-s'],
  ['2026130110', 'epoch-s'],
  ['2026050124', 'epoch-s'],
  ['2041050110', 'epoch-s'],
  ['202613011015', 'epoch-ms'],
  ['202605012415', 'epoch-ms'],
  ['171455760012', 'epoch-ms'],
])('%s is a moment since 1970', (text, form) => {
  expect(readTime(text)).toMatchObject({ form, json: text });
});

test('a chosen unit decides for dates of digits too', () => {
  expect(readTime('202605011015', { unit: 'ms' })).toMatchObject({ form: 'epoch-ms', json: '202605011015' });
});

test.each(['030151360', '01777629605', '00001777629605123', '0000000000000000'])(
  '%s with zeros in front is no time, unless its unit is chosen',
  (text) => {
    expect(readTime(text)).toMatch(/^Expected a time/);
    const read = readTime(text, { unit: 's' });
    if (typeof read !== 'string') expect(() => JSON.parse(read.json)).not.toThrow();
  },
);

test('a chosen unit leaves the zeros in front away, which is counted', () => {
  expect(readTime('01777629605', { unit: 's' })).toMatchObject({
    json: '1777629605',
    rules: ['number-form'],
  });
  expect(readTime('-0123456789', { unit: 's' })).toMatchObject({
    json: '-123456789',
    rules: ['number-form'],
  });
});
