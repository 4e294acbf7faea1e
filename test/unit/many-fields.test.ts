/** Records with more fields than columns: the JSON of their object, or of the record, has a column too. */
import { readFileSync, writeFileSync } from 'node:fs';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, describe, expect, test } from 'vitest';
import { ColumnScan, columnName } from '../../electron/analysis/column-scan.ts';
import { withEngine } from '../../electron/analysis/engine.ts';
import { exportRows } from '../../electron/analysis/export-rows.ts';
import { commonColumns, mergeCounts } from '../../electron/analysis/mirror-columns.ts';
import { ProfiledRows } from '../../electron/analysis/profile.ts';
import { fill } from '../../electron/analysis/sidecar-file.ts';
import type { ColumnFilter } from '../../electron/shared/analysis-model.ts';
import { DataFolder } from '../helpers/data-folder.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

/** Each record has ten fields of its own within an object. */
const NESTED = Array.from({ length: 120 }, (_, at) => ({
  id: at,
  attrs: {
    ...Object.fromEntries(
      Array.from({ length: 10 }, (__, nth) => [`k.${10 * at + nth}`, `v${10 * at + nth}`]),
    ),
    ...(at === 116 ? { 'k.1160': null } : {}),
    ...(at === 117 ? { deep: { n: 5 } } : {}),
  },
  ...(at === 119 ? { late: 'seen' } : {}),
}));
const FLAT = [Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [`f${at}`, at]))];

const namesOf = (records: readonly unknown[]): string[] => {
  const scan = new ColumnScan();
  for (const record of records) scan.add(record);
  return scan.columns().map(({ path }) => columnName(path));
};

describe('columns', () => {
  test('an object with more fields than columns has a column itself, after those of its fields', () => {
    const names = namesOf(NESTED);
    expect(names.slice(0, 3)).toEqual(['id', 'attrs.k.0', 'attrs.k.1']);
    expect(names).toContain('attrs');
    expect(names).not.toContain('attrs.k.1150');
    expect(names.at(-1), 'a later field of the record').toBe('late');
  });

  test('a record with more fields than columns has one for the whole record', () => {
    const names = namesOf(FLAT);
    expect(names).toHaveLength(1_001);
    expect(names.at(-1)).toBe('whole record');
  });

  test('a record with a field whose name the engine does not support has one for the whole record', () => {
    expect(namesOf([{ id: 1, ['bad\u0000name']: 2 }])).toEqual(['id', 'whole record']);
  });

  test('files of a mirror agree on them, whichever part has too many fields', () => {
    const countsOf = (records: readonly unknown[]) => {
      const scan = new ColumnScan();
      for (const record of records) scan.add(record);
      return { columns: scan.summary(), times: {} };
    };
    const few = countsOf([{ id: 1, attrs: { a: 1 } }]);
    const [first, second] = [countsOf(NESTED.slice(0, 60)), countsOf(NESTED.slice(60))];
    for (const parts of [
      [few, countsOf(NESTED)],
      [few, first, second],
    ])
      expect(commonColumns(mergeCounts([mergeCounts(parts)]), []).map(({ path }) => path)).toContainEqual([
        'attrs',
      ]);
    expect(commonColumns(mergeCounts([few, countsOf(FLAT)]), []).map(({ path }) => path)).toContainEqual([]);
    expect(commonColumns(mergeCounts([few, first]), []).map(({ path }) => path)).not.toContainEqual([
      'attrs',
    ]);
  });
});

async function exported(
  records: readonly object[],
  format: 'csv' | 'jsonl' | 'parquet' | 'arrow',
  columns: string[] | null = null,
  needsColumns = false,
) {
  const [file, target] = [folder.file('records.jsonl'), folder.file(`many.${format}`)];
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  const how = {
    columns,
    needsColumns,
    format,
    isExact: true,
    partitionBy: null,
    target,
    spillFolder: folder.path,
  };
  const written = await exportRows({ source: { form: 'lines', file }, ...how }, () => undefined);
  if ('refused' in written) throw new Error(written.refused);
  return { names: written.columns.map(({ name }) => name), target };
}

