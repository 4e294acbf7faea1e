/** Exports of lists: the content of the files as other readers see it, and exports during kills. */
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tableFromIPC } from 'apache-arrow';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';
import type { ExportFormat, ExportManifest, TableExportPlan } from '../../electron/shared/export-model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { ExportRig, exportOf, valuesOf } from '../helpers/export-rig.ts';
import { Lives } from '../helpers/lives.ts';
import { ScriptedServer, sendError, sendPage } from '../helpers/scripted-server.ts';

const LINES = [
  '{"value":"a","big":9007199254740993,"dec":12345678901234567.123456789,"at":"2026-01-01T00:00:00.123456+02:00","deep":{"k.x":1,"list":[1,9007199254740993]},"yes":true}',
  '{"value":"=1+1","big":-9223372036854775808,"dec":1.5,"at":"2026-01-03T00:00:00Z","deep":{"k.x":2,"list":[]},"yes":false}',
  '{"value":"ü, \\"q\\"\\n","big":null,"dec":2.5,"at":"2026-01-03T12:00:00Z"}',
];
type Row = Record<string, unknown>;
const ITEMS = LINES.map((text) => parseExact(text) as Record<string, unknown>);

let items: readonly unknown[] = ITEMS;
let isRefusing = false;
let requests = 0;
let server: ScriptedServer;
let folder: DataFolder;
let rig: ExportRig;
const lives = new Lives('export-child.ts');

beforeAll(async () => {
  server = await ScriptedServer.start((request, response) => {
    requests += 1;
    response.setHeader('X-RateLimit-Limit', 'unlimited');
    if (isRefusing) sendError(response, 403, 'No.');
    else sendPage(response, items, request);
  });
});
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  items = ITEMS;
  isRefusing = false;
  folder = new DataFolder();
  rig = new ExportRig(server.baseUrl, { folder });
});
afterEach(async () => {
  lives.killAll();
  await rig[Symbol.asyncDispose]();
});

const manifestOf = (file: string): ExportManifest =>
  JSON.parse(readFileSync(`${file}.manifest.json`, 'utf8'));
const parquetOf = async (file: string) => {
  const bytes = Uint8Array.from(readFileSync(file)).buffer;
  return parquetReadObjects({ file: bytes, compressors });
};
/** Files that incomplete exports left. */
const parts = () => readdirSync(folder.path).filter((name) => name.includes('.part'));

async function written(format: ExportFormat, plan: Partial<Parameters<typeof exportOf>[0]> = {}) {
  const file = folder.file(`values.${format}`);
  const job = await rig.exported(exportOf({ query: valuesOf('one'), format, ...plan }), file);
  expect(job).toMatchObject({ error: null, state: 'done', file });
  expect(parts()).toEqual([]);
  return file;
}

