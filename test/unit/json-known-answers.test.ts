/** Answers of known interfaces have their rows in one list, whatever stands beside it. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { DataFolder } from '../helpers/data-folder.ts';
import type { OpenFiles } from '../helpers/open-files.ts';
import { setUpFilesOfEachTest } from '../helpers/set-up-files.ts';

let folder: DataFolder;
let files: OpenFiles;
setUpFilesOfEachTest((made) => {
  ({ folder, files } = made);
});

const rows = [{ a: 1 }, { a: 2 }];
const fields = [{ name: 'a', type: 'int' }];

test.each<[string, object, string]>([
  ['Stripe', { object: 'list', data: rows, has_more: false, url: '/v1/charges' }, 'data'],
  ['Salesforce', { totalSize: 2, done: true, records: rows }, 'records'],
  ['CKAN', { help: 'h', success: true, result: { fields, records: rows, total: 2 } }, 'result.records'],
  [
    'ArcGIS',
    { displayFieldName: '', fields, features: rows.map((attributes) => ({ attributes })) },
    'features',
  ],
  ['HELM', { adapter_spec: { method: 'm' }, request_states: rows }, 'request_states'],
  ['GraphQL', { data: { users: { nodes: rows } }, extensions: { cost: 1 } }, 'data.users.nodes'],
  ['GraphQL with edges', { data: { users: { edges: rows.map((node) => ({ node })) } } }, 'data.users.edges'],
])('an answer of %s', async (_name, content, list) => {
  const path = folder.file('answer.json');
  writeFileSync(path, JSON.stringify(content));
  const [offered] = await files.offer([path]);
  const { dialect, columns } = await files.inspect(offered?.fileId ?? '', null);
  expect(dialect.sheet).toBe(list);
  expect(columns.map(({ name }) => name)).toEqual(['a']);
});

test('records in the data of JSON:API have their values as columns, and the same rows alone do not', async () => {
  const data = rows.map((attributes, at) => ({ type: 't', id: `${at}`, attributes }));
  const namesIn = async (content: object) => {
    const path = folder.file('records.json');
    writeFileSync(path, JSON.stringify(content));
    const [offered] = await files.offer([path]);
    return (await files.inspect(offered?.fileId ?? '', null)).columns.map(({ name }) => name);
  };
  expect(await namesIn({ data, jsonapi: { version: '1.1' } })).toEqual(['_type', '_id', 'a']);
  expect(await namesIn(data)).toEqual(['type', 'id', 'attributes']);
});