describe('exports', () => {
  test.each(['csv', 'parquet', 'arrow'] as const)('to %s have the JSON of every object', async (format) => {
    const { names } = await exported(NESTED, format);
    expect(names).toContain('attrs');
  });

  test('to Arrow have the values of fields without a column', async () => {
    const { target } = await exported(NESTED, 'arrow');
    const table = tableFromIPC(readFileSync(target));
    expect(table.getChild('attrs')?.get(115)).toContain('"k.1150":"v1150"');
    const flat = tableFromIPC(readFileSync((await exported(FLAT, 'arrow')).target));
    expect(JSON.parse(String(flat.getChild('whole record')?.get(0)))).toMatchObject({ f1099: 1_099 });
  });

  test('of chosen fields have the JSON only if a field has no column', async () => {
    expect((await exported(NESTED, 'csv', ['attrs.k.1'])).names).toEqual(['attrs.k.1']);
    expect((await exported(NESTED, 'csv', ['id', 'attrs.k.1150'])).names).toEqual(['id', 'attrs']);
    expect((await exported(NESTED, 'csv', ['attrs'])).names).toHaveLength(1_001);
  });

  test('of a chosen field of the record have the whole record only if the field has no column', async () => {
    expect((await exported(FLAT, 'csv', ['f1'])).names).toEqual(['f1']);
    const { names, target } = await exported(FLAT, 'csv', ['f1', 'f1099']);
    expect(names).toEqual(['f1', 'whole record']);
    expect(readFileSync(target, 'utf8')).toContain('""f1099"":1099');
    expect((await exported(FLAT, 'csv', ['whole record'])).names).toEqual(['whole record']);
    expect((await exported(FLAT, 'csv', ['f1.none'])).names).not.toContain('whole record');
  });

  test('of a chosen field without a column are not refused', async () => {
    expect((await exported(FLAT, 'csv', ['f1099'], true)).names).toEqual(['whole record']);
    await expect(exported(NESTED, 'csv', ['none'], true)).rejects.toThrow('No row has none.');
  });

  test('to JSON Lines have only the chosen fields of the record, with a column or without', async () => {
    const { target } = await exported(FLAT, 'jsonl', ['f1', 'f1099']);
    expect(readFileSync(target, 'utf8')).toBe('{"f1":1,"f1099":1099}\n');
    const whole = await exported(FLAT, 'jsonl', ['whole record']);
    expect(readFileSync(whole.target, 'utf8')).toContain('"f500":500');
  });

  test('to JSON Lines have all chosen fields', async () => {
    const { target } = await exported(NESTED, 'jsonl', ['attrs']);
    expect(readFileSync(target, 'utf8').split('\n')[115]).toContain('"k.1150":"v1150"');
    const flat = await exported(FLAT, 'jsonl', null);
    expect(readFileSync(flat.target, 'utf8')).toContain('"f1099":1099');
  });
});

describe('filters', () => {
  /** Positions of the records that pass, for each filter. */
  const found = (records: readonly object[], filters: readonly ColumnFilter[]): Promise<number[][]> =>
    withEngine({ spillFolder: folder.path }, async (connection, spillFolder) => {
      const texts = records.map((record, at) => [at, JSON.stringify(record)] as const);
      const { columns } = await fill(connection, texts, { spillFolder });
      const rows = new ProfiledRows(connection, columns, 'rowid');
      const passing: number[][] = [];
      for (const filter of filters) passing.push([...(await rows.positions([filter]))]);
      return passing;
    });
  const valuesOf = (field: string, ...values: string[]): ColumnFilter => ({
    ...{ kind: 'values', field, values },
    excludes: false,
  });

  test('find fields without a column', async () => {
    const [value, deep, nulls, absent, range, text] = await found(NESTED, [
      valuesOf('attrs.k.1150', 'v1150'),
      valuesOf('attrs.deep.n', '5'),
      { kind: 'emptiness', field: 'attrs.k.1160', is: 'null' },
      { kind: 'emptiness', field: 'attrs.k.1160', is: 'absent' },
      { kind: 'range', field: 'attrs.deep.n', from: 4, to: 6, includesTo: true },
      { kind: 'contains', field: 'attrs.k.1150', text: 'V115', excludes: false },
    ]);
    expect([value, deep, nulls, range, text]).toEqual([[115], [117], [116], [117], [115]]);
    expect(absent).toHaveLength(119);
    const flat = [valuesOf('f1099', '1099'), valuesOf('f1099', '1')];
    expect(await found(FLAT, flat)).toEqual([[0], []]);
  });

  test('find fields of objects if other values are no objects', async () => {
    const records = [{ a: { b: 'x' } }, { a: 'text' }, { a: null }];
    expect(await found(records, [valuesOf('a.b', 'x')])).toEqual([[0]]);
  });
});
