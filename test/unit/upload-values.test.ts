import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExact, writeExact } from '../../electron/shared/exact-json.ts';
import type { ColumnPlan } from '../../electron/shared/upload-model.ts';
import { withoutQuotes } from '../../electron/uploads/validate/repairs.ts';
import { formatCheck, readTime } from '../../electron/uploads/validate/timestamps.ts';
import { type ConverterOptions, createConverter, isBad } from '../../electron/uploads/validate/values.ts';

const options = (type: ColumnPlan['type'], more: Partial<ConverterOptions> = {}): ConverterOptions => ({
  type,
  nullWords: ['NA'],
  categories: null,
  dimensions: null,
  timeFormat: null,
  ...more,
});
const convert = (type: ColumnPlan['type'], text: string, more: Partial<ConverterOptions> = {}) => {
  const value = createConverter(options(type, more)).fromText(text);
  return isBad(value) ? value.reason : value;
};

test.each(['1', ' ', "'", '1.', ',123', '-'])(
  'a cell with a great many %j is refused as a number',
  (sign) => {
    for (const type of ['int', 'float', 'decimal'] as const)
      expect(convert(type, `1${sign.repeat(200_000)}x`)).toMatch(/^Expected a/);
    expect(withoutQuotes(`'a${sign.repeat(200_000)}b' `)).toBe(`a${sign.repeat(200_000)}b`);
  },
);

describe('values of cells', () => {
  test.each([
    ['int', '42', '42'],
    ['int', ' +42 ', '42'],
    ['int', '007', '7'],
    ['int', '-0', '0'],
    ['int', '29.0', '29'],
    ['int', '9007199254740993', '9007199254740993'],
    ['int', '123456789012345678901234567890', '123456789012345678901234567890'],
    ['float', '0.10', '0.10'],
    ['float', '.5', '0.5'],
    ['float', '5.', '5'],
    ['float', '1e5', '1e5'],
    ['float', '+1.5', '1.5'],
    ['float', '12345678901234567890', '12345678901234567890'],
    ['float', '+.12345678901234567890', '0.12345678901234567890'],
    ['decimal', '-0012.500000000000000000001', '-12.500000000000000000001'],
    ['decimal', '1e999', '1e999'],
    ['decimal', 'NA', 'null'],
    ['bool', 'Yes', 'true'],
    ['bool', '0', 'false'],
    // Written so in a column with missing values.
    ['bool', '1.0', 'true'],
    ['bool', '0.00', 'false'],
    ['str', ' a"b ', '" a\\"b "'],
    ['str', 'Zoë', '"Zoë"'],
    ['category', 'France', '"France"'],
    ['vector', '[1, 2.5]', '[1,2.5]'],
    ['json', '{"a":[1,{"b":null}]}', '{"a":[1,{"b":null}]}'],
    ['int', '', 'null'],
    ['str', '  ', 'null'],
    ['float', 'NA', 'null'],
  ] as const)('%s %j is sent as %s', (type, text, json) => {
    expect(convert(type, text)).toBe(json);
  });

  test.each([
    ['int', '1.5', 'whole number'],
    ['int', '1,234', 'whole number'],
    ['int', 'nan', 'NaN'],
    ['float', 'NaN', 'NaN'],
    ['float', '-inf', 'infinity'],
    ['float', '1e999', '1.8e308'],
    ['float', '1,5', 'point, not a comma'],
    ['float', '0x1f', 'number'],
    ['float', '[0.3, 0.7]', 'got a list. Write the one that counts'],
    ['bool', 'maybe', 'true or false'],
    ['bool', '1.5', 'true or false'],
    ['bool', '2.0', 'true or false'],
    ['vector', '[1,"a"]', 'list of numbers'],
    ['json', '{a:1}', 'JSON'],
  ] as const)('%s %j is bad: %s', (type, text, reason) => {
    expect(convert(type, text)).toContain(reason);
  });

  test('categories of a model keep their JSON type; new ones stay texts', () => {
    const more = { categories: [1, 'b', true] };
    expect(['1', 'b', 'true', 'c'].map((text) => convert('category', text, more))).toEqual([
      '1',
      '"b"',
      'true',
      '"c"',
    ]);
  });

  test('a vector has as many numbers as the model requires', () => {
    expect(convert('vector', '[1,2]', { dimensions: 3 })).toBe('Expected 3 numbers, got 2.');
  });

  test('values of JSON files follow the same rules', () => {
    const from = (type: ColumnPlan['type'], value: unknown) => {
      const converted = createConverter(options(type)).fromJson(value);
      return isBad(converted) ? converted.reason : converted;
    };
    expect(from('int', 5)).toBe('5');
    expect(from('int', 5.5)).toContain('whole number');
    expect(from('int', '12')).toBe('12');
    expect(from('str', 12)).toBe('"12"');
    expect(from('str', '')).toBe('""');
    expect(from('str', { a: 1 })).toContain('got an object');
    expect(from('json', { a: [1] })).toBe('{"a":[1]}');
    expect(from('bool', true)).toBe('true');
    expect(from('float', null)).toBe('null');
    expect(from('category', 3)).toBe('3');
    expect(from('int', parseExact('9007199254740993'))).toBe('9007199254740993');
  });

  test('integers of any size keep every digit', () => {
    fc.assert(
      fc.property(fc.bigInt(), (number) => {
        expect(convert('int', String(number))).toBe(String(number));
        expect(writeExact(parseExact(`{"a":[${number}]}`))).toBe(`{"a":[${number}]}`);
      }),
    );
  });
});

