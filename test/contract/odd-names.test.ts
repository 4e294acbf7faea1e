/** A typed word with the name of a property that every object has is a word like any other. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
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