describe('written files', () => {
  test('Parquet: 64-bit integers, decimals, nested values and times are exact', async () => {
    const file = await written('parquet');
    const rows = await parquetOf(file);
    expect(rows.map(({ big }) => big)).toEqual([9007199254740993n, -9223372036854775808n, null]);
    expect(rows.map(({ at }) => at)).toEqual([
      new Date('2025-12-31T22:00:00.123Z'),
      new Date('2026-01-03T00:00:00Z'),
      new Date('2026-01-03T12:00:00Z'),
    ]);
    // For other programs, JSON is text and not bytes.
    const { schema } = parquetMetadata(Uint8Array.from(readFileSync(file)).buffer);
    const list = schema.find(({ name }) => name === 'deep.list');
    expect(list).toMatchObject({ type: 'BYTE_ARRAY', converted_type: 'UTF8' });
    expect(list?.logical_type?.type ?? 'STRING').toBe('STRING');
    expect(rows.map((row) => row['deep.list'])).toEqual(['[1,9007199254740993]', '[]', null]);
    const types = Object.fromEntries(manifestOf(file).columns.map(({ name, type }) => [name, type]));
    expect(types).toMatchObject({ big: 'BIGINT', dec: 'DECIMAL(26,9)', yes: 'BOOLEAN', 'deep.list': 'JSON' });
  });

  test('Arrow: the same, digit for digit', async () => {
    const table = tableFromIPC(readFileSync(await written('arrow')));
    const column = (name: string) => [...(table.getChild(name) ?? [])];
    expect(table.numRows).toBe(3);
    expect(column('big')).toEqual([9007199254740993n, -9223372036854775808n, null]);
    expect(column('yes')).toEqual([true, false, null]);
    expect(column('value')).toEqual(['a', '=1+1', 'ü, "q"\n']);
    expect(column('deep.list')).toEqual(['[1,9007199254740993]', '[]', null]);
    const type = (name: string) => String(table.schema.fields.find((field) => field.name === name)?.type);
    expect(type('dec')).toBe('Decimal[26e+9]');
    expect(type('at')).toBe('Timestamp<MICROSECOND, UTC>');
    const at = table.getChild('at')?.data[0]?.values;
    expect(at[0]).toBe(1767218400123456n);
    const [low = 0, second = 0, third = 0, high = 0] = table.getChild('dec')?.data[0]?.values ?? [];
    const words = [low, second, third, high].map((word, index) => BigInt(word) << BigInt(32 * index));
    expect(words.reduce((sum, word) => sum + word, 0n)).toBe(12345678901234567123456789n);
  });

  test('items of a dataset as conversations: others are skipped, counted and named with the reason', async () => {
    const item = (id: string, inputs: object, answer: string) => ({
      ...{ id, inputs, metadata: {}, extras: {} },
      expected_outputs: answer === '' ? {} : { answer },
    });
    items = [
      item('a', { question: 'Where?' }, 'Here.'),
      item('b', { question: 'When?' }, ''),
      item('c', { messages: [{ role: 'user', content: 'Who?' }] }, 'I.'),
      item('d', { question: '' }, 'No.'),
      item('e', { question: 'Why?' }, ''),
    ];
    const query = { operation: 'datasets.items', path: { dataset_id: 'd1' }, query: {} };
    const conversation = { as: 'chat', prompt: null, answer: null } as const;
    const file = await written('jsonl', { query, conversation });
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).messages.map(({ content }: Row) => content))).toEqual([
      ['Where?', 'Here.'],
      ['Who?', 'I.'],
    ]);
    expect(manifestOf(file)).toMatchObject({
      rows: 2,
      skipped: {
        rows: 3,
        reasons: [
          { rows: 2, items: ['b', 'e'], reason: expect.stringContaining('expected_outputs') },
          { rows: 1, items: ['d'], reason: expect.stringContaining('empty') },
        ],
      },
    });
    await expect(written('csv', { query, conversation })).rejects.toThrow(
      /JSON Lines to write conversations/,
    );
  });

  test('JSON Lines: records unchanged', async () => {
    expect(readFileSync(await written('jsonl'), 'utf8')).toBe(`${LINES.join('\n')}\n`);
  });

  test('CSV: numbers and times digit for digit, formulas harmless, or exact on demand', async () => {
    const [head, ...lines] = readFileSync(await written('csv'), 'utf8').split('\n');
    expect(head).toBe('value,big,dec,at,deep.k.x,deep.list,yes');
    expect(lines[0]).toBe(
      'a,9007199254740993,12345678901234567.123456789,2026-01-01T00:00:00.123456+02:00,1,"[1,9007199254740993]",true',
    );
    expect(lines[1]).toMatch(/^'=1\+1,-9223372036854775808,/);
    const exact = readFileSync(await written('csv', { isExact: true }), 'utf8');
    expect(exact.split('\n')[2]).toMatch(/^=1\+1,/);
  });

  test('a manifest states the source of the rows, their number and age, and seals the file', async () => {
    const file = await written('parquet');
    expect(manifestOf(file)).toMatchObject({
      file: 'values.parquet',
      format: 'parquet',
      sha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
      source: { baseUrl: server.baseUrl, ...valuesOf('one') },
      ...{ rows: 3, totalRows: 3, complete: true },
      timeRanges: [{ column: 'at', from: '2025-12-31T22:00:00.123Z', to: '2026-01-03T12:00:00.000Z' }],
    });
  });

  test('Parquet in a folder for each day, or for each value of a column', async () => {
    const file = await written('parquet', { partitionBy: 'at' });
    expect(readdirSync(file).toSorted()).toEqual(['at_day=2025-12-31', 'at_day=2026-01-03']);
    const { files, rows, sha256, partitionedBy } = manifestOf(file);
    expect([rows, sha256, partitionedBy]).toEqual([3, null, 'at_day']);
    expect(files?.map((each) => each.file)).toEqual([
      'at_day=2025-12-31/data_0.parquet',
      'at_day=2026-01-03/data_0.parquet',
    ]);
    const day = await parquetOf(`${file}/at_day=2026-01-03/data_0.parquet`);
    expect(day.map(({ value }) => value)).toEqual(['=1+1', 'ü, "q"\n']);
    const again = exportOf({ query: valuesOf('one'), format: 'parquet', partitionBy: 'value' });
    await expect(rig.exported(again, file)).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    const byValue = folder.file('by-value.parquet');
    expect(await rig.exported({ ...again, partitionBy: 'yes' }, byValue)).toMatchObject({ state: 'done' });
    expect(readdirSync(byValue).toSorted()).toEqual([
      'yes=__HIVE_DEFAULT_PARTITION__',
      'yes=false',
      'yes=true',
    ]);
    const wrong = await rig.exported({ ...again, partitionBy: 'nothing' }, folder.file('c.parquet'));
    expect(wrong).toMatchObject({ state: 'paused', error: { code: 'INVALID_ARGUMENT' } });
    expect(parts()).toEqual([]);
  });
});

