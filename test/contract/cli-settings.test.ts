/**
 * `settings` on the command line: a change by one call takes effect in the next, in the zone and format that were set.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder('settings');
});
afterEach(() => folder.remove());
const ownProcess = (...args: string[]) => runCli(['settings', ...args], { dataDir: folder.path });
const run = (...args: string[]) => runHere(['settings', ...args], { dataDir: folder.path });

test('set, get, list, reset: stored, with its unit, and without a connection', async () => {
  expect(await ownProcess('set', 'staleAfterMs', '10', 'min')).toMatchObject({
    code: 0,
    stdout: 'staleAfterMs: 10 min\n',
  });
  expect((await ownProcess('set', 'numberFormat', 'point')).code).toBe(0);
  expect((await ownProcess('get', 'pageRows')).stdout).toContain('from 10 to 1.000 rows');
  const listed = JSON.parse((await run('list', '--changed', '--json')).stdout);
  expect(listed.items.map(({ key, value }: { key: string; value: unknown }) => [key, value])).toEqual([
    ['numberFormat', 'point'],
    ['staleAfterMs', 600_000],
  ]);
  expect(await run('reset')).toMatchObject({
    code: 2,
    stderr:
      'error INVALID_ARGUMENT: Nothing was reset. Add --yes to reset 2 settings (numberFormat, staleAfterMs), or name one.\n',
  });
  expect((await run('reset', '--yes')).code).toBe(0);
  expect((await run('--changed')).stdout).toMatch(/^0 settings of \d+ changed\./m);
});

test('a rejection shows the expected and the given value, and suggests similar names', async () => {
  expect(await run('set', 'pageRows', '5')).toMatchObject({
    code: 2,
    stderr: 'error INVALID_ARGUMENT: pageRows: expected a whole number from 10 to 1,000 rows, got 5.\n',
  });
  expect((await run('set', 'timeZone', 'Nowhere')).stderr).toContain(
    'expected system or the name of a time zone',
  );
  expect((await run('get', 'pageRow')).stderr).toContain('Did you mean pageRows?');
  expect((await run('show')).code).toBe(2);
});

test('an exported file has every setting and no secret, and is imported completely or not at all', async () => {
  const file = join(folder.path, 'settings.json');
  await run('set', 'theme', 'dark');
  expect((await run('export', file)).stdout).toMatch(/^\d+ settings and the shortcuts written/);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toMatch(/token|connection|folder|http/i);
  await run('reset', '--yes');
  expect((await run('import', file)).code).toBe(0);
  expect((await run('get', 'theme')).stdout).toContain('theme: Dark');
  const wrong = await runHere(['settings', 'import', '-'], {
    dataDir: folder.path,
    stdin: text.replace('"pageRows": 500', '"pageRows": 5').replace('"dark"', '"light"'),
  });
  expect(wrong.stderr).toContain('Nothing was changed.');
  expect((await run('get', 'theme')).stdout).toContain('theme: Dark');
});
