/** Rules for files with irregularities do not change how sound files are read. */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { DataFolder } from '../helpers/data-folder.ts';
import { readBack } from '../helpers/read-back.ts';
import { runs } from '../helpers/runs.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

/** Sentences about a row of units, quotes inside of cells, several tables, and values in an object. */
const IRREGULAR = /may be units|second line of names|does not enclose|another table|object of their own/;

const digits = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((length) => '1234567890'.repeat(2).slice(0, length));
/** Cells of a column, with the type that the preview gives it. */
const COLUMNS = {
  word: fc.constantFrom('Ann', 'Ben “B”', 'a, b', 'say "x"', ' "x"y', 'left\nright'),
  number: fc.oneof(fc.integer({ min: 1, max: 99_999 }).map(String), fc.constantFrom('1.5', '-2.25', '1e3')),
  id: digits(5, 17).map((text) => `00${text}`),
  time: fc.integer({ min: 10, max: 28 }).map((day) => `2026-05-${day}T10:00:00Z`),
};
type Kind = keyof typeof COLUMNS;

const table = fc
  .array(fc.constantFrom<Kind>('word', 'number', 'id', 'time'), { minLength: 2, maxLength: 5 })
  .chain((kinds) =>
    fc.record({
      names: fc.constant(kinds.map((kind, at) => `${kind}_${'abcde'[at]}`)),
      rows: fc.array(fc.tuple(...kinds.map((kind) => COLUMNS[kind])), { minLength: 3, maxLength: 12 }),
    }),
  );

const quoted = (cell: string): string => (/[",\n ]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
const lineOf = (cells: readonly string[]): string => cells.map(quoted).join(',');

test('a table of names above typed cells has these names and cells, and no note about irregular rows', async () => {
  await fc.assert(
    fc.asyncProperty(table, async ({ names, rows }) => {
      const path = folder.file('sound.csv');
      writeFileSync(path, `${[names, ...rows].map(lineOf).join('\n')}\n`);
      const found = await readBack(path);
      expect(found.names).toEqual(names);
      expect(found.rows).toEqual(rows);
      expect(found.bad).toEqual([]);
      expect(found.notes).not.toMatch(IRREGULAR);
      for (const { name, type } of found.preview.columns)
        if (name.startsWith('id_')) expect(['timestamp', 'float']).not.toContain(type);
    }),
    { numRuns: runs(100) },
  );
});

const KEYS = ['id', 'type', 'fields', 'node', 'attributes', 'properties', 'score', 'created'] as const;
const records = fc.array(
  fc.dictionary(
    fc.constantFrom(...KEYS),
    fc.oneof(fc.constantFrom('a', 1, null), fc.constant({ id: 'x', n: 1 })),
    {
      minKeys: 1,
    },
  ),
  { minLength: 1, maxLength: 6 },
);

test.each(['json', 'jsonl'])(
  'records in %s without the signs of an interface stay as they are',
  async (ending) => {
    await fc.assert(
      fc.asyncProperty(records, async (given) => {
        const rows = given.map((row) => ({ ...row }));
        const path = folder.file(`sound.${ending}`);
        const text =
          ending === 'json' ? JSON.stringify(rows) : rows.map((row) => JSON.stringify(row)).join('\n');
        writeFileSync(path, text);
        const { all, preview, notes } = await readBack(path);
        expect(all.map(({ record }) => record)).toEqual(rows);
        expect(preview.dialect.wrapper).toBeUndefined();
        expect(notes).not.toMatch(IRREGULAR);
      }),
      { numRuns: runs(60) },
    );
  },
);

test.each([
  [
    'ids with zeros in front',
    'id,n\n001234567890,1\n001234567891,2\n',
    'id',
    ['001234567890', '001234567891'],
  ],
  ['a quote inside of a cell', 'id,note\n1,5" pipe\n2,the "x" key\n', 'note', ['5" pipe', 'the "x" key']],
  ['one empty row', 'id,n\n1,2\n\n3,4\n', 'n', ['2', '4']],
])('%s stay as they are written', async (_, text, name, expected) => {
  const path = folder.file('kept.csv');
  writeFileSync(path, text);
  const { names, rows, notes } = await readBack(path);
  expect(rows.map((cells) => cells[names.indexOf(name)])).toEqual(expected);
  expect(notes).not.toMatch(IRREGULAR);
});
