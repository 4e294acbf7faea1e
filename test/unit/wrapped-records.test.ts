/** Values that an interface puts into an object of their own are columns; other objects stay values. */
import { writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import type { Dialect, Wrapper } from '../../electron/shared/dialect.ts';
import { writeExact } from '../../electron/shared/exact-json.ts';
import { withStoredWrapper } from '../../electron/shared/upload-preset.ts';
import { jsonRow } from '../../electron/uploads/readers/json-reader.ts';
import { openSource, readRows } from '../../electron/uploads/readers/open-source.ts';
import { checkedFile } from '../helpers/checked-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { readBack } from '../helpers/read-back.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

const at = (day: number) => `2026-05-0${day}T10:00:00.000Z`;
const airtable = (id: string, fields: object) => ({ id, createdTime: at(1), fields });

test.each<[string, Wrapper, string, string]>([
  [
    'Airtable',
    'fields',
    '{"id":"rec1","createdTime":"2026-05-01T10:00:00.000Z","fields":{"Question":"Why?","id":7}}',
    '{"_id":"rec1","_createdTime":"2026-05-01T10:00:00.000Z","Question":"Why?","id":7}',
  ],
  ['GraphQL', 'node', '{"cursor":"a","node":{"title":"T","n":1.50}}', '{"_cursor":"a","title":"T","n":1.5}'],
  ['GraphQL without a value', 'node', '{"cursor":"a","node":null}', '{"_cursor":"a"}'],
  [
    'GraphQL with fields of the edge',
    'node',
    '{"role":"R","node":{"title":"T"}}',
    '{"_role":"R","title":"T"}',
  ],
  [
    'JSON:API',
    'attributes',
    '{"type":"tickets","id":"5","attributes":{"title":"T"},"relationships":{"by":{"data":null}}}',
    '{"_type":"tickets","_id":"5","title":"T","_relationships":{"by":{"data":null}}}',
  ],
  ['JSON:API without values', 'attributes', '{"type":"tickets","id":"5"}', '{"_type":"tickets","_id":"5"}'],
  [
    'GeoJSON',
    'properties',
    '{"type":"Feature","properties":{"name":"N"},"geometry":{"type":"Point","coordinates":[1,2]}}',
    '{"_type":"Feature","name":"N","_geometry":{"type":"Point","coordinates":[1,2]}}',
  ],
  ['ArcGIS', 'attributes', '{"attributes":{"ID":1},"geometry":{"x":1}}', '{"ID":1,"_geometry":{"x":1}}'],
  [
    'GeoJSON without values',
    'properties',
    '{"type":"Feature","properties":null,"geometry":null}',
    '{"_type":"Feature","_geometry":null}',
  ],
  [
    'an underscore that is taken',
    'node',
    '{"cursor":"a","node":{"_cursor":1}}',
    '{"__cursor":"a","_cursor":1}',
  ],
])('a record of %s has its values as columns', (_, wrapper, given, expected) => {
  const row = jsonRow(given, { wrapper });
  expect(writeExact(row.record)).toBe(expected);
  expect(row.wrapper).toEqual({ key: wrapper, isTaken: true });
  expect(Object.keys(row.asWritten?.() ?? {})).toEqual(Object.keys(row.record ?? {}));
});

test.each<[Wrapper, string]>([
  ['fields', '{"id":"1","createdTime":"2026-05-01","fields":["a"]}'],
  ['node', '{"node":"n1","cursor":"a"}'],
  ['attributes', '{"error":"none"}'],
])('in a file of records with %s, %s stays as it is and is counted', (wrapper, text) => {
  const row = jsonRow(text, { wrapper });
  expect(writeExact(row.record)).toBe(text);
  expect(row.wrapper).toEqual({ key: wrapper, isTaken: false });
});

const wrapperIn = async (name: string, content: unknown): Promise<Wrapper | null> => {
  const path = folder.file(name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return (await readBack(path)).preview.dialect.wrapper ?? null;
};
const geometry = { x: 1, y: 2, spatialReference: { wkid: 4_326 } };
const relationships = { author: { data: null } };

test.each<[string, Wrapper, object[]]>([
  ['Airtable', 'fields', [{ id: 'rec1', createdTime: '2026-05-01T10:00:00Z', fields: { a: 1 } }]],
  [
    'edges with cursors',
    'node',
    [
      { cursor: 'a', node: { a: 1 } },
      { cursor: 'b', node: null },
    ],
  ],
  [
    'JSON:API',
    'attributes',
    [
      { id: '1', type: 't', attributes: { a: 1 }, relationships },
      { id: '2', type: 't' },
    ],
  ],
  [
    'ArcGIS',
    'attributes',
    [
      { attributes: { a: 1 }, geometry },
      { attributes: { a: 2 }, geometry: null },
    ],
  ],
  ['GeoJSON', 'properties', [{ type: 'Feature', properties: { a: 1 }, geometry: null }]],
  ['Datadog', 'attributes', [{ id: 'A', type: 'spans', attributes: { trace_id: '1', span_id: '2' } }]],
])('rows of %s are known by their own signs', async (_name, wrapper, rows) => {
  expect(await wrapperIn('known.json', rows)).toBe(wrapper);
  expect(await wrapperIn('known.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'))).toBe(wrapper);
});

test.each<[string, object[]]>([
  ['events with a type and an id', [{ id: 'e1', type: 'click', attributes: { x: 1 } }]],
  ['rows of a node', [{ node: { a: 1 } }]],
  ['rows of attributes', [{ attributes: { a: 1 } }]],
  ['attributes beside another geometry', [{ attributes: { a: 1 }, geometry: { width: 1 } }]],
  ['attributes beside a geometry that is null', [{ attributes: { a: 1 }, geometry: null }]],
  ['records with fields', [{ id: 'r1', createdTime: '2026-05-01', fields: { a: 1 } }]],
  [
    'one row with a further key',
    [
      { cursor: 'a', node: { a: 1 } },
      { cursor: 'b', node: { a: 2 }, score: 1 },
    ],
  ],
  ['one row of another form', [{ cursor: 'a', node: { a: 1 } }, { a: 1 }]],
  ['a node that is a text', [{ cursor: 'a', node: 'n1' }]],
  ['nodes without values', [{ cursor: 'a', node: null }]],
  ['spans', [{ trace_id: '1', type: 'span', id: '2', attributes: { a: 1 } }]],
  ['schemas', [{ type: 'object', properties: { a: { type: 'string' } } }]],
])('%s stay as they are', async (_name, rows) => {
  expect(await wrapperIn('plain.json', rows)).toBeNull();
  const path = folder.file('plain.json');
  expect((await readBack(path)).all.map(({ record }) => record)).toEqual(rows);
});

test('a later row with a further key is read like the first ones, and one of another form is counted', async () => {
  const rows = Array.from({ length: 200 }, (_, at) => ({ cursor: `c${at}`, node: { a: at } }));
  const path = folder.file('later.jsonl');
  const later = [
    { cursor: 'x', node: { a: 1 }, score: 2 },
    { cursor: 'y', node: null },
    { cursor: 'z', a: 1 },
  ];
  writeFileSync(path, [...rows, ...later].map((row) => JSON.stringify(row)).join('\n'));
  const { all, notes, preview } = await readBack(path);
  expect(all.slice(-3).map(({ record }) => record)).toEqual([
    { _cursor: 'x', a: 1, _score: 2 },
    { _cursor: 'y' },
    { cursor: 'z', a: 1 },
  ]);
  expect(preview.columns.map(({ name }) => name)).not.toContain('node');
  expect(notes).toContain(
    '1 row without the object that holds the values of the other rows, or with something else in its place: read as written (line 203, “node”).',
  );
});

test('an upload reads a row without values by the same names, beside rows that hold nothing nested', async () => {
  const rows = [
    { id: '1', type: 't', attributes: { id: 'a', n: 1, at: '2026-05-02T10:00:00.000Z' }, relationships },
    { id: '2', type: 't' },
  ];
  const found = await checkedFile(
    folder.file('api.jsonl'),
    rows.map((row) => JSON.stringify(row)).join('\n'),
    {
      model: { columns: { id: 'str', n: 'float', at: 'timestamp' }, id: 'id', time: 'at' },
    },
  );
  expect(found.events).toEqual([{ id: 'a', n: 1, at: '2026-05-02T10:00:00.000Z' }]);
  expect(found.bad).toHaveLength(1);
});

test('the names of keys beside the object do not make a file one of MongoDB', async () => {
  const query = { $oid: '5f0000000000000000000000' };
  const path = folder.file('stored.jsonl');
  writeFileSync(path, JSON.stringify({ ...airtable('rec1', { q: { deep: query } }) }));
  expect((await readBack(path)).all[0]?.record).toMatchObject({ q: { deep: query } });
});

test('a dialect of an earlier version, without the choice, keeps the rows as they are', async () => {
  const path = folder.file('earlier.json');
  const rows = [airtable('rec1', { n: 1 })];
  writeFileSync(path, JSON.stringify(rows));
  const kept: Partial<Dialect> = { wrapper: null };
  expect((await readBack(path, kept)).preview.columns.map(({ name }) => name)).toEqual([
    'id',
    'createdTime',
    'fields',
  ]);
  const { wrapper: _wrapper, ...earlier } = (await readBack(path)).preview.dialect;
  const source = await openSource(path, earlier);
  const read = [];
  for await (const { rows: each } of readRows(source, path, { start: source.dataStart })) read.push(...each);
  await source.close();
  expect(read.map(({ record }) => record)).toEqual(rows);
});

test.each<[string, object, readonly string[], object]>([
  ['names the object', {}, ['id', 'type', 'attributes'], { wrapper: null }],
  ['names other columns', { encoding: 'utf-8' }, ['id', 'n'], { encoding: 'utf-8' }],
  ['says what is read', { wrapper: 'attributes' }, ['_id', 'attributes'], { wrapper: 'attributes' }],
])('a stored choice that %s', (_, stored, columns, expected) => {
  expect(withStoredWrapper(stored, columns)).toEqual(expected);
});

test('records of Airtable reach the events by the names of their fields, and a note counts them', async () => {
  const rows = [airtable('rec1', { id: 'a', n: 1, at: at(2) }), airtable('rec2', { id: 'b', at: at(3) })];
  const found = await checkedFile(
    folder.file('airtable.jsonl'),
    rows.map((row) => JSON.stringify(row)).join('\n'),
    {
      model: { columns: { id: 'str', n: 'float', at: 'timestamp' }, id: 'id', time: 'at' },
    },
  );
  expect(found.bad).toEqual([]);
  expect(found.events).toEqual([
    { id: 'a', n: 1, at: at(2) },
    { id: 'b', at: at(3) },
  ]);
});

test('a note names the object and counts the rows', async () => {
  const path = folder.file('records.json');
  writeFileSync(path, JSON.stringify([airtable('rec1', { n: 1 }), airtable('rec2', {})]));
  const { notes, preview } = await readBack(path);
  expect(preview.columns.map(({ name }) => name)).toEqual(['_id', '_createdTime', 'n']);
  expect(notes).toContain(
    '2 rows with the values in an object of their own, as Airtable, GraphQL, JSON:API, ArcGIS and GeoJSON write them: read as columns. Keys beside the object are columns with an underscore in front, such as _id (first in line 1, “fields”).',
  );
});
