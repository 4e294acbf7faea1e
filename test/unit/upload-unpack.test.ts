/** Files that are not text are offered, previewed and read like text: every row and every digit is kept. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync, zstdCompressSync } from 'node:zlib';
import * as arrow from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { toAppError } from '../../electron/shared/errors.ts';
import type { DataFolder } from '../helpers/data-folder.ts';
import { type OpenFiles, offerOne, openFiles, readableText } from '../helpers/open-files.ts';
import { setUpFilesOfEachTest } from '../helpers/set-up-files.ts';
import { workbook, zipFile } from '../helpers/zip-file.ts';

const CSV = 'id,name\n1,Ann\n2,Bob\n';

let folder: DataFolder;
let files: OpenFiles;
setUpFilesOfEachTest((made) => {
  ({ folder, files } = made);
});

function write(name: string, content: string | Uint8Array): string {
  writeFileSync(folder.file(name), content);
  return folder.file(name);
}

describe('compressed files', () => {
  test.each([
    ['events.csv.gz', gzipSync(CSV), 'gzip'],
    ['events.csv.zst', zstdCompressSync(Buffer.from(CSV)), 'Zstandard'],
    ['events.csv.br', brotliCompressSync(CSV), 'Brotli'],
  ])('%s is read as the text in it, under its own name', async (name, bytes, packed) => {
    const offered = await offerOne(files, write(name, bytes));
    expect(offered).toMatchObject({ name, packed, error: null, sizeBytes: bytes.length });
    const preview = await files.inspect(offered.fileId, null);
    expect(preview.columns.map((column) => column.name)).toEqual(['id', 'name']);
    expect(preview.head.map((row) => row.cells)).toEqual([
      ['1', 'Ann'],
      ['2', 'Bob'],
    ]);
    expect(preview).toMatchObject({ name, sizeBytes: bytes.length });
  });

  const frame = (text: string, level: number) => {
    const params = {
      [constants.ZSTD_c_compressionLevel]: level,
      [constants.ZSTD_c_checksumFlag]: level % 2,
      [constants.ZSTD_c_contentSizeFlag]: level % 2,
    };
    return zstdCompressSync(Buffer.from(text), { params });
  };
  const skippable = Buffer.from([0x53, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4]);
  const long = Array.from({ length: 60_000 }, (_, row) => `${row},${(row * 7919) % 10_007}\n`).join('');

  test.each([
    ['two frames', [frame(CSV, 3), frame('3,Cem\n', 4)], `${CSV}3,Cem\n`],
    ['a frame without data first', [skippable, frame(CSV, 3)], CSV],
    ['frames without data last', [frame(CSV, 4), skippable, skippable], CSV],
    [
      'empty and long frames',
      [frame(CSV, 1), frame('', 3), frame(long, 2), frame(long, 1)],
      CSV + long + long,
    ],
    ['repeated bytes', [frame('id\n', 3), frame('1\n'.repeat(400_000), 3)], `id\n${'1\n'.repeat(400_000)}`],
  ])('a Zstandard file of several frames is read to its end: %s', async (_, frames, text) => {
    expect(await readableText(files, write('frames.csv.zst', Buffer.concat(frames)))).toBe(text);
  });

  test.each([
    ['a second frame that is cut off', [frame(CSV, 3), frame(long, 3).subarray(0, 50_000)]],
    ['a frame without data that is cut off', [frame(CSV, 3), skippable.subarray(0, 10)]],
    ['other bytes after a frame', [frame(CSV, 3), Buffer.from('id,name\n')]],
    ['a damaged second frame', [frame(CSV, 3), frame(long, 3).fill(0, 30_000, 90_000), frame(CSV, 3)]],
  ])('a Zstandard file is not read in part: %s', async (_, frames) => {
    const { fileId } = await offerOne(files, write('cut.csv.zst', Buffer.concat(frames)));
    await expect(files.inspect(fileId, null)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
      message: expect.stringMatching(/^cut\.csv\.zst cannot be unpacked: .*cut off or damaged/),
    });
  });

  test('one without content is empty under its own name', async () => {
    const { fileId } = await offerOne(files, write('empty.csv.gz', gzipSync('')));
    await expect(files.inspect(fileId, null)).rejects.toMatchObject({
      code: 'FILE_EMPTY',
      message: 'empty.csv.gz is empty: nothing is packed in it. Check that it was written completely.',
    });
  });

  test('truncation is reported, and leaves no files', async () => {
    const bytes = gzipSync(CSV.repeat(10_000));
    const { fileId } = await offerOne(files, write('cut.csv.gz', bytes.subarray(0, bytes.length - 20)));
    await expect(files.inspect(fileId, null)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
      message: expect.stringMatching(/^cut\.csv\.gz cannot be unpacked: .*cut off or damaged/),
    });
    expect(await files.findReadable(fileId, null)).toBeNull();
  });

  test('the copy is made once, and again if the file changed', async () => {
    const path = write('a.csv.gz', gzipSync(CSV));
    const first = await offerOne(files, path);
    const copy = await files.readable(first.fileId, null);
    expect((await files.readable(first.fileId, null)).path).toBe(copy.path);
    writeFileSync(path, gzipSync('id\n7\n8\n9\n'));
    const again = await offerOne(files, path);
    expect(readFileSync((await files.readable(again.fileId, null)).path, 'utf8')).toBe('id\n7\n8\n9\n');
    expect(readFileSync(copy.path, 'utf8')).toBe(CSV);
  });
});

test('a copy of an earlier reading stays for those who use it, and is not used for new previews', async () => {
  const path = write('book.xlsx', workbook({ Data: [['id'], [7]] }));
  const { fileId } = await offerOne(files, path);
  const { sizeBytes = 0, mtimeMs = 0 } = files.stateOf(fileId) ?? {};
  // The name and the facts of a copy that a version without reading numbers made.
  const key = createHash('sha256').update(JSON.stringify([path, null, sizeBytes, mtimeMs, null]));
  const home = folder.file(`copies/${key.digest('hex').slice(0, 32)}`);
  const earlier = join(home, 'text', 'book.xlsx');
  mkdirSync(join(home, 'text'), { recursive: true });
  writeFileSync(earlier, 'id\nearlier\n');
  const facts = { notes: [], sheet: 'Data', sheets: ['Data'], layout: 'sheet', changes: [] };
  writeFileSync(join(home, 'facts.json'), JSON.stringify(facts));
  // The rows that an earlier version read are different from the ones that this version would send.
  expect(await files.findReadable(fileId, null)).toBeNull();

  const preview = await files.inspect(fileId, null);
  expect(preview.head.map(({ cells }) => cells)).toEqual([['7']]);
  const { path: current } = await files.readable(fileId, null);
  expect(readFileSync(current, 'utf8')).toBe('id\n7\n');
  expect(await files.findReadable(fileId, null)).toBe(current);
  // Unfinished jobs still send the same bytes.
  expect(readFileSync(earlier, 'utf8')).toBe('id\nearlier\n');
});

/** A zip archive written by Python, with a member compressed by bzip2. */
const PACKED_BY_BZIP2 =
  'UEsDBC4AAAAMAPawfF3pFoivVQAAAEQAAAAFAAAAYy5jc3ZCWmg5MUFZJlNZt07NkgAAHtuAABAAB3YQBBA0I4YAIABUQQBiaBglCj1GjYUB7BNYi9pIJV7LCkcXgClVFLXVGYMaMW5cLb+r94F3JFOFCQt07NkgUEsBAi4DLgAAAAwA9rB8XekWiK9VAAAARAAAAAUAAAAAAAAAAAAAAIABAAAAAGMuY3N2UEsFBgAAAAABAAEAMwAAAHgAAAAAAA==';

