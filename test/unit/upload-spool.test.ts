/** Rows that a check converted are sent unchanged: batches from its spool are equal to batches cut from the file. */
import { closeSync, fstatSync, openSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemRandom } from '../../electron/platform/system.ts';
import type { ModelFacts } from '../../electron/shared/upload-columns.ts';
import type { UploadPlan } from '../../electron/shared/upload-model.ts';
import { openSource } from '../../electron/uploads/readers/open-source.ts';
import type { RowPosition } from '../../electron/uploads/readers/row-source.ts';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import type { Spool } from '../../electron/uploads/spool/spool-file.ts';
import { Spools } from '../../electron/uploads/spool/spools.ts';
import { scanFile } from '../../electron/uploads/validate/scan-file.ts';
import { BatchProducer, type CutBatch } from '../../electron/uploads/worker/batch-producer.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

let folder: DataFolder;
let open: number[];
beforeEach(() => {
  folder = new DataFolder();
  open = [];
});
afterEach(() => {
  for (const fd of open) closeSync(fd);
  folder[Symbol.dispose]();
});

/** Enough rows for several pieces of the file, each of 256 KB. */
const ROWS = 16_000;
const EVERY = 1_000_000_000;
const MODEL: ModelFacts = {
  columns: [],
  eventIdColumn: 'id',
  eventTsColumn: null,
  eventTsFormat: null,
};

function csv(): string {
  const lines = ['id,city,amount,note'];
  for (let row = 0; row < ROWS; row += 1) {
    const note = row % 7 === 0 ? '"two\nlines, ""quoted"""' : 'plain words here';
    // A bad row in between with too few cells.
    lines.push(row % 1_111 === 3 ? `${row},short` : `${row},Zürich,${row / 8},${note}`);
    if (row % 500 === 0) lines.push('');
  }
  return lines.join('\n');
}

/** Nearly all rows are read in one step, so their events are computed again instead of being stored. */
const plainCsv = () =>
  Array.from({ length: ROWS }, (_, row) =>
    row % 4_000 === 0 ? `${row},"two\nlines",1,x` : `${row},Zurich,${row / 8},plain words here`,
  )
    .toSpliced(0, 0, 'id,city,amount,note')
    .join('\n');

function jsonl(): string {
  const lines: string[] = [];
  for (let row = 0; row < ROWS; row += 1)
    lines.push(
      row % 901 === 5 ? '{broken' : JSON.stringify({ id: `r${row}`, amount: row / 4, city: 'Łódź' }),
    );
  return lines.join('\n');
}

const FILES: Record<string, () => string | Buffer> = {
  'rows.csv': csv,
  'plain.csv': plainCsv,
  'wide.csv': () => Buffer.from(`\ufeff${csv()}`, 'utf16le'),
  'rows.jsonl': jsonl,
  'rows.json': () =>
    `[${jsonl()
      .split('\n')
      .filter((line) => line !== '{broken')
      .join(',\n')}]`,
};

