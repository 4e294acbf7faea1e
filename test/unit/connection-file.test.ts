/** The file with the name and the address of a connection, which is stored beside the data of the connection. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepConnectionFile, readConnectionFiles } from '../../electron/connections/connection-file.ts';
import { connection } from '../../electron/shared/model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const GOOD = '7f1f2a38-9f7e-4c6e-8f0a-2f4f0a2b9c11';

test('files that cannot be read or belong to another connection are skipped and reported; the rest is read', () => {
  using folder = new DataFolder();
  const warned: string[] = [];
  const logger = { ...silentLogger, warn: (message: string) => void warned.push(message) };
  const connectionsDir = folder.file('connections');
  const connectionDir = (id: string) => join(connectionsDir, id);
  const paths = {
    connectionsDir,
    connectionDir,
    connectionFile: (id: string) => join(connectionDir(id), 'connection.json'),
  };
  const saved = connection.parse({
    id: GOOD,
    name: 'Production',
    colour: 'teal',
    isReadOnly: false,
    baseUrl: 'https://service.example',
    allowsPlainHttp: false,
    proxyUrl: null,
    extraCaFile: null,
    tokenStorage: 'keychain',
    kind: 'service',
    createdAtMs: 1,
    tokenHint: null,
  });
  keepConnectionFile(paths, saved, logger);
  for (const id of ['a-folder', 'no-json', 'of-another', 'without']) mkdirSync(connectionDir(id));
  mkdirSync(paths.connectionFile('a-folder'));
  writeFileSync(paths.connectionFile('no-json'), '{');
  writeFileSync(paths.connectionFile('of-another'), JSON.stringify(saved));
  writeFileSync(join(connectionsDir, 'a-file'), '');
  expect(readConnectionFiles(paths, logger)).toEqual([saved]);
  expect(warned).toEqual(Array(2).fill('connection not read from its folder'));
});
