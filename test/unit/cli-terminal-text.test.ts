/** Text for a terminal is safe and aligned, and is cut between characters. */
import { describe, expect, test } from 'vitest';
import { errorLine, table } from '../../electron/cli/output.ts';
import { cutTo, widthOf } from '../../electron/cli/terminal-text.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { printable } from '../../electron/shared/untrusted-text.ts';

test('names from a service cannot control the terminal', () => {
  expect(printable('a\u001b[2Jb\u0007\u009b31m\u202ec')).toBe('a�[2Jb��31m�c');
  expect(printable('one\r\ntwo\tthree\n')).toBe('one\ntwo\tthree\n');
  expect(table([{ name: '\u001b[31mred' }], ['name'])).toBe('name\n�[31mred');
  expect(errorLine(new AppError('BAD_REQUEST', 'It says:\n\u001b[0m'))).toBe(
    'error BAD_REQUEST: It says: �[0m',
  );
});

describe('a table in the terminal', () => {
  test('is aligned in every script', () => {
    const rows = ['plain', '数据集', 'é\u0301', '👩‍👩‍👧 family'].map((name) => ({ name, id: 'x' }));
    const columns = table(rows, ['name', 'id'])
      .split('\n')
      .map((line) => widthOf(line.slice(0, line.lastIndexOf(line.endsWith('id') ? 'id' : 'x'))));
    expect(new Set(columns).size).toBe(1);
  });

  test('cuts long values between characters', () => {
    const [, line = ''] = table([{ note: '👩‍👩‍👧'.repeat(60) }], ['note']).split('\n');
    expect(line).toBe(`${'👩‍👩‍👧'.repeat(23)}…`);
    expect(line.isWellFormed()).toBe(true);
  });
});

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['数据集', 5, '数据…'],
  ['数据集', 6, '数据集'],
  ['', 3, ''],
])('%j cut to %i columns is %j', (text, columns, expected) => {
  expect(cutTo(text, columns)).toBe(expected);
});

test('a table of very many rows is written', () => {
  const rows = Array.from({ length: 150_000 }, (_, n) => ({ id: `row ${n}` }));
  expect(table(rows, ['id']).split('\n')).toHaveLength(150_001);
});
