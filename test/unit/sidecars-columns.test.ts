/** SQL completion reads the columns of a list once, and their cache is limited. */
import { expect, test } from 'vitest';
import { analysisRequest } from '../../electron/analysis/protocol.ts';
import { createSidecars } from '../../electron/analysis/sidecars.ts';
import type { StartChild } from '../../electron/platform/child-process.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

/** A fake engine that answers every request with one column, and counts the requests. */
function countingEngine() {
  let asked = 0;
  const startChild: StartChild = () => {
    let take: (message: unknown) => void = () => undefined;
    return {
      send: (message) => {
        const { id } = analysisRequest.parse(message);
        asked += 1;
        const result = { columns: [{ name: 'id', type: 'VARCHAR' }], rows: 10 };
        queueMicrotask(() => take({ id, kind: 'done', result }));
      },
      onMessage: (next) => {
        take = next;
      },
      onEnd: () => undefined,
      kill: () => undefined,
    };
  };
  return { startChild, asked: () => asked };
}

test('the columns of the 2,000 lists that were used last are cached, and no more', async () => {
  using folder = new DataFolder();
  const { startChild, asked } = countingEngine();
  const sidecars = createSidecars({
    ...{ folder: folder.file('sidecars'), libraryFile: folder.file('library.db') },
    ...{ startChild, clock: systemClock, logger: silentLogger, onPrepared: () => undefined },
  });
  const columns = (list: number) => sidecars.columns({ id: list, listId: list, revision: 1, rowCount: 10 });
  for (let list = 1; list <= 2_000; list += 1) await columns(list);
  await columns(1);
  expect(asked()).toBe(2_000);
  await columns(2_001);
  await columns(1);
  expect(asked(), 'list 1 was used last but one').toBe(2_001);
  await columns(2);
  expect(asked(), 'list 2 was not used for longest').toBe(2_002);
  await sidecars.stop();
});
