/**
 * Numbers in digits of other scripts, with underscores, or with dashes for decimals are read and reported. A text that
 * is not a number has a reason that says what it is.
 */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kindOf } from '../../electron/uploads/sniff/infer-types.ts';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import { readNumber } from '../../electron/uploads/validate/number-reading.ts';
import { asciiDigits } from '../../electron/uploads/validate/script-digits.ts';
import { createConverter, isBad } from '../../electron/uploads/validate/values.ts';
import { checkedFile } from '../helpers/checked-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';

let folder: DataFolder;
beforeAll(() => {
  folder = new DataFolder();
});
afterAll(() => folder[Symbol.dispose]());

type Repairs = NonNullable<Parameters<typeof checkedFile>[2]>['repairs'];

/** The numbers that are sent, how often each rule applied, the reasons of bad rows, and the number of questions. */
async function read(texts: readonly string[], { type = 'float', repairs = [] as Repairs } = {}) {
  const rows = texts.map((text, at) => `${at};"${text}"\n`).join('');
  const found = await checkedFile(folder.file('n.csv'), `id;v\n${rows}`, {
    model: { columns: { id: 'str', v: type } },
    dialect: { delimiter: ';' },
    ...(repairs === undefined ? {} : { repairs }),
  });
  return {
    sent: found.events.map(({ v }) => v),
    rules: Object.fromEntries(found.ledger.changes.map(({ rule, count }) => [rule, count])),
    reasons: found.bad.map(({ reason }) => reason),
    questions: found.questions.length,
  };
}

/** Numbering systems with ten digits, as the others write numbers as words or letters. */
const systems = Intl.supportedValuesOf('numberingSystem').filter((system) =>
  /^\p{Nd}$/u.test(new Intl.NumberFormat('en', { numberingSystem: system }).format(7)),
);

describe('digits of other scripts', () => {
  test('every digit of every script has its value', () => {
    for (const system of systems) {
      const digits = new Intl.NumberFormat('en', { numberingSystem: system, useGrouping: false });
      expect(asciiDigits(digits.format(1_234_567_890)), system).toBe('1234567890');
    }
    expect(systems.length).toBeGreaterThan(60);
  });

  test('numbers as many locales write them have the value that was formatted', () => {
    const locales = ['ar-EG', 'fa-IR', 'hi-IN', 'my-MM', 'ne-NP', 'bn-BD', 'en-US', 'de-CH'];
    fc.assert(
      fc.property(
        fc.constantFrom(...locales),
        fc.constantFrom(undefined, ...systems),
        fc.integer({ min: -99_999_999, max: 99_999_999 }),
        (locale, numberingSystem, hundredths) => {
          const options = { ...(numberingSystem === undefined ? {} : { numberingSystem }) };
          const format = new Intl.NumberFormat(locale, { ...options, minimumFractionDigits: 2 });
          // Marks for the direction of writing are not part of a number.
          const text = format.format(hundredths / 100).replaceAll(/[\u200e\u200f\u061c]/g, '');
          expect(Number(readNumber(text, 'point')?.text)).toBe(hundredths / 100);
        },
      ),
    );
  });

  test('are named by a rule, with the marks of prices and percentages too', async () => {
    expect(await read(['１２３', '１，２３４．５', '٣٫٥', '١٬٢٣٤٫٥', '१२३'])).toEqual({
      sent: [123, 1234.5, 3.5, 1234.5, 123],
      rules: { 'script-digits': 5, thousands: 2 },
      reasons: [],
      questions: 0,
    });
    const repairs: Repairs = [
      { source: 'v', problem: 'currency', kind: 'currency' },
      { source: 'v', problem: 'percent', kind: 'percent' },
    ];
    expect(await read(['￥１２', '１２％', '٥٪'], { repairs })).toMatchObject({
      sent: [12, 12, 5],
      rules: { 'script-digits': 3, currency: 1, percent: 2 },
    });
  });

  test('have the inferred type in files without a model, and the value of that type', async () => {
    const convertedAs = (type: 'int' | 'float' | 'decimal', text: string) =>
      createConverter({
        ...{ type, nullWords: [], categories: null, dimensions: null, timeFormat: null },
      }).fromText(text);
    const kinds = ['١٢٫٥', '٢٫٢٥', '-٠٫٥', '۱۲٫۵', '١٢', '１２．５', '−１２', '٣٫١٤١٥٩٢٦٥٣٥٨٩٧٩٣٢٣٢٣٨'].map(
      (text) => {
        const kind = kindOf(text);
        return kind === 'int' || kind === 'float' || kind === 'decimal' ? convertedAs(kind, text) : kind;
      },
    );
    expect(kinds).toEqual(['12.5', '2.25', '-0.5', '12.5', '12', '12.5', '-12', '3.14159265358979323238']);
    expect(convertedAs('float', '١٬٢٣٤٫٥')).toBe('1234.5');
    expect(convertedAs('int', '١٬٢٣٤')).toBe('1234');
    expect(isBad(convertedAs('float', '١٬٢٫٥'))).toBe(true);
    expect(isBad(convertedAs('float', '٠٫'.repeat(2)))).toBe(true);
  });

  test('make no list and no boolean of a text', () => {
    expect(['［１］', '[１]', 'ｔｒｕｅ', '｛"a": 1}', '٠٠٧'].map(kindOf)).toEqual(
      Array.from({ length: 5 }, () => 'text'),
    );
    expect(['[1]', 'true', '{"a": 1}'].map(kindOf)).toEqual(['vector', 'bool', 'json']);
  });

  test('do not hide that a separator has two meanings', async () => {
    expect(await read(['１，２３４', '５，６７８'])).toMatchObject({ questions: 1 });
    expect(await read(['١٬٢٣٤'])).toMatchObject({ questions: 0, sent: [1234] });
  });
});

