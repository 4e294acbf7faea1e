/** A later preparation of a list ends an earlier one only if nobody waits for it. */
import { existsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { analysisRequest } from '../../electron/analysis/protocol.ts';
import { createSidecars } from '../../electron/analysis/sidecars.ts';
import type { StartChild } from '../../electron/platform/child-process.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

/** A fake engine whose preparations end when the test says so. Profiles are answered at once. */
function slowEngine() {
  const builds: { finish: () => void; isKilled: boolean }[] = [];
  const startChild: StartChild = () => {
    let take: (message: unknown) => void = () => undefined;
    const build: (typeof builds)[number] = { finish: () => undefined, isKilled: false };
    return {
      send: (message) => {
        const request = analysisRequest.parse(message);
        const { id } = request;
        if (request.operation !== 'build-sidecar') {
          queueMicrotask(() => take({ id, kind: 'done', result: [] }));
          return;
        }
        build.finish = () => {
          writeFileSync(request.target, 'prepared');
          take({ id, kind: 'done', result: { rows: 1 } });
        };
        builds.push(build);
      },
      onMessage: (next) => {
        take = next;
      },
      onEnd: () => undefined,
      kill: () => {
        build.isKilled = true;
      },
    };
  };
  return { builds, startChild };
}

function open(folder: DataFolder) {
  const { builds, startChild } = slowEngine();
  const sidecars = createSidecars({
    ...{ folder: folder.file('sidecars'), libraryFile: folder.file('library.db') },
    ...{ startChild, clock: systemClock, logger: silentLogger },
    ...{ mostRowsInMemory: 0, onPrepared: () => undefined },
  });
  return { builds, sidecars };
}

const state = (revision: number) => ({ id: 1, listId: 1, revision, rowCount: 10 });

test.each([
  ['first', [0, 1]],
  ['last', [1, 0]],
] as const)('an export that waits for the earlier state gets it, which is finished %s', async (_, order) => {
  using folder = new DataFolder();
  const { builds, sidecars } = open(folder);
  const files = [sidecars.file(state(1))];
  await expect.poll(() => builds.length).toBe(1);
  files.push(sidecars.file(state(2)));
  await expect.poll(() => builds.length).toBe(2);
  for (const at of order) {
    builds[at]?.finish();
    await files[at];
  }
  const found = await Promise.all(files);
  expect(new Set(found).size).toBe(2);
  await sidecars.stop();
  expect(found.map((file) => existsSync(file))).toEqual([true, true]);
});

test('a preparation for which nobody waits is ended', async () => {
  using folder = new DataFolder();
  const { builds, sidecars } = open(folder);
  await sidecars.profile({ generation: state(1), within: null, fields: null, filters: [] });
  await expect.poll(() => builds.length).toBe(1);
  const file = sidecars.file(state(2));
  await expect.poll(() => builds.length).toBe(2);
  await expect.poll(() => builds[0]?.isKilled).toBe(true);
  builds[1]?.finish();
  expect(existsSync(await file)).toBe(true);
  await sidecars.stop();
});
