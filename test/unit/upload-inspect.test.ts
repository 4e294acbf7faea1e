/** Previews and bad files: what the user sees before anything is sent. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Dialect } from '../../electron/shared/dialect.ts';
import type { AppError } from '../../electron/shared/errors.ts';
import type { BadRow, ColumnPlan, FilePreview, UploadPlan } from '../../electron/shared/upload-model.ts';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import { scanFile } from '../../electron/uploads/validate/scan-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { churnCsv, insuranceCsv } from '../helpers/make-files.ts';
import { openFiles } from '../helpers/open-files.ts';

let folder: DataFolder;
beforeEach(() => {
  folder = new DataFolder();
});
afterEach(() => folder[Symbol.dispose]());

function write(name: string, content: string | Buffer): string {
  writeFileSync(folder.file(name), content);
  return folder.file(name);
}

const inspect = (path: string, override: Partial<Dialect> | null = null): Promise<FilePreview> =>
  inspectFile({ path, fileId: 'file', override, seed: 0.25 });

async function scan(
  path: string,
  override: Partial<Dialect> | null = null,
  types: Record<string, ColumnPlan['type']> = {},
) {
  const { dialect, columns } = await inspect(path, override);
  const plan: UploadPlan = {
    fileId: 'file',
    dialect,
    columns: columns.map(({ name, type }) => ({ source: name, target: name, type: types[name] ?? type })),
    modelId: '11111111-1111-4111-8111-111111111111',
    modelName: 'model',
    envType: 'PRODUCTION',
    envName: null,
    mode: 'publish',
    batchRows: 10,
    maxBatchBytes: 1_000_000,
    onBadRow: 'skip',
  };
  const bad: BadRow[] = [];
  const result = await scanFile({ path, plan, model: null }, async ({ newBadRows }) => {
    bad.push(...newBadRows);
  });
  return { ...result, bad };
}

async function failure(work: Promise<unknown>): Promise<AppError> {
  try {
    await work;
  } catch (problem) {
    return problem as AppError;
  }
  throw new Error('It did not fail.');
}

describe('guesses from the content, not from the name', () => {
  test.each<[string, string | Buffer, Partial<Dialect>]>([
    ['a.txt', 'x,y\n1,2\n3,4\n', { format: 'csv', delimiter: ',', hasHeader: true }],
    ['a.csv', 'x\ty\n1,5\t2\n3,5\t4\n', { delimiter: '\t' }],
    ['a.csv', 'x;y\n1,5;2\n3,5;4\n', { delimiter: ';' }],
    ['a.csv', 'x|y\n1|2\n3|4\n', { delimiter: '|' }],
    ['a.csv', '1,2\n3,4\n', { hasHeader: false }],
    ['a.csv', 'name,city\nAnn,Oslo\nBob,Rome\nAnn,Rome\n', { hasHeader: true }],
    ['a.csv', "a,b\n'x,1',2\n'y,2',3\n", { quote: "'" }],
    ['a.csv', 'a,b\n5" pipe,1\n6",2\n', { quote: '"' }],
    ['a.csv', 'a,b\n"x,1\n"y,2\n"z,3\n', { quote: 'none' }],
    ['a.csv', 'a,b\n1,"x\n2,y\n3,z\n', { quote: '"' }],
    ['a.csv', '{"a":1}\n{"a":2}\n', { format: 'jsonl' }],
    ['a.csv', ' [ {"a":1} ]', { format: 'json' }],
    [
      'a.csv',
      iconv.encode('å;b\nä;1\n', 'utf-16le', { addBOM: true }),
      { encoding: 'utf-16le', delimiter: ';' },
    ],
    ['a.csv', iconv.encode('a;b\nx;1\n', 'utf-16be'), { encoding: 'utf-16be' }],
    ['a.csv', iconv.encode('å,b\nä,1\n', 'utf-8', { addBOM: true }), { encoding: 'utf-8' }],
    ['a.csv', iconv.encode('name,n\nZoë,1\nJosé,2\n', 'windows-1252'), { encoding: 'windows-1252' }],
  ])('%s %j', async (name, content, expected) => {
    const { dialect } = await inspect(write(name, content));
    expect(dialect).toMatchObject(expected);
  });

  test('null words belong to the column in which they were found', async () => {
    const { dialect, columns, notes } = await inspect(write('a.csv', 'age,s\n1,NA\n2,x\nNA,y\nNULL,NULL\n'));
    expect(dialect.nullWords).toEqual([]);
    expect(columns).toMatchObject([
      { name: 'age', type: 'int', emptyCount: 2, reading: { nulls: ['NA', 'NULL'] } },
      { name: 's', type: 'str', emptyCount: 0 },
    ]);
    expect(notes).toContain('Read as no value in column “age”, besides empty cells: NA, NULL.');
  });

  test('every guess can be overridden', async () => {
    const path = write('a.csv', 'x,y\n1;5,2\n');
    const { dialect, columns } = await inspect(path, {
      delimiter: ';',
      hasHeader: false,
      nullWords: ['5,2'],
    });
    expect(dialect).toMatchObject({ delimiter: ';', hasHeader: false, nullWords: ['5,2'] });
    expect(columns.map(({ name }) => name)).toEqual(['column_1']);
    expect((await failure(inspect(path, { encoding: 'klingon' }))).code).toBe('INVALID_ARGUMENT');
    expect((await failure(inspect(path, { delimiter: '§' }))).code).toBe('INVALID_ARGUMENT');
    expect((await failure(inspect(path, { delimiter: '"' }))).code).toBe('INVALID_ARGUMENT');
  });

  test('the types of tables like real ones', async () => {
    const churn = await inspect(write('churn.csv', churnCsv(300)));
    expect(churn.columns.map(({ type }) => type)).toEqual([
      'int',
      'category',
      'category',
      'int',
      'int',
      'float',
      'int',
      'category',
      'category',
      'float',
      'category',
    ]);
    expect(churn).toMatchObject({ estimatedRows: 300, problems: [] });
    expect(churn.head).toHaveLength(100);
    expect(churn.sample).toHaveLength(20);
    const insurance = await inspect(write('insurance.csv', insuranceCsv(50)));
    expect(insurance.columns.find(({ name }) => name === 'effective_to_date')?.type).toBe('timestamp');
    expect(insurance.columns.find(({ name }) => name === 'customer')?.type).toBe('str');
  });

  test('a large file is previewed from its head and random positions', async () => {
    const text = churnCsv(60_000);
    const preview = await inspect(write('large.csv', text));
    expect(preview.sample.length).toBeGreaterThan(10);
    expect(preview.estimatedRows).toBeGreaterThan(57_000);
    expect(preview.estimatedRows).toBeLessThan(63_000);
    const lines = new Set(text.split('\n'));
    for (const { cells } of preview.sample) expect(lines.has(cells.join(','))).toBe(true);
  });
});

describe('files that cannot be used', () => {
  test.each<[string, string | Buffer, string, RegExp]>([
    ['empty.csv', '', 'FILE_EMPTY', /no bytes/],
    ['blank.csv', '\n \n\n', 'FILE_EMPTY', /white space/],
    ['gzip.csv', gzipSync('a,b\n1,2\n'), 'FILE_BINARY', /gzip/],
    ['zip.csv', Buffer.from('PK\u0003\u0004rest'), 'FILE_BINARY', /zip archive/],
    ['parquet.csv', Buffer.from('PAR1\u0015\u0004'), 'FILE_BINARY', /Parquet/],
    ['zero.csv', Buffer.from('a,b\n1,\0\0\n'), 'FILE_BINARY', /binary data \(zero bytes\)/],
    [
      'one-zero.csv',
      `a,b\n${'1,2\n'.repeat(50)}x,Zo\u00eb\0\n`,
      'FILE_BINARY',
      /got one-zero\.csv with 1 zero byte, the first in line 52\. Remove them first/,
    ],
    [
      'noise.csv',
      Buffer.from(Array.from({ length: 500 }, (_value, index) => 1 + (index % 200))),
      'FILE_BINARY',
      /binary data/,
    ],
    ['header.csv', ',,\n', 'FILE_MALFORMED', /only empty ones/],
    ['object.json', '{\n "a": 1\n}\n', 'FILE_MALFORMED', /Line 1/],
    [
      'cells.json',
      '["id", "v"]\n["a", 1]\n["b", 2]\n',
      'FILE_MALFORMED',
      /got an array. Write each row with the names/,
    ],
    [
      'cells.json',
      '[["id", "v"], ["a", 1]]',
      'FILE_MALFORMED',
      /got an array. Write each row with the names/,
    ],
    ['open.csv', '"a,b\n1,2\n', 'FILE_MALFORMED', /quote opened in line 1/],
  ])('%s', async (name, content, code, text) => {
    const path = write(name, content);
    const override = name === 'open.csv' ? { quote: '"' as const, hasHeader: true } : null;
    const error = await failure(inspect(path, override));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(text);
    expect(error.details.file).toBe(name);
    // The error contains the settings that were tried, so that the user can correct them.
    if (code === 'FILE_MALFORMED') expect(error.details.dialect?.encoding).toBe('utf-8');
  });

  test('missing, a folder, and the message of a registry about them', async () => {
    expect((await failure(inspect(folder.file('none.csv')))).code).toBe('FILE_NOT_FOUND');
    mkdirSync(folder.file('folder'));
    expect((await failure(inspect(folder.file('folder')))).message).toContain('got the folder folder');
    const registry = openFiles();
    const good = write('good.csv', 'a,b\n1,2\n');
    const offered = await registry.offer([
      good,
      folder.file('folder'),
      folder.file('none.csv'),
      write('empty.csv', ''),
    ]);
    expect(offered.map(({ error }) => error?.code ?? null)).toEqual([
      null,
      'FILE_EMPTY',
      'FILE_NOT_FOUND',
      'FILE_EMPTY',
    ]);
    expect(registry.resolve(offered[0]?.fileId ?? '')).toEqual({ path: good, name: 'good.csv' });
    expect(() => registry.resolve('unknown')).toThrow('Choose the file again');
    expect(await registry.inspect(offered[0]?.fileId ?? '', null)).toMatchObject({
      name: 'good.csv',
      columns: [{ name: 'a' }, { name: 'b' }],
    });
  });

  test('a first line without an end', async () => {
    const error = await failure(inspect(write('long.csv', 'x'.repeat(9_000_000))));
    expect(error).toMatchObject({ code: 'FILE_LINE_TOO_LONG', details: { line: 1 } });
    const json = await failure(inspect(write('long.jsonl', `{"a":"${'x'.repeat(9_000_000)}"}`)));
    expect(json).toMatchObject({ code: 'FILE_LINE_TOO_LONG', details: { line: 1 } });
  });
});

describe('bad rows', () => {
  test('ragged rows and unclosed quotes lose only their own line', async () => {
    const path = write('a.csv', 'a,b\n1,2\n3\n4,5,6\n7,"open\n8,9\n10,"x" y\n11,12\n');
    const { rows, bad } = await scan(path, { quote: '"' });
    expect(rows).toBe(7);
    expect(bad.map(({ row, line }) => [row, line])).toEqual([
      [2, 3],
      [3, 4],
      [4, 5],
      [6, 7],
    ]);
    expect(bad.map(({ reason }) => reason)).toEqual([
      expect.stringContaining('Expected 2 cells, got 1'),
      expect.stringContaining('Expected 2 cells, got 3'),
      expect.stringContaining('got other text'),
      expect.stringContaining('got other text'),
    ]);
  });

  test('a line that is too long is one bad row', async () => {
    const { rows, bad } = await scan(write('a.csv', `a,b\n1,2\n${'x'.repeat(5_000_000)}\n3,4\n`));
    expect(rows).toBe(3);
    expect(bad).toMatchObject([{ row: 2, line: 3, reason: expect.stringContaining('longer than 4 MB') }]);
  });

  test('bytes of another encoding are bad, not replaced', async () => {
    const path = write(
      'a.csv',
      Buffer.concat([Buffer.from('a,b\né,1\n'), Buffer.from([0xff, 0x2c, 0x31, 0x0a])]),
    );
    const { bad } = await scan(path, { encoding: 'utf-8' });
    expect(bad).toMatchObject([{ row: 2, line: 3, reason: expect.stringContaining('utf-8') }]);
  });

  test('each names column, value and reason; several faults are one entry', async () => {
    const path = write('a.csv', 'n,m,t\n1,1,2024-01-01\n2,2,2024-01-02\nx,y,2024-01-03\n');
    const { bad } = await scan(path, null, { n: 'int', m: 'int' });
    expect(bad).toEqual([
      {
        row: 3,
        line: 4,
        byteOffset: 36,
        column: 'n',
        value: 'x',
        reason: 'Expected a whole number. Other columns with problems: m.',
      },
    ]);
  });
});
