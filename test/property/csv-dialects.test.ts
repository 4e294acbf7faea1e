/**
 * Random tables are written as programs write them, and read back with the detected dialect: every cell is as it was
 * written. It is compared with the table itself, and with an independent reader that is given the dialect.
 */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import Papa from 'papaparse';
import { afterAll, describe, expect, test } from 'vitest';
import { DataFolder } from '../helpers/data-folder.ts';
import { readBack } from '../helpers/read-back.ts';
import { runs } from '../helpers/runs.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

interface Written {
  delimiter: string;
  end: string;
  encoding: string;
  quoting: 'always' | 'needed';
  /** How quotes are written in a quoted cell. */
  escape: 'double' | 'backslash';
  padsQuotes: boolean;
  above: 'none' | 'blank' | 'comment' | 'title' | 'padded' | 'sep' | 'blank-title';
  ends: 'plain' | 'both' | 'rows' | 'header';
  index: 'none' | 'nameless' | 'missing';
  blankLines: boolean;
}

const dialects: fc.Arbitrary<Written> = fc
  .record<Written>({
    delimiter: fc.constantFrom(',', ';', '\t', '|'),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    encoding: fc.constantFrom('utf-8', 'utf-8-bom', 'utf-16le', 'utf-16be'),
    quoting: fc.constantFrom('always', 'needed'),
    escape: fc.constantFrom('double', 'backslash'),
    padsQuotes: fc.boolean(),
    above: fc.constantFrom('none', 'blank', 'comment', 'title', 'padded', 'sep', 'blank-title'),
    ends: fc.constantFrom('plain', 'plain', 'both', 'rows', 'header'),
    index: fc.constantFrom('none', 'none', 'nameless', 'missing'),
    blankLines: fc.boolean(),
  })
  // A delimiter after the header alone would look the same as the missing name of the index column.
  .map((how) => (how.ends === 'header' && how.index === 'missing' ? { ...how, index: 'none' } : how));

const word = fc.constantFrom(
  'fine',
  'a "b" c',
  'x, y',
  'p; q',
  "it's",
  "'n'",
  '',
  'Grüße',
  '日本',
  '😀',
  'u|v',
  'two\nlines',
  'tab\there',
  'back\\slash',
);
const row = fc.tuple(fc.nat(9_999), word, fc.double({ min: 0, max: 1, noNaN: true }), word);
const tables = fc.array(row, { minLength: 2, maxLength: 30 });

const NAMES = ['id', 'note', 'score', 'remark'];

/** The text of the table, and its rows. */
function put(rows: readonly (readonly [number, string, number, string])[], how: Written) {
  const { delimiter, quoting, escape: escaping, padsQuotes, above, end } = how;
  // An empty last column, without an index in the header, looks the same as a delimiter at the end of each row.
  const cells = rows.map(([id, note, score, remark], at) => [
    ...[`T${id}`, note, score.toFixed(4)],
    at === 0 && remark === '' ? 'first' : remark,
  ]);
  const quoted = (text: string) => {
    const isNeeded = /["\r\n\\]/.test(text) || text.includes(delimiter);
    if (quoting === 'needed' && !isNeeded) return text;
    const inside =
      escaping === 'double'
        ? text.replaceAll('"', '""')
        : text.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
    return `${padsQuotes ? ' ' : ''}"${inside}"`;
  };
  const line = (given: readonly string[]) => given.map(quoted).join(delimiter);
  const withIndex = how.index === 'none' ? cells : cells.map((each, at) => [String(at), ...each]);
  const header = how.index === 'nameless' ? `${delimiter}${line(NAMES)}` : line(NAMES);
  const tail = (where: 'header' | 'rows') => (how.ends === 'both' || how.ends === where ? delimiter : '');
  const before = {
    none: [],
    blank: ['', '  '],
    comment: ['# made by a program', '# it is "fine"'],
    title: ['Card payments'],
    padded: [`Card payments${delimiter.repeat(3)}`],
    sep: [`sep=${delimiter}`],
    'blank-title': ['', 'Card payments', ''],
  }[above];
  const body = withIndex.flatMap((each, at) => [
    line(each) + tail('rows'),
    ...(how.blankLines && at % 3 === 1 ? [''] : []),
  ]);
  const text = [...before, header + tail('header'), ...body].map((each) => each + end).join('');
  return {
    text,
    cells,
    withIndex,
    above: before.length,
    table: [header, ...body.filter((each) => each !== '')].join(end),
  };
}

/** With a byte order mark if the encoding has one, so that a short file is not mistaken for another encoding. */
function encode(text: string, encoding: string): Buffer {
  return iconv.encode(text, encoding === 'utf-8-bom' ? 'utf-8' : encoding, { addBOM: encoding !== 'utf-8' });
}

describe('tables in any dialect', () => {
  test('are read back cell by cell, and skipped lines are reported', async () => {
    const path = folder.file('table.csv');
    await fc.assert(
      fc.asyncProperty(tables, dialects, fc.constantFrom(13, 4_096), async (rows, how, chunkBytes) => {
        const made = put(rows, how);
        writeFileSync(path, encode(made.text, how.encoding));
        const isEscaped = how.escape === 'backslash';
        // How quotes are escaped is given if the table has too few of them to detect it.
        const told = { delimiter: how.delimiter, escape: isEscaped ? ('\\' as const) : null };
        const { preview, rows: read, bad, names, notes } = await readBack(path, told, chunkBytes);
        expect(bad.map(({ line, problem }) => [line, problem])).toEqual([]);
        const width = NAMES.length + (how.index === 'none' ? 0 : 1);
        expect(read.map((cells) => cells.slice(0, width))).toEqual(made.withIndex);
        expect(names.slice(how.index === 'none' ? 0 : 1, width)).toEqual(NAMES);
        expect(preview.columns).toHaveLength(width);
        expect(preview.dialect.headerLine ?? 1).toBe(made.above + 1);
        if (made.above > 0) expect(notes).toContain('skipped');
        if (how.index === 'missing') expect(notes).toContain('index');
      }),
      { numRuns: runs(300, 10_000) },
    );
  }, 900_000);

  test('an independent reader that is given the dialect reads the same cells', async () => {
    const path = folder.file('table.csv');
    await fc.assert(
      fc.asyncProperty(tables, dialects, async (rows, how) => {
        const plain: Written = { ...how, escape: 'double', padsQuotes: false, ends: 'plain', index: 'none' };
        const made = put(rows, plain);
        writeFileSync(path, encode(made.text, plain.encoding));
        const { rows: read } = await readBack(path, { delimiter: plain.delimiter });
        const { data } = Papa.parse<string[]>(made.table, {
          delimiter: plain.delimiter,
          newline: plain.end,
        });
        expect(read).toEqual(data.slice(1));
      }),
      { numRuns: runs(300, 10_000) },
    );
  }, 900_000);
});
