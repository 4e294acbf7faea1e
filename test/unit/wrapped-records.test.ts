/** Values that an interface puts into an object of their own are columns; other objects stay values. */
import { writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { writeExact } from '../../electron/shared/exact-json.ts';
import { jsonRow } from '../../electron/uploads/readers/json-reader.ts';
import { checkedFile } from '../helpers/checked-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { readBack } from '../helpers/read-back.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

test.each([
  [
    'Airtable',
    '{"id":"rec1","createdTime":"2026-05-01T10:00:00.000Z","fields":{"Question":"Why?","id":7}}',
    '{"_id":"rec1","_createdTime":"2026-05-01T10:00:00.000Z","Question":"Why?","id":7}',
  ],
  ['GraphQL', '{"cursor":"a","node":{"title":"T","n":1.50}}', '{"_cursor":"a","title":"T","n":1.5}'],
  ['GraphQL without cursors', '{"node":{"title":"T"}}', '{"title":"T"}'],
  [
    'JSON:API',
    '{"type":"tickets","id":"5","attributes":{"title":"T"},"relationships":{"by":{"data":null}}}',
    '{"_type":"tickets","_id":"5","title":"T","_relationships":{"by":{"data":null}}}',
  ],
  [
    'GeoJSON',
    '{"type":"Feature","properties":{"name":"N"},"geometry":{"type":"Point","coordinates":[1,2]}}',
    '{"_type":"Feature","name":"N","_geometry":{"type":"Point","coordinates":[1,2]}}',
  ],
  ['ArcGIS', '{"attributes":{"ID":1},"geometry":{"x":1}}', '{"ID":1,"_geometry":{"x":1}}'],
  [
    'GeoJSON without values',
    '{"type":"Feature","properties":null,"geometry":null}',
    '{"_type":"Feature","_geometry":null}',
  ],
  ['an underscore that is taken', '{"cursor":"a","node":{"_cursor":1}}', '{"__cursor":"a","_cursor":1}'],
])('a record of %s has its values as columns', (_, given, expected) => {
  const { record, wrapper, asWritten } = jsonRow(given, false);
  expect(writeExact(record)).toBe(expected);
  expect(wrapper).toBeDefined();
  expect(Object.keys(asWritten?.() ?? {})).toEqual(Object.keys(record ?? {}));
});

test.each([
  '{"id":"1","createdTime":"2026-05-01","fields":["a"]}',
  '{"id":"1","fields":{"text":"a"},"metadata":{}}',
  '{"node":{"a":1},"question":"q"}',
  '{"node":"n1","cursor":"a"}',
  '{"node":null}',
  '{"id":"1","attributes":{"a":1}}',
  '{"trace_id":"1","type":"span","id":"2","attributes":{"a":1}}',
  '{"type":"object","properties":{"a":{"type":"string"}}}',
])('%s stays as it is', (text) => {
  const { record, wrapper } = jsonRow(text, false);
  expect(writeExact(record)).toBe(text);
  expect(wrapper).toBeUndefined();
});

const at = (day: number) => `2026-05-0${day}T10:00:00.000Z`;
const airtable = (id: string, fields: object) => ({ id, createdTime: at(1), fields });

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
