/** If a connection now leads to another service, each of its stores is opened at its first use. */
import { expect, test } from 'vitest';
import { openStores, serviceOf } from '../../electron/engine/open-stores.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { connection as connectionShape } from '../../electron/shared/model.ts';
import { DEFAULT_SETTINGS } from '../../electron/shared/settings.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const SAVED = {
  ...{ id: '11111111-1111-4111-8111-111111111111', name: 'Staging', kind: 'service', colour: 'teal' },
  ...{ isReadOnly: false, allowsPlainHttp: false, proxyUrl: null, extraCaFile: null },
  ...{ tokenStorage: 'memory', tokenHint: null, createdAtMs: 0 },
};

function storesAt(folder: DataFolder, baseUrl: string) {
  const moves: string[] = [];
  const connection = connectionShape.parse({ ...SAVED, baseUrl });
  const paths = dataPaths(folder.path);
  const stores = openStores({
    ...{ connection, paths, clock: systemClock, logger: silentLogger, damage: new Map() },
    settings: () => DEFAULT_SETTINGS,
    service: serviceOf({ connection, paths, logger: silentLogger }),
    onOpened: () => undefined,
    onMoved: (id) => moves.push(id),
  });
  const close = () => {
    stores.uploads.end()?.value?.close();
    stores.library.value?.close();
  };
  return { stores, moves, close };
}

test('a move is reported once, although a store of jobs is opened by a later process', () => {
  using folder = new DataFolder();
  const before = storesAt(folder, 'https://before.invalid');
  before.stores.uploads.use();
  before.close();

  const first = storesAt(folder, 'https://after.invalid');
  expect(first.moves).toEqual([SAVED.id]);
  first.close();

  const second = storesAt(folder, 'https://after.invalid');
  second.stores.uploads.use();
  expect(second.moves).toEqual([]);
  second.close();
});
