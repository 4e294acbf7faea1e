/** Reads single rows with problems, at the positions that the check found. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Dialect } from '../../electron/shared/dialect.ts';
import { readModelFacts } from '../../electron/shared/upload-columns.ts';
import type { Repair, RowStart, UploadPlan } from '../../electron/shared/upload-model.ts';
import { checkRows } from '../../electron/uploads/validate/check-rows.ts';
import { scanFile } from '../../electron/uploads/validate/scan-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'spandeck-check-rows-'));
afterAll(() => rmSync(folder, { recursive: true }));

const MODEL = readModelFacts({
  event_id_col: 'id',
  schema: {
    columns: [
      { name: 'id', data_type: 'str' },
      { name: 'note', data_type: 'str' },
      { name: 'balance', data_type: 'float' },
    ],
  },
});
const ROWS = [
  ['a', 'one\nof two lines, “quoted”', '1.5'],
  ['b', 'plain', '83.807,86'],
  ['c', 'plain', '7'],
  ['d', 'zwölf', '$1 234 567'],
  ['', 'no id', '2'],
] as const;
const FORMATS = {
  csv: ROWS.map(([id, note, balance]) => `${id},"${note.replaceAll('"', '""')}","${balance}"`).join('\r\n'),
  jsonl: ROWS.map(([id, note, balance]) => JSON.stringify({ id, note, balance })).join('\n'),
  json: JSON.stringify(ROWS.map(([id, note, balance]) => ({ id, note, balance }))),
} as const;

function planOf(format: Dialect['format'], repairs: Repair[]): UploadPlan {
  return {
    fileId: 'f',
    dialect: {
      ...{ format, encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
    },
    columns: [
      { source: 'id', target: 'id', type: 'str' },
      { source: 'note', target: 'note', type: 'str' },
      { source: 'balance', target: 'balance', type: 'float' },
    ],
    repairs,
    ...{ modelId: '', modelName: 'm', envType: 'PRODUCTION', envName: null, mode: 'publish' },
    ...{ batchRows: 10, maxBatchBytes: 1_000_000, onBadRow: 'skip' },
  };
}

function write(format: keyof typeof FORMATS): {
  path: string;
  state: { sizeBytes: number; mtimeMs: number };
} {
  const path = join(folder, `rows.${format}`);
  writeFileSync(path, format === 'csv' ? `id,note,balance\r\n${FORMATS.csv}\r\n` : FORMATS[format]);
  const { size: sizeBytes, mtimeMs } = statSync(path);
  return { path, state: { sizeBytes, mtimeMs } };
}

describe.each(['csv', 'jsonl', 'json'] as const)('%s', (format) => {
  test('each kind of problem leads to its rows, and they name the values that do not fit', async () => {
    const { path, state } = write(format);
    const plan = planOf(format, []);
    const { problems, columns } = await scanFile({ path, plan, model: MODEL }, () => Promise.resolve());
    expect(problems.map(({ problem, places }) => [problem, places.map(({ row }) => row)])).toEqual([
      ['decimal-comma', [2]],
      ['currency', [4]],
    ]);
    const places = problems.flatMap((group) => group.places);
    // Each row is parsed as it is when the whole file is read.
    const settled = { ...plan, columns };
    const rows = await checkRows({ path, plan: settled, model: MODEL, state, places });
    expect(rows.map(({ row, cells }) => [row, cells])).toEqual([
      [2, ['b', 'plain', '83.807,86']],
      [4, ['d', 'zwölf', '$1 234 567']],
    ]);
    expect(rows.map(({ marks }) => marks)).toMatchObject([
      [{ source: 'balance', problem: 'decimal-comma', isRepaired: false, after: null }],
      [{ source: 'balance', problem: 'currency', isRepaired: false }],
    ]);
  });

  test('a repaired value shows the value sent, a plain row has no marks, a missing id is named', async () => {
    const { path, state } = write(format);
    const repairs: Repair[] = [{ source: 'balance', problem: 'decimal-comma', kind: 'decimal-comma' }];
    const plan = planOf(format, repairs);
    const starts = new Map<number, { row: number; line: number; byteOffset: number }>();
    // If a number is required, every value is a problem, so the start of each row is known.
    const all = planOf(format, []).columns.map((column) => ({ ...column, type: 'float' as const }));
    const { problems } = await scanFile({ path, plan: { ...plan, columns: all }, model: null }, () =>
      Promise.resolve(),
    );
    for (const place of problems.flatMap((group) => group.places)) starts.set(place.row, place);
    const rows = await checkRows({ path, plan, model: MODEL, state, places: [...starts.values()] });
    expect(rows.map(({ row }) => row)).toEqual([1, 2, 3, 4, 5]);
    expect(rows.map(({ marks }) => marks)).toMatchObject([
      [],
      [{ source: 'balance', isRepaired: true, after: '83807.86' }],
      [],
      [{ source: 'balance', isRepaired: false }],
      [{ source: 'id', problem: null, reason: expect.stringContaining('event id') }],
    ]);
  });

  test('bad rows without a repair lead to their rows too', async () => {
    const { path, state } = write(format);
    const plan = planOf(format, []);
    const found: RowStart[] = [];
    await scanFile({ path, plan, model: MODEL }, async ({ newBadRows }) => {
      for (const { row, line, byteOffset = -1 } of newBadRows) found.push({ row, line, byteOffset });
    });
    const rows = await checkRows({ path, plan, model: MODEL, state, places: found });
    expect(rows.map(({ row, marks }) => [row, marks[0]?.source])).toEqual([
      [2, 'balance'],
      [4, 'balance'],
      [5, 'id'],
    ]);
  });

  test('a changed file is rejected', async () => {
    const { path, state } = write(format);
    const old = { ...state, sizeBytes: state.sizeBytes + 1 };
    const asked = { path, plan: planOf(format, []), model: MODEL, state: old, places: [] };
    await expect(checkRows(asked)).rejects.toMatchObject({ code: 'FILE_CHANGED' });
  });
});
