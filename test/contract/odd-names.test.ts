/** A typed word with the name of a property that every object has is a word like any other. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import { cliRig } from '../helpers/cli-rig.ts';

const cli = cliRig('odd-names');
const NAMES = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];

test('settings, presets, operations, lists, delimiters and quotes with such a name are named as unknown', async () => {
  const file = cli.file('rows.csv');
  writeFileSync(file, 'a,b\n1,2\n');
  for (const name of [...NAMES, '__proto__']) {
    for (const args of [
      ['settings', 'get', name],
      ['presets', 'remove', name],
      ['budget', name],
      ['ls', name],
      ['profile', file, '--delimiter', name],
      ['profile', file, '--quote', name],
      ['help', name],
    ]) {
      const { code, stderr } = await cli.run(...args);
      expect(`${code} ${stderr}`).toMatch(/^[12] error (INVALID_ARGUMENT|NOT_FOUND): /);
    }
  }
});

test('columns with such a name become items, and __proto__, which parsers drop, is named as left out', async () => {
  const file = cli.file('odd.csv');
  writeFileSync(file, `${NAMES.join(',')},__proto__\na,b,c,d,lost\n`);
  const maps = NAMES.flatMap((name) => ['--map', `${name}=inputs.${name}`]);
  const dataset = 'Escalations, to be collected';
  const added = await cli.run('items', 'add', dataset, file, ...maps);
  expect(added.code).toBe(0);
  expect(added.stdout + added.stderr).toMatch(/__proto__/);
  const { items } = await cli.answered('items', dataset);
  expect(items.map(({ inputs }: { inputs: unknown }) => inputs)).toEqual([
    { constructor: 'a', toString: 'b', hasOwnProperty: 'c', valueOf: 'd' },
  ]);
  const asked = await cli.run('items', 'add', dataset, file, '--map', '__proto__=inputs.__proto__');
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('got inputs.__proto__') });
  const profile = await cli.run('profile', file);
  expect(profile.code).toBe(0);
  for (const name of [...NAMES, '__proto__']) expect(profile.stdout).toContain(name);
});

test('rows of JSON without a key of such a name have no value there', async () => {
  const file = cli.file('odd.jsonl');
  const first = Object.fromEntries([...NAMES.map((name) => [name, 'x']), ['a', 1]]);
  writeFileSync(file, `${JSON.stringify(first)}\n{"a":2}\n{"a":3,"__proto__":"lost"}\n`);
  const { columns } = await inspectFile({ path: file, fileId: 'file', override: null, seed: 0.5 });
  for (const { name, type, samples } of columns.filter((column) => NAMES.includes(column.name)))
    expect({ name, type, samples }).toEqual({ name, type: 'str', samples: ['x'] });
  const maps = NAMES.flatMap((name) => ['--map', `${name}=-`]);
  const dataset = 'Escalations, to be collected';
  const { ledger } = await cli.answered('items', 'add', dataset, file, ...maps, '--dry-run');
  const counts = ledger.leftOut.map(({ name, count, line }: Record<string, unknown>) => [name, count, line]);
  expect(Object.fromEntries(counts.map(([name, ...rest]: unknown[]) => [name, rest]))).toEqual({
    ...Object.fromEntries(NAMES.map((name) => [name, [1, 1]])),
    ['__proto__']: [1, 3],
  });
});
