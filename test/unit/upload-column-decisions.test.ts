/**
 * Each column is read in one way, which all of its values decide. Changes are reported and counted, and ambiguous
 * values cause a question.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RepairKind } from '../../electron/shared/repair-options.ts';
import type { Repair, Replacement } from '../../electron/shared/upload-model.ts';
import { checkedFile } from '../helpers/checked-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

const MODEL = {
  columns: { id: 'str', at: 'timestamp', amount: 'float', count: 'int', country: 'category', note: 'str' },
  id: 'id',
  time: 'at',
};
const check = (name: string, content: string, more: Parameters<typeof checkedFile>[2] = {}) =>
  checkedFile(folder.file(name), content, { model: MODEL, ...more });
const csv = (header: string, rows: readonly string[]): string => `${[header, ...rows].join('\n')}\n`;
/** Rows that decide nothing, more of them than the first scan reads. */
const plainRows = (count: number, cells: string): string[] =>
  Array.from({ length: count }, (_each, at) => `T${at},${cells}`);

describe('null words', () => {
  test('belong to the column in which they are found; texts keep their words', async () => {
    const rows = ['a,NA,NA,none', 'b,1.5,DE,null', 'c,2,NA,nan'];
    const { events, ledger } = await check('a.csv', csv('id,amount,country,note', rows));
    expect(events).toEqual([
      { id: 'a', amount: null, country: 'NA', note: 'none' },
      { id: 'b', amount: 1.5, country: 'DE', note: 'null' },
      { id: 'c', amount: 2, country: 'NA', note: 'nan' },
    ]);
    expect(ledger.changes).toEqual([
      { rule: 'null-word', source: 'amount', count: 1, examples: [{ line: 2, before: 'NA', after: null }] },
    ]);
  });

  test('are found in any row, and words of the user apply to texts too', async () => {
    const rows = [...plainRows(40_000, '1.5,x'), 'last,n/a,none'];
    const found = await check('a.csv', csv('id,amount,note', rows), {
      readings: { note: { nulls: ['none'] } },
    });
    expect(found.bad).toEqual([]);
    expect(found.passes).toBe(1);
    expect(found.events.at(-1)).toEqual({ id: 'last', amount: null, note: null });
    expect(found.columns.find(({ source }) => source === 'amount')?.reading?.nulls).toEqual(['n/a']);
    expect(found.ledger.changes.map(({ source, count }) => [source, count])).toEqual([
      ['amount', 1],
      ['note', 1],
    ]);
  });
});

test('values emptied by a repair are repaired, and do not affect the null words of their column', async () => {
  const rows = ['a,1.5', 'b,(blank)', 'c,unknown', 'd,2'];
  const repairs = [{ source: 'amount', problem: 'null-word', kind: 'null-word' }] as const;
  const found = await check('a.csv', csv('id,amount', rows), { repairs: [...repairs] });
  expect(found.problems.map(({ problem, rows: count, repaired }) => [problem, count, repaired])).toEqual([
    ['null-word', 2, 2],
  ]);
  expect(found.passes).toBe(1);
});

