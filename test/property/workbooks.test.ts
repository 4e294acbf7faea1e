/** Random workbooks, written in all the ways of common programs, are read as their original values. */
import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import Papa from 'papaparse';
import readSheets from 'read-excel-file/node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Heartbeat } from '../../electron/uploads/heartbeat.ts';
import { unpack } from '../../electron/uploads/unpack/unpack.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { runs } from '../helpers/runs.ts';
import { escapeXml, workbookOf } from '../helpers/workbook-file.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

const DAY_MS = 86_400_000;
const FORMATS = {
  date: ['yyyy-mm-dd', '[$-409]d/m/yy;@', 'dddd, mmmm d', '"on "d\\.m\\.yyyy', '[Red]mmm-yy'],
  'date-time': ['yyyy-mm-dd hh:mm:ss', '[$-409]m/d/yy h:mm AM/PM;@', 'd.m.yy h:mm'],
  time: ['h:mm', 'h:mm:ss AM/PM', 'mm:ss.0', '[$-F400]h:mm:ss'],
  duration: ['[h]:mm:ss', '[mm]:ss', '[ss].00'],
  number: ['General', '0.00', '#,##0.00 "d"', '0%', '[$€-407]0.00', '0.00E+00'],
} as const;
const ALL_FORMATS = Object.values(FORMATS).flat();
const styleOf = (format: string): number => (ALL_FORMATS as readonly string[]).indexOf(format) + 1;

/** A cell: its written form, and the value that is read. */
type Cell =
  | { kind: 'text'; text: string; as: 'shared' | 'rich' | 'inline' | 'cdata' | 'formula' }
  | { kind: 'number'; value: number; format: string }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'moment'; day: number; ms: number; form: keyof typeof FORMATS; format: string; isShort: boolean }
  | { kind: 'error'; word: string }
  | { kind: 'uncomputed' }
  | { kind: 'empty'; isStyled: boolean };

// Valid XML characters. Texts that look like an XML escape are escaped when they are written.
const word = fc
  .oneof(
    fc.string({ maxLength: 8 }),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
    fc.constantFrom(' x ', 'a\nb', '<&>"', '_x0041_', '007', '#N/A', 'true', '2024-01-01', ']]', "'", 'a,b'),
  )
  .filter((text) => text !== '' && text.isWellFormed() && !/[^\P{Cc}\n\t]|[\uffff\ufffe]|\]\]>/u.test(text));
const moment = (
  form: 'date' | 'date-time' | 'time' | 'duration',
  days: [number, number],
  ms: fc.Arbitrary<number>,
) =>
  fc.record({
    kind: fc.constant('moment' as const),
    day: fc.integer({ min: days[0], max: days[1] }),
    ms,
    form: fc.constant(form),
    format: fc.constantFrom(...FORMATS[form]),
    isShort: fc.boolean(),
  });
const ofDay = fc.integer({ min: 0, max: DAY_MS - 1 });
const cell: fc.Arbitrary<Cell> = fc.oneof(
  fc.record({
    kind: fc.constant('text' as const),
    text: word,
    as: fc.constantFrom(
      'shared' as const,
      'rich' as const,
      'inline' as const,
      'cdata' as const,
      'formula' as const,
    ),
  }),
  fc.record({
    kind: fc.constant('number' as const),
    value: fc.oneof(
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(0.1, 1e21),
    ),
    format: fc.constantFrom(...FORMATS.number),
  }),
  fc.record({ kind: fc.constant('boolean' as const), value: fc.boolean() }),
  moment('date', [1_461, 70_000], fc.constant(0)),
  moment('date-time', [1_461, 70_000], ofDay),
  moment('time', [0, 0], ofDay),
  moment('duration', [0, 400], ofDay),
  fc.record({ kind: fc.constant('error' as const), word: fc.constantFrom('#N/A', '#DIV/0!', '#REF!') }),
  fc.constant({ kind: 'uncomputed' as const }),
  fc.record({ kind: fc.constant('empty' as const), isStyled: fc.boolean() }),
);
const COLUMNS = 3;
const book = fc.record({
  rows: fc.array(fc.option(fc.tuple(cell, cell, cell), { freq: 5 }), { minLength: 1, maxLength: 12 }),
  is1904: fc.boolean(),
  prefix: fc.constantFrom('', 'x'),
});
type Book = ReturnType<typeof book.generate>['value'];

