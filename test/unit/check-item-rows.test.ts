/** Reads single rows of a file that becomes items: marks of values that do not fit, edited cells, and other quotes. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { PLAIN_CSV } from '../../electron/shared/dialect.ts';
import type { ItemReading } from '../../electron/shared/items-model.ts';
import { checkItemRows } from '../../electron/uploads/items/check-item-rows.ts';
import { extractItems } from '../../electron/uploads/items/extract-items.ts';
import { settleItems } from '../../electron/uploads/items/settle-items.ts';

const folder = mkdtempSync(join(tmpdir(), 'spandeck-check-item-rows-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(text: string): { path: string; state: { sizeBytes: number; mtimeMs: number } } {
  const path = join(folder, `${text.length}.csv`);
  writeFileSync(path, text);
  const { size: sizeBytes, mtimeMs } = statSync(path);
  return { path, state: { sizeBytes, mtimeMs } };
}

const READING: ItemReading = {
  dialect: PLAIN_CSV,
  columns: [
    { source: 'question', place: 'inputs', field: 'question', type: 'str' },
    { source: 'cost', place: 'extras', field: 'cost', type: 'float' },
  ],
  flattens: false,
};
const TEXT = 'question,cost\nWhere?,0.5\n"Two\nlines",free\nWhen?,free\nWho?,1.5\n';
const most = { rows: 100, bytes: 1_000_000, lastRow: null };

async function costsOf(file: { path: string; state: null }, reading: ItemReading) {
  const { items, bad } = await extractItems({ ...file, reading, start: null, most, seed: 's' });
  const costs = items.map(({ line, json }) => [line, JSON.parse(json).extras.cost]);
  return { costs, bad: bad.map(({ line }) => line) };
}

describe('a value that does not fit', () => {
  test('leads to its rows, which are marked', async () => {
    const file = write(TEXT);
    const { problems, columns } = await settleItems({ ...file, reading: READING });
    expect(problems.map(({ source, rows, places }) => [source, rows, places.length])).toEqual([
      ['cost', 2, 2],
    ]);
    const places = problems.flatMap((group) => group.places);
    const rows = await checkItemRows({ ...file, reading: { ...READING, columns }, places });
    expect(rows.map(({ line, cells }) => [line, cells])).toEqual([
      [3, ['Two\nlines', 'free']],
      [5, ['When?', 'free']],
    ]);
    const mark = { source: 'cost', problem: 'other', isRepaired: false, isUnusual: false, after: null };
    expect(rows.map(({ marks }) => marks)).toEqual([
      [expect.objectContaining(mark)],
      [expect.objectContaining(mark)],
    ]);
  });

  test('is edited in one cell only, in the check, its rows and the items', async () => {
    const file = write(TEXT);
    const { problems } = await settleItems({ ...file, reading: READING });
    const [place] = problems[0]?.places ?? [];
    const { line, byteOffset } = place ?? { line: 0, byteOffset: 0 };
    const cells = [{ source: 'cost', line, byteOffset, value: 'free', with: '0' }];
    const reading = { ...READING, cellEdits: { sha256: 'a'.repeat(64), cells } };
    const after = await settleItems({ ...file, reading });
    expect(after.problems.map(({ rows, repaired }) => [rows, repaired])).toEqual([[2, 1]]);
    expect(after.ledger.changes).toEqual([
      expect.objectContaining({ rule: 'edited', source: 'cost', count: 1 }),
    ]);
    const [first] = await checkItemRows({ ...file, reading, places: [{ row: 2, line, byteOffset }] });
    expect(first?.marks).toEqual([
      expect.objectContaining({ source: 'cost', isRepaired: true, by: 'edit', after: '0' }),
    ]);
    expect(await costsOf({ path: file.path, state: null }, reading)).toEqual({
      costs: [
        [2, 0.5],
        [3, 0],
        [6, 1.5],
      ],
      bad: [5],
    });
  });

  test('is not edited to a text that does not fit either', async () => {
    const cells = [{ source: 'cost', line: 3, byteOffset: 28, value: 'free', with: 'nothing' }];
    const reading = { ...READING, cellEdits: { sha256: 'a'.repeat(64), cells } };
    await expect(settleItems({ ...write(TEXT), reading })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('The replacement “nothing” cannot be sent. Expected a number.'),
    });
  });
});

test('rows that only other quotes make readable are counted, with the first line', async () => {
  const rows = Array.from({ length: 9 }, (_, at) => `"question ${at}",${at}`).join('\n');
  const text = `question,cost\n${rows}\n"5" screen, 1920"",1\n"6\\" screen, wide",2\n`;
  const file = write(text);
  const { otherReading, notes } = await settleItems({ ...file, reading: READING });
  expect(otherReading).toMatchObject({ quote: '"', escape: '\\', line: expect.any(Number) });
  expect(notes).toEqual([expect.stringContaining('can be read with the escape \\ before quotes')]);
});
