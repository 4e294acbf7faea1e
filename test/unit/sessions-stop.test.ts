/** Found by a simulation that quit while a connection was being moved: the store of the connection remained open. */
import { expect, test } from 'vitest';
import { Sessions } from '../../electron/engine/sessions.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

test('a stop waits for a connection that is being saved', async () => {
  using folder = new DataFolder();
  const sessions = new Sessions({
    ...{ paths: dataPaths(folder.path), clock: systemClock, random: systemRandom, logger: silentLogger },
  } as unknown as ConstructorParameters<typeof Sessions>[0]);
  const saved = Promise.withResolvers<void>();
  const order: string[] = [];
  const saving = sessions.whileClosed('moved', () => saved.promise, 'this process');
  const stopping = sessions.stop().then(() => order.push('stopped'));
  await new Promise((resolve) => setImmediate(resolve));
  order.push('saved');
  saved.resolve();
  await Promise.all([saving, stopping]);
  expect(order).toEqual(['saved', 'stopped']);
});
