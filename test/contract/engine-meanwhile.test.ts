/** Acts in the window while the engine is busy with something else, or while another process changes the settings. */
import { expect, onTestFinished, test } from 'vitest';
import { openAppStore } from '../../electron/db/app-store.ts';
import { askedAgain } from '../../electron/ipc/handler-deps.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { writeNumbersAs } from '../../electron/shared/count-text.ts';
import { draft, ENGINE_TOKEN, engineRig } from '../helpers/engine-rig.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const currentRig = engineRig();

test('working offline begins at once, while another connection is still opening', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  const other = await rig.engine.connections.save(draft(rig.server.baseUrl), ENGINE_TOKEN);
  await rig.engine.stop();
  rig.start();
  const { network } = await rig.engine.session(id);
  rig.permission = Promise.withResolvers<void>();
  const opening = rig.engine.session(other.id);
  await rig.engine.setOffline(true);
  expect(network.state().state).toBe('switched-off');
  rig.permission.resolve();
  expect((await opening).network.state().state).toBe('switched-off');
});

test('an action that waited for the keychain is done in the session that the connection then has', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  rig.isLocked = true;
  rig.start();
  const before = await rig.engine.session(id);
  rig.isLocked = false;
  rig.permission = Promise.withResolvers<void>();
  const asked = askedAgain(rig.engine, id);
  await rig.engine.closeSession(id);
  rig.permission.resolve();
  const session = await asked;
  expect(session).not.toBe(before);
  expect(session).toBe(await rig.engine.session(id));
  expect(session.uploads.listJobs()).toEqual([]);
});

test('a connection that another process changes right after the start is reported', async () => {
  const rig = currentRig();
  const { id } = await rig.readOnce();
  await rig.engine.stop();
  rig.haste = 100;
  rig.start();
  const store = openAppStore({ file: rig.paths.appDb, clock: systemClock, logger: silentLogger });
  try {
    const [connection] = store.listConnections();
    if (connection !== undefined) store.saveConnection({ ...connection, id, name: 'Renamed by a command' });
  } finally {
    store.close();
  }
  await expect.poll(() => rig.named.at(-1)).toEqual(['Renamed by a command']);
});

test('settings and connections that another process changes apply here, and the window hears of them', async () => {
  const rig = currentRig();
  // Other test files run in this process.
  onTestFinished(() => writeNumbersAs('comma'));
  await rig.engine.stop();
  rig.haste = 100;
  rig.start();
  const { id } = await rig.readOnce();
  const connection = rig.engine.connections.get(id);
  const store = openAppStore({ file: rig.paths.appDb, clock: systemClock, logger: silentLogger });
  try {
    store.saveSettings({ privateFields: 'email', numberFormat: 'point' });
    store.saveConnection({ ...connection, id: 'f0f0f0f0-0000-4000-8000-000000000000', name: 'Of a command' });
  } finally {
    store.close();
  }
  await expect
    .poll(() => rig.settings.at(-1))
    .toMatchObject({ privateFields: 'email', numberFormat: 'point' });
  await expect.poll(() => rig.named.at(-1)).toEqual(['Staging', 'Of a command']);
});