describe('decimal signs of a column', () => {
  test('the ledger is the same in any order of the rows, and names a decided point only beside a comma', async () => {
    const wordsOf = async (rows: string[]) => {
      const { ledger } = await check('a.csv', csv('amount', rows));
      return ledger.decisions.map(({ words }) => words.replace(/, as in .*/, ''));
    };
    for (const rows of [
      ['1.234', '1.25'],
      ['1.25', '1.234'],
    ])
      expect(await wordsOf(rows)).toEqual([]);
    const both = ['the point separates decimals and the comma thousands'];
    for (const rows of [
      ['"1,234"', '1.25', '1.234'],
      ['1.25', '1.234', '"1,234"'],
    ])
      expect(await wordsOf(rows)).toEqual(both);
  });

  test('a decimal comma makes points thousands separators in the whole column', async () => {
    const rows = ['a;12,50', 'b;1.234,56', 'c;1.234', 'd;999', 'e;10.000', 'f;1.000.000,5'];
    const { events, ledger, questions } = await check('a.csv', csv('id;amount', rows));
    expect(events.map(({ amount }) => amount)).toEqual([12.5, 1234.56, 1234, 999, 10000, 1000000.5]);
    expect(questions).toEqual([]);
    expect(ledger.changes.map(({ rule, count }) => [rule, count])).toEqual([
      ['thousands', 4],
      ['decimal-comma', 3],
    ]);
    expect(ledger.decisions).toEqual([
      {
        source: 'amount',
        words: 'the comma separates decimals and the point thousands, as in 12,50 (line 2)',
      },
    ]);
  });

  test('the last row decides for all earlier rows, and the file is read once more', async () => {
    const rows = [...plainRows(40_000, '1.234').map((row) => row.replace(',', ';')), 'last;0,5'];
    const found = await check('a.csv', csv('id;amount', rows));
    expect(found.passes).toBe(2);
    expect(new Set(found.events.map(({ amount }) => amount))).toEqual(new Set([1234, 0.5]));
    expect(found.rows).toBe(40_001);
    expect(found.ledger.changes).toMatchObject([
      { rule: 'thousands', count: 40_000 },
      { rule: 'decimal-comma', count: 1 },
    ]);
  });

  test('a point before other than three digits decides too', async () => {
    const { events, questions, ledger } = await check(
      'a.csv',
      csv('id,amount', ['a,0.25', 'b,1.5', 'c,1.234', 'd,"1,234"', 'e,"12,345.5"']),
    );
    expect(events.map(({ amount }) => amount)).toEqual([0.25, 1.5, 1.234, 1234, 12345.5]);
    expect(questions).toEqual([]);
    expect(ledger.changes).toMatchObject([{ rule: 'thousands', count: 2 }]);
  });

  test('an undecided column causes a question, with both readings of three values', async () => {
    const rows = ['a;1.234', 'b;2.500', 'c;10.000', 'd;999'];
    const { questions } = await check('a.csv', csv('id;amount', rows));
    expect(questions).toMatchObject([
      {
        source: 'amount',
        kind: 'decimal',
        readings: [
          {
            id: 'point',
            examples: [{ before: '1.234', after: '1.234' }, { after: '2.500' }, { after: '10.000' }],
          },
          {
            id: 'comma',
            examples: [{ before: '1.234', after: '1234' }, { after: '2500' }, { after: '10000' }],
          },
        ],
      },
    ]);
    const answered = await check('a.csv', csv('id;amount', rows), {
      readings: { amount: { decimal: 'comma' } },
    });
    expect(answered.questions).toEqual([]);
    expect(answered.events.map(({ amount }) => amount)).toEqual([1234, 2500, 10000, 999]);
  });

  test('groups of two digits before the last one, as in India, are thousands', async () => {
    const rows = ['a;1,23,456.50', 'b;12,34,567', 'c;1,2,345', 'd;-1,00,000'];
    const { events, bad, ledger } = await check('a.csv', csv('id;amount', rows));
    expect(events.map(({ amount }) => amount)).toEqual([123456.5, 1234567, -100000]);
    expect(bad.map(({ value }) => value)).toEqual(['1,2,345']);
    expect(ledger.changes).toMatchObject([{ rule: 'thousands', count: 3 }]);
  });

  test('texts and integers cause no question', async () => {
    const { events, questions } = await check('a.csv', csv('id;note;count', ['a;1.234;1.234', 'b;2.500;5']));
    expect(questions).toEqual([]);
    expect(events).toEqual([
      { id: 'a', note: '1.234', count: 1234 },
      { id: 'b', note: '2.500', count: 5 },
    ]);
  });

  const amounts = (problem: 'decimal-comma' | 'currency' | 'percent', kind: RepairKind = problem) => ({
    repairs: [{ source: 'amount', problem, kind }],
  });

  test('mixed decimals cause no question once the commas are repaired, unless other values are ambiguous', async () => {
    const plain = await check('a.csv', csv('id;amount', ['a;12,5', 'b;12.5']), amounts('decimal-comma'));
    expect(plain.questions).toEqual([]);
    expect(plain.events.map(({ amount }) => amount)).toEqual([12.5, 12.5]);
    const open = csv('id;amount', ['a;12,5', 'b;12.5', 'c;1,234']);
    expect((await check('a.csv', open, amounts('decimal-comma'))).questions).toMatchObject([
      {
        kind: 'decimal',
        readings: [{ examples: [{ before: '12,5' }, { before: '12.5' }, { before: '1,234' }] }, {}],
      },
    ]);
    // Even if all of these values are repaired, they decide how the column is read.
    const commas = await check('a.csv', csv('id;amount', ['a;12,5', 'b;1.234']), amounts('decimal-comma'));
    expect(commas.questions).toEqual([]);
    expect(commas.events.map(({ amount }) => amount)).toEqual([12.5, 1234]);
  });

  test('amounts with a currency are read like the column, with a question if nothing decides', async () => {
    const rows = ['a;1.234,50 €', 'b;2.500 €', 'c;-3 €'];
    const found = await check('a.csv', csv('id;amount', rows), amounts('currency'));
    expect(found.questions).toEqual([]);
    expect(found.events.map(({ amount }) => amount)).toEqual([1234.5, 2500, -3]);
    expect(found.ledger.changes.map(({ rule, count }) => [rule, count])).toEqual([
      ['currency', 3],
      ['thousands', 2],
      ['decimal-comma', 1],
    ]);
    const open = await check('a.csv', csv('id;amount', ['a;1.234 €', 'b;€ 2.500']), amounts('currency'));
    expect(open.questions).toMatchObject([{ source: 'amount', kind: 'decimal' }]);
    const without = await check('a.csv', csv('id;amount', ['a;1.234 €', 'b;5']));
    expect([without.questions, without.bad.length]).toEqual([[], 1]);
  });

  test('percentages become numbers or shares as decided, digit for digit', async () => {
    const text = csv('id;amount', ['a;5%', 'b;12,5 %', 'c;(0,25%)', 'd;0,5']);
    const numbers = await check('a.csv', text, amounts('percent'));
    expect(numbers.events.map(({ amount }) => amount)).toEqual([5, 12.5, -0.25, 0.5]);
    const shares = await check('a.csv', text, amounts('percent', 'percent-share'));
    expect(shares.events.map(({ amount }) => amount)).toEqual([0.05, 0.125, -0.0025, 0.5]);
    expect(shares.ledger.changes.map(({ rule, count }) => [rule, count])).toEqual([
      ['percent-share', 3],
      ['decimal-comma', 3],
      ['parentheses', 1],
    ]);
  });

  test('mixed decimals cause a question', async () => {
    const { questions } = await check('a.csv', csv('id;amount', ['a;12,5', 'b;12.5']));
    expect(questions).toMatchObject([{ kind: 'decimal', reason: expect.stringContaining('after a comma') }]);
  });
});