describe('exported rows and columns', () => {
  const rowsOf = async (plan: Partial<Parameters<typeof exportOf>[0]>) => {
    const text = readFileSync(await written('jsonl', plan), 'utf8');
    const parquet = await parquetOf(await written('parquet', plan));
    const values = text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).value]));
    expect(parquet.map(({ value }) => value)).toEqual(values);
    return values;
  };

  test('are those that a grid shows, in its order', async () => {
    items = Array.from({ length: 2_500 }, (_, index) => ({ value: `v ${index}`, n: index % 7 }));
    const sort = { field: 'n', isDescending: true };
    const filters = [{ kind: 'range' as const, field: 'n', from: 5, to: null, includesTo: false }];
    const wanted = items.map((item) => item as { value: string; n: number });
    const ordered = wanted.filter(({ n }) => n >= 5).toSorted((a, b) => b.n - a.n);
    expect(await rowsOf({ sort, filters })).toEqual(ordered.map(({ value }) => value));
    expect(await rowsOf({ sort, filters, ranges: [{ from: 1, to: 3 }] })).toEqual(
      ordered.slice(1, 4).map(({ value }) => value),
    );
    expect(await rowsOf({ narrow: 'v 249' })).toHaveLength(11);
    const places = [
      { from: 7, to: 8 },
      { from: 2_499, to: 2_600 },
    ];
    expect(await rowsOf({ ranges: places })).toEqual(['v 7', 'v 8', 'v 2499']);
  });

  test('a selection of a list that has changed since is rejected, and creates no file', async () => {
    const { library } = rig.library;
    const { storedRows, newestMs } = await rig.library.read(valuesOf('one'));
    const plan = exportOf({
      query: valuesOf('one'),
      ranges: [{ from: 0, to: 0 }],
      reads: 'stored',
      seen: { storedRows, newestMs },
    });
    const { exportId } = await rig.exports.create(plan, { file: null, startAtMs: null, notBeforeMs: 0 });
    items = [...ITEMS, { value: 'new' }];
    await rig.library.read(valuesOf('one'), 'always');
    rig.exports.chooseFile(exportId, folder.file('one.csv'));
    const job = await rig.exports.whenIdle(exportId);
    expect(job).toMatchObject({ state: 'paused', error: { code: 'CONFLICT' } });
    expect(existsSync(folder.file('one.csv'))).toBe(false);
    await expect(library.chooseRows(plan)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  test('only chosen columns are written, and an object with everything in it', async () => {
    const file = await written('csv', { columns: ['big', 'deep'] });
    expect(readFileSync(file, 'utf8').split('\n')[0]).toBe('big,deep.k.x,deep.list');
    const [first = ''] = readFileSync(await written('jsonl', { columns: ['big', 'deep'] }), 'utf8').split(
      '\n',
    );
    expect(first).toBe('{"big":9007199254740993,"deep":{"k.x":1,"list":[1,9007199254740993]}}');
  });
});

describe('the result of a SELECT', () => {
  const tableOf = (sql: string, format: ExportFormat): TableExportPlan => ({
    ...{ name: 'A query', format, columns: null, isExact: false, partitionBy: null },
    table: { form: 'sql', sql },
  });
  const SQL =
    'SELECT value, big, dec, "at", "deep.list" AS list FROM "values" ORDER BY big NULLS LAST; -- all';

  test('is written in every format with the types of the query, and no request is sent', async () => {
    await written('csv');
    const before = requests;
    const files: Partial<Record<ExportFormat, string>> = {};
    for (const format of ['csv', 'jsonl', 'parquet', 'arrow'] as const) {
      files[format] = folder.file(`query.${format}`);
      const job = await rig.exported(tableOf(SQL, format), files[format]);
      expect(job).toMatchObject({ error: null, state: 'done', rows: 3, totalRows: 3, source: null });
      expect(manifestOf(files[format])).toMatchObject({ rows: 3, source: { sql: SQL }, rowsChosen: null });
    }
    expect(parts()).toEqual([]);
    expect(requests).toBe(before);
    const [head, first] = readFileSync(files.csv ?? '', 'utf8').split('\n');
    expect(head).toBe('value,big,dec,at,list');
    expect(first).toContain("'=1+1,-9223372036854775808,");
    expect(readFileSync(files.jsonl ?? '', 'utf8')).toContain(
      '{"value":"a","big":9007199254740993,"dec":12345678901234567.123456789,"at":"2025-12-31 22:00:00.123456+00","list":[1,9007199254740993]}',
    );
    const rows = await parquetOf(files.parquet ?? '');
    expect(rows.map(({ big }) => big)).toEqual([-9223372036854775808n, 9007199254740993n, null]);
    const table = tableFromIPC(readFileSync(files.arrow ?? ''));
    expect([...(table.getChild('value') ?? [])]).toEqual(['=1+1', 'a', 'ü, "q"\n']);
  });

  test('that cannot be run leaves no file and is suspended with the position of the fault', async () => {
    await written('csv');
    const file = folder.file('wrong.parquet');
    const job = await rig.exported(tableOf('SELECT nothing FROM "values"', 'parquet'), file);
    expect(job.state).toBe('paused');
    expect(job.error).toMatchObject({ code: 'INVALID_ARGUMENT', details: { place: { line: 1, column: 8 } } });
    expect(existsSync(file)).toBe(false);
    expect(parts()).toEqual([]);
  });
});

describe('a stored table', () => {
  const ROWS = [
    {
      item_id: 'a',
      scores: { tone: { value: 0.25, label: '=1+1' } },
      error: null,
      at: '2026-01-01T00:00:00.000Z',
    },
    { item_id: 'b', scores: {}, error: 'The evaluator gave none.', at: null },
  ];
  const planOf = (format: ExportFormat): TableExportPlan => ({
    ...{ name: 'Scores', format, columns: null, isExact: false, partitionBy: null },
    table: { form: 'scores', runId: 'run-1', state: null },
  });
  let reads = 0;
  beforeEach(() => {
    reads = 0;
    rig.readTable = () => {
      reads += 1;
      const about = { table: 'scores', runId: 'run-1' };
      return Promise.resolve({ about, rows: ROWS, isComplete: true, oldestMs: null, newestMs: null });
    };
  });

  test('is written in every format, and no request is sent', async () => {
    const before = requests;
    for (const format of ['csv', 'jsonl', 'parquet', 'arrow'] as const) {
      const file = folder.file(`scores.${format}`);
      const job = await rig.exported(planOf(format), file);
      expect(job).toMatchObject({ error: null, state: 'done', rows: 2, totalRows: 2, source: null });
      expect(manifestOf(file)).toMatchObject({
        ...{ rows: 2, totalRows: 2, complete: true, rowsChosen: null },
        source: { baseUrl: server.baseUrl, table: 'scores', runId: 'run-1' },
        timeRanges: [{ column: 'at', from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T00:00:00.000Z' }],
      });
    }
    expect(parts()).toEqual([]);
    expect(requests).toBe(before);
    const [head, first] = readFileSync(folder.file('scores.csv'), 'utf8').split('\n');
    expect(head).toBe('item_id,scores.tone.value,scores.tone.label,error,at');
    expect(first).toBe("a,0.25,'=1+1,,2026-01-01T00:00:00.000Z");
    const lines = readFileSync(folder.file('scores.jsonl'), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(ROWS);
    const rows = await parquetOf(folder.file('scores.parquet'));
    expect(rows.map((row) => [row['scores.tone.value'], row['at']])).toEqual([
      [0.25, new Date('2026-01-01T00:00:00Z')],
      [null, null],
    ]);
    const table = tableFromIPC(readFileSync(folder.file('scores.arrow')));
    expect([...(table.getChild('error') ?? [])]).toEqual([null, 'The evaluator gave none.']);
  });

  test('that is paused while it is written is read again when it continues, and leaves no files', async () => {
    rig.onWrite = () => rig.exports.control(rig.exports.list()[0]?.exportId ?? '', 'pause');
    const file = folder.file('scores.csv');
    const { exportId } = await rig.exported(planOf('csv'), file);
    expect(rig.exports.get(exportId).state).toBe('paused');
    expect([existsSync(file), parts()]).toEqual([false, []]);
    rig.onWrite = () => undefined;
    rig.exports.control(exportId, 'resume');
    expect(await rig.exports.whenIdle(exportId)).toMatchObject({ state: 'done', rows: 2 });
    expect(reads).toBe(2);
  });

  test('that no longer exists is suspended with the reason', async () => {
    rig.readTable = () => Promise.reject(new AppError('NOT_STORED', 'Gone.'));
    const file = folder.file('scores.csv');
    const job = await rig.exported(planOf('csv'), file);
    expect(job).toMatchObject({ state: 'paused', error: { code: 'NOT_STORED' } });
    expect([existsSync(file), parts()]).toEqual([false, []]);
  });
});

describe('repeated and interrupted exports', () => {
  test('stored rows are not requested again; without stored or requested rows there is no file', async () => {
    await written('csv');
    const before = requests;
    await written('jsonl');
    expect(requests).toBe(before);
    const none = exportOf({ query: valuesOf('never read'), reads: 'stored' });
    const job = await rig.exported(none, folder.file('none.csv'));
    expect(job).toMatchObject({ state: 'paused', error: { code: 'NOT_STORED' } });
    expect(existsSync(folder.file('none.csv'))).toBe(false);
  });

  test('cancelled while it writes: no part of it is left', async () => {
    rig.onWrite = () => {
      const [job] = rig.exports.list();
      rig.exports.control(job?.exportId ?? '', 'cancel');
    };
    const job = await rig.exported(exportOf({ query: valuesOf('one') }), folder.file('one.csv'));
    expect(job.state).toBe('cancelled');
    expect(existsSync(folder.file('one.csv'))).toBe(false);
    expect(parts()).toEqual([]);
  });

  test('cancelled after a kill: the partial file is removed', async () => {
    isRefusing = true;
    const file = folder.file('one.csv');
    const { exportId } = await rig.exported(exportOf({ query: valuesOf('one') }), file);
    writeFileSync(`${file}.${exportId.slice(0, 8)}.part`, 'half');
    rig.exports.control(exportId, 'cancel');
    await expect.poll(parts).toEqual([]);
    expect(rig.exports.get(exportId).state).toBe('cancelled');
  });

  test('rejected by the service it is suspended with the reason, and the user resumes it', async () => {
    isRefusing = true;
    const file = folder.file('one.csv');
    const job = await rig.exported(exportOf({ query: valuesOf('one') }), file);
    expect(job).toMatchObject({ state: 'paused', error: { code: 'FORBIDDEN' } });
    isRefusing = false;
    rig.exports.control(job.exportId, 'resume');
    expect(await rig.exports.whenIdle(job.exportId)).toMatchObject({ state: 'done', rows: 3 });
    expect(manifestOf(file).rows).toBe(3);
  });

  test('20,000 rows, killed three times, make the same file as an uninterrupted export', async () => {
    items = Array.from({ length: 20_000 }, (_, index) => ({
      value: `value ${index}`,
      n: index,
      at: new Date(1_767_225_600_000 + index * 1_000).toISOString(),
    }));
    const plan = exportOf({ query: valuesOf('many'), format: 'parquet' });
    expect(await rig.exported(plan, folder.file('whole.parquet'))).toMatchObject({ rows: 20_000 });
    using own = new DataFolder();
    const killed = own.file('killed.parquet');
    const first = new ExportRig(server.baseUrl, { folder: own });
    const { exportId } = await first.exports.create(plan, { file: killed, startAtMs: null, notBeforeMs: 0 });
    await first.exports.stop();
    const before = requests;
    const args = { url: server.baseUrl, folder: own.path, export: exportId };
    for (const pages of [7, 6]) await lives.live(args, pages);
    const third = lives.start(args);
    await third.heard('writing');
    third.kill();
    await third.ended;
    expect(existsSync(killed)).toBe(false);
    expect(await lives.live(args, null)).toBe('ended done');
    // Each process requested again at most the page that was in flight.
    expect(requests - before).toBeLessThanOrEqual(20 + 3);
    const rows = await parquetOf(folder.file('whole.parquet'));
    expect(await parquetOf(killed)).toEqual(rows);
    expect(rows.map(({ n }) => Number(n))).toEqual(items.map((_, index) => index));
    expect(readdirSync(own.path).filter((name) => name.includes('.part'))).toEqual([]);
    await first[Symbol.asyncDispose]();
  }, 600_000);
});

test('a folder is not replaced by a file, nor a file by a folder, and nothing is stored', async () => {
  const [empty, file] = [folder.file('empty.csv'), folder.file('rows.parquet')];
  mkdirSync(empty);
  writeFileSync(file, 'rows');
  const plan = { query: valuesOf('one') };
  await expect(rig.exported(exportOf({ ...plan, format: 'csv' }), empty)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: `Expected the name of a file, got the folder ${empty}.`,
  });
  const parted = exportOf({ ...plan, format: 'parquet', partitionBy: 'value' });
  await expect(rig.exported(parted, file)).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message:
      'Expected a name for a folder, but rows.parquet is a file. Choose another name, or delete the file.',
  });
});

test('an export that writes a folder cannot repeat, because its folder is never replaced', async () => {
  const plan = exportOf({ query: valuesOf('one'), format: 'parquet', partitionBy: 'value' });
  const start = { file: folder.file('parts.parquet'), startAtMs: null, notBeforeMs: 0 };
  const repeated = rig.exports.create(plan, { ...start, rule: { on: 'sync' } });
  await expect(repeated).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining('Expected an export to one file to repeat'),
  });
});

