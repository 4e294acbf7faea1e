/** Types determined from every row, and the row that changed a type. */
import { expect, test } from 'vitest';
import { RawNumber } from '../../electron/shared/exact-json.ts';
import type { SourceRow } from '../../electron/uploads/readers/row-source.ts';
import { inferType } from '../../electron/uploads/sniff/infer-types.ts';
import { TypeScan } from '../../electron/uploads/sniff/type-scan.ts';

function row(number: number, content: Partial<Pick<SourceRow, 'cells' | 'record'>>): SourceRow {
  return {
    ...{ row: number, line: number + 1, nextLine: number + 2, byteStart: 0, byteEnd: 1 },
    ...{ cells: null, record: null, problem: null, excerpt: '', ...content },
  };
}

test('the twenty thousandth cell changes the type of its column', () => {
  const scan = new TypeScan(['age', 'paid', 'gone'], new Map([['gone', new Set(['NA'])]]));
  for (let at = 1; at <= 20_000; at += 1) {
    const isLast = at === 20_000;
    scan.add(
      row(at, { cells: [isLast ? '35.5' : '35', at === 7 ? 'n/a' : '1.25', at % 2 === 0 ? 'NA' : ''] }),
    );
  }
  expect(scan.list()).toEqual([
    {
      name: 'age',
      type: 'float',
      changes: [{ row: 20_000, line: 20_001, value: '35.5', before: 'int', after: 'float' }],
    },
    {
      name: 'paid',
      type: 'str',
      changes: [{ row: 7, line: 8, value: 'n/a', before: 'float', after: 'str' }],
    },
    { name: 'gone', type: 'empty', changes: [] },
  ]);
});

test('values of JSON have their JSON types', () => {
  const scan = new TypeScan(null, new Map());
  scan.add(row(1, { record: { a: 1, b: '1', c: true } }));
  scan.add(row(2, { record: { a: new RawNumber('0.12345678901234567890'), b: '2', c: null, d: [1] } }));
  expect(scan.list().map(({ name, type }) => [name, type])).toEqual([
    ['a', 'decimal'],
    ['b', 'str'],
    ['c', 'bool'],
    ['d', 'json'],
  ]);
});

test('decimals are the values that a double would change, and no others', () => {
  const typeOf = (...texts: string[]) =>
    inferType(
      'x',
      texts.map((text, at) => ({ text, line: at + 2 })),
      [],
    ).type;
  expect(typeOf('1', '2')).toBe('int');
  expect(typeOf('0.1', '2')).toBe('float');
  expect(typeOf('0.30000000000000004', '1.7976931348623157e308')).toBe('float');
  expect(typeOf('0.1', '0.12345678901234567890')).toBe('decimal');
  expect(typeOf('1.0e400')).toBe('decimal');
});
