/** Mirrors of stored tables: the content of the folder as other readers see it, and mirrors during kills. */
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MirrorCatalog } from '../../electron/shared/mirror-model.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { Lives } from '../helpers/lives.ts';
import { MIRRORED, MirrorRig } from '../helpers/mirror-rig.ts';

type Row = Record<string, unknown>;

const DATASETS: ListQuery = { operation: 'datasets.list', path: {}, query: {} };
const spansOf = (application: string, days: string): ListQuery => ({
  operation: 'spans.query',
  path: {},
  query: {},
  body: { application_id: application, days },
});

let folder: DataFolder;
let target: string;
let rig: MirrorRig;
const lives = new Lives('mirror-child.ts');

beforeEach(() => {
  folder = new DataFolder();
  target = folder.file('notebooks');
  rig = new MirrorRig(folder);
});
afterEach(async () => {
  lives.killAll();
  await rig[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const catalog = (): MirrorCatalog => JSON.parse(readFileSync(join(target, 'catalog.json'), 'utf8'));
const filesOf = (table: string): string[] => catalog().tables[table]?.files.map(({ path }) => path) ?? [];
const bytesOf = (file: string) => Uint8Array.from(readFileSync(join(target, file))).buffer;
async function rowsOf(table: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const file of filesOf(table)) {
    const part = await parquetReadObjects({ file: bytesOf(file), compressors });
    rows.push(...part);
  }
  return rows;
}
const named = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => {
    const id = `dataset-${from + at}`;
    return [id, { id, name: `Name ${from + at}`, size: from + at }] as const;
  });

describe('the content of a mirror', () => {
  test('has each stored table by its SQL name, with all rows and their values', async () => {
    rig.names = new Map([['app', 'Support']]);
    rig.read(DATASETS, named(3));
    const at = '2026-01-01T00:00:00.123456Z';
    rig.read(spansOf('app', '1'), [
      ['a', { id: 'a', at, cost: 0.25, big: 12, tags: ['x'], deep: { model: 'm' }, ok: true }],
      ['b', { id: 'b', at, cost: 1, big: null, tags: [], deep: { model: 'n' } }],
    ]);
    expect(await rig.write(target)).toMatchObject({
      state: 'done',
      result: { tables: 2, rows: 5, rowsWritten: 5, files: 2, incompleteTables: 0 },
    });
    expect(Object.keys(catalog().tables)).toEqual(['datasets', 'spans']);
    expect(await rowsOf('datasets')).toEqual(
      [0, 1, 2].map((n) => ({ id: `dataset-${n}`, name: `Name ${n}`, size: BigInt(n) })),
    );
    expect(catalog().tables['spans']?.columns).toEqual([
      { name: 'application', type: 'VARCHAR' },
      { name: 'id', type: 'VARCHAR' },
      { name: 'at', type: 'TIMESTAMP WITH TIME ZONE' },
      { name: 'cost', type: 'DOUBLE' },
      { name: 'big', type: 'BIGINT' },
      { name: 'tags', type: 'VARCHAR', json: true },
      { name: 'deep.model', type: 'VARCHAR' },
      { name: 'ok', type: 'BOOLEAN' },
    ]);
    const [first, second] = await rowsOf('spans');
    expect(first).toMatchObject({
      application: 'Support',
      cost: 0.25,
      big: 12n,
      tags: '["x"]',
      'deep.model': 'm',
      ok: true,
    });
    expect(second).toMatchObject({ big: null, ok: null });
  });

  test('has a record of several lists once, as it was read last', async () => {
    rig.read(
      spansOf('app', '1'),
      [
        ['a', { id: 'a', state: 'old' }],
        ['b', { id: 'b', state: 'old' }],
      ],
      { atMs: 1 },
    );
    rig.read(spansOf('app', '2'), [['a', { id: 'a', state: 'new' }]], { atMs: 2 });
    await rig.write(target);
    const rows = (await rowsOf('spans')).map(({ id, state }) => `${id} ${state}`);
    expect(rows.toSorted()).toEqual(['a new', 'b old']);
  });

  test('says how old a table is and what it lacks', async () => {
    rig.read(DATASETS, named(2), { total: 10, atMs: Date.UTC(2026, 0, 2) });
    const job = await rig.write(target);
    expect(job.result?.incompleteTables).toBe(1);
    expect(catalog().tables['datasets']).toMatchObject({
      ...{
        complete: false,
        oldestReadAt: '2026-01-02T00:00:00.000Z',
        newestReadAt: '2026-01-02T00:00:00.000Z',
      },
      missing: '1 of 1 stored lists is incomplete: 8 rows of the service are missing.',
    });
  });

  test('gives all files of a table the same columns, whichever rows they hold', async () => {
    const rows = named(20_000).map(([id, record]) => [id, record] as const);
    const last = ['last', { id: 'last', size: 0.5, note: 'only here' }] as const;
    rig.read(DATASETS, [...rows, last]);
    await rig.write(target);
    expect(filesOf('datasets').length).toBeGreaterThan(1);
    expect(catalog().tables['datasets']?.columns.map(({ name, type }) => `${name} ${type}`)).toEqual([
      'id VARCHAR',
      'name VARCHAR',
      'size DOUBLE',
      'note VARCHAR',
    ]);
    const found = await rowsOf('datasets');
    expect(found).toHaveLength(20_001);
    expect(Object.keys(found[0] ?? {})).toEqual(['id', 'name', 'size', 'note']);
    expect(found[7]).toEqual({ id: 'dataset-7', name: 'Name 7', size: 7, note: null });
    expect(found.at(-1)).toEqual({ id: 'last', name: null, size: 0.5, note: 'only here' });
  });

  test('contains only the chosen tables, and names the existing ones for a wrong name', async () => {
    rig.read(DATASETS, named(2));
    rig.read(spansOf('app', '1'), [['a', { id: 'a' }]]);
    await rig.write(target, ['datasets']);
    expect(Object.keys(catalog().tables)).toEqual(['datasets']);
    await expect(rig.write(target, ['traces'])).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'Expected names of stored tables, got traces. Stored are datasets, spans.',
    });
    // The existing mirror stays, and no second one waits for a table that nobody stored.
    expect(rig.mirrors.list()).toMatchObject([{ state: 'done', plan: { tables: ['datasets'] } }]);
  });

  test('writes a folder without tables if nothing is stored', async () => {
    expect(await rig.write(target)).toMatchObject({ state: 'done', result: { tables: 0, files: 0 } });
    expect(catalog().tables).toEqual({});
  });
});

