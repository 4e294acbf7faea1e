/** Dirty files of ten kinds: a check finds and repairs their problems, and good rows remain unchanged. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ModelFacts, readModelFacts } from '../../electron/shared/upload-columns.ts';
import type { ColumnPlan, ProblemGroup, Repair } from '../../electron/shared/upload-model.ts';
import { RowValidator } from '../../electron/uploads/validate/validate.ts';

const COLUMNS: ColumnPlan[] = [
  { source: 'age', target: 'age', type: 'int' },
  { source: 'balance', target: 'balance', type: 'float' },
  { source: 'country', target: 'country', type: 'category' },
  { source: 'active', target: 'active', type: 'bool' },
  { source: 'at', target: 'at', type: 'timestamp' },
];
const MODEL: ModelFacts | null = readModelFacts({
  schema: {
    columns: [
      { name: 'age', data_type: 'int', min: 18, max: 100 },
      { name: 'balance', data_type: 'float' },
      { name: 'country', data_type: 'category', categories: ['France', 'Germany', 'Spain'] },
      { name: 'active', data_type: 'bool' },
      { name: 'at', data_type: 'timestamp' },
    ],
  },
});
const GOOD = ['35', '83807.86', 'France', 'true', '2026-03-12 14:00:00'] as const;
type Cells = readonly string[];
const row = (column: number, text: string): Cells => GOOD.map((cell, at) => (at === column ? text : cell));

function check(rows: readonly Cells[], repairs: Repair[]) {
  const validator = new RowValidator(
    {
      dialect: {
        format: 'csv',
        encoding: 'utf-8',
        delimiter: ',',
        quote: '"',
        hasHeader: true,
        nullWords: [],
      },
      columns: COLUMNS,
      repairs,
      mode: 'publish',
    },
    COLUMNS.map(({ source }) => source),
    MODEL,
  );
  const checked = rows.map((cells, index) =>
    validator.check({
      ...{ row: index + 1, line: index + 2, nextLine: index + 3, byteStart: 0, byteEnd: 0 },
      ...{ cells: [...cells], record: null, problem: null, excerpt: '' },
    }),
  );
  return { checked, problems: validator.problems() };
}
const accepted = (problems: readonly ProblemGroup[]): Repair[] =>
  problems.flatMap(({ source, problem, proposed }) =>
    proposed === null ? [] : [{ source, problem, kind: proposed }],
  );

/** Column, dirty value, and the value that is sent instead. */
const DIRTY: [string, number, [string, string][]][] = [
  [
    'decimal comma',
    1,
    [
      ['83.807,86', '83807.86'],
      ['0,00', '0.00'],
      ['1,234', '1.234'],
      ['159 660,8', '159660.8'],
    ],
  ],
  [
    'thousands separators',
    1,
    [
      ['112,542.58', '112542.58'],
      ['1,234,567', '1234567'],
      ['112 542.5', '112542.5'],
      ['1,234', '1234'],
    ],
  ],
  [
    'quotes',
    1,
    [
      ['"12.5"', '12.5'],
      ['\u200b7', '7'],
    ],
  ],
  [
    'currencies',
    1,
    [
      ['€ 12', '12'],
      ['1,200 EUR', '1200'],
      ['-12.50 €', '-12.50'],
      ['€-7', '-7'],
    ],
  ],
  [
    'numbers in parentheses',
    1,
    [
      ['(50.00)', '-50.00'],
      ['($1,200)', '-1200'],
      ['$(3.5)', '-3.5'],
      ['(7)', '-7'],
    ],
  ],
  [
    'null words',
    0,
    [
      ['n/a', 'null'],
      ['-', 'null'],
      ['NULL', 'null'],
      ['none', 'null'],
    ],
  ],
  [
    'spelling of categories',
    2,
    [
      ['franc', '"France"'],
      ['SPAIN', '"Spain"'],
      ['Germny', '"Germany"'],
      [' germany.', '"Germany"'],
    ],
  ],
  [
    'words for true and false',
    3,
    [
      ['ja', 'true'],
      ['nein', 'false'],
      ['x', 'true'],
      ['Non', 'false'],
      ['J', 'true'],
      ['Да', 'true'],
      ['нет', 'false'],
      ['sim', 'true'],
      ['-1', 'true'],
    ],
  ],
  [
    'day first',
    4,
    [
      ['13.02.2026', '"2026-02-13"'],
      ['01.02.2026 10:30', '"2026-02-01 10:30:00"'],
      ['3.4.26', '"2026-04-03"'],
      ['31.12.2025', '"2025-12-31"'],
    ],
  ],
];

