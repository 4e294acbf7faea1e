import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type AppStore, openAppStore } from '../../electron/db/app-store.ts';
import type { Connection } from '../../electron/shared/model.ts';
import { DEFAULT_SETTINGS } from '../../electron/shared/settings.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

let folder: DataFolder;
let store: AppStore;
const open = () =>
  openAppStore({ file: folder.file('spandeck.db'), clock: new VirtualClock(), logger: silentLogger });
beforeEach(() => {
  folder = new DataFolder();
  store = open();
});
afterEach(() => {
  store.close();
  folder[Symbol.dispose]();
});

const CONNECTION: Connection = {
  id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  name: 'Production',
  baseUrl: 'https://monitoring.example.com',
  colour: 'teal',
  isReadOnly: true,
  allowsPlainHttp: false,
  proxyUrl: null,
  extraCaFile: null,
  tokenStorage: 'keychain',
  kind: 'service',
  createdAtMs: 1_700_000_000_000,
  tokenHint: { lastFour: '9xyz', savedAtMs: 1_700_000_000_001 },
};

test('restores a connection as saved after the store was closed', () => {
  store.saveConnection(CONNECTION);
  store.saveConnection({ ...CONNECTION, name: 'Renamed', tokenHint: null, proxyUrl: 'http://proxy:3128' });
  store.close();
  store = open();
  expect(store.listConnections()).toEqual([
    { ...CONNECTION, name: 'Renamed', tokenHint: null, proxyUrl: 'http://proxy:3128' },
  ]);
});

test('dates a move to now if it lies in the future, because the clock was ahead', () => {
  const nowMs = new VirtualClock().nowMs();
  const movedAt = (atMs: number) => ({
    ...CONNECTION,
    movedFrom: { baseUrl: 'https://former.example.com', atMs },
  });
  store.saveConnection(movedAt(nowMs - 1));
  expect(store.correctMoves()).toBe(false);
  expect(store.listConnections()).toEqual([movedAt(nowMs - 1)]);
  store.saveConnection(movedAt(nowMs + 3_600_000));
  expect(store.correctMoves()).toBe(true);
  expect(store.listConnections()).toEqual([movedAt(nowMs)]);
});

test('leaves no byte of a removed connection in the folder', () => {
  const secretName = 'Quite-a-special-name';
  store.saveConnection({ ...CONNECTION, name: secretName });
  store.removeConnection(CONNECTION.id);
  expect(store.listConnections()).toEqual([]);
  for (const name of readdirSync(folder.path)) {
    expect(readFileSync(join(folder.path, name)).includes(secretName), name).toBe(false);
  }
});

test('settings have defaults, keep their values, and ignore unknown ones', () => {
  expect(store.readSettings()).toEqual(DEFAULT_SETTINGS);
  store.saveSettings({ theme: 'dark', pageRows: 100 });
  const direct = new BetterSqlite(folder.file('spandeck.db'));
  direct.exec(`INSERT INTO setting VALUES ('density', '"roomy"'), ('fromTheFuture', '1')`);
  direct.close();
  expect(store.readSettings()).toEqual({ ...DEFAULT_SETTINGS, theme: 'dark', pageRows: 100 });
});

test('settings stay as last read while their table cannot be read, and private fields count as lost', () => {
  store.saveSettings({ pageRows: 100, privateFields: 'email' });
  const before = store.readSettings();
  const direct = new BetterSqlite(folder.file('spandeck.db'));
  // A newer version of the product may have changed the table.
  direct.exec('ALTER TABLE setting RENAME TO setting_of_next_year');
  expect(store.readSettings()).toEqual({ ...before, arePrivateFieldsLost: true });
  direct.exec('ALTER TABLE setting_of_next_year RENAME TO setting');
  direct.exec(`UPDATE setting SET value = '200' WHERE name = 'pageRows'`);
  direct.close();
  expect(store.readSettings()).toEqual({ ...before, pageRows: 200 });
});

test('ignores an invalid row that another program wrote', () => {
  store.saveConnection(CONNECTION);
  const direct = new BetterSqlite(folder.file('spandeck.db'));
  direct.exec(`UPDATE connection SET colour = 'plaid'`);
  direct.close();
  expect(store.listConnections()).toEqual([]);
  expect(store.damagedConnections()).toMatchObject([{ reason: expect.stringMatching(/stored connection/) }]);
});

test('keeps the timeout of a connection, or the default if none was set', () => {
  store.saveConnection({ ...CONNECTION, answerTimeoutS: 300 });
  expect(store.listConnections()[0]?.answerTimeoutS).toBe(300);
  store.saveConnection(CONNECTION);
  expect(store.listConnections()).toEqual([CONNECTION]);
});