describe('signs and gaps of numbers', () => {
  const read = async (texts: readonly string[], repairs: Repair[] = []) => {
    const rows = texts.map((text, at) => `r${at};"${text}"`).join('\n');
    const model = { columns: { id: 'str', v: 'float' } };
    const dialect = { delimiter: ';' };
    const found = await checkedFile(folder.file('n.csv'), `id;v\n${rows}\n`, { model, dialect, repairs });
    const rules = found.ledger.changes.map(({ rule, count }) => [rule, count]);
    return { sent: found.events.map(({ v }) => v), rules: Object.fromEntries(rules), bad: found.bad.length };
  };

  test('a minus may be a dash of any width, or be separated from its digits', async () => {
    const texts = [
      '\u22121,5',
      '\u20131,5',
      '\u20141,5',
      '\ufe631,5',
      '\uff0d1,5',
      '- 1,5',
      '\u2212\u00a01.234,5',
    ];
    expect(await read([...texts, '-1,5', '+ 1,5'])).toEqual({
      sent: [-1.5, -1.5, -1.5, -1.5, -1.5, -1.5, -1234.5, -1.5, 1.5],
      rules: { 'minus-sign': 7, 'decimal-comma': 9, thousands: 1, 'number-form': 1 },
      bad: 0,
    });
  });

  test('a dash alone is not a value', async () => {
    expect(await read(['1', '\u2013', '\u2014', '\u2212'])).toEqual({
      ...{ sent: [1, null, null, null], rules: { 'null-word': 3 }, bad: 0 },
    });
  });

  test('marks of the direction of a text around a number are removed by a repair', async () => {
    const marked = ['\u200e5', '\u202d6\u202c', '\u20687\u2069', '\u200f8\u200b'];
    expect(await read(marked)).toMatchObject({ bad: 4 });
    const repaired = await read(marked, [{ source: 'v', problem: 'trim', kind: 'trim' }]);
    expect(repaired).toEqual({ sent: [5, 6, 7, 8], rules: { 'repaired-text': 4 }, bad: 0 });
  });

  test('reads error cells of a spreadsheet as no value', async () => {
    const errors = ['#N/A', '#DIV/0!', '#VALUE!', '#REF!', '#NAME?', '#NUM!', '#NULL!'];
    expect(await read(['1', ...errors])).toEqual({
      ...{ sent: [1, ...errors.map(() => null)], rules: { 'null-word': errors.length }, bad: 0 },
    });
  });

  test('blanks and apostrophes of every kind separate thousands', async () => {
    const gaps = [..." \u00a0\u2007\u2008\u2009\u200a\u202f\u205f\u3000'\u2019\u00b4"];
    expect(await read(gaps.map((gap) => `12${gap}345${gap}678.5`))).toEqual({
      sent: gaps.map(() => 12_345_678.5),
      rules: { thousands: gaps.length },
      bad: 0,
    });
  });

  test('a sign after the number is moved by a repair, except in prices that end with a dash', async () => {
    const texts = ['12.5-', '1,234.50 -', '7+', '3\u2212', '5.-', '5-6'];
    expect(await read(texts)).toMatchObject({ sent: [5], bad: 5 });
    const moved = await read(texts, [{ source: 'v', problem: 'trailing-sign', kind: 'trailing-sign' }]);
    expect(moved).toEqual({
      sent: [-12.5, -1234.5, 7, -3, 5],
      rules: { 'trailing-sign': 4, thousands: 1, 'number-form': 1, 'dash-decimals': 1 },
      bad: 1,
    });
    const marked = await read(
      ['5%-', '\u22125%', '7-'],
      [{ source: 'v', problem: 'percent', kind: 'percent' }],
    );
    expect(marked).toMatchObject({
      sent: [-5, -5],
      rules: { percent: 2, 'trailing-sign': 1, 'minus-sign': 1 },
    });
  });

  test('a phone number keeps its plus if nothing shows that its column has numbers', async () => {
    const rows = 'phone,change,code\n+4915112345678,+5,007\n+14155550100,\u22122,012\n';
    const { events, columns } = await checkedFile(folder.file('p.csv'), rows);
    expect(columns.map(({ type }) => type)).toEqual(['str', 'int', 'str']);
    expect(events).toEqual([
      { phone: '+4915112345678', change: 5, code: '007' },
      { phone: '+14155550100', change: -2, code: '012' },
    ]);
  });
});

