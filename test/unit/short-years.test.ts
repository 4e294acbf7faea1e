/** Dates with a two-digit year: it is recognized as the first or the last part, or the user is asked. */
import { afterAll, expect, test } from 'vitest';
import { questionError } from '../../electron/shared/column-reading.ts';
import { formatOrder, readTime } from '../../electron/uploads/validate/timestamps.ts';
import { checkedFile } from '../helpers/checked-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

async function read(times: readonly string[], days?: 'day-first' | 'year-first') {
  const rows = times.map((text, at) => `${at};${text}\n`).join('');
  const found = await checkedFile(folder.file('t.csv'), `id;t\n${rows}`, {
    ...{ model: { columns: { id: 'int', t: 'timestamp' }, time: 't' }, dialect: { delimiter: ';' } },
    ...(days === undefined ? {} : { readings: { t: { days } } }),
    nowMs: Date.UTC(2026, 10, 29),
  });
  return {
    sent: found.events.map(({ t }) => t),
    asked: found.questions.map(({ readings }) => readings.map(({ id }) => id)),
    error: found.questions.length === 0 ? null : questionError(found.questions),
    words: found.ledger.decisions.map(({ words }) => words),
  };
}

test('years that may be first or last are asked for, with what each would be', async () => {
  const { asked, error } = await read(['26-01-05', '26-12-31', '25-06-15']);
  expect(asked).toEqual([['day-first', 'year-first']]);
  expect(error?.message).toMatch(/two ways\. .*26-01-05 is 2005-01-26.*26-01-05 is 2026-01-05/);
  expect(error?.details.nextStep).toContain('--date-order t=day-first or --date-order t=year-first');
  const open = await read(['05/06/07', '05/06/08']);
  expect(open.asked).toEqual([['day-first', 'month-first', 'year-first']]);
  expect(open.error?.message).toContain('can be read in three ways');
  expect((await read(['26-01-05'])).asked).toHaveLength(1);
});

test('a chosen order is kept', async () => {
  const texts = ['26-01-05', '26-12-31 10:00', '25-06-15'];
  expect(await read(texts, 'year-first')).toMatchObject({
    ...{ sent: ['2026-01-05', '2026-12-31 10:00:00', '2025-06-15'], asked: [] },
  });
  expect(await read(texts, 'day-first')).toMatchObject({
    ...{ sent: ['2005-01-26', '2031-12-26 10:00:00', '2015-06-25'], asked: [] },
  });
  expect(readTime('1-2-26', { days: 'year-first' })).toMatch(/^Expected a date with its year of two digits/);
  expect(readTime('26-02-2026', { days: 'year-first' })).toMatch(/^Expected a date with its year/);
});

test('a first part that can only be a year decides', async () => {
  const { sent, asked, words } = await read(['99-01-05', '01-12-31']);
  expect([sent, asked]).toEqual([['1999-01-05', '2001-12-31'], []]);
  expect(words).toEqual(['the year comes first in its dates, as in 99-01-05 (line 2)']);
});

test.each([
  [['05-01-26', '06-01-26', '31-12-26']],
  [['13/02/26', '14/02/26']],
  [['05.01.26']],
  [['26-01-05', '26-01-99']],
  [['5-1-26', '26-1-05']],
  [['31.12.19', '31.12.20', '31.12.21', '31.12.22']],
  [['20.01.19', '20.01.20', '20.02.21']],
  // If the year came first, these dates would be in the future.
  [['30/06/19', '30/06/20', '30/06/21']],
  [['28-06-19', '28-06-20', '28-06-21']],
])('%j does not begin with a year', async (times) => {
  const { asked, words } = await read(times);
  expect(JSON.stringify([asked, words])).not.toContain('year');
});

test('a year of two digits is first in a format of the model that says so', () => {
  expect(formatOrder('%y-%m-%d')).toBe('year-first');
  expect(formatOrder('%m/%d/%y')).toBe('month-first');
  expect(formatOrder('%d.%m.%y')).toBe('day-first');
});
