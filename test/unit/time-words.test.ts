/** Times that contain words, with their parts in any order and in many languages, are read correctly or refused. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { kindOf } from '../../electron/uploads/sniff/infer-types.ts';
import { dateOrder, readTime } from '../../electron/uploads/validate/timestamps.ts';
import { runs } from '../helpers/runs.ts';

type Reading = Parameters<typeof readTime>[1];

/** Returns the time that is sent for a text, or the reason why the text is refused. */
const sent = (text: string, reading?: Reading): string => {
  const time = readTime(text, reading);
  return typeof time === 'string' ? time : String(JSON.parse(time.json));
};
const rules = (text: string, reading?: Reading): readonly string[] => {
  const time = readTime(text, reading);
  return typeof time === 'string' ? [] : time.rules;
};
const momentOf = (text: string): number => Date.parse(text.replace(' ', 'T').replace(/(\d)$/, '$1'));

test.each([
  ['Fri, 27 Nov 2026 01:02:03 GMT', '2026-11-27 01:02:03Z'],
  ['Fri, 27 Nov 2026 01:02:03 +0100 (CET)', '2026-11-27 01:02:03+0100'],
  ['27 Nov 2026 01:02 UTC', '2026-11-27 01:02:00Z'],
  ['27 Nov 2026 01:02 GMT+1', '2026-11-27 01:02:00+01:00'],
  ['Fri Nov 27 01:02:03 2026', '2026-11-27 01:02:03'],
  ['Fri Nov 27 01:02:03 UTC 2026', '2026-11-27 01:02:03Z'],
  ['Fri Nov 27 2026 01:02:03 GMT+0100 (Central European Standard Time)', '2026-11-27 01:02:03+0100'],
  ['Friday, 27-Nov-26 01:02:03 GMT', '2026-11-27 01:02:03Z'],
  ['27/Nov/2026:01:02:03 +0000', '2026-11-27 01:02:03+0000'],
  ['27NOV2026:01:02:03', '2026-11-27 01:02:03'],
  ['Nov 27, 2026 at 1:02 PM', '2026-11-27 13:02:00'],
  ['1:02 p.m. 27th Nov 2026', '2026-11-27 13:02:00'],
  ['2026-Nov-27', '2026-11-27'],
  ['27 de noviembre de 2026', '2026-11-27'],
  ['27 mrz 2026', '2026-03-27'],
])('%s is %s, by the rule of month names', (text, time) => {
  expect(sent(text)).toBe(time);
  expect(rules(text)).toContain('month-name');
});

test.each([
  ['Fri 2026-11-27', '2026-11-27', 'time-form'],
  ['2026-11-27 at 01:02', '2026-11-27 01:02', 'time-form'],
  ['2026年11月27日 1時02分', '2026-11-27 01:02:00', 'time-form'],
  ['2026년 11월 27일', '2026-11-27', 'time-form'],
  ['2026-11-27 01:02:03 GMT+1', '2026-11-27 01:02:03+01:00', 'time-form'],
  ['2026-11-27T01:02:03+00:00 [UTC]', '2026-11-27T01:02:03+00:00', 'time-form'],
  ['２０２６-１１-２７ ０１:０２', '2026-11-27 01:02', 'script-digits'],
  ['٢٠٢٦-١١-٢٧', '2026-11-27', 'script-digits'],
])('%s is %s, by the rule %s', (text, time, rule) => {
  expect(sent(text)).toBe(time);
  expect(rules(text)).toContain(rule);
});

test.each([
  ['Sat Nov 28 13:45:00 CET 2026', '2026-11-28 13:45:00+01:00'],
  ['28 Nov 2026 13:45:00 CET', '2026-11-28 13:45:00+01:00'],
  ['28 Nov 2026 13:45 UT', '2026-11-28 13:45:00Z'],
])('%s names a zone, although its abbreviation is a weekday in another language', (text, time) => {
  expect(sent(text)).toBe(time);
});

test('such a weekday is read where no zone can be', () => {
  expect(sent('čet 26 stu 2026')).toBe('2026-11-26');
  expect(sent('Čet 26 Nov 2026 13:45')).toBe('2026-11-26 13:45:00');
});

test.each<[string, string, Reading?]>([
  ['28/11/2026 1:45 p. m.', '2026-11-28 13:45:00', { days: 'day-first' }],
  ['28/11/2026 12:45\u00a0a.\u00a0m.', '2026-11-28 00:45:00', { days: 'day-first' }],
  ['28/11/2026 1:45 μ.μ.', '2026-11-28 13:45:00', { days: 'day-first' }],
  ['2026/11/28 下午 01:45:00', '2026-11-28 13:45:00'],
  ['2026/11/28 上午12:45', '2026-11-28 00:45:00'],
  ['2026年11月28日 午後1:45', '2026-11-28 13:45:00'],
  ['2026. 11. 28. 오후 1:45:00', '2026-11-28 13:45:00'],
  ['2026. 11. 28', '2026-11-28'],
])('%s is %s, with the half of the day in another language', (text, time, reading) => {
  expect(sent(text, reading)).toBe(time);
});

