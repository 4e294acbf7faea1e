/** Each planted fault of the simulation is a change of the present product: a patch that does not apply finds nothing. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'test/simulation/planted');
const patches = readdirSync(FOLDER).filter((name) => name.endsWith('.patch'));

test('every planted fault applies to the product', () => {
  const outdated = patches.filter((name) => {
    try {
      execFileSync('git', ['apply', '--check', join(FOLDER, name)], { cwd: ROOT, stdio: 'pipe' });
      return false;
    } catch {
      return true;
    }
  });
  expect(patches.length).toBeGreaterThan(50);
  expect(outdated).toEqual([]);
});
