/** No connection is removed, repaired or replaced while another process has it open. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, expect, test } from 'vitest';
import { draft, ENGINE_TOKEN, engineRig } from '../helpers/engine-rig.ts';
import { Lives } from '../helpers/lives.ts';

const currentRig = engineRig();
const lives = new Lives('session-child.ts');
afterEach(() => lives.killAll());

const failure = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (thrown: unknown) => thrown,
  );

test('the message names the other process, and the action succeeds once that was killed', async () => {
  const rig = currentRig();
  const { engine, paths, server } = rig;
  const { id } = await rig.readOnce();
  const life = lives.start({ folder: rig.folder.path, connection: id });
  await life.heard('open');

  const rejection = expect.objectContaining({
    code: 'CONFLICT',
    message: expect.stringMatching(
      /^Another Spandeck \(a window or a command line, process \d+, since .+\) works with this connection\. .+ Nothing was changed\.$/,
    ),
  });
  expect(await failure(engine.connections.forget(id))).toEqual(rejection);
  expect(await failure(engine.health.repair(id, 'library'))).toEqual(rejection);
  const elsewhere = { ...draft('https://elsewhere.example', id) };
  expect(await failure(engine.connections.save(elsewhere, 'another-token-0123456789'))).toEqual(rejection);
  expect(existsSync(paths.libraryDb(id))).toBe(true);
  expect(engine.connections.get(id)).toMatchObject({ name: 'Staging', baseUrl: server.baseUrl });
  // Stores that are open here still work, and every process can rename the connection.
  expect(await rig.read(id)).toMatchObject({ storedRows: 1, refresh: { phase: 'idle' } });
  await engine.connections.save({ ...draft(server.baseUrl, id), name: 'Renamed' }, null);

  life.kill();
  await life.ended;
  await engine.connections.save({ ...draft(server.baseUrl, id), isReadOnly: true }, null);
  await engine.connections.forget(id);
  expect(existsSync(paths.connectionDir(id))).toBe(false);
  expect(readdirSync(paths.inUseDir)).toEqual([]);
});

test('while another process changes a connection, opening it waits for the end of the change', async () => {
  const rig = currentRig();
  const { id } = await rig.engine.connections.save(draft(rig.server.baseUrl), ENGINE_TOKEN);
  await rig.engine.session(id);
  await rig.engine.stop();
  const other = new BetterSqlite(join(rig.paths.inUseDir, `${id}.db`));
  other.exec('BEGIN EXCLUSIVE');
  const opening = rig.start().session(id);
  let isOpen = false;
  void opening.then(() => {
    isOpen = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOpen).toBe(false);
  other.close();
  await opening;
});