describe('a change of the clocks', () => {
  const BERLIN = { zone: 'Europe/Berlin' };

  test('a time that they skip is refused, in the zone of the column and in its own', () => {
    for (const time of [
      sent('2026-03-29 02:30:00', BERLIN),
      sent('2026-03-29T02:30:00[Europe/Berlin]'),
      sent('29.3.2026 2:30', { ...BERLIN, days: 'day-first' }),
    ])
      expect(time).toContain('Expected a time that the clocks of Europe/Berlin show, got one that they skip');
    expect(sent('2026-03-29 01:59:59', BERLIN)).toBe('2026-03-29 01:59:59+01:00');
    expect(sent('2026-03-29 03:00:00', BERLIN)).toBe('2026-03-29 03:00:00+02:00');
  });

  test('a time that they show twice is the first of the two, and counted', () => {
    expect(sent('2026-10-25 02:30:00', BERLIN)).toBe('2026-10-25 02:30:00+02:00');
    expect(rules('2026-10-25 02:30:00', BERLIN)).toEqual(['zone', 'zone-twice']);
    expect(rules('2026-10-25 02:30:00 Europe/Berlin')).toContain('zone-twice');
    expect(rules('2026-10-25 03:00:00', BERLIN)).toEqual(['zone']);
    expect(rules('2026-10-25 02:30:00+01:00', BERLIN)).toEqual([]);
  });

  test('a day begins with its first moment, even if midnight is skipped or comes twice', () => {
    const saoPaulo = { zone: 'America/Sao_Paulo' };
    expect(sent('2018-11-04', saoPaulo)).toBe('2018-11-04 00:00:00-03:00');
    expect(rules('2018-02-18', saoPaulo)).toEqual(['zone']);
  });
});

describe('a number that may count something else than a time since 1970', () => {
  test.each(['639000000000000000', '134000000000000000'])(
    '%s may be ticks: refused unless chosen',
    (text) => {
      expect(sent(text)).toMatch(/steps of 100 nanoseconds.*choose nanoseconds/);
      expect(sent(text, { unit: 'ns' })).toMatch(/^19\d\d-/);
    },
  );

  test.each(['946684800000000000', '1764337500123456789', '500000000000000000'])('%s is not', (text) => {
    expect(sent(text)).toMatch(/Z$/);
  });

  test('the day that it would be in a spreadsheet is named', () => {
    expect(sent('46354.25')).toContain(
      'it is 2026-11-28 06:00:00: choose that unit for the column (--time-unit excel).',
    );
    for (const text of ['12345', '99999', '463542']) expect(sent(text)).not.toContain('spreadsheet');
  });
});

describe('a date of digits among words', () => {
  test('is evidence of the order of day and month, and read in it', () => {
    expect(dateOrder('Fr 27.11.2026')).toBe('sure-day');
    expect(dateOrder('01:02 11/27/2026')).toBe('sure-month');
    expect(sent('Fri 3/27/2026', { days: 'month-first' })).toBe('2026-03-27 00:00:00');
    expect(sent('01:02 27/11/2026', { days: 'day-first' })).toBe('2026-11-27 01:02:00');
  });

  test('stays refused if its order is not known', () => {
    expect(sent('Fr 03.04.2026')).toContain('order of day and month');
  });
});

test('a weekday of another date is refused, with the one that is right', () => {
  expect(sent('Mon, 27 Nov 2026 01:02:03 GMT')).toBe(
    'Expected the weekday of its date, Friday, got Mon. Check the date, or write it without a weekday.',
  );
  expect(sent('Mo 27.11.2026', { days: 'day-first' })).toContain('Friday, got Mo');
  expect(sent('Fri, 27 Nov 2026 24:00 GMT')).toBe('2026-11-28 00:00:00Z');
});

test('a month that another language counts differently is refused', () => {
  expect(sent('5 listopad 2026')).toContain('got “listopad”, which is a different one in several languages');
  expect(sent('5 marraskuuta 2026')).toBe('2026-11-05');
});

test.each([
  ...['27 Foo 2026', 'the 27th', 'Nov 2026', '27 Nov', '-27 Nov 2026'],
  ...[
    '27 28 Nov 2026',
    '27 Nov 2026 2027',
    '27 Nov Dec 2026',
    '27 Nov 2026 -',
    '32 Nov 2026',
    '27 Nov 20266',
  ],
  '27 Nov 2026 01:02 somewhere',
])('%s is not a time', (text) => {
  expect(sent(text)).toMatch(/^Expected/);
});

