/** A word that is neither a name nor an id is rejected with suggestions, in the terms of the command line. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endpoint } from '../../electron/api/endpoints.ts';
import { flagOf, pathParameters, resourcesWith, type Verb } from '../../electron/cli/resource-table.ts';
import { type CliResult, temporaryFolder } from '../helpers/run-cli.ts';
import { runApart, runHere } from '../helpers/run-here.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { ruleBody } from './sample-service-cases/monitoring.ts';
import { World } from './sample-service-cases/world.ts';

let world: World;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => {
  world = await World.start();
  folder = temporaryFolder('cli-names');
});
afterAll(async () => {
  await world.stop();
  folder.remove();
});

function cli(args: readonly string[], run: typeof runHere = runHere) {
  const address = ['--base-url', world.raw.service.baseUrl];
  return run([...args, ...address], { token: TOKEN, dataDir: folder.path });
}

/** Every verb of every resource that takes an id, with the flags that are required. */
const COMMANDS = (['get', 'update', 'delete'] as const).flatMap((verb: Verb) =>
  resourcesWith(verb).flatMap(({ name, operations }) => {
    const row = operations[verb].map((id) => endpoint(id)).find((each) => pathParameters(each).length > 0);
    if (row === undefined) return [];
    const flags = row.requiredQuery.flatMap((query) => [
      `--${flagOf(query)}`,
      row.query[query] === 'number' ? '1767225600000' : `2026-01-0${query === 'end_time' ? 2 : 1}T00:00:00Z`,
    ]);
    const rest = verb === 'update' ? ['--body', '{}'] : verb === 'delete' ? ['--yes'] : flags;
    return [{ command: [verb, name], rest }];
  }),
);

describe('a word that is neither an id nor a name', () => {
  const isAsExpected = ({ code, stdout, stderr }: CliResult): void => {
    expect(stdout).toBe('');
    expect(code).toBe(1);
    expect(stderr.trim().split('\n').at(-1)).toMatch(
      /^error NOT_FOUND: No [a-z ]+ named "nosuch", and none with that id\. (This connection has no|Expected the exact name, or the id; ls [a-z-]+ lists them\.)/,
    );
    // No record with that id was requested from the service, whose message would not help.
    expect(stderr).not.toContain('must be a uuid');
  };
  test.each(COMMANDS)('$command', async ({ command, rest }) => {
    isAsExpected(await cli([...command, 'nosuch', ...rest]));
  });

  test('by many processes at once, without a list read before', async () => {
    const first = COMMANDS.filter(({ command: [verb] }) => verb === 'get').slice(0, 6);
    const own = temporaryFolder('cli-names-first');
    const run: typeof runHere = (args, options) => runApart(args, { ...options, dataDir: own.path });
    const results = await Promise.all(
      first.map(({ command, rest }) => cli([...command, 'nosuch', ...rest], run)),
    );
    own.remove();
    results.forEach(isAsExpected);
  });
});

test.each([
  ['the case of a name', 'bank churn'],
  ['a slip of the hand', 'Bank chrn'],
])('%s is found again', async (_, typed) => {
  const { code, stderr } = await cli(['get', 'models', typed]);
  expect(code).toBe(1);
  expect(stderr).toMatch(/Did you mean Bank churn \([0-9a-f-]{36}\)\? Expected the exact name, or the id;/);
});

test('suggests the full id for the start of an id', async () => {
  const all = await cli(['models', '--json']);
  const [{ id, name }] = JSON.parse(all.stdout).items;
  const { stderr } = await cli(['get', 'models', id.slice(0, 8)]);
  expect(stderr).toContain(`Did you mean ${name} (${id})?`);
  const found = await cli(['get', 'models', name, '--json']);
  expect(JSON.parse(found.stdout)).toMatchObject({ id, name });
});

test('lists the ids of several records with one name', async () => {
  const ids = await Promise.all(
    [1, 2].map(() => world.make('alert-rules.create', { ...ruleBody(world), name: 'Twice' })),
  );
  const { code, stderr } = await cli(['get', 'alert-rules', 'Twice']);
  expect(code).toBe(1);
  expect(stderr).toContain('More than one alert rule named "Twice". Use its id: ');
  for (const id of ids) expect(stderr).toContain(id);
});

test('says to what each of several records with one name belongs', async () => {
  const { stderr } = await cli(['try-rule', 'Short drafts']);
  expect(stderr).toMatch(
    /Use its id: [0-9a-f-]{36} \(Support assistant\), [0-9a-f-]{36} \(Claims triage agent\)/,
  );
  const { stdout } = await cli(['ls', 'evaluator-rules']);
  expect(stdout).toMatch(/^id +name +application /);
});