describe('a refresh of a mirror', () => {
  test('writes nothing again if nothing has changed', async () => {
    rig.read(DATASETS, named(10));
    await rig.write(target);
    const before = filesOf('datasets');
    expect((await rig.write(target)).result).toMatchObject({ filesWritten: 0, rowsWritten: 0, rows: 10 });
    // The same rows are read again.
    rig.read(DATASETS, named(10), { atMs: 5 });
    expect((await rig.write(target)).result).toMatchObject({ filesWritten: 0, rows: 10 });
    expect(filesOf('datasets')).toEqual(before);
  });

  test('writes only the files with other rows, also if rows before them have moved', async () => {
    rig.read(DATASETS, named(60_000));
    await rig.write(target);
    const before = filesOf('datasets');
    expect(before.length).toBeGreaterThan(2);
    rig.read(DATASETS, [...named(100, 100_000), ...named(59_000)]);
    const { result } = await rig.write(target);
    expect(result?.rows).toBe(59_100);
    expect(result?.filesWritten).toBeLessThanOrEqual(2);
    expect(filesOf('datasets').filter((file) => before.includes(file)).length).toBeGreaterThanOrEqual(
      before.length - 2,
    );
    expect(
      readdirSync(join(target, 'datasets'))
        .map((name) => `datasets/${name}`)
        .toSorted(),
    ).toEqual(filesOf('datasets').toSorted());
    const ids = (await rowsOf('datasets')).map(({ id }) => id);
    expect(ids).toEqual([...named(100, 100_000), ...named(59_000)].map(([id]) => id));
  });

  test('writes the rows of a new library, whose numbers begin again', async () => {
    rig.read(DATASETS, [['a', { id: 'a' }]]);
    await rig.write(target);
    using later = new DataFolder();
    await using restored = new MirrorRig(later);
    restored.read(DATASETS, [['b', { id: 'b' }]], { atMs: 2 });
    expect((await restored.write(target)).result?.rowsWritten).toBe(1);
    expect(await rowsOf('datasets')).toEqual([{ id: 'b' }]);
  });

  test('removes tables and files that are no longer stored, and no files of others', async () => {
    rig.read(DATASETS, named(10));
    rig.read(spansOf('app', '1'), [['a', { id: 'a' }]]);
    await rig.write(target);
    writeFileSync(join(target, 'analysis.ipynb'), '{}');
    writeFileSync(join(target, 'spans', 'mine.parquet'), 'mine');
    await rig.write(target, ['datasets']);
    expect(readdirSync(join(target, 'spans'))).toEqual(['mine.parquet']);
    expect(existsSync(join(target, 'analysis.ipynb'))).toBe(true);
  });

  test('leaves Parquet files of other programs and other folders alone', async () => {
    rig.read(DATASETS, named(10));
    await rig.write(target);
    const ownName = 'part-0123456789abcdef-01234567.parquet';
    mkdirSync(join(target, 'results'));
    const foreign = [
      'results/part-0.parquet',
      `results/${ownName}`,
      'datasets/part-0.parquet',
      'datasets/part-00000-0b7f7c1e-4f0a-4c3e-9d1a-3d6c5b4a2f10.parquet',
    ];
    for (const file of foreign) writeFileSync(join(target, file), 'mine');
    // Files that a killed process left.
    for (const name of [ownName, `${ownName}.77.part`]) writeFileSync(join(target, 'datasets', name), '');
    rig.read(DATASETS, named(20));
    await rig.write(target);
    for (const file of foreign) expect(existsSync(join(target, file)), file).toBe(true);
    expect(readdirSync(join(target, 'datasets')).length).toBe(filesOf('datasets').length + 2);
  });

  test('removes files of tables that only the catalog names', async () => {
    rig.read(DATASETS, named(10));
    rig.read(spansOf('app', '1'), [['a', { id: 'a' }]]);
    await rig.write(target);
    writeFileSync(join(target, '.mirror/state.json'), '{');
    await rig.write(target, ['datasets']);
    expect(existsSync(join(target, 'spans'))).toBe(false);
  });

  test('shows readers the previous tables until all new ones are complete', async () => {
    rig.read(DATASETS, named(10));
    rig.read(spansOf('app', '1'), [['a', { id: 'a' }]]);
    await rig.write(target);
    const before = catalog();
    rig.read(DATASETS, named(20));
    rig.read(spansOf('app', '1'), [['b', { id: 'b' }]]);
    const seen: MirrorCatalog[] = [];
    rig.onParts = () => {
      seen.push(catalog());
      const files = Object.values(catalog().tables).flatMap((table) => table.files);
      expect(files.filter(({ path }) => !existsSync(join(target, path)))).toEqual([]);
    };
    await rig.write(target);
    expect(seen).toEqual([before, before]);
    expect(catalog().tables['datasets']?.rows).toBe(20);
  });

  test('replaces the earlier job of the folder in the list of jobs', async () => {
    rig.read(DATASETS, named(1));
    const first = await rig.write(target);
    const second = await rig.write(`${target}/`);
    expect(rig.mirrors.list().map(({ mirrorId }) => mirrorId)).toEqual([second.mirrorId]);
    expect(rig.replaced).toEqual([first.mirrorId]);
  });
});