test.each([
  ...['1-7 Jan', '8-14 Jan', '15-21 Jan', '15/21 Jan', '3-5 Mar', '3 - 5 Mar', '3 to 5 Mar', 'Jan 8-14'],
  ...['Jan 8 14', 'Mar 12.5', '12 a 15 de mayo', '10-12 Pro', 'Pro 12.9', 'LED 12-24', 'LED 12-2024'],
  ...['5 Mar 4', '5-Mar-4', '5 led 24', '27-mai-24', '27/Nov/26', 'Nov 27, 26', '8-14 Jan 10:30'],
  ...['Jan 8 14 10:30', 'Mon Jan-8-14 10:30', '12-15 de mayo 2024', '5 to 2024 Mar', 'Pro 12/2024'],
])('%s is read as text, not as a date with a short year', (text) => {
  expect(sent(text)).toMatch(/^Expected/);
  expect(kindOf(text)).toBe('text');
});

test.each([
  ['27/Nov/26 01:02:03 +0000', '2026-11-27 01:02:03+0000'],
  ['01:02 27NOV26', '2026-11-27 01:02:00'],
  ['noviembre 27 de 2026', '2026-11-27'],
  ['12 LED 2024', '2024-01-12'],
])('%s is %s', (text, time) => {
  expect(sent(text)).toBe(time);
});

test.each([
  ...[
    '2024-01-05 (cancelled)',
    '5 Mar 2024 (cancelled)',
    '2024-01-05 10:30 (late)',
    '2024-01-05 10:30 PM (x)',
  ],
  ...['5 Mar 2024 10:30 (late)', '05/03/2024 (n)'],
])('words in parentheses stay: %s is a text', (text) => {
  expect(sent(text)).toMatch(/^Expected/);
  expect(kindOf(text)).toBe('text');
});

test.each([
  '2026-01-05',
  '2026-01-05T10:30:00Z',
  '2026-1-5',
  '20260105',
  '5 Jan 2026',
  'Jan 5 2026',
  '5-Jan-26',
])('a weekday before %s is checked', (date) => {
  expect(sent(`Tuesday ${date}`)).toContain('Monday, got Tuesday');
  expect(sent(`Monday ${date}`)).toContain('2026-01-05');
});

test('seconds since 1970 have no weekday', () => {
  expect(sent('Mon 1767571200')).toMatch(/^Expected a time such as/);
});

const MONTHS = 'jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec'.split(',');
const sign = (signs: string) => fc.string({ unit: fc.constantFrom(...signs), minLength: 1, maxLength: 2 });

test('a month with its first three letters right is read in both common orders, behind any first word', () => {
  const ends = fc.constantFrom('', 'e', 'uary', 'ember', 'tober', 'ruray', 'x');
  const firsts = fc.constantFrom('', 'Foo ', 'Due, ', 'Before  ', 'set ', 'Mai ');
  const years = fc.constantFrom('2024', '1999', '24', '99', '68', '69', '07');
  fc.assert(
    fc.property(
      ...([fc.integer({ min: 0, max: 11 }), ends, firsts, fc.integer({ min: 1, max: 28 }), years] as const),
      ...([sign(' .-'), sign(' .,-'), fc.boolean()] as const),
      (month, end, first, day, year, before, behind, isDayFirst) => {
        const word = `${MONTHS[month]}${end}`;
        const full = year.length === 4 ? year : `${Number(year) <= 68 ? 20 : 19}${year}`;
        const two = (value: number) => String(value).padStart(2, '0');
        const text = isDayFirst
          ? `${first}${day}${before}${word}${behind}${year}`
          : `${first}${word}${before}${day}${behind}${full}`;
        expect(sent(text), text).toBe(`${full}-${two(month + 1)}-${two(day)}`);
      },
    ),
  );
});

test('a date without a full year and without a clock is inferred only in the orders of digits, or day, month, year', () => {
  // A misspelled month is accepted, so 1-JanJan-10 is a date.
  const words = fc.constantFrom(
    'Jan',
    'mars',
    'Mai',
    'pro',
    'led',
    'mayo',
    'Mon',
    'a',
    'de',
    'to',
    'PRO',
    'Dec',
    'ene',
  );
  const numbers = fc.integer({ min: 0, max: 99 }).map(String);
  const part = fc.oneof(words, numbers);
  const joint = fc.constantFrom('-', '/', '.', ' ', ', ', '. ', '', ' - ', ' a ', ' to ');
  fc.assert(
    fc.property(numbers, joint, part, joint, part, joint, fc.option(part), (a, x, b, y, c, z, d) => {
      const text = `${a}${x}${b}${y}${c}${d === null ? '' : `${z}${d}`}`;
      if (kindOf(text) !== 'timestamp' || /(?<!\d)\d{4}(?!\d)/.test(text)) return;
      expect(text).toMatch(
        /^\d{1,2}([/.-])\d{1,2}\1\d{2}$|^\d{1,2}[ .-]+(?:Jan|mars|mayo|Dec)[A-Za-z]{0,6}[ .,-]+\d{2}$/,
      );
    }),
    { numRuns: runs(5_000) },
  );
});