describe('repairs of values', () => {
  test('a value out of range is sent as it is: no repair is proposed, null can be chosen', () => {
    const { problems } = check([row(0, '412'), [...GOOD]], []);
    expect(problems).toMatchObject([
      { problem: 'out-of-range', isSent: true, proposed: null, options: ['null'] },
    ]);
  });

  test.each(DIRTY)(
    '%s: repaired in at most three actions, and no good row is changed',
    (_kind, column, values) => {
      const rows = Array.from({ length: 60 }, (_value, index) =>
        index % 3 === 0 ? row(column, values[(index / 3) % values.length]?.[0] ?? '') : [...GOOD],
      );
      const before = check(rows, []);
      expect(before.problems.reduce((sum, group) => sum + group.rows, 0)).toBe(20);
      const acts = accepted(before.problems);
      expect(acts.length).toBeLessThanOrEqual(3);
      const after = check(rows, acts);
      const target = COLUMNS[column]?.target ?? '';
      for (const [index, result] of after.checked.entries()) {
        const [, value = ''] = values[(index / 3) % values.length] ?? [];
        if (index % 3 !== 0) expect(result).toEqual(before.checked[index]);
        else
          expect(result).toMatchObject({
            isRepaired: true,
            json: expect.stringContaining(`"${target}":${value}`),
          });
      }
      expect(after.problems.every(({ rows: all, repaired }) => all === repaired)).toBe(true);
    },
  );

  test('an ambiguous value is left to the user', () => {
    const [comma] = check([row(1, '1,234'), row(1, '2,500')], []).problems;
    expect(comma).toMatchObject({
      problem: 'comma',
      proposed: null,
      options: ['decimal-comma', 'thousands', 'null'],
    });
    expect(comma?.examples[0]?.after).toEqual({ 'decimal-comma': '1.234', thousands: '1234', null: null });
    const [dates] = check([row(4, '03-04-2026')], []).problems;
    expect(dates).toMatchObject({ problem: 'day-first', proposed: null });
    // 3/4/2026 is read as March 4, but other dates in the column may have the other order.
    const mixed = check([row(4, '3/4/2026'), row(4, '25/12/2025')], []).problems;
    expect(mixed).toMatchObject([
      { problem: 'day-first', proposed: null, note: expect.stringContaining('month/day/year') },
    ]);
    expect(check([row(2, 'Fr'), row(2, 'Frnace, ES')], []).problems).toMatchObject([
      { problem: 'other', proposed: null },
    ]);
  });

  test('several currencies and percentages are left to the user', () => {
    const [money] = check([row(1, '12 €'), row(1, '$12'), row(1, 'EUR 3')], []).problems;
    expect(money).toMatchObject({
      ...{ problem: 'currency', proposed: null, options: ['currency', 'null'] },
      note: 'The amounts are in several currencies: EUR, $. Check them first.',
    });
    const [percent] = check([row(1, '5%'), row(1, '12.5 %')], []).problems;
    expect(percent).toMatchObject({
      ...{ problem: 'percent', proposed: null, options: ['percent', 'percent-share', 'null'] },
      examples: [
        { before: '5%', after: { percent: '5', 'percent-share': '0.05', null: null } },
        { before: '12.5 %', after: { percent: '12.5', 'percent-share': '0.125', null: null } },
      ],
    });
    // It is not yet decided how the column is read.
    expect(check([row(1, '12,5 %')], []).problems[0]?.examples[0]?.after).toMatchObject({ percent: '12.5' });
    const shared = check([row(1, '5%')], [{ source: 'balance', problem: 'percent', kind: 'percent-share' }]);
    expect(shared.checked[0]).toMatchObject({ json: expect.stringContaining('"balance":0.05') });
  });

  test('a code that is not a currency, and contradictory marks, are not removed', () => {
    for (const text of ['12 KGB', 'abc 12', '-(5)', '(-5)', '5% €', '((5))', '$', '()', '%', '€ 12 €'])
      expect(check([row(1, text)], []).problems).toMatchObject([{ problem: 'other' }]);
  });

  test('an integer is never a decimal', () => {
    expect(check([row(0, '1,234')], []).problems).toMatchObject([
      { problem: 'thousands', proposed: 'thousands' },
    ]);
  });

  test('rows without problems are unchanged by every repair', () => {
    const all = DIRTY.flatMap(([, column, values]) =>
      accepted(
        check(
          values.map(([text]) => row(column, text)),
          [],
        ).problems,
      ),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 18, max: 100 }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom('France', 'Germany', 'Spain', ''),
        fc.constantFrom('yes', 'no', 'T', '0', ''),
        fc.date({ noInvalidDate: true, min: new Date('1970-01-02'), max: new Date('2099-01-01') }),
        (age, balance, country, active, at) => {
          const cells = [String(age), String(balance), country, active, at.toISOString()];
          expect(check([cells], all).checked).toEqual(check([cells], []).checked);
        },
      ),
    );
  });
});
