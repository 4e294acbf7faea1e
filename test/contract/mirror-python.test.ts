/** The Python reader of mirrors, run by each Python of this computer that has the needed packages. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PYTHON_TEXT_FILE, pythonText } from '../../build/mirror-python.ts';
import type { Freshness, ListQuery } from '../../electron/shared/model.ts';
import type { ExportSubject } from '../../renderer/lib/export-words.ts';
import { notebookCode } from '../../renderer/lib/notebook-code.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { MirrorRig } from '../helpers/mirror-rig.ts';
import { pythonWith } from '../helpers/pythons.ts';

const PLAIN = pythonWith();
const LIBRARIES = [
  { using: 'pandas', python: pythonWith('pandas', 'pyarrow'), rows: 'frame.to_dict("records")' },
  { using: 'polars', python: pythonWith('polars'), rows: 'frame.to_dicts()' },
  {
    using: 'duckdb',
    // DuckDB gives Python times with a zone only if pytz exists.
    python: pythonWith('duckdb', 'pytz'),
    rows: '[dict(zip(frame.columns, row)) for row in frame.fetchall()]',
  },
] as const;

const LIST: ListQuery = { operation: 'datasets.list', path: {}, query: {} };
const EMPTY: ListQuery = { operation: 'models.list', path: {}, query: {} };
const ROWS = 20_000;
let folder: DataFolder;
let rig: MirrorRig;
let target: string;

beforeAll(async () => {
  folder = new DataFolder();
  rig = new MirrorRig(folder);
  // A name that globs and SQL would misinterpret.
  target = folder.file("it's [a] = mirror");
  rig.read(
    LIST,
    Array.from({ length: ROWS }, (_, at) => [
      `d${at}`,
      {
        ...{ id: `d${at}`, size: at === 0 ? null : at, share: at / 4, 'an "odd" name': `ü ${at}` },
        ...{ at: new Date(Date.UTC(2026, 0, 1) + at * 1_000).toISOString(), tags: [at] },
      },
    ]),
    { total: ROWS + 5 },
  );
  rig.read(EMPTY, []);
  await rig.write(target);
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

const ENV = { ...process.env, PYTHONIOENCODING: 'utf-8', PYTHONDONTWRITEBYTECODE: '1' };

function run(python: string | null, code: string): unknown {
  if (python === null) throw new Error('No Python has the library.');
  const text = `import json, spandeck\n${code}`;
  return JSON.parse(
    execFileSync(python, ['-c', text], { encoding: 'utf8', env: { ...ENV, PYTHONPATH: target } }),
  );
}

/** The message of the error with which the code ends. */
function failureOf(code: string): string {
  const text = `import spandeck\nm = spandeck.open()\n${code}`;
  const { stderr } = spawnSync(PLAIN ?? '', ['-S', '-c', text], {
    encoding: 'utf8',
    env: { ...ENV, PYTHONPATH: target },
  });
  return stderr.trim().split('\n').at(-1) ?? '';
}

test('the bundled text is the source', () => {
  expect(readFileSync(PYTHON_TEXT_FILE, 'utf8')).toBe(pythonText());
});

describe.skipIf(PLAIN === null)('the Python module without any package', () => {
  test('lists tables with their rows, age and gaps', () => {
    const code = `m = spandeck.open()
print(json.dumps([[t.name, t.rows, t.complete, t.missing, len(t.columns)] for t in m.tables()]
  + [[m.table_info("datasets").json_columns, m.table_info("datasets").types["size"], repr(m).split(",")[0], m.masked_fields]]))`;
    expect(run(PLAIN, code)).toEqual([
      ['datasets', ROWS, false, '1 of 1 stored lists is incomplete: 5 rows of the service are missing.', 6],
      ['models', 0, true, null, 0],
      [['tags'], 'BIGINT', 'Mirror of Production', []],
    ]);
  });

  test('states the expected value, the value it got, and what to do', () => {
    // -S excludes the packages of the computer.
    expect(failureOf('m.datasets()')).toBe(
      'spandeck.MirrorError: Expected one of these packages, but none is installed: pandas with pyarrow, polars, duckdb. Install one of them, such as: pip install polars',
    );
    expect(failureOf('m.datasets(using="polars")')).toBe(
      "spandeck.MirrorError: using='polars' expects polars. Install it with: pip install polars",
    );
    expect(failureOf('m.datasets(using="numpy")')).toBe(
      "spandeck.MirrorError: using expects one of pandas, polars, duckdb; got 'numpy'.",
    );
    expect(failureOf('m.dataset()')).toContain(
      "AttributeError: This mirror has no table 'dataset'. Did you mean datasets?",
    );
    expect(failureOf('m.table_info("spans")')).toContain("got 'spans'. There are: datasets, models.");
    expect(failureOf('m.sql("SELECT 1")')).toBe(
      'spandeck.MirrorError: SQL expects duckdb. Install it with: pip install duckdb',
    );
    expect(failureOf('spandeck.open("/")')).toContain('Expected a mirror, but / has no catalog.json.');
  });

  test('refuses a catalog of another version or with other content', () => {
    using other = new DataFolder();
    copyFileSync(join(target, 'spandeck.py'), other.file('spandeck.py'));
    const messageFor = (catalog: string): string => {
      writeFileSync(other.file('catalog.json'), catalog);
      return failureOf(`spandeck.open(${JSON.stringify(other.path)})`);
    };
    expect(messageFor('{"format":"spandeck-mirror","version":2}')).toContain(
      'Expected version 1 of a mirror, got version 2',
    );
    expect(messageFor('{"format":"x"}')).toContain('got other JSON');
    expect(messageFor('{')).toContain('Expected JSON in');
  });
});