describe('private fields in a mirror', () => {
  test('masks private fields in every file, also inside of JSON texts and for rows written before', async () => {
    const secret = 'anna@example.com';
    rig.read(DATASETS, [
      ['1', { id: '1', email: secret, text: JSON.stringify({ to: { email: secret } }), user: { email: 5 } }],
    ]);
    await rig.write(target);
    expect(
      JSON.stringify(await rowsOf('datasets'), (_, value) =>
        typeof value === 'bigint' ? String(value) : value,
      ),
    ).toContain(secret);
    rig.privateFields = ['email'];
    expect((await rig.write(target)).result?.rowsWritten).toBe(1);
    expect(catalog().privacy.maskedFields).toEqual(['email']);
    expect(await rowsOf('datasets')).toEqual([
      { id: '1', email: '[redacted]', text: '{"to":{"email":"[redacted]"}}', 'user.email': '[redacted]' },
    ]);
    const all = readdirSync(target, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    for (const entry of all)
      expect(readFileSync(join(entry.parentPath, entry.name)).includes(secret), entry.name).toBe(false);
  });

  test('masks columns that were added to records', async () => {
    rig.names = new Map([['app', 'Support']]);
    rig.privateFields = ['application'];
    rig.read(spansOf('app', '1'), [['a', { id: 'a' }]]);
    await rig.write(target);
    expect(await rowsOf('spans')).toEqual([{ application: '[redacted]', id: 'a' }]);
  });
});

const valuesOf = (name: string): ListQuery => ({
  operation: 'catalog.values',
  path: { application_id: 'app' },
  query: { entity_type: 'attribute', name },
});

describe('values whose field is named beside them', () => {
  const row = (value: string) => [value, { value, display: value, row_count: 3 }] as const;

  test('are masked in the table of values, also in files that an earlier version wrote', async () => {
    rig.read(valuesOf('app.account.country'), [row('Austria'), row('Belgium')]);
    rig.read(valuesOf('app.channel'), [row('mail')]);
    rig.privateFields = ['app.account.country'];
    await rig.write(target);
    const state = join(target, '.mirror/state.json');
    const whole = JSON.parse(readFileSync(state, 'utf8'));
    writeFileSync(state, JSON.stringify({ ...whole, version: 1 }));
    const files = filesOf('values');
    writeFileSync(join(target, 'values', 'part-0123456789abcdef-01234567.parquet'), 'Austria');
    await rig.write(target);
    expect(filesOf('values')).toEqual(files);
    const hidden = {
      entity: 'app.account.country',
      value: '[redacted]',
      display: '[redacted]',
      row_count: 3n,
    };
    expect(await rowsOf('values')).toEqual([
      expect.objectContaining(hidden),
      expect.objectContaining(hidden),
      expect.objectContaining({ entity: 'app.channel', value: 'mail', display: 'mail' }),
    ]);
    for (const entry of readdirSync(target, { recursive: true, withFileTypes: true }))
      if (entry.isFile())
        expect(readFileSync(join(entry.parentPath, entry.name)).includes('Austria'), entry.name).toBe(false);
  });

  test('are masked in the schemas of models and in filters', async () => {
    const columns = [{ name: 'country', categories: ['Austria'] }];
    rig.read({ operation: 'models.list', path: {}, query: {} }, [['m', { id: 'm', schema: { columns } }]]);
    const filters = { rules: [{ field: 'user.country', operator: 'equal', value: 'Austria' }] };
    rig.read({ operation: 'evaluator-rules.list', path: {}, query: {} }, [['r', { id: 'r', filters }]]);
    rig.privateFields = ['country'];
    await rig.write(target);
    for (const table of ['models', 'evaluator_rules']) {
      const text = JSON.stringify(await rowsOf(table));
      expect(text).toContain('[redacted]');
      expect(text).not.toContain('Austria');
    }
  });
});

describe('the folder of a mirror', () => {
  test('with other files is refused, with what to do, and left alone', async () => {
    mkdirSync(target);
    writeFileSync(join(target, 'thesis.docx'), 'x');
    await expect(rig.write(target)).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message:
        'Expected an empty folder or a mirror of Production, got a folder with other files (thesis.docx). Choose an empty folder or a new name.',
    });
    expect(readdirSync(target)).toEqual(['thesis.docx']);
    expect(rig.mirrors.list()).toEqual([]);
  });

  test('that is a file, that has none above it, or that mirrors another connection is refused', async () => {
    writeFileSync(folder.file('file'), '');
    await expect(rig.write(folder.file('file'))).rejects.toThrow('Expected a folder, but file is a file.');
    await expect(rig.write(folder.file('no/such'))).rejects.toThrow('Expected a folder in an existing one');
    symlinkSync(folder.file('unplugged/drive'), folder.file('link'));
    const lost = await rig.write(folder.file('link'));
    expect(lost).toMatchObject({ state: 'paused', error: { code: 'INVALID_ARGUMENT' } });
    expect(lost.reason).toContain('Expected a folder that can be written to.');
    await rig.write(target);
    using otherFolder = new DataFolder();
    await using other = new MirrorRig(otherFolder, { ...MIRRORED, id: 'other', name: 'Staging' });
    await expect(other.write(target)).rejects.toThrow(
      'Expected an empty folder or a mirror of Staging, got a mirror of Production.',
    );
  });

  test('whose state is damaged is written again completely', async () => {
    rig.read(DATASETS, named(10));
    await rig.write(target);
    writeFileSync(join(target, '.mirror/state.json'), '{');
    expect((await rig.write(target)).result?.rowsWritten).toBe(10);
    for (const file of filesOf('datasets')) writeFileSync(join(target, file), 'cut');
    expect((await rig.write(target)).result?.rowsWritten).toBe(10);
    expect(await rowsOf('datasets')).toHaveLength(10);
  });

  test.each(['by the same path', 'through a link'])('cannot be written twice at once, %s', async (way) => {
    rig.read(DATASETS, named(10));
    const link = folder.file('link');
    symlinkSync(folder.path, link, 'junction');
    const again = way === 'through a link' ? join(link, 'notebooks') : target;
    let second: Promise<unknown> | null = null;
    rig.onTable = () => {
      second ??= rig.write(again).catch((problem: unknown) => problem);
    };
    const first = await rig.write(target);
    expect(await second).toMatchObject({ code: 'CONFLICT' });
    expect(first.state).toBe('done');
  });
});