describe('archives and folders', () => {
  test('represent the files in them; files added by systems are skipped', async () => {
    const path = write(
      'all.zip',
      zipFile({
        'a.csv': CSV,
        'sub/b.jsonl.gz': gzipSync('{"id":1}\n'),
        '__MACOSX/a.csv': 'x',
        '.DS_Store': 'x',
      }),
    );
    const offered = await files.offer([path]);
    expect(offered.map(({ name, error }) => [name, error])).toEqual([
      ['all.zip/a.csv', null],
      ['all.zip/sub/b.jsonl.gz', null],
    ]);
    const previews = await Promise.all(offered.map(({ fileId }) => files.inspect(fileId, null)));
    expect(previews.map(({ columns }) => columns.map(({ name }) => name))).toEqual([['id', 'name'], ['id']]);
    // The path from an earlier run is accepted too.
    const known = files.resolve(offered[0]?.fileId ?? '');
    expect(await files.offerAgain('x', known.path, null)).toMatchObject({
      name: 'all.zip/a.csv',
      error: null,
      packed: 'zip archive',
    });
  });

  test('a file in it may have any name', async () => {
    const path = write('odd.zip', zipFile({ 'facts.json': '[{"id":7}]' }));
    expect(await readableText(files, path)).toBe('[{"id":7}]');
  });

  const PARTS = ['_SUCCESS', '_SUCCESS.crc', 'part-00000.csv', 'part-00001.csv', 'part-00001.csv.crc'];
  const BESIDE = ['_committed_815', '_started_815', '_metadata', 'month=1/_common_metadata'];

  test('the markers that Spark and Databricks write beside the parts of a table are no files of rows', async () => {
    mkdirSync(folder.file('events/month=1'), { recursive: true });
    for (const name of [...PARTS, ...BESIDE, '_notes.csv']) write(`events/${name}`, CSV);
    const names = (await files.offer([folder.file('events')])).map(({ name }) => name);
    expect(names).toEqual(['events/_notes.csv', 'events/part-00000.csv', 'events/part-00001.csv']);
    const packed = write('p.zip', zipFile(Object.fromEntries(PARTS.map((name) => [`out/${name}`, CSV]))));
    const members = (await files.offer([packed])).map(({ name }) => name);
    expect(members).toEqual(['p.zip/out/part-00000.csv', 'p.zip/out/part-00001.csv']);
  });

  test.each([
    ['Delta Lake', '_delta_log/00000000000000000000.json'],
    ['Hudi', '.hoodie/hoodie.properties'],
    ['Iceberg', 'metadata/v1.metadata.json'],
  ])('a table of %s is refused, because its files hold removed rows too', async (format, path) => {
    mkdirSync(join(folder.file('events'), path, '..'), { recursive: true });
    write('events/a.csv', CSV);
    write(`events/${path}`, '{}');
    const packed = write('packed.zip', zipFile({ 'a.csv': CSV, [`events/${path}`]: '{}' }));
    for (const [offered, name] of [
      [folder.file('events'), 'events'],
      [packed, 'packed.zip'],
    ] as const) {
      const [{ error } = { error: null }] = await files.offer([offered]);
      expect(error?.message).toContain(`got a table of ${format}: ${name}. Its files also hold rows`);
    }
  });

  test('a folder returns its files and those below, without hidden ones', async () => {
    mkdirSync(folder.file('drop/deep/.hidden'), { recursive: true });
    for (const name of ['drop/b.csv', 'drop/deep/a.csv', 'drop/.x.csv', 'drop/deep/.hidden/c.csv'])
      write(name, CSV);
    const offered = await files.offer([folder.file('drop')]);
    expect(offered.map(({ name }) => name)).toEqual(['drop/b.csv', 'drop/deep/a.csv']);
  });

  test('an unreasonable number of files is rejected at once, in a folder and in an archive', async () => {
    mkdirSync(folder.file('many/sub'), { recursive: true });
    const names = Array.from({ length: 1_001 }, (_, index) => `${index}.csv`);
    for (const name of names) write(`many/sub/${name}`, '');
    const archive = zipFile(Object.fromEntries(names.map((name) => [name, ''])));
    const offered = await files.offer([folder.file('many'), write('many.zip', archive)]);
    expect(offered.map(({ error }) => error?.message)).toEqual([
      expect.stringContaining('many holds more than 1,000 files.'),
      expect.stringContaining('many.zip holds more than 1,000 files.'),
    ]);
  });

  test('a member packed by another method is refused with the next step, not as damaged', async () => {
    const [offered] = await files.offer([write('bz.zip', Buffer.from(PACKED_BY_BZIP2, 'base64'))]);
    await expect(files.inspect(offered?.fileId ?? '', null)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
      message:
        'bz.zip/c.csv cannot be unpacked: unsupported compression method: 12. Unpack it with your own tool, then choose what comes out.',
    });
  });

  test('backslashes, which packers of Windows write between folders, separate them', async () => {
    const path = write('windows.zip', zipFile({ 'folder\\a.csv': CSV }));
    expect((await files.offer([path])).map(({ name, error }) => [name, error])).toEqual([
      ['windows.zip/folder/a.csv', null],
    ]);
    const [out] = await files.offer([write('back.zip', zipFile({ '..\\..\\a.csv': CSV }))]);
    expect(out?.error?.message).toContain('got one whose path leads out of it: ../../a.csv.');
    const [drive] = await files.offer([write('drive.zip', zipFile({ 'C:\\a.csv': CSV }))]);
    expect(drive?.error?.message).toContain('got one whose path leads out of it: C:/a.csv.');
  });

  test('a path that leads out of the archive is refused with the next step', async () => {
    const [offered] = await files.offer([write('out.zip', zipFile({ '../../a.csv': CSV }))]);
    expect(offered?.error?.message).toBe(
      'Expected files inside of the archive out.zip, got one whose path leads out of it: ../../a.csv. Nothing of it was unpacked. Pack its files again, or unpack it with your own tool and choose what comes out.',
    );
  });

  test('an invalid archive, and one without files, are reported', async () => {
    const cut = zipFile({ 'a.csv': CSV }).subarray(0, 60);
    const offered = await files.offer([write('cut.zip', cut), write('empty.zip', zipFile({}))]);
    expect(offered.map(({ name, error }) => [name, error?.code])).toEqual([
      ['cut.zip', 'FILE_MALFORMED'],
      ['empty.zip', 'FILE_EMPTY'],
    ]);
  });
});