describe.each(LIBRARIES)('the Python module with $using', ({ using, python, rows }) => {
  test.skipIf(python === null)('reads all rows with their values and types', () => {
    const code = `m = spandeck.open()
frame = m.datasets(using="${using}")
rows = ${rows}
frame = m.datasets(columns=["share", "id"], using="${using}")
some = ${rows}
first, last = rows[0], rows[-1]
print(json.dumps([len(rows), [r["id"] for r in rows] == [f"d{n}" for n in range(${ROWS})],
  {k: (None if str(v) in ("None", "<NA>", "nan") else v if isinstance(v, (int, float)) else str(v)) for k, v in first.items()},
  [last["size"], last["share"], last['an "odd" name']], str(rows[1]["at"])[:19], some[3]]))`;
    expect(run(python, code)).toEqual([
      ROWS,
      true,
      {
        id: 'd0',
        size: null,
        share: 0,
        'an "odd" name': 'ü 0',
        at: expect.stringContaining('2026-01-01 00:00:00'),
        tags: '[0]',
      },
      [ROWS - 1, (ROWS - 1) / 4, `ü ${ROWS - 1}`],
      '2026-01-01 00:00:01',
      { share: 0.75, id: 'd3' },
    ]);
  });

  test.skipIf(python === null)('reads a table without rows, and names a wrong column', () => {
    const code = `m = spandeck.open()
frame = m.models(using="${using}")
wrong = ""
try:
    m.datasets(columns=["sizes"], using="${using}")
except spandeck.MirrorError as error:
    wrong = str(error)
print(json.dumps([len(${rows}), wrong]))`;
    expect(run(python, code)).toEqual([0, "Expected columns of datasets, got 'sizes'. Did you mean size?"]);
  });
});

const DUCKDB = LIBRARIES[2].python;
test.skipIf(DUCKDB === null)('SQL sees every table by its name', () => {
  const code = `m = spandeck.open()
print(json.dumps(m.sql("SELECT count(*), sum(size), (SELECT count(*) FROM models) FROM datasets WHERE share >= 1").fetchall()))`;
  expect(run(DUCKDB, code)).toEqual([[ROWS - 4, (ROWS * (ROWS - 1)) / 2 - 6, 0]]);
});

type List = Exclude<ExportSubject, { table: unknown }>;
const listOf = (changes: Partial<List>): List => ({
  ...{ query: LIST, narrow: null, filters: [], sort: null, name: 'Datasets', noun: 'dataset' },
  ...{ nouns: 'datasets', freshness: { source: 'none' } as unknown as Freshness, shownRows: 0 },
  ...{ ranges: [], selectedRows: 0, ticked: null, fields: [], ...changes },
});

test.skipIf(DUCKDB === null)('notebook code of a list chooses the rows of its view', () => {
  const at = Date.UTC(2026, 0, 1);
  const code = notebookCode(
    listOf({
      narrow: 'Ü 1',
      sort: { field: 'size', isDescending: true },
      filters: [
        { kind: 'range', field: 'size', from: 10, to: 20, includesTo: false },
        { kind: 'range', field: 'at', from: at + 12_000, to: at + 18_000, includesTo: true },
        { kind: 'values', field: 'id', values: ['d13'], excludes: true },
        { kind: 'values', field: 'at', values: [new Date(at + 14_000).toISOString()], excludes: true },
        { kind: 'values', field: 'share', values: ['4.250', '100'], excludes: true },
        { kind: 'values', field: 'size', values: ['12.0', '15', '16', '17', '18'], excludes: false },
        { kind: 'contains', field: 'an "odd" name', text: 'Ü', excludes: false },
      ],
    }),
    target,
  );
  const ids = `${code?.replace(/^print.*$/m, '')}\nprint(json.dumps([row[0] for row in frame.select("id").fetchall()]))`;
  expect(run(DUCKDB, ids)).toEqual(['d18', 'd16', 'd15', 'd12']);
});

test.skipIf(DUCKDB === null)('the text filter does not look in names of columns', () => {
  const code = notebookCode(listOf({ narrow: 'share' }), target)?.replace(/^print.*$/m, '');
  expect(run(DUCKDB, `${code}\nprint(json.dumps(len(frame)))`)).toBe(0);
});

test.skipIf(DUCKDB === null)('warns if several records have the name by which rows are chosen', () => {
  const code = `import warnings
m = spandeck.open()
m.catalog["names"] = {"one": "Support", "two": "Support", "three": "Sales"}
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    m.sql("SELECT name_of('three')")
    m.sql("SELECT name_of('two')")
print(json.dumps([str(each.message) for each in told]))`;
  expect(run(DUCKDB, code)).toEqual([
    "2 applications, datasets or experiments have the name 'Support': the result has the rows of all of them that are of the same kind.",
  ]);
});

const ANY = LIBRARIES.find(({ python }) => python !== null);
test.skipIf(ANY === undefined)('reads the catalog again if a refresh removed its files', () => {
  const code = `import os
m = spandeck.open()

m._tables["datasets"] = spandeck._table_of(m.folder, "datasets", {**m.catalog["tables"]["datasets"], "files": [{"path": "datasets/part-gone.parquet"}]})
frame = m.datasets(using="${ANY?.using}")
print(json.dumps(len(${ANY?.rows})))`;
  expect(run(ANY?.python ?? null, code)).toBe(ROWS);
});
