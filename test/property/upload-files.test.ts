/**
 * Files on disk: any table in any format is read back digit for digit, and no damaged file is read without a message.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import * as arrow from 'apache-arrow';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAnalysis } from '../../electron/analysis/analysis-client.ts';
import { AnalysisLink, EngineFailure } from '../../electron/analysis/analysis-link.ts';
import { stalledError, watchForStall } from '../../electron/core/stall-watch.ts';
import { startNodeChild } from '../../electron/platform/child-process.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { Dialect } from '../../electron/shared/dialect.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { writeExact } from '../../electron/shared/exact-json.ts';
import type { UploadPlan } from '../../electron/shared/upload-model.ts';
import { Heartbeat } from '../../electron/uploads/heartbeat.ts';
import { isBlankCell } from '../../electron/uploads/readers/blank-row.ts';
import { openSource, readRows } from '../../electron/uploads/readers/open-source.ts';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import type { FileRegistry } from '../../electron/uploads/types.ts';
import { type UnpackStep, unpack } from '../../electron/uploads/unpack/unpack.ts';
import { scanFile } from '../../electron/uploads/validate/scan-file.ts';
import { startUploadWorker, type UploadWorker } from '../../electron/uploads/worker/worker-client.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { churnCsv, fraudJsonl, writeTable } from '../helpers/make-files.ts';
import { openFiles } from '../helpers/open-files.ts';
import { writeParquet } from '../helpers/parquet-file.ts';
import { runs } from '../helpers/runs.ts';
import { workbook, zipFile } from '../helpers/zip-file.ts';

let folder: DataFolder;
let files: FileRegistry;
beforeEach(() => {
  folder = new DataFolder();
  files = openFiles(folder.path);
});
afterEach(() => folder[Symbol.dispose]());

let written = 0;
function write(ending: string, bytes: Uint8Array | string): string {
  written += 1;
  const path = folder.file(`table-${written}${ending}`);
  writeFileSync(path, bytes);
  return path;
}

/** Every row as it is read: its cells, or the exact JSON of the record. */
async function readBack(path: string, override: Partial<Dialect> | null): Promise<unknown[]> {
  const [offered] = await files.offer([path]);
  if (offered === undefined || offered.error !== null) throw new Error(`${path} was not taken.`);
  const { dialect } = await files.inspect(offered.fileId, override);
  const copy = await files.readable(offered.fileId, dialect);
  const source = await openSource(copy.path, dialect);
  const all: unknown[] = [];
  try {
    for await (const { rows } of readRows(source, copy.path, { start: source.dataStart }))
      for (const row of rows) all.push(row.problem ?? row.cells ?? writeExact(row.record));
  } finally {
    await source.close();
  }
  return all;
}

/** Two frames, as `cat` and `pzstd` write them. */
const inFrames = (bytes: Buffer): Buffer => {
  const middle = Math.floor(bytes.length / 2);
  return Buffer.concat(
    [bytes.subarray(0, middle), bytes.subarray(middle)].map((part) => zstdCompressSync(part)),
  );
};

const PACKERS = [
  { ending: '', pack: (bytes: Buffer) => bytes },
  { ending: '.gz', pack: (bytes: Buffer) => gzipSync(bytes) },
  { ending: '.zst', pack: (bytes: Buffer) => zstdCompressSync(bytes) },
  { ending: '.zst', pack: (bytes: Buffer) => inFrames(bytes) },
  { ending: '.br', pack: (bytes: Buffer) => brotliCompressSync(bytes) },
  { ending: '.zip', pack: (bytes: Buffer) => zipFile({ 'table.txt': bytes }) },
] as const;
const packer = fc.constantFrom(...PACKERS);

const cell = fc
  .oneof(
    fc.string({ maxLength: 10 }),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.constantFrom(
      '',
      '0.10',
      '1e400',
      '9007199254740993',
      '-0',
      ' x ',
      '"',
      "'",
      ',',
      '\n',
      'a\r\nb',
      'NULL',
    ),
  )
  .filter((text) => text.isWellFormed());