test('an underscore separates thousands, and nothing else', async () => {
  expect(await read(['1_000', '1_000_000.5', '1_0', '_1', '1_000_'])).toMatchObject({
    sent: [1000, 1_000_000.5],
    rules: { thousands: 2 },
    reasons: ['Expected a number.', 'Expected a number.', 'Expected a number.'],
  });
});

describe('a dash in the place of decimals', () => {
  test('is zero, and shows which sign separates decimals', async () => {
    expect(await read(['5,-', '12,--', '1.000,\u2014', '7,50', '1.234'])).toMatchObject({
      sent: [5, 12, 1000, 7.5, 1234],
      rules: { 'dash-decimals': 3, thousands: 2, 'decimal-comma': 1 },
      questions: 0,
    });
    expect(await read(["1'000.-", '7.5'])).toMatchObject({ sent: [1000, 7.5] });
    expect(await read(['5,-', '7.5'])).toMatchObject({ questions: 1 });
  });

  test('may have a currency', async () => {
    const repairs: Repairs = [{ source: 'v', problem: 'currency', kind: 'currency' }];
    expect(await read(['CHF 5.-', '12.\u2013 Fr.', '7.5'], { repairs })).toMatchObject({
      sent: [5, 12, 7.5],
      rules: { 'dash-decimals': 2, currency: 2 },
    });
  });

  test('needs digits before it', async () => {
    expect(await read(['7,5', ',-', '5,---'])).toMatchObject({ sent: [7.5] });
  });
});

test('a dash beside a currency, as sheets show it in the format of accounting, is not a value like a dash alone', async () => {
  const model = { columns: { id: 'str', amount: 'float', note: 'str' }, id: 'id' };
  const check = (rows: readonly string[], readings = {}) =>
    checkedFile(folder.file('a.csv'), `id,amount,note\n${rows.join('\n')}\n`, { model, readings });
  const dashes = ['$ -', '-   €', '€ –', 'EUR -', '-'];
  const rows = [...dashes.map((dash, at) => `d${at}," ${dash} ",x`), 'n,"1,234.50","$ -"', 'm,-5,x'];
  const { events, bad, ledger } = await check(rows);
  expect(bad).toEqual([]);
  expect(events.map(({ amount }) => amount)).toEqual([null, null, null, null, null, 1234.5, -5]);
  expect(events.at(-2)).toMatchObject({ note: '$ -' });
  expect(ledger.changes).toContainEqual(
    expect.objectContaining({ rule: 'null-word', source: 'amount', count: 5 }),
  );
  const others = ['$', 'x -', '$ - -', '- USD 5 -', '-$-'];
  expect((await check(others.map((text, at) => `${at},${text},x`))).bad).toHaveLength(others.length);
  // The user may enter other words for "no value", but a dash alone does not count as one.
  expect((await check(['a,$ -,x', 'b,1,x'], { amount: { nulls: ['NA'] } })).bad).toHaveLength(1);
});

test('a text that is not a number gets a reason that says what it is', async () => {
  const texts = [
    '0x1F',
    '1/2',
    '3½',
    '12:30',
    '5‰',
    '5 kg',
    '3k',
    '1.5 - 2',
    '<5',
    '∞',
    '5%',
    'EUR 5',
    'five',
  ];
  const { reasons } = await read([...texts, '1.5']);
  expect(reasons.map((reason) => reason.replace(/^Expected a number(?: alone)?(?:, got )?/, ''))).toEqual([
    ' in decimal digits, got one in hexadecimal, octal or binary digits. Convert it first.',
    'a fraction. Write it with decimals.',
    'a fraction. Write it with decimals.',
    'a time of day or a duration. Convert it to one.',
    'one in thousandths. Write the number without the sign.',
    'one with letters behind it. If they are a unit or a factor such as k or M, write the number without them.',
    'one with letters behind it. If they are a unit or a factor such as k or M, write the number without them.',
    'a range of two. Choose one of them.',
    'one with a sign of comparison before it. Write the number without the sign.',
    'infinity, which JSON cannot hold. Replace it, or read it as no value.',
    'one with a percent sign. A repair can send it.',
    'one with a currency. A repair can send it.',
    '.',
  ]);
  expect((await read(['5 kg', '7'], { type: 'int' })).reasons).toEqual([
    'Expected a whole number alone, got one with letters behind it. If they are a unit or a factor such as k or M, write the number without them.',
  ]);
});

test('a whole number with an exponent is refused, because a spreadsheet may have rounded it', async () => {
  const { reasons } = await read(['1E+05', '7'], { type: 'int' });
  expect(reasons).toEqual([
    'Expected a whole number with all of its digits, got one with an exponent, which may have lost some.',
  ]);
});

test('blanks around every text of a column are named in the preview, because they are sent', async () => {
  const path = folder.file('padded.txt');
  writeFileSync(path, 'id | v | note\na | 1 | x\nb | 2 | y\n');
  const { notes } = await inspectFile({ path, fileId: 'f', override: null, seed: 0.5 });
  expect(notes.join(' ')).toContain('every value of “id”, “note” begins or ends with one');
  writeFileSync(path, 'id,note\na,x\nb, y\n');
  const { notes: others } = await inspectFile({ path, fileId: 'f', override: null, seed: 0.5 });
  expect(others.join(' ')).not.toContain('Blanks');
});
