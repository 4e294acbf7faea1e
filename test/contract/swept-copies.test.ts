/** Copies of files that were not read for long are removed at a start, except those that unfinished jobs need. */
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withWrittenFile } from '../../electron/engine/written-file.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import { draft, engineRig } from '../helpers/engine-rig.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const DAY_MS = 86_400_000;
const currentRig = engineRig();

let raw: RawService;
beforeEach(async () => {
  raw = await RawService.start();
});
afterEach(() => raw.service.stop());

/** An addition of edited items that waits for a person; the file in the data folder is the only one with the edits. */
async function waitingAddition() {
  const { engine, paths } = currentRig();
  const { id } = await engine.connections.save(draft(raw.service.baseUrl), TOKEN);
  const { datasets } = await engine.session(id);
  const [dataset] = (await raw.page(raw.path('datasets.list', {}, '?limit=1'))).items;
  const write = async (path: string) => writeFileSync(path, '{"question":"edited"}\n');
  const { itemsId } = await withWrittenFile(
    { files: engine.files, copiesDir: paths.copiesDir, random: systemRandom },
    'version 1.jsonl',
    write,
    (file) =>
      datasets.items.create(
        {
          ...{ datasetId: String(dataset?.['id']), datasetName: 'Edited', ...file, itemsPerRequest: 10 },
          columns: [{ source: 'question', place: 'inputs', field: 'question', type: 'str' }],
          ...{ flattens: false, onBadRow: 'stop' },
        },
        false,
        null,
        [],
      ),
  );
  return { id, itemsId };
}

const copyNames = () => readdirSync(currentRig().paths.copiesDir);

/** Starts another engine some days later, and waits until it has removed a copy that nothing needs. */
async function laterStart(days: number) {
  const rig = currentRig();
  await rig.engine.stop();
  rig.aheadMs = days * DAY_MS;
  // The last one in the order in which the folder is listed.
  const unneeded = join(rig.paths.copiesDir, 'version-~');
  mkdirSync(unneeded);
  utimesSync(unneeded, 0, 0);
  rig.start();
  await expect.poll(() => existsSync(unneeded)).toBe(false);
}

test('the file of an unfinished addition stays, and is removed after the addition has ended', async () => {
  const { id, itemsId } = await waitingAddition();
  const kept = copyNames();
  expect(kept).toHaveLength(1);
  await laterStart(31);
  expect(copyNames()).toEqual(kept);
  const { items } = (await currentRig().engine.session(id)).datasets;
  items.control(itemsId, 'start', null);
  expect(await items.whenIdle(itemsId)).toMatchObject({ state: 'done', counts: { added: 1 } });
  await laterStart(93);
  await expect.poll(copyNames).toEqual([]);
});

/** An old copy that was made for these connections. */
function oldCopy(name: string, owners: readonly string[]): void {
  const home = join(currentRig().paths.copiesDir, name);
  mkdirSync(join(home, 'for'), { recursive: true });
  for (const owner of owners) writeFileSync(join(home, 'for', owner), '');
  utimesSync(home, 0, 0);
}

test('if a store of jobs cannot be read, the copies of its connection stay, and others are removed by age', async () => {
  const { id } = await waitingAddition();
  const rig = currentRig();
  const other = await rig.engine.connections.save({ ...draft(raw.service.baseUrl), name: 'Other' }, TOKEN);
  await rig.engine.stop();
  const kept = [...copyNames(), 'own', 'shared'].toSorted();
  oldCopy('own', [id]);
  oldCopy('shared', [id, other.id]);
  oldCopy('~ of the other', [other.id]);
  writeFileSync(rig.paths.datasetsDb(id), 'not a store');
  rig.aheadMs = 31 * DAY_MS;
  rig.start();
  await expect.poll(copyNames).not.toContain('~ of the other');
  expect(copyNames().toSorted()).toEqual(kept);
  rig.logger.flushSync();
  const lines = readFileSync(rig.logger.file, 'utf8').split('\n');
  const told = lines.filter((line) => line.includes('copies of a connection not swept'));
  expect(told).toHaveLength(1);
  expect(told[0]).toContain(id);
});