describe('an Excel file', () => {
  const book = workbook({
    Empty: [],
    Trips: [
      ['id', 'when', 'cost'],
      ['9007199254740993', '#45292', 0.1],
      [1, '#45292.5', null],
    ],
    More: [['x'], [5]],
  });

  test('the first filled sheet, with dates as dates, and the names of the others', async () => {
    const { fileId, packed } = await offerOne(files, write('book.xlsx', book));
    expect(packed).toBe('Excel workbook');
    const preview = await files.inspect(fileId, null);
    expect(preview.sheets).toEqual(['Trips', 'More']);
    expect(preview.dialect.sheet).toBe('Trips');
    // Only guessed settings are listed, and a sheet has no delimiter.
    expect(preview.notes).toEqual([
      'Sheet: “Trips”. 1 more sheet has rows.',
      'Header: the first line looks like names.',
    ]);
    expect(preview.head.map(({ cells }) => cells)).toEqual([
      ['9007199254740993', '2024-01-01', '0.1'],
      ['1', '2024-01-01T12:00:00', null],
    ]);
  });

  test.each([
    ['rows with a gap', 'r="2"', 'r="9"'],
    ['a sheet that its list names and nothing holds', '<Relationship Id="rId2"', '\0Relationship Id="rId2"'],
  ])('a damaged one is rejected: %s', async (_what, from, to) => {
    const damaged = Buffer.from(book.toString('latin1').replace(from, to), 'latin1');
    const { fileId } = await offerOne(files, write('damaged.xlsx', damaged));
    await expect(files.inspect(fileId, null)).rejects.toMatchObject({ code: 'FILE_MALFORMED' });
  });

  test('another sheet by name; a missing one is rejected with the available names', async () => {
    const path = write('book.xlsx', book);
    expect(await readableText(files, path, 'More')).toBe('x\n5\n');
    const { fileId } = await offerOne(files, path);
    await expect(files.inspect(fileId, { sheet: 'Nope' })).rejects.toThrow('Expected one of: Trips, More.');
  });
});