test('paused while it writes, it keeps complete files and continues with the others', async () => {
  rig.read(DATASETS, named(60_000));
  rig.onParts = () => {
    const [job] = rig.mirrors.list();
    if (job?.state === 'running') rig.mirrors.control(job.mirrorId, 'pause');
  };
  const job = await rig.write(target);
  expect(job.state).toBe('paused');
  expect(existsSync(join(target, 'catalog.json'))).toBe(false);
  rig.onParts = () => undefined;
  rig.mirrors.control(job.mirrorId, 'resume');
  const done = await rig.mirrors.whenIdle(job.mirrorId);
  expect(done).toMatchObject({ state: 'done', result: { rows: 60_000 } });
  expect(done.result?.rowsWritten).toBeLessThan(60_000);
  expect(new Set((await rowsOf('datasets')).map(({ id }) => id)).size).toBe(60_000);
});

test('killed twice while it writes, it continues to the same tables', async () => {
  rig.read(DATASETS, named(60_000));
  const { mirrorId } = await rig.mirrors.create({ tables: null }, { folder: target, startAtMs: null });
  await rig.mirrors.stop();
  const args = { folder: folder.path, mirror: mirrorId };
  for (let kills = 0; kills < 2; kills += 1) {
    const life = lives.start(args);
    await life.heard('part');
    life.kill();
    await life.ended;
    expect(existsSync(join(target, 'catalog.json'))).toBe(false);
  }
  expect(await lives.live(args, null)).toBe('ended done');
  expect((await rowsOf('datasets')).map(({ id }) => id)).toEqual(named(60_000).map(([id]) => id));
  const left = readdirSync(target, { recursive: true }).filter((name) => String(name).endsWith('.part'));
  expect(left).toEqual([]);
});

test('a journal that cannot be written suspends the mirror, and nothing else fails', async () => {
  const unhandled: unknown[] = [];
  const note = (problem: unknown) => unhandled.push(problem);
  process.on('unhandledRejection', note);
  rig.read(DATASETS, named(3));
  rig.onTable = () => mkdirSync(join(target, '.mirror', 'parts.jsonl'), { recursive: true });
  const job = await rig.write(target);
  process.off('unhandledRejection', note);
  expect(job).toMatchObject({ state: 'paused', error: expect.anything() });
  expect(unhandled).toEqual([]);
});