async function prepare(name: string, mostBytes: number, model: ModelFacts | null = null) {
  const path = folder.file(name);
  writeFileSync(path, FILES[name]?.() ?? '');
  const { dialect, columns } = await inspectFile({ path, fileId: 'file', override: null, seed: 0.5 });
  const plan: UploadPlan = {
    fileId: 'file',
    dialect,
    columns: columns.map(({ name: source, type }) => ({ source, target: source, type })),
    ...{ modelId: '11111111-1111-4111-8111-111111111111', modelName: 'model' },
    ...{ envType: 'PRODUCTION', envName: null, mode: 'publish', onBadRow: 'skip' },
    ...{ batchRows: 1_000, maxBatchBytes: 1_000_000 },
  };
  const fd = openSync(folder.file('spool'), 'w+');
  open.push(fd);
  const checked = await scanFile({ path, plan, model, spool: { fd, mostBytes } }, () => Promise.resolve());
  const alone = await scanFile({ path, plan, model }, () => Promise.resolve());
  // The result is the same with and without the spool.
  expect({ ...checked, spool: null }).toEqual(alone);
  const { spool } = checked;
  if (spool === null) throw new Error('Nothing was kept.');
  return { path, plan, model, spool };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

/** Cuts batches of different sizes, as in an upload. */
async function cut(
  { path, plan, model }: Prepared,
  spool: Spool | null,
  start: RowPosition | null = null,
  batches: { body: string; span: CutBatch['span'] }[] = [],
): Promise<{ body: string; span: CutBatch['span'] }[]> {
  const source = await openSource(path, plan.dialect);
  try {
    const producer = new BatchProducer(source, {
      path,
      plan,
      model,
      start: start ?? source.dataStart,
      spool,
    });
    for (let maxRows = 700; ; maxRows = 700 + ((maxRows * 7) % 613)) {
      const batch = await producer.next({ maxRows, maxBytes: 1_000_000 });
      if (batch === null) return batches;
      batches.push({ body: Buffer.from(batch.body).toString(), span: batch.span });
    }
  } finally {
    await source.close();
  }
}

const endOf = ({ byteEnd, nextLine, lastRow }: CutBatch['span']): RowPosition => ({
  byteOffset: byteEnd,
  line: nextLine,
  row: lastRow + 1,
});

describe.each(Object.keys(FILES))('%s', (name) => {
  test.each([
    ['whole', EVERY],
    ['as far as there was room', 1_500_000],
    ['not at all', 10],
  ])(
    'stored %s, the batches are the same, from the first row and from any later one',
    async (_, mostBytes) => {
      // Ids are read one value at a time.
      const prepared = await prepare(name, mostBytes, name === 'plain.csv' ? null : MODEL);
      const { isWhole, hasEvents } = prepared.spool;
      expect(hasEvents).toBe(name !== 'plain.csv');
      expect(isWhole).toBe(mostBytes === EVERY || !hasEvents);
      const wanted = await cut(prepared, null);
      expect(await cut(prepared, prepared.spool)).toEqual(wanted);
      for (const at of [0, 5, wanted.length - 1]) {
        const start = endOf(wanted[at]?.span ?? (wanted[0] as (typeof wanted)[0]).span);
        expect(await cut(prepared, prepared.spool, start)).toEqual(await cut(prepared, null, start));
      }
    },
  );
});

test.each([
  ['rows.csv', csv],
  ['plain.csv', plainCsv],
])('%s with other bytes of the same length and date is not sent as the checked one', async (name, text) => {
  const prepared = await prepare(name, EVERY);
  const batches = await cut(prepared, prepared.spool);
  const late = endOf((batches.at(-2) ?? (batches[0] as (typeof batches)[0])).span);
  const { atime, mtime } = statSync(prepared.path);
  const change = async (from: string, to: string, start: RowPosition | null) => {
    writeFileSync(prepared.path, text().replace(from, to));
    utimesSync(prepared.path, atime, mtime);
    const changed = cut(prepared, prepared.spool, start);
    await expect(changed).rejects.toMatchObject({ code: 'FILE_CHANGED' });
  };
  await change('15000,', '25000,', null);
  // The change is in the piece that contains the start of the rest, but before that start.
  const before = text()
    .slice(0, late.byteOffset - 500)
    .lastIndexOf('plain');
  await change(text().slice(before), text().slice(before).replace('plain', 'other'), late);
  writeFileSync(prepared.path, text().slice(0, -100));
  utimesSync(prepared.path, atime, mtime);
  await expect(cut(prepared, prepared.spool)).rejects.toMatchObject({ code: 'FILE_CHANGED' });
});

test.each<[string, (text: string) => string, number]>([
  ['longer', (text) => `${text}\n${'1,Zurich,1,appended\n'.repeat(20_000)}`, 0],
  ['shorter', (text) => text.slice(0, -100_000), 100_000],
])(
  'a file that became %s sends no row from bytes that were not compared',
  async (_name, changed, missing) => {
    const prepared = await prepare('plain.csv', EVERY);
    const wanted = await cut(prepared, prepared.spool);
    const text = plainCsv();
    writeFileSync(prepared.path, changed(text));
    const sent: typeof wanted = [];
    const sending = cut(prepared, prepared.spool, null, sent);
    await expect(sending).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    expect(sent).toEqual(wanted.slice(0, sent.length));
    const { pieces } = prepared.spool;
    const left = pieces.filter(({ byteEnd }) => byteEnd <= Buffer.byteLength(text) - missing);
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.at(-1)?.span.byteEnd).toBeLessThanOrEqual(left.at(-1)?.byteEnd ?? 0);
  },
);

describe('spools of a process', () => {
  const isOpen = ({ fd }: { fd: number }) => {
    try {
      return fstatSync(fd).isFile();
    } catch {
      return false;
    }
  };
  const spools = () =>
    new Spools({ folder: folder.file('copies'), random: systemRandom, logger: silentLogger });
  const keep = async (kept: Spools, scanId: string) => {
    const room = await kept.open();
    if (room === null) throw new Error('There is no room.');
    kept.keep(scanId, { fd: room.fd, pieces: [], isWhole: true, hasEvents: true });
    return room;
  };

  test('have no file name, so that nothing of them remains on disk', async () => {
    const kept = spools();
    const room = await keep(kept, 'a');
    expect([readdirSync(folder.file('copies')), isOpen(room)]).toEqual([[], true]);
    kept.dropAll();
    expect(isOpen(room)).toBe(false);
  });

  test('are those of the latest checks, and of uploads until they release theirs', async () => {
    const kept = spools();
    const rooms = [await keep(kept, 'a')];
    expect(kept.borrow('a')?.fd).toBe(rooms[0]?.fd);
    // A second upload of the same check reads the file instead.
    expect(kept.borrow('a')).toBeNull();
    for (const scanId of ['b', 'c', 'd']) rooms.push(await keep(kept, scanId));
    expect(rooms.map(isOpen)).toEqual([true, false, true, true]);
    kept.drop('a');
    expect(rooms.map(isOpen)).toEqual([true, false, true, true]);
    kept.giveBack('a');
    expect(rooms.map(isOpen)).toEqual([false, false, true, true]);
    kept.dropAll();
  });

  test('are skipped if the folder is not writable', async () => {
    writeFileSync(folder.file('taken'), '');
    const kept = new Spools({ folder: folder.file('taken'), random: systemRandom, logger: silentLogger });
    expect(await kept.open()).toBeNull();
  });
});