describe('order of day and month', () => {
  test('one date that must have the day first decides for the column', async () => {
    const { events, ledger, bad } = await check(
      'a.csv',
      csv('id,at', ['a,11/03/2026', 'b,03/05/2026 10:30', 'c,20/10/2025']),
    );
    expect(bad).toEqual([]);
    expect(events.map(({ at }) => at)).toEqual(['2026-03-11', '2026-05-03 10:30:00', '2025-10-20']);
    expect(ledger.changes).toMatchObject([
      { rule: 'day-first', source: 'at', count: 3 },
      { rule: 'utc', source: 'at', count: 3 },
    ]);
  });

  test('an undecided column causes a question; dates with equal parts do not', async () => {
    const { questions, ledger } = await check(
      'a.csv',
      csv('id,at', ['a,01/02/2026', 'b,03/04/2026', 'c,05/05/2026']),
    );
    expect(ledger.changes).toEqual([]);
    expect(questions).toMatchObject([
      {
        kind: 'days',
        readings: [
          { id: 'day-first', examples: [{ before: '01/02/2026', after: '2026-02-01' }, {}] },
          { id: 'month-first', examples: [{ before: '01/02/2026', after: '2026-01-02 00:00:00' }, {}] },
        ],
      },
    ]);
    const same = await check('b.csv', csv('id,at', ['a,01/01/2026', 'b,05/05/2026']));
    expect(same.questions).toEqual([]);
    const dots = await check('c.csv', csv('id,at', ['a,01.02.2026', 'b,03.04.2026']));
    expect(dots.events.map(({ at }) => at)).toEqual(['2026-02-01', '2026-04-03']);
  });
});