describe('values of times', () => {
  test.each([
    ['2024-09-27 17:00:00', '"2024-09-27 17:00:00"', 'iso'],
    ['2024-09-27T17:00:00.123456+02:00', '"2024-09-27T17:00:00.123456+02:00"', 'iso'],
    ['2024-09-27', '"2024-09-27"', 'iso'],
    ['2024-9-7 7:05', '"2024-09-07 07:05:00"', 'iso'],
    ['2024/09/27 17:00:00 UTC', '"2024-09-27 17:00:00Z"', 'iso'],
    ['2024-02-29', '"2024-02-29"', 'iso'],
    ['2/1/11', '"2011-02-01 00:00:00"', 'us'],
    ['12/31/1999 11:59:59 PM', '"1999-12-31 23:59:59"', 'us'],
    ['1/1/70 12:00 AM', '"1970-01-01 00:00:00"', 'us'],
    ['1727456400', '1727456400', 'epoch-s'],
    ['1727456400123', '1727456400123', 'epoch-ms'],
    ['1727456400123456', '"2024-09-27T17:00:00.123456Z"', 'epoch-ms'],
  ])('%s is sent as %s', (text, json, form) => {
    expect(readTime(text)).toMatchObject({ form, json });
  });

  test.each([
    ['2023-02-29', 'exists in the calendar'],
    ['2/30/11', 'exists in the calendar'],
    ['31/1/11', 'day/month/year'],
    ['2024-09-27 25:00:00', 'time of day'],
    ['13:00 PM', 'got a time of day alone'],
    ['1/1/11 13:00 PM', 'time of day'],
    ['5', 'Expected a time'],
    ['yesterday', 'Expected a time'],
  ])('%s is not a time: %s', (text, reason) => {
    expect(readTime(text)).toContain(reason);
  });

  test('a time in the model’s own format is sent unchanged', () => {
    expect(convert('timestamp', '2/1/11', { timeFormat: '%m/%d/%y' })).toBe('"2/1/11"');
    expect(convert('timestamp', '27.09.2024', { timeFormat: '%d.%m.%Y' })).toBe('"27.09.2024"');
    expect(convert('timestamp', '27.09.2024')).toContain('Expected a date of which the order');
    for (const text of ['13/2/11', '2/32/11', '0/1/11']) expect(formatCheck('%m/%d/%y')?.(text)).toBe(false);
    for (const text of ['12/2/11', '02/31/11', '2/01/11']) expect(formatCheck('%m/%d/%y')?.(text)).toBe(true);
    expect(formatCheck('%H:%M:%S')?.('24:00:00')).toBe(false);
    expect(formatCheck('%Q')).toBeNull();
    expect(formatCheck('iso')).toBeNull();
  });
});
