/** A new dataset is made from the items of a comparison that pass its filter, regardless of their number. */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { recreateDataset } from '../../electron/engine/recreate-dataset.ts';
import { systemRandom } from '../../electron/platform/system.ts';
import type { ItemsPlan } from '../../electron/shared/items-model.ts';
import { itemsTitle } from '../../electron/shared/items-model.ts';
import { NO_FILTER } from '../../electron/shared/run-comparison.ts';
import { cleanUpAfterEach } from '../helpers/clean-ups.ts';
import { DataFolder } from '../helpers/data-folder.ts';

const cleanUp = cleanUpAfterEach();

test('takes all pages of the filter, and names their number', async () => {
  const folder = new DataFolder();
  cleanUp(() => folder[Symbol.dispose]());
  const ids = Array.from({ length: 1_203 }, (_, at) => `item-${at}`);
  const written: (readonly string[] | null | undefined)[] = [];
  const plans: ItemsPlan[] = [];
  const chosen = {
    ...{ runs: [{ kind: 'experiment' as const, id: 'e1' }], baseline: 0, score: null },
    ...{ lowerIsBetter: false, filter: { ...NO_FILTER, change: 'worse' as const } },
  };
  await expect(
    recreateDataset(
      {
        snapshots: {
          write: async (_, path, __, kept) => {
            written.push(kept);
            writeFileSync(path, '{}\n');
            return { rows: 1_203 };
          },
        },
        comparisons: {
          items: async ({ offset, limit, filter }) => {
            expect(filter.change).toBe('worse');
            return ids
              .slice(offset, offset + limit)
              .map((itemId) => ({ itemId, traceId: null, origin: null }));
          },
        },
        items: {
          create: async (plan) => {
            plans.push(plan);
            throw new Error('far enough');
          },
        },
        files: {
          offer: async ([path = '']) => [
            { fileId: 'f', name: path, sizeBytes: 3, packed: null, error: null },
          ],
        },
        copiesDir: folder.path,
        random: systemRandom,
      },
      {
        ...{ snapshotId: 1, number: 3, name: 'Refunds, 1,203 items', applicationId: 'a' },
        ...{ of: { id: 'd', name: 'Refunds' }, edits: null, chosen },
      },
    ),
  ).rejects.toThrow('far enough');
  expect(written).toEqual([ids]);
  expect(plans[0]?.copyOf).toEqual({
    datasetId: 'd',
    name: 'Refunds',
    version: 3,
    changes: 0,
    chosen: 1_203,
  });
  expect(plans[0] && itemsTitle(plans[0])).toBe('1,203 items of Refunds');
});