test('dates in both orders cause no question once dates with the day first are repaired', async () => {
  const repairs: Repair[] = [{ source: 'at', problem: 'day-first', kind: 'day-first' }];
  const rows = ['a,20/10/2025', 'b,10/21/2025'];
  const found = await check('a.csv', csv('id,at', rows), { repairs });
  expect(found.questions).toEqual([]);
  expect(found.events.map(({ at }) => at)).toEqual(['2025-10-20', '2025-10-21 00:00:00']);
  const open = await check('a.csv', csv('id,at', [...rows, 'c,01/02/2026']), { repairs });
  expect(open.questions).toMatchObject([{ source: 'at', kind: 'days' }]);
});

describe('time zones of a column', () => {
  test('times without a zone are sent unchanged, or with the chosen zone', async () => {
    const text = csv('id,at', ['a,2026-01-01 10:00:00', 'b,2026-07-01 10:00:00', 'c,2026-07-01 10:00:00Z']);
    const plain = await check('a.csv', text);
    expect(plain.events.map(({ at }) => at)).toEqual([
      '2026-01-01 10:00:00',
      '2026-07-01 10:00:00',
      '2026-07-01 10:00:00Z',
    ]);
    expect(plain.ledger).toMatchObject({
      changes: [{ rule: 'utc', source: 'at', count: 2, examples: [{ line: 2 }, { line: 3 }] }],
      decisions: [],
    });
    const zoned = await check('a.csv', text, { readings: { at: { zone: 'Europe/Berlin' } } });
    expect(zoned.events.map(({ at }) => at)).toEqual([
      '2026-01-01 10:00:00+01:00',
      '2026-07-01 10:00:00+02:00',
      '2026-07-01 10:00:00Z',
    ]);
    expect(zoned.ledger.changes).toMatchObject([{ rule: 'zone', count: 2 }]);
    // A time that occurs again is counted each time.
    const same = await check(
      'b.csv',
      csv(
        'id,at',
        Array.from({ length: 500 }, (_each, at) => `T${at},2026-01-01`),
      ),
    );
    expect(same.ledger.changes).toMatchObject([{ rule: 'utc', source: 'at', count: 500 }]);
    expect(same.ledger.changes[0]?.examples).toHaveLength(3);
  });
});

test('days of a spreadsheet are times in the chosen zone', async () => {
  const readings = { at: { unit: 'excel', zone: 'Europe/Berlin' } } as const;
  const { events, ledger } = await check('a.csv', csv('id,at', ['a,46023.5']), { readings });
  expect(events).toEqual([{ id: 'a', at: '2026-01-01 12:00:00+01:00' }]);
  expect(ledger.changes.map(({ rule }) => rule)).toEqual(['excel-serial', 'zone']);
});

test('rows that other quotes would repair offer these quotes', async () => {
  const rows = [...plainRows(20, '1,plain'), "a,1,'x, y'", "b,2,'z, w'"];
  const dialect = { delimiter: ',', quote: '"', hasHeader: true } as const;
  const found = await check('a.csv', csv('id,amount,note', rows), { dialect });
  expect(found.otherReading).toEqual({ quote: "'", escape: null, rows: 2, of: 2, line: 22 });
  const other = await check('a.csv', csv('id,amount,note', rows), { dialect: { ...dialect, quote: "'" } });
  expect(other.otherReading).toBeNull();
  expect(other.events.slice(-2).map(({ note }) => note)).toEqual(['x, y', 'z, w']);
});

