/** The same filter grammar is used for stored rows in main and for the rows of a view. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MAX_TYPED_CHARS } from '../../electron/shared/fold.ts';
import { rowWindow } from '../../electron/shared/model.ts';
import type { WordTable } from '../../electron/shared/shown-words.ts';
import {
  createMatcher,
  MAX_VALUE_CHARS,
  shownTextOf,
  VALUE_SEPARATOR,
} from '../../electron/shared/text-filter.ts';
import { filterRows } from '../../renderer/state/filter-rows.ts';
import { neverHangs } from '../helpers/never-hangs.ts';

const fits = (typed: string, ...values: unknown[]) =>
  createMatcher(typed)(shownTextOf(Object.fromEntries(values.map((value, at) => [`field${at}`, value]))));
const rejection = (typed: string): string => {
  try {
    createMatcher(typed);
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : '';
  }
  return '';
};

describe('typed filters', () => {
  test.each<[string, unknown, boolean]>([
    ['refund', 'App.REFUND.amount', true],
    ['a.b', 'axb', false],
    ['über', 'U\u0308BER', true],
    ['/', 'a/b', true],
    ['//', 'a//b', true],
    ['/refund/', 'App.REFUND', false],
    ['/refund/i', 'App.REFUND', true],
    ['/^b$/', 'a\nb', false],
    ['/^b$/m', 'a\nb', true],
    ['/a.b/', 'a\nb', false],
    ['/a.b/s', 'a\nb', true],
    ['/\\p{Lu}\\u00e9/u', 'Xé', true],
    ['/(?<year>\\d{4})\\/\\d\\d/', 'on 2026/03', true],
    ['/^12$/', 12, true],
    ['/"a":1/', { a: 1 }, true],
    ['null', null, false],
    ['failed', 'ERROR', false],
    ['binary class', 'BINARY_CLASSIFICATION', false],
  ])('%s against %j: %j', (typed, value, isFound) => {
    expect(fits(typed, value)).toBe(isFound);
  });

  test.each<[WordTable, string, unknown, boolean]>([
    ['span-states', 'ERROR', 'ERROR', true],
    ['span-states', 'failed', 'ERROR', true],
    ['span-states', 'no status', 'UNSET', true],
    ['span-states', 'failed', 'an ERROR in the log', false],
    ['span-states', 'failed', { error: '' }, false],
    ['span-states', 'failed', 'FAILURE', false],
    ['span-states', 'time out', 'TIME_OUT', false],
    ['task-states', 'Fail', 'FAILURE', true],
    ['task-states', 'done', 'SUCCESS', true],
    ['constants', 'done', 'SUCCESS', false],
    ['constants', 'pre-production', 'PRE_PRODUCTION', true],
    ['constants', 'binary class', 'BINARY_CLASSIFICATION', true],
    ['constants', 'binary class', 'binary_classification', true],
    ['constants', 'org admin', { role: 'ORG_ADMIN' }, true],
    ['constants', 'binary class', 'BINARY_CLASSIFICATION is a task', false],
    ['constants', 'support bot', 'support_bot', false],
  ])('rows that show words of %s, %s against %j: %j', (table, typed, value, isFound) => {
    expect(createMatcher(typed, [table])(shownTextOf({ value }))).toBe(isFound);
  });

  test('no match crosses from one value to the next, and each value has its own start and end', () => {
    expect(fits('ab', 'a', 'b')).toBe(false);
    expect(fits('/a.b/s', 'a', 'b')).toBe(false);
    expect(fits('/^b$/', 'a', 'b')).toBe(true);
    expect(shownTextOf({ a: 'x', b: 2 })).toBe(`x${VALUE_SEPARATOR}2`);
  });

  test('expressions with catastrophic backtracking elsewhere finish', () => {
    const text = `${'a'.repeat(MAX_VALUE_CHARS - 1)}!`;
    for (const typed of ['/^(a+)+$/', '/^(a|aa)+$/', '/(.*a){20}x$/', '/^(a|a?)+$/'])
      expect(
        neverHangs(() => fits(typed, text)),
        typed,
      ).toBe(false);
  });

  test('an expression searches the start of a long value, a text all of it', () => {
    const long = `${'-'.repeat(MAX_VALUE_CHARS)}end`;
    expect([fits('/end/', long), fits('end', long)]).toEqual([false, true]);
  });

  test('an invalid filter is reported with position and reason', () => {
    expect(rejection('/user(a/')).toBe(
      'The regular expression is not valid: a closing ) is missing, at character 5: (a.',
    );
    expect(rejection('/ab[cd/')).toMatch(/a closing \] is missing, at character 3: \[cd/);
    expect(rejection('/x*+*a/')).not.toBe('');
    expect(rejection('/*a/')).toMatch(/nothing stands before a repetition, at character 1/);
    expect(rejection('/(?=a)/')).toMatch(/look-ahead/);
    expect(rejection('/(a)\\1/')).toMatch(/back references/);
    expect(rejection('/a/g')).toMatch(/flags "g". Expected some of i, m, s, u/);
    expect(rejection('/(abc){900}/')).toMatch(/repeats too much/);
    expect(rejection(`/${'\\pL{90}'.repeat(60)}/`)).toMatch(/repeats too much/);
  });

  test('the maximum length sent to main is the one accepted here', () => {
    const window = { offset: 0, limit: 1, sort: null };
    const longest = 'a'.repeat(MAX_TYPED_CHARS);
    expect(rowWindow.safeParse({ ...window, narrow: longest }).success).toBe(true);
    expect(rowWindow.safeParse({ ...window, narrow: `${longest}a` }).success).toBe(false);
    expect(rejection(longest)).toBe('');
    expect(rejection(`${longest}a`)).toMatch(/got 501/);
  });
});

describe('loaded rows', () => {
  // Time stands still unless a test advances it, as on a busy computer a time slice may end after any row.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
  afterEach(() => vi.useRealTimers());
  const left = (rows: readonly Record<string, unknown>[], typed: string) => {
    const found: (readonly unknown[])[] = [];
    filterRows(rows, typed, (each) => found.push(each.map(({ name }) => name)));
    return found;
  };

  test('accept the same words as stored lists', () => {
    const rows = [{ name: 'b', n: 10 }, { name: 'A', n: 9 }, { name: 'c' }];
    expect(left(rows, 'a')).toEqual([['A']]);
    expect(left(rows, '/^[abc]$/')).toEqual([['b', 'c']]);
    expect(left(rows, '/^[abc]$/i')).toEqual([['b', 'A', 'c']]);
    expect(left([], 'a')).toEqual([[]]);
    const columns = [{ name: 'a', type: 'NOT_SET' }, { name: 'b', type: 'SUCCESS' }, { name: 'c' }];
    expect(['not set', 'NOT_SET', 'done'].map((typed) => left(columns, typed))).toEqual([
      [['a']],
      [['a']],
      [[]],
    ]);
    expect(() => left(rows, '/(/')).toThrow(/a closing \) is missing/);
  });

  test('are filtered in pieces, and a newer filter cancels an older one', () => {
    const rows = Array.from({ length: 40 }, (_, at) => ({
      get name() {
        vi.advanceTimersByTime(1);
        return `name ${at}`;
      },
    }));
    const done = vi.fn();
    const end = filterRows(rows, '/name 3/', done);
    expect(done).not.toHaveBeenCalled();
    expect(vi.getTimerCount()).toBe(1);
    end();
    expect(vi.getTimerCount()).toBe(0);
    filterRows(rows, '/name 1$/', done);
    vi.runAllTimers();
    expect(done.mock.calls).toEqual([[[rows[1]]]]);
  });
});