test.each([
  ['underscores in a zone', `10:00 ab${'_'.repeat(5_000)}1`],
  ['blanks behind the time', `10:00${' '.repeat(5_000)}1`],
])('thousands of %s are refused at once', (_name, clock) => {
  for (const day of ['2026-01-02', '1/2/26', '1 Jan 2026', 'Jan 1, 2026'])
    for (const text of [`${day} ${clock}`, `${day} ${clock.slice(0, 90)}1`])
      expect(sent(text)).toMatch(/^Expected a/);
});

test.each([
  ['America/New_York', '-05:00'],
  ['America/Port_of_Spain', '-04:00'],
  ['America/North_Dakota/New_Salem', '-06:00'],
])('a time may end with the zone %s, which begins like AM', (zone, offset) => {
  expect(sent(`2026-01-02 10:00:00 ${zone}`)).toBe(`2026-01-02 10:00:00${offset}`);
});

test('more than nine digits of a second are refused with the reason', () => {
  expect(sent('2026-11-27T01:02:03.1234567890Z')).toContain('at most nine digits');
});

/** Seconds since 1970, up to the end of 2099. */
const moment = fc.integer({ min: 0, max: 4_102_444_799 });

test('what JavaScript and mail write is the same moment', () => {
  fc.assert(
    fc.property(moment, (seconds) => {
      const date = new Date(seconds * 1_000);
      for (const text of [date.toUTCString(), date.toString()])
        expect(momentOf(sent(text).replace(/([+-]\d\d)(\d\d)$/, '$1:$2')), text).toBe(seconds * 1_000);
    }),
  );
});

test('what locales write is the same time or refused; English, German, French and Spanish are read', () => {
  const read = ['en-US', 'en-GB', 'de', 'fr', 'es', 'it', 'pt-BR', 'nl', 'sv'];
  const others = [
    'fi',
    'pl',
    'cs',
    'hr',
    'hu',
    'ro',
    'tr',
    'id',
    'ru',
    'da',
    'lt',
    'lv',
    'et',
    'uk',
    'vi',
    'ca',
    'eu',
  ];
  const styles = ['full', 'long', 'medium'] as const;
  fc.assert(
    fc.property(
      fc.constantFrom(...read, ...others),
      fc.constantFrom(...styles),
      fc.constantFrom(undefined, 'long', 'medium'),
      moment,
      (locale, dateStyle, timeStyle, seconds) => {
        const options = { dateStyle, timeZone: 'UTC', ...(timeStyle === undefined ? {} : { timeStyle }) };
        const text = new Intl.DateTimeFormat(locale, options).format(seconds * 1_000);
        const found = sent(text, { days: 'day-first' });
        const isDigits = !/\p{L}{3}/u.test(text);
        if (read.includes(locale) && !isDigits) expect(found, text).toMatch(/^\d{4}-/);
        if (found.startsWith('Expected')) return;
        const iso = new Date(seconds * 1_000).toISOString();
        expect(found.slice(0, 10), text).toBe(iso.slice(0, 10));
        if (timeStyle !== undefined) expect(found.slice(11, 19), text).toBe(iso.slice(11, 19));
      },
    ),
    { numRuns: runs(2_000) },
  );
});

test.each(['2026-03-01T10:00:00', '2026-03-01 10:00', '2026/03/13 10:00', 'Sun, 01 Mar 2026 10:00:00 '])(
  'a zone of more than 18 hours, or of 60 minutes, is none: %s',
  (text) => {
    for (const zone of ['+25:00', '-1801', '+18:30', '+02:60'])
      expect(readTime(`${text}${zone}`), zone).toContain(`got ${zone}`);
    for (const zone of ['+14:00', '-1200', '+18:00', '+05:45'])
      expect(readTime(`${text}${zone}`), zone).not.toBeTypeOf('string');
  },
);

test('RFC 3339 also has its signs as small letters', () => {
  expect(readTime('2026-03-01t10:00:00z')).toMatchObject({ json: '"2026-03-01 10:00:00Z"' });
});
