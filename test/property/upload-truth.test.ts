/**
 * Tables in the formats of many locales, compared with the meaning of their authors: each sent value is the intended
 * one, and every change of a value is counted by a rule.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkedFile } from '../helpers/checked-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { runs } from '../helpers/runs.ts';

let folder: DataFolder;
beforeAll(() => {
  folder = new DataFolder();
});
afterAll(() => folder[Symbol.dispose]());

const MODEL = {
  columns: { id: 'str', at: 'timestamp', amount: 'float', count: 'int', note: 'str' },
  id: 'id',
};
const NULLS = ['NA', 'null', 'NaN', 'n/a', 'None', '-'] as const;

interface Meant {
  /** In hundredths; null if the value is missing. */
  amount: number | null;
  count: number | null;
  /** Days since 1970, and minutes. */
  at: number | null;
  note: string;
}

const meant = fc.record<Meant>({
  amount: fc.option(fc.integer({ min: -99_999_999, max: 99_999_999 }), { freq: 6 }),
  count: fc.option(fc.integer({ min: 0, max: 5_000_000 }), { freq: 6 }),
  at: fc.option(fc.integer({ min: 15_000_000, max: 29_000_000 }), { freq: 8 }),
  note: fc.constantFrom('called', 'NA', 'none', '1.234', '12,50', '03/05/2026', 'Zoë', 'null'),
});
const locale = fc.record({
  decimal: fc.constantFrom('.', ','),
  isGrouped: fc.boolean(),
  order: fc.constantFrom('year', 'day', 'month'),
  sign: fc.constantFrom('/', '-', '.'),
  zone: fc.constantFrom('', 'Z', ' UTC', '+02:00', 'chosen'),
  nullWord: fc.constantFrom('', ...NULLS),
  lateNotes: fc.boolean(),
});
type Locale = typeof locale extends fc.Arbitrary<infer T> ? T : never;

function grouped(digits: string, { isGrouped, decimal }: Locale): string {
  return isGrouped ? digits.replaceAll(/\B(?=(?:\d{3})+$)/g, decimal === '.' ? ',' : '.') : digits;
}

function amountText(hundredths: number, of: Locale): string {
  const size = Math.abs(hundredths);
  const cents = String(size % 100).padStart(2, '0');
  return `${hundredths < 0 ? '-' : ''}${grouped(String(Math.floor(size / 100)), of)}${of.decimal}${cents}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

function timeText(minutes: number, { order, sign, zone }: Locale): string {
  const date = new Date(minutes * 60_000);
  const [year, month, day] = [date.getUTCFullYear(), two(date.getUTCMonth() + 1), two(date.getUTCDate())];
  const parts =
    order === 'year' ? [year, month, day] : order === 'day' ? [day, month, year] : [month, day, year];
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:00`;
  return `${parts.join(order === 'year' ? '-' : sign)} ${clock}${zone === 'chosen' ? '' : zone}`;
}

/** The moment in milliseconds that a sent time denotes. */
function momentOf(sent: unknown): number {
  const text = String(sent).replace(' ', 'T');
  return Date.parse(/(?:Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`);
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

test('each value is the intended one or causes a question; each change is counted; no row is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(meant, { minLength: 1, maxLength: 40 }),
      locale,
      fc.constantFrom('csv' as const, 'jsonl' as const),
      async (rows, of, format) => {
        // Thousands separators are written only if a number has a group of three digits.
        const noValue = of.nullWord;
        const texts = rows.map((row, index) => ({
          id: `T${index}`,
          at: row.at === null ? noValue : timeText(row.at, of),
          amount: row.amount === null ? noValue : amountText(row.amount, of),
          count: row.count === null ? noValue : grouped(String(row.count), of),
          note: row.note,
        }));
        const isLate = (index: number) => of.lateNotes && index < rows.length - 1;
        const content =
          format === 'csv'
            ? `id;at;amount;count;note\n${texts.map((row) => Object.values(row).map(quoted).join(';')).join('\n')}\n`
            : texts
                .map(
                  ({ note, ...row }, index) => `${JSON.stringify(isLate(index) ? row : { ...row, note })}\n`,
                )
                .join('');
        const readings = of.zone === 'chosen' ? { at: { zone: '+02:00' } } : {};
        const found = await checkedFile(folder.file(`table.${format}`), content, {
          ...{ model: MODEL, readings },
          ...(format === 'csv' ? { dialect: { format, delimiter: ';', quote: '"', hasHeader: true } } : {}),
        });

        expect(found.rows).toBe(rows.length);
        const asked = new Set(found.questions.map(({ source }) => source));
        // Only ambiguous values cause a question.
        const open = rows.flatMap(({ at }) => {
          const date = new Date((at ?? 0) * 60_000);
          return at === null ? [] : [[date.getUTCDate(), date.getUTCMonth() + 1] as const];
        });
        const isDecided = open.some(([day]) => day > 12) || of.order === 'year';
        if (isDecided) expect(asked.has('at')).toBe(false);
        expect(asked.has('amount')).toBe(false);
        if (!of.isGrouped) expect(asked.has('count')).toBe(false);
        if (asked.size > 0) return;
        const isMonthDots = of.order === 'month' && of.sign === '.' && !isDecided;
        expect(found.bad).toEqual([]);

        const offset = of.zone === '+02:00' || of.zone === 'chosen' ? 120 : 0;
        expect(
          found.events.map(({ id, at, amount, count, note }) => [
            ...[id, at == null || isMonthDots ? null : momentOf(at)],
            ...[amount ?? null, count ?? null, note ?? null],
          ]),
        ).toEqual(
          rows.map((row, index) => [
            ...[`T${index}`, row.at === null || isMonthDots ? null : (row.at - offset) * 60_000],
            ...[row.amount === null ? null : row.amount / 100, row.count],
            format === 'jsonl' && isLate(index) ? null : row.note,
          ]),
        );

        const counts = (source: string, rule: string): number =>
          found.ledger.changes.find((each) => each.source === source && each.rule === rule)?.count ?? 0;
        const among = (source: 'at' | 'amount' | 'count') =>
          texts.map((row) => row[source]).filter((text) => text !== noValue);
        const nulls = (source: 'at' | 'amount' | 'count') =>
          rows.filter((row) => row[source] === null).length;
        for (const source of ['at', 'amount', 'count'] as const) {
          const rule = noValue === '' ? 'empty-text' : 'null-word';
          const isNamed = noValue !== '' || format === 'jsonl';
          expect(counts(source, rule)).toBe(isNamed ? nulls(source) : 0);
        }
        const separators = (source: 'amount' | 'count') =>
          among(source).filter((text) => text.replace(/[.,]\d\d$/, '').match(/[.,]/) !== null).length;
        expect(counts('amount', 'thousands')).toBe(separators('amount'));
        expect(counts('count', 'thousands')).toBe(separators('count'));
        expect(counts('amount', 'decimal-comma')).toBe(of.decimal === ',' ? among('amount').length : 0);
        const dates = counts('at', 'day-first') + counts('at', 'month-first');
        if (of.order !== 'year') expect(dates).toBe(among('at').length);
        expect(counts('at', 'zone')).toBe(of.zone === 'chosen' ? among('at').length : 0);
        expect(found.ledger.changes.filter(({ source }) => source === 'note' || source === 'id')).toEqual([]);
        expect(found.ledger.leftOut).toEqual([]);
      },
    ),
    { numRuns: runs(300) },
  );
});