describe('repairs that change nothing', () => {
  const repaired = async (repairs: Repair[], replacements: Replacement[] = []) => {
    const model = { columns: { id: 'str', a: 'float', b: 'float' } };
    const rows = 'id,a,b,other\nx,5%,1,2%\ny,6,7,3%\n';
    const found = await checkedFile(folder.file('idle.csv'), rows, { model, repairs, replacements });
    return found.notes.filter((note) => /nothing|no value/.test(note));
  };
  const of = (source: string, kind: 'percent' | 'trim'): Repair => ({ source, kind, problem: kind });

  test('are named with their columns', async () => {
    expect(await repaired([of('a', 'percent'), of('b', 'percent'), of('other', 'percent')])).toEqual([
      'b: the repair “percent” changed no value there.',
      'other: left out, so the repair “percent” changes nothing.',
    ]);
    const replaced = { source: 'other', value: '2%', with: '2' };
    expect(await repaired([of('a', 'percent')], [replaced])).toEqual([
      'other: left out, so nothing was replaced there.',
    ]);
  });

  test('are named once if they were chosen for every column', async () => {
    const all = ['id', 'a', 'b', 'other'];
    expect(await repaired(all.map((source) => of(source, 'percent')))).toEqual([]);
    expect(await repaired(all.map((source) => of(source, 'trim')))).toEqual([
      'The repair “trim” changed no value of any column.',
    ]);
  });
});

describe('keys of JSON', () => {
  const late = [
    ...Array.from({ length: 4_000 }, (_each, at) => ({ id: `T${at}`, amount: 1.5 })),
    { id: 'last', amount: 2, note: 'late', other: 1 },
  ];
  const jsonl = late.map((each) => `${JSON.stringify(each)}\n`).join('');

  test('a key that first occurs in the last row is a column like any other', async () => {
    const { events, ledger, columns } = await check('a.jsonl', jsonl);
    expect(events.at(-1)).toEqual({ id: 'last', amount: 2, note: 'late' });
    expect(columns.at(-1)).toMatchObject({ source: 'note', target: 'note', type: 'str' });
    expect(ledger.leftOut).toEqual([
      { kind: 'key', name: 'other', count: 1, line: 4_001, reason: 'the model has no such column' },
    ]);
  });

  test('is proposed if the plan does not include new keys, and named with its number', async () => {
    const { events, ledger, proposed } = await check('a.jsonl', jsonl, { takesNewKeys: false });
    expect(events.at(-1)).toEqual({ id: 'last', amount: 2 });
    expect(proposed).toMatchObject([{ source: 'note', target: 'note' }]);
    expect(ledger.leftOut.map(({ name, count }) => [name, count])).toEqual([
      ['note', 1],
      ['other', 1],
    ]);
  });

  test('NaN and Infinity are missing values', async () => {
    const text =
      '{"id":"a","amount":NaN}\n{"id":"b","amount":-Infinity,"note":"NaN"}\n{"id":"c","amount":1}\n';
    const { events, ledger, bad } = await check('a.jsonl', text);
    expect(bad).toEqual([]);
    expect(events).toEqual([
      { id: 'a', amount: null },
      { id: 'b', amount: null, note: 'NaN' },
      { id: 'c', amount: 1 },
    ]);
    expect(ledger.changes).toMatchObject([{ rule: 'not-finite', source: 'amount', count: 2 }]);
  });
});

test('columns that are not sent are named with the number of their values', async () => {
  const { ledger } = await check('a.csv', csv('id,extra,amount', ['a,x,1', 'b,,2', 'c,y,z']));
  expect(ledger.leftOut).toEqual([
    {
      ...{ kind: 'row', name: '', count: 1, line: 4 },
      reason: 'they cannot be sent as they are, such as the first: amount “z”: Expected a number',
    },
    { kind: 'column', name: 'extra', count: 2, line: 2, reason: 'the model has no such column' },
  ]);
});

test('values of a row that is not sent do not count as changed', async () => {
  const { ledger } = await check(
    'a.csv',
    csv('id,count,amount', ['a,007,x', 'b,008,1', 'c,009,y', 'd,010,2']),
  );
  expect(ledger.changes).toMatchObject([
    { rule: 'number-form', source: 'count', count: 2, examples: [{ line: 3 }, { line: 5 }] },
  ]);
});