const NAMES = ['first', 'second', 'third'] as const;
// Rows without any value are skipped, so they are not generated.
const filledRow = fc.tuple(cell, cell, cell).filter((cells) => !cells.every(isBlankCell));
const table = fc.array(filledRow, { minLength: 1, maxLength: 15 });

describe('files that are written and read back', () => {
  test('a table as delimited text, in any dialect and encoding, compressed or not', async () => {
    const how = fc.record({
      delimiter: fc.constantFrom(',', '\t', ';', '|'),
      quote: fc.constantFrom('"' as const, "'" as const),
      lineEnd: fc.constantFrom('\n' as const, '\r\n' as const),
      endsWithLineEnd: fc.boolean(),
      quotesAll: fc.boolean(),
    });
    const encoding = fc.constantFrom('utf-8', 'utf-16le', 'utf-16be');
    await fc.assert(
      fc.asyncProperty(table, how, encoding, packer, async (rows, dialect, name, { ending, pack }) => {
        const { text } = writeTable([[...NAMES], ...rows], dialect);
        const bytes = iconv.encode(text, name, { addBOM: true });
        const { delimiter, quote } = dialect;
        const override = { delimiter, quote, hasHeader: true, encoding: name, format: 'csv' } as const;
        expect(await readBack(write(`.csv${ending}`, pack(bytes)), override)).toEqual(rows);
      }),
      { numRuns: runs(30, 200) },
    );
  }, 900_000);

  test('records as lines and as one list, numbers with every digit, compressed or not', async () => {
    const digits = fc.constantFrom('0.1', '12345678901234567890', '0.12345678901234567890123', '1e400', '3');
    const value = fc.oneof(
      cell.map((text) => JSON.stringify(text)),
      digits,
      fc.constantFrom('null', 'true', '[1,2.5]', '{"a":{"b":0.1}}'),
    );
    const record = fc
      .tuple(value, value, value)
      .map((values) => `{${values.map((text, at) => `"${NAMES[at]}":${text}`).join(',')}}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { minLength: 1, maxLength: 15 }),
        fc.boolean(),
        packer,
        async (records, isList, { ending, pack }) => {
          const text = isList ? `[${records.join(',\n ')}]` : records.join('\n');
          const path = write(`.json${ending}`, pack(Buffer.from(text)));
          const read = await readBack(path, { format: isList ? 'json' : 'jsonl' });
          expect(read).toEqual(records);
        },
      ),
      { numRuns: runs(30, 200) },
    );
  }, 900_000);

  test('a table as Parquet and as Arrow', async () => {
    const rows = fc.sample(fc.tuple(cell, cell, cell), { numRuns: 400, seed: 14 });
    const expected = rows.map((row) =>
      JSON.stringify(Object.fromEntries(row.map((text, at) => [NAMES[at], text]))),
    );
    const parquet = folder.file('table.parquet');
    const lines = write('.jsonl', expected.join('\n'));
    const typed = NAMES.map((name) => `${name}: 'VARCHAR'`).join(', ');
    await writeParquet(parquet, `SELECT * FROM read_json('${lines}', format = 'nd', columns = {${typed}})`);
    expect(await readBack(parquet, null)).toEqual(expected);
    const columns = NAMES.map((name, at) => [
      name,
      arrow.vectorFromArray(
        rows.map((row) => row[at] ?? ''),
        new arrow.Utf8(),
      ),
    ]);
    for (const kind of ['file', 'stream'] as const) {
      const bytes = arrow.tableToIPC(new arrow.Table(Object.fromEntries(columns)), kind);
      expect(await readBack(write('.arrow', bytes), null)).toEqual(expected);
      expect(await readBack(write('.arrow.gz', gzipSync(bytes)), null)).toEqual(expected);
    }
  }, 900_000);
});

/** Damage to files: bytes are lost, repeated, changed, swapped or inserted. */
const mutation = fc.record({
  kind: fc.constantFrom('cut', 'remove', 'double', 'change', 'insert', 'swap'),
  at: fc.nat(),
  length: fc.integer({ min: 1, max: 60 }),
  bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
});

function mutate(
  bytes: Buffer,
  { kind, at, length, bytes: given }: ReturnType<typeof mutation.generate>['value'],
): Buffer {
  const from = at % (bytes.length + 1);
  const [head, rest] = [bytes.subarray(0, from), bytes.subarray(from)];
  switch (kind) {
    case 'cut':
      return head;
    case 'remove':
      return Buffer.concat([head, rest.subarray(length)]);
    case 'double':
      return Buffer.concat([head, rest.subarray(0, length), rest]);
    case 'insert':
      return Buffer.concat([head, given, rest]);
    case 'swap':
      return Buffer.concat([rest, head]);
    default:
      return Buffer.concat([head, given, rest.subarray(given.length)]);
  }
}

/**
 * Checks a file completely with the detected format and a mapping, as the window does; null if the file was rejected
 * with a reason. `from`: line of the header; earlier lines are reported as skipped.
 */
async function check(
  path: string,
): Promise<{ rows: number; badRows: number; sent: number; from: number } | null> {
  try {
    const preview = await inspectFile({ path, fileId: 'file', override: null, seed: 0.5 });
    const plan: UploadPlan = {
      ...{ fileId: 'file', dialect: preview.dialect, modelId: 'model', modelName: 'Model' },
      columns: preview.columns.map(({ name, type }) => ({ source: name, target: name, type })),
      ...{ envType: 'PRODUCTION', envName: null, mode: 'publish', batchRows: 10, maxBatchBytes: 1_000_000 },
      onBadRow: 'skip',
    };
    let listed = 0;
    const found = await scanFile({ path, plan, model: null }, async ({ newBadRows }) => {
      listed += newBadRows.length;
    });
    expect(listed).toBe(found.badRows);
    const from = preview.dialect.headerLine ?? 1;
    expect(found.notes.join('\n').includes('before it skipped')).toBe(from > 1);
    return { rows: found.rows, badRows: found.badRows, sent: found.batches, from };
  } catch (problem) {
    if (problem instanceof AppError && problem.code !== 'INTERNAL') return null;
    throw problem;
  }
}

describe('damaged files', () => {
  const plainCsv = Buffer.from(churnCsv(20));
  const TEXTS = [
    plainCsv,
    Buffer.from(churnCsv(20).replaceAll(/(\w+),/g, '"$1",')),
    Buffer.from(fraudJsonl(15)),
    Buffer.from(`[${fraudJsonl(8).trim().split('\n').join(',')}]`),
    iconv.encode(churnCsv(12), 'utf-16le', { addBOM: true }),
  ];

  test('text: good rows and reported bad rows add up to all rows', async () => {
    const path = folder.file('damaged.csv');
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...TEXTS),
        fc.array(mutation, { minLength: 1, maxLength: 4 }),
        async (text, changes) => {
          const bytes = changes.reduce<Buffer>((each, change) => mutate(each, change), text);
          writeFileSync(path, bytes);
          const found = await check(path);
          if (found === null) return;
          expect(found.sent > 0).toBe(found.rows > found.badRows);
          // In UTF-8 and without quotes, the lines can be counted by hand.
          const isPlain = text === plainCsv && !/["'\r\0]/.test(bytes.toString('latin1'));
          if (!isPlain) return;
          const lines = bytes
            .toString('latin1')
            .split('\n')
            .slice(found.from - 1)
            .filter((line) => line !== '').length;
          expect([lines, lines - 1]).toContain(found.rows);
        },
      ),
      { numRuns: runs(150, 10_000) },
    );
  }, 900_000);

  test('an Arrow file that claims rows it does not contain is rejected', async () => {
    const ipc = Buffer.from(
      arrow.tableToIPC(arrow.tableFromArrays({ a: [1, 2, 3], b: ['x', 'y', 'z'] }), 'file'),
    );
    const path = folder.file('damaged.arrow');
    const step = { path, name: 'damaged.arrow', format: 'arrow-file', member: null, sheet: null } as const;
    // The number of rows in the only batch: eight bytes with the value 3, again for each of the following columns.
    const rows = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0]);
    const places: number[] = [];
    for (let at = ipc.indexOf(rows); at >= 0; at = ipc.indexOf(rows, at + 1)) places.push(at);
    expect(places.length).toBeGreaterThan(0);
    let rejected = 0;
    for (const place of places) {
      const claimed = Buffer.from(ipc);
      claimed.writeBigInt64LE(627_065_225_219n, place);
      writeFileSync(path, claimed);
      const refused = await unpack({ ...step, target: folder.file('text.jsonl') }, new Heartbeat()).catch(
        (problem: unknown) => problem,
      );
      if (!(refused instanceof Error)) continue;
      expect(refused).toMatchObject({ code: 'FILE_MALFORMED' });
      rejected += 1;
    }
    expect(rejected).toBeGreaterThan(0);
  });

  /**
   * Reads files in the reading thread, as the app does. A thread without progress is ended, and the next file gets a
   * new one.
   */
  class Reading implements Disposable {
    #worker: UploadWorker | null = null;

    async unpack(step: UnpackStep): Promise<unknown> {
      if (this.#worker === null || this.#worker.hasEnded)
        this.#worker = startUploadWorker({ keepsProcess: false });
      const asError = (_byte: number, cause?: unknown) => stalledError(step.name, null, cause);
      const stall = { clock: systemClock, limits: { waitingMs: 300, busyMs: 1_000 }, asError };
      return this.#worker.call('unpack', step, { stall }).then(
        () => null,
        (thrown: unknown) => thrown,
      );
    }

    [Symbol.dispose](): void {
      void this.#worker?.close();
    }
  }

  test('packed: each is unpacked, or rejected with a reason', async () => {
    const csv = Buffer.from(churnCsv(20));
    using reading = new Reading();
    const table = arrow.tableFromArrays({ a: Int32Array.from([1, 2, 3]), b: ['x', 'y', 'z'] });
    const book = workbook({
      Trips: Array.from({ length: 20 }, (_, row) => [row, `text ${row}`, '#45292']),
      More: [['x'], [5]],
    });
    const PACKED = [
      { format: 'gzip', bytes: gzipSync(csv) },
      { format: 'zstd', bytes: zstdCompressSync(csv) },
      { format: 'brotli', bytes: brotliCompressSync(csv) },
      { format: 'zip', bytes: zipFile({ 'table.csv': csv }) },
      { format: 'arrow-file', bytes: Buffer.from(arrow.tableToIPC(table, 'file')) },
      { format: 'arrow-stream', bytes: Buffer.from(arrow.tableToIPC(table, 'stream')) },
      { format: 'excel', bytes: book },
    ] as const;
    const [path, target] = [folder.file('damaged.bin'), folder.file('text.csv')];
    await fc.assert(
      fc.asyncProperty(fc.nat(PACKED.length - 1), mutation, async (which, change) => {
        const { format, bytes } = PACKED[which] ?? PACKED[0];
        writeFileSync(path, mutate(bytes, change));
        const step = { path, name: 'damaged.bin', format, member: 'table.csv', sheet: null, target } as const;
        const problem = await reading.unpack(step);
        rmSync(target, { force: true });
        if (problem === null) return;
        expect(problem).toBeInstanceOf(AppError);
        expect(problem).not.toMatchObject({ code: 'INTERNAL' });
      }),
      { numRuns: runs(60, 10_000) },
    );
  }, 900_000);

  /**
   * One process for many files, because starting one takes longer than reading a file. A process that dies or makes no
   * progress is ended.
   */
  class ParquetReading implements AsyncDisposable {
    readonly #link = new AnalysisLink({ startChild: startNodeChild, clock: systemClock, idleMs: 60_000 });
    /** Why processes ended or made no progress. */
    readonly broken: string[] = [];

    /** The rows that were written; null if the file was rejected with a reason. */
    async rows(source: string, target: string): Promise<number | null> {
      const endWatch = watchForStall({
        clock: systemClock,
        limits: { waitingMs: 20_000, busyMs: 20_000 },
        look: () => ({ progress: 0, waitedMs: 0 }),
        onStall: () => void this.#link.end(),
      });
      try {
        await this.#link.call('parquet-to-json-lines', { source, target });
        return readFileSync(target, 'utf8').split('\n').length - 1;
      } catch (problem) {
        if (!(problem instanceof EngineFailure)) this.broken.push(String(problem));
        else expect(problem.message).not.toBe('');
        return null;
      } finally {
        endWatch();
      }
    }

    async [Symbol.asyncDispose](): Promise<void> {
      await this.#link.end();
    }
  }

  test('Parquet of every codec: each is read with all rows that it states, or rejected with a reason', async () => {
    const plain = `SELECT range AS a, 'text ' || range % 7 AS b, {'c': range / 3, 'd': [range, NULL]} AS e FROM range(500)`;
    const sound: Buffer[] = [];
    for (const codec of ['uncompressed', 'snappy', 'gzip', 'zstd', 'lz4_raw', 'brotli']) {
      const file = folder.file(`${codec}.parquet`);
      await writeParquet(file, plain, `COMPRESSION ${codec}, ROW_GROUP_SIZE 200`);
      sound.push(readFileSync(file));
    }
    await using reading = new ParquetReading();
    const read = async (bytes: Buffer, at: number) => {
      const [path, target] = [folder.file(`damaged-${at}.parquet`), folder.file(`text-${at}.jsonl`)];
      writeFileSync(path, bytes);
      const rows = await reading.rows(path, target);
      const found = rows === null || rows === 0 ? null : await check(target);
      rmSync(target, { force: true });
      return { rows, found };
    };
    for (const { rows } of await Promise.all(sound.map(read))) expect(rows).toBe(500);
    // Several files are open at the same time, because opening an engine for each takes longer than reading it.
    const files = fc.array(fc.tuple(fc.constantFrom(...sound), mutation), { minLength: 4, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(files, async (drawn) => {
        const damaged = drawn.map(([bytes, change]) => mutate(bytes, change));
        const answers = await Promise.all(damaged.map(read));
        for (const [at, { rows, found }] of answers.entries()) {
          const bytes = drawn[at]?.[0] ?? Buffer.alloc(0);
          // The footer states the number of rows. It is followed by its length and by the four bytes that end the file.
          const footerBytes = bytes.readUInt32LE(bytes.length - 8) + 8;
          const isStated = damaged[at]?.subarray(-footerBytes).equals(bytes.subarray(-footerBytes));
          if (rows !== null && isStated) expect(rows).toBe(500);
          if (found !== null) expect(found.rows).toBe(rows);
        }
      }),
      { numRuns: runs(10, 750) },
    );
    expect(reading.broken).toEqual([]);
  }, 1_800_000);

  test('a Parquet file that ends the process that reads it is rejected as damaged', async () => {
    const path = folder.file('damaged.parquet');
    writeFileSync(path, 'PAR1');
    const { parquetToJsonLines } = createAnalysis((file) => {
      const child = startNodeChild(file);
      return { ...child, send: () => child.kill() };
    }, systemClock);
    const { signal } = new AbortController();
    await expect(parquetToJsonLines(path, folder.file('text.jsonl'), signal)).rejects.toMatchObject({
      code: 'FILE_MALFORMED',
    });
  });
});
