/** The connection that a command uses, and the address to which it sends the token from its environment. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openAppStore } from '../../electron/db/app-store.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { Connection } from '../../electron/shared/model.ts';
import { type CliResult, temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { READ_ONLY_TOKEN, TOKEN } from '../helpers/sample-service.ts';
import { silentLogger } from '../helpers/virtual-world.ts';
import { World } from './sample-service-cases/world.ts';

let world: World;
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(async () => {
  world = await World.start();
  folder = temporaryFolder('cli-connection');
});
afterEach(async () => {
  await world.stop();
  folder.remove();
});

const address = () => ['--base-url', world.raw.service.baseUrl];
const run = (args: string[], token = TOKEN): Promise<CliResult> =>
  runHere(args, { token, dataDir: folder.path });
const requests = () => world.raw.service.report().operations['models.list']?.requests ?? 0;

/** Reads or edits the stored connections, as a window does. */
function connections(edit: (connection: Connection) => Connection = (same) => same): Connection[] {
  const file = dataPaths(folder.path).appDb;
  const store = openAppStore({ file, clock: systemClock, logger: silentLogger });
  try {
    for (const connection of store.listConnections()) store.saveConnection(edit(connection));
    return store.listConnections();
  } finally {
    store.close();
  }
}

test('a connection of the command line that was edited to another address stays as it is', async () => {
  await run(['models', ...address()]);
  const [edited] = connections((connection) => ({
    ...connection,
    name: 'Production',
    baseUrl: 'https://production.example.com',
    isReadOnly: true,
  }));
  expect(await run(['models', ...address()])).toMatchObject({ code: 0 });
  expect(await run(['models', ...address()])).toMatchObject({ code: 0 });
  const saved = connections();
  expect(saved).toHaveLength(2);
  expect(saved.find(({ name }) => name === 'Production')).toEqual(edited);
  expect(saved.find(({ name }) => name !== 'Production')?.baseUrl).toBe(world.raw.service.baseUrl);
});

test('a token of the environment goes to the last used connection only if it is of that connection', async () => {
  await run(['models', ...address()]);
  expect(await run(['models'])).toMatchObject({ code: 0 });
  const before = requests();
  const refused = await run(['models'], 'the-token-of-another-service-2222');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--base-url') });
  expect(refused.stderr).not.toContain('2222');
  expect(requests()).toBe(before);
  const [connection] = connections();
  const named = await run(['models', '--connection', connection?.name ?? ''], 'another-token-of-it-3333');
  expect(named.stderr).toMatch(/UNAUTHORIZED|401/);
});

test('an address of several connections names none of them, unless one is in use', async () => {
  await run(['models', ...address()]);
  await run(['models', ...address()], READ_ONLY_TOKEN);
  expect(connections()).toHaveLength(2);
  const several = await run(['models', ...address(), '--offline'], '');
  expect(several).toMatchObject({ code: 2, stdout: '' });
  expect(several.stderr).toMatch(
    /^error INVALID_ARGUMENT: 2 connections have the address .* Name one with --conn/m,
  );
  const [, second] = connections();
  expect(await run(['models', '--connection', second?.id ?? '', '--offline'], '')).toMatchObject({ code: 0 });
});
