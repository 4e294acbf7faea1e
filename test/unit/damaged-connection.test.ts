/** If a stored connection cannot be read, the others work, and it is restored from its own folder if possible. */
import { mkdirSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { keepConnectionFile } from '../../electron/connections/connection-file.ts';
import { openSettings } from '../../electron/engine/open-settings.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { connection } from '../../electron/shared/model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const idOf = (last: number) => `7f1f2a38-9f7e-4c6e-8f0a-2f4f0a2b9c1${last}`;
const saved = (last: number, name: string) =>
  connection.parse({
    ...{ id: idOf(last), name, colour: 'teal', isReadOnly: false, baseUrl: 'https://service.example' },
    ...{ allowsPlainHttp: false, proxyUrl: null, extraCaFile: null, tokenStorage: 'keychain' },
    ...{ kind: 'service', createdAtMs: last, tokenHint: null },
  });

test('a damaged connection is left out with a notice, or restored; every other one is listed', () => {
  using folder = new DataFolder();
  const paths = dataPaths(folder.path);
  mkdirSync(folder.path, { recursive: true });
  const open = () => openSettings(paths, systemClock, silentLogger);
  const all = [saved(1, 'One'), saved(2, 'Two'), saved(3, 'Three')];
  const first = open().store;
  for (const each of all) first.saveConnection(each);
  first.close();
  keepConnectionFile(paths, saved(2, 'Two'), silentLogger);
  const db = new BetterSqlite(paths.appDb);
  db.prepare("UPDATE connection SET colour = 'plaid' WHERE id IN (?, ?)").run(idOf(2), idOf(3));
  db.close();

  const { store, notice } = open();
  expect(store.listConnections().map(({ name }) => name)).toEqual(['One', 'Two']);
  expect(notice).toMatch(
    /“Two” was damaged and was restored.*It is read-only until you change that\. .*“Three” is damaged and is left out/,
  );
  expect(store.damagedConnections()).toMatchObject([{ id: idOf(3), name: 'Three' }]);
  // A new connection with the same id replaces the damaged row.
  store.saveConnection(saved(3, 'Three'));
  store.close();
  const again = open();
  expect(again.notice).toBeNull();
  expect(again.store.listConnections()).toEqual(
    all.map((each) => (each.name === 'Two' ? { ...each, isReadOnly: true } : each)),
  );
  again.store.close();
});
