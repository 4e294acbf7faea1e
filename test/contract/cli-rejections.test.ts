/** Invalid command lines print one line with the reason and nothing on standard output, and send nothing. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

let raw: RawService;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  raw = await RawService.start();
  folder = temporaryFolder('cli-refusals');
});
afterAll(async () => {
  await raw.service.stop();
  folder.remove();
});

describe('rejected before anything is sent:', () => {
  test.each<[string, string[], RegExp]>([
    ['no id', ['delete', 'baselines', '--yes'], /delete expects ID/],
    ['no body', ['create', 'projects'], /create expects --body/],
    ['a body that is not JSON', ['create', 'projects', '--body', '{name}'], /--body expects JSON: /],
    [
      'a body that is not an object',
      ['create', 'projects', '--body', '["name"]'],
      /--body expects a JSON object/,
    ],
    ['a body of the wrong shape', ['create', 'projects', '--body', '{"nam": 1}'], /not as expected at name/],
    [
      'a file that is not there',
      ['create', 'projects', '--body', '@nowhere.json'],
      /nowhere\.json, which cannot be read/,
    ],
    ['standard input twice', ['update', 'datasets', '-', '--body', '-'], /either the body or the ids/],
    ['an id for a new record', ['create', 'projects', 'x', '--body', '{}'], /takes no id/],
    ['an id and its flag', ['get', 'models', 'x', '--model', 'y'], /Both x and --model y were given/],
    ['an id of one record', ['get', 'server-info', 'x'], /get takes no id/],
    ['no id at all', ['get', 'models'], /Model expects --model: an id or a name/],
    [
      'a flag of another resource',
      ['ls', 'projects', '--model', 'x'],
      /ls projects takes no --model\. It takes: --limit/,
    ],
    ['a filter that is not JSON', ['ls', 'projects', '--filter', 'name=x'], /--filter expects JSON/],
    [
      'a bucket that is not a number',
      ['get', 'alert-rules.thresholds', 'x', '--alert-time-bucket', 'now'],
      /expects a number/,
    ],
    [
      'a list without its required flags',
      ['ls', 'catalog.values', '--application', 'x'],
      /--entity-type and --name/,
    ],
    ['a list without its path', ['ls', 'catalog'], /Catalog expects --application/],
    ['no resource', ['ls'], /ls expects RESOURCE, one of: /],
    ['a question without its fields', ['spans', '--application', 'x'], /spans expects --start, --end/],
    ['a question without its body', ['query'], /query expects --body/],
    ['a deletion without its application', ['delete', 'traces', 'x', '--yes'], /expects --application/],
    [
      'a deletion of no events',
      ['delete-events', '--model', 'x', '--ids', ' , '],
      /--ids expects event ids such as a,b,c/,
    ],
    ['no shell', ['completion', 'tcsh'], /bash, zsh, fish/],
  ])('%s', async (name, args, reason) => {
    // One command for each exit code runs as a separate process.
    const run = ['no id', 'a file that is not there'].includes(name) ? runCli : runHere;
    const { stderr, stdout, code } = await run([...args, '--base-url', raw.service.baseUrl], {
      token: TOKEN,
      dataDir: folder.path,
    });
    expect(stderr).toMatch(reason);
    expect(stderr).toMatch(/^error (INVALID_ARGUMENT|FILE_NOT_FOUND): .+\n$/);
    expect(stdout).toBe('');
    expect(code).toBe(stderr.startsWith('error INVALID_ARGUMENT') ? 2 : 1);
  });
});

test('the service was only asked for names', () => {
  const asked = Object.keys(raw.service.report().operations);
  expect(asked.filter((id) => !id.endsWith('.list'))).toEqual([]);
});
