/** `--fields`, `--budget` and `--to-file`, which every command has, and `doctor`. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';
import { temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';

const rig = cliRig('cli-answer-options');
const cli = (...args: string[]) => rig.run(...args);

test('an answer has the chosen fields, fits into its budget, and goes to a file', async () => {
  const chosen = await cli('models', '--json', '--fields', 'name,project.name');
  const { items } = JSON.parse(chosen.stdout);
  expect(items.length).toBeGreaterThan(1);
  for (const item of items)
    expect(item).toEqual({ name: expect.any(String), 'project.name': expect.any(String) });
  expect((await cli('models', '--fields', 'name')).stdout.split('\n')[0]).toBe('name');
  expect((await cli('models', '--fields', 'nme')).stderr).toMatch(
    /No record has nme. Did you mean name. Fields are .*\bname\b/,
  );
  expect(await cli('models', '--fields', 'name,')).toMatchObject({ code: 2 });

  const small = await cli('models', '--json', '--budget', '300');
  expect(Buffer.byteLength(small.stdout)).toBeLessThanOrEqual(1_201);
  const cut = JSON.parse(small.stdout);
  expect(cut).toMatchObject({ complete: false, leftOut: items.length - cut.items.length });
  expect(small.stderr).toContain(`${cut.leftOut} of ${items.length} records were left out`);
  expect((await cli('models', '--budget', '10')).stdout).toMatch(/… \d+ of \d+ lines were left out/);

  const file = rig.file('models.json');
  const written = await cli('models', '--json', '--fields', 'name', '--to-file', file);
  const text = readFileSync(file, 'utf8');
  expect(JSON.parse(text).items).toHaveLength(items.length);
  expect(JSON.parse(written.stdout)).toEqual({ file, bytes: Buffer.byteLength(text) });
  // A command that fails leaves no file.
  const none = rig.file('none.json');
  expect((await cli('get', 'models', 'No such model', '--json', '--to-file', none)).code).not.toBe(0);
  expect(existsSync(none)).toBe(false);
  const refused = await cli('models', '--to-file', rig.file('missing/models.json'));
  expect(refused).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^error FILE_UNREADABLE/m),
  });
});

test('doctor names versions and connection, checks everything, and fails if something is bad', async () => {
  const good = JSON.parse((await cli('doctor', '--json')).stdout);
  expect(good).toMatchObject({ version: 'Spandeck of a test', node: process.versions.node });
  expect(good.connection).toContain('127.0.0.1');
  const states = good.checks.map(({ part, state }: { part: string; state: string }) => [part, state]);
  expect(states).toEqual(
    expect.arrayContaining([
      ['stores', 'ok'],
      ['service', 'ok'],
    ]),
  );

  const folder = temporaryFolder('cli-doctor');
  const none = await runHere(['doctor'], { dataDir: folder.path });
  expect(none.stdout).toMatch(/^0 connections, none chosen: add --connection NAME\.$/m);
  const bad = await runHere(['doctor', '--base-url', 'http://127.0.0.1:9'], {
    dataDir: folder.path,
    token: 'contract-token-0123456789',
  });
  expect(bad).toMatchObject({ code: 1, stderr: expect.stringMatching(/CHECK_FAILED: .*\bservice\b/) });
  folder.remove();
});
