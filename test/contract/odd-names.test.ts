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
