/** `export --fields`: the fields of the file, whose names are checked before anything is written. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-export-fields');
const read = (name: string) => readFileSync(rig.file(name), 'utf8');
const firstLine = (name: string) => read(name).split('\n')[0] ?? '';

test('the file has the chosen fields, with their nested fields', async () => {
  const write = (name: string, fields: string) =>
    rig.answered('export', 'models', '--fields', fields, '--output', rig.file(name));
  const written = await write('models.csv', 'name, project.name');
  expect(firstLine('models.csv').split(',').toSorted()).toEqual(['name', 'project.name']);
  // The answer is the manifest, with all of its fields.
  expect(written.columns.map(({ name }: { name: string }) => name).toSorted()).toEqual([
    'name',
    'project.name',
  ]);
  expect(written.rows).toBeGreaterThan(0);
  await write('models.jsonl', 'id,project');
  expect(Object.keys(JSON.parse(firstLine('models.jsonl'))).toSorted()).toEqual(['id', 'project']);
});

test.each([
  ['nme,id', /No row has nme\. Did you mean name\? Fields are .*project\.name/],
  ['project.nam', /No row has project\.nam\. Did you mean project\.name\?/],
  ['sha256', /No row has sha256\. Fields are /],
  ['id,', /--fields expects names with commas/],
])('a wrong name is refused with a similar one: %s', async (fields, said) => {
  const { code, stderr } = await rig.run(
    'export',
    'models',
    '--fields',
    fields,
    '--output',
    rig.file('x.csv'),
  );
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(said) });
  expect(existsSync(rig.file('x.csv'))).toBe(false);
});

test.each([
  ['models', '--resume'],
  ['spans', '--as=chat'],
  ['refused-rows', '--exact'],
])('fields of %s with %s are refused, because they would change nothing', async (list, flag) => {
  const file = rig.file(list === 'spans' ? 'x.jsonl' : 'x.csv');
  const { code, stderr } = await rig.run('export', list, '--fields', 'id', flag, '--output', file);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/leave out --fields\./) });
});