/**
 * The serial number of a moment. The two date systems count from different days, and the one of 1900 has an extra day.
 */
function serialOf({ day, ms, form, isShort }: Cell & { kind: 'moment' }): string {
  const serial = day + ms / DAY_MS;
  // With few digits like Excel for the web and other programs, or with every digit.
  return isShort && form !== 'duration' ? String(Number(serial.toPrecision(15))) : String(serial);
}

function momentText({ day, ms, form }: Cell & { kind: 'moment' }, is1904: boolean): string {
  const clock = new Date(ms)
    .toISOString()
    .slice(11, 23)
    .replace(/\.000$/, '');
  if (form === 'time') return clock;
  if (form === 'duration') {
    const hours = day * 24 + Number(clock.slice(0, 2));
    return `${String(hours).padStart(2, '0')}${clock.slice(2)}`;
  }
  // Day 1,462 of one date system is day 0 of the other one.
  const date = new Date(Date.UTC(1904, 0, 1) + (is1904 ? day : day - 1_462) * DAY_MS)
    .toISOString()
    .slice(0, 10);
  return form === 'date' ? date : `${date}T${clock}`;
}

const escaped = (text: string): string => escapeXml(text.replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_'));

function write({ rows, is1904, prefix }: Book): Buffer {
  const shared: string[] = [];
  const xmlOf = (made: Cell, at: string): string => {
    switch (made.kind) {
      case 'text': {
        const xml = `<t xml:space="preserve">${escaped(made.text)}</t>`;
        if (made.as === 'shared' || made.as === 'rich') {
          const half = Math.floor([...made.text].length / 2);
          const [head, tail] = [[...made.text].slice(0, half).join(''), [...made.text].slice(half).join('')];
          const runs = `<r><t>${escapeXml(head)}</t></r><r><rPr><b/></rPr><t>${escapeXml(tail)}</t></r>`;
          shared.push(made.as === 'rich' && !made.text.includes('_x') ? runs : xml);
          return `<c r="${at}" t="s"><v>${shared.length - 1}</v></c>`;
        }
        if (made.as === 'formula') return `<c r="${at}" t="str"><f>X1</f><v>${escaped(made.text)}</v></c>`;
        const isCdata = made.as === 'cdata' && !made.text.includes('_x');
        return `<c r="${at}" t="inlineStr"><is>${isCdata ? `<t><![CDATA[${made.text}]]></t>` : xml}</is></c>`;
      }
      case 'number':
        return `<c r="${at}" s="${styleOf(made.format)}"><v>${made.value}</v></c>`;
      case 'boolean':
        return `<c r="${at}" t="b"><v>${made.value ? 1 : 0}</v></c>`;
      case 'moment':
        return `<c r="${at}" s="${styleOf(made.format)}" t="n"><v>${serialOf(made)}</v></c>`;
      case 'error':
        return `<c r="${at}" t="e"><v>${made.word}</v></c>`;
      case 'uncomputed':
        return `<c r="${at}"><f>X1</f><v></v></c>`;
      case 'empty':
        return made.isStyled ? `<c r="${at}" s="1"/>` : '';
    }
  };
  const xml = rows
    .map((row, index) => {
      if (row === null) return '';
      const number = index + 1;
      return `<row r="${number}">${row.map((made, column) => xmlOf(made, `${'ABC'[column]}${number}`)).join('')}</row>`;
    })
    .join('');
  return workbookOf({
    ...{ prefix, shared, formats: ALL_FORMATS },
    ...(is1904 ? { date1904: 'true' } : {}),
    sheets: { Data: { rows: xml } },
  });
}

function textOf(made: Cell, is1904: boolean): string {
  switch (made.kind) {
    case 'text':
      return made.text;
    case 'number':
      return String(Object.is(made.value, -0) ? 0 : made.value);
    case 'boolean':
      return String(made.value);
    case 'moment':
      return momentText(made, is1904);
    default:
      return '';
  }
}

const hasContent = (made: Cell): boolean => made.kind !== 'empty';
const hasText = (made: Cell): boolean => !['empty', 'error', 'uncomputed'].includes(made.kind);

async function read(bytes: Buffer): Promise<{ rows: string[][]; notes: string[] } | null> {
  const [path, target] = [folder.file('book.xlsx'), folder.file('book.csv')];
  writeFileSync(path, bytes);
  const step = { path, name: 'book.xlsx', format: 'excel', member: null, sheet: null, target } as const;
  const found = await unpack(step, new Heartbeat()).catch((problem: unknown) => {
    expect(problem).toMatchObject({ code: 'FILE_EMPTY' });
    return null;
  });
  if (found === null) return null;
  const text = readFileSync(target, 'utf8');
  // Blank lines are not rows, but a quoted blank cell is one.
  const parsed = Papa.parse<string[]>(text.replaceAll(/^""$/gm, '\0'), { delimiter: ',', newline: '\n' });
  const rows = parsed.data
    .filter((row) => row.length > 1 || row[0] !== '')
    .map((row) => row.map((each) => each.replace('\0', '')));
  return { rows, notes: found.notes };
}

const countOf = (notes: readonly string[], words: string): number =>
  Number(/^\d+/.exec(notes.find((note) => note.includes(words)) ?? '')?.[0] ?? 0);

test('every cell is read with its value, or its change is counted under a rule', async () => {
  await fc.assert(
    fc.asyncProperty(book, async (made) => {
      const filled = made.rows.filter((row) => row?.some(hasContent) === true);
      const found = await read(write(made));
      if (filled.length === 0) {
        expect(found).toBeNull();
        return;
      }
      const columns = Array.from({ length: COLUMNS }, (_, at) => at).filter((at) =>
        filled.some((row) => row?.[at] !== undefined && hasText(row[at])),
      );
      const expected = filled.map((row) =>
        columns.map((at) => textOf(row?.[at] ?? { kind: 'empty', isStyled: false }, made.is1904)),
      );
      if (columns.length > 0) expect(found?.rows).toEqual(expected);
      const notes = found?.notes ?? [];
      const cells = filled.flatMap((row) => [...(row ?? [])]);
      expect(countOf(notes, 'with an error')).toBe(cells.filter(({ kind }) => kind === 'error').length);
      expect(countOf(notes, 'without its result')).toBe(
        cells.filter(({ kind }) => kind === 'uncomputed').length,
      );
      const last = made.rows.findLastIndex((row) => row?.some(hasContent) === true);
      const blank = made.rows.slice(0, last).filter((row) => row?.some(hasContent) !== true).length;
      expect(countOf(notes, 'skipped, the first is row')).toBe(blank);
    }),
    { numRuns: runs(300, 10_000) },
  );
}, 900_000);

test('another reader finds the same texts, numbers and booleans', async () => {
  const plain = cell.filter(
    (made) =>
      made.kind === 'number' || made.kind === 'boolean' || (made.kind === 'text' && made.as !== 'cdata'),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(plain, plain, plain), { minLength: 1, maxLength: 8 }),
      async (rows) => {
        const bytes = write({ rows, is1904: false, prefix: '' });
        const [sheet] = await readSheets(bytes, { trim: false });
        const other = sheet?.data.map((row) => row.map((each) => String(each)));
        expect((await read(bytes))?.rows).toEqual(other);
      },
    ),
    { numRuns: runs(100, 3_000) },
  );
}, 900_000);