describe('a damaged file that would be read forever', () => {
  test('is rejected, leaves no files and blocks no other file', async () => {
    // The dictionary has an explicit id, as an id counted in this process would shift the offsets below.
    const words = new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32(), 7);
    const table = new arrow.Table({
      a: arrow.makeVector(Int32Array.from([1, 2, 3])),
      b: arrow.vectorFromArray(['x', 'y', 'z'], words),
    });
    const sound = Buffer.from(arrow.tableToIPC(table, 'stream'));
    const limited = openFiles(folder.path, { waitingMs: 200, busyMs: 600 });
    const other = await offerOne(limited, write('other.csv', CSV));
    const messages: string[] = [];
    // Offsets of buffer sizes: with the first two changed the reader would count forever, and it rejects the last one.
    for (const place of [358, 414, 590]) {
      const damaged = Buffer.from(sound);
      damaged[place] = 0xff;
      const stuck = await offerOne(limited, write(`trips-${place}.arrow`, damaged));
      const refused = limited.inspect(stuck.fileId, null).catch((problem: unknown) => problem);
      expect((await limited.inspect(other.fileId, null)).head).toHaveLength(2);
      const problem = toAppError(await refused);
      expect(problem.code).toBe('FILE_MALFORMED');
      messages.push(problem.message);
      expect(readdirSync(folder.file('copies'))).toEqual([]);
    }
    expect(messages).toContainEqual(
      expect.stringMatching(
        /^Expected all rows of trips-\d+\.arrow, but the reading got no further at about byte [\d,]+ of [\d,]+ and was ended\./,
      ),
    );
    await limited.stop();
    expect(await readableText(files, write('trips.arrow', sound))).toBe(
      '{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n{"a":3,"b":"z"}\n',
    );
  });
});