test('a file that is a link is written to its target, and the link stays; a device is rejected in words', async () => {
  const target = folder.file('real.csv');
  const [link, dangling] = [folder.file('link.csv'), folder.file('dangling.csv')];
  writeFileSync(target, 'old');
  symlinkSync(target, link);
  symlinkSync('not-there.csv', dangling);
  const plan = exportOf({ query: valuesOf('linked') });
  expect(await rig.exported(plan, link)).toMatchObject({ state: 'done' });
  expect(await rig.exported(plan, dangling)).toMatchObject({ state: 'done' });
  const chain = ['a', 'b', 'c'].map((name) => folder.file(`${name}.csv`));
  for (const [at, path] of chain.entries()) symlinkSync(chain[at + 1] ?? 'end.csv', path);
  expect(await rig.exported(plan, folder.file('a.csv'))).toMatchObject({ state: 'done' });
  expect(readFileSync(folder.file('end.csv'), 'utf8')).toContain('ü');
  for (const path of [link, dangling, ...chain]) expect(lstatSync(path).isSymbolicLink(), path).toBe(true);
  expect(readFileSync(target, 'utf8')).toContain('ü');
  expect(readFileSync(folder.file('not-there.csv'), 'utf8')).toBe(readFileSync(target, 'utf8'));
  expect(manifestOf(link)).toMatchObject({ rows: 3 });
  expect(parts()).toEqual([]);
  await expect(rig.exported(plan, '/dev/null')).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: 'Expected a file, but null is a device or a pipe. Choose another name.',
  });
});
