/** A process that is killed at any moment while it sends a build. In the end, there is one item for every span. */
import { afterEach, describe, expect, test } from 'vitest';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { DatasetRig, MAPPING } from '../helpers/dataset-rig.ts';
import { Lives } from '../helpers/lives.ts';
import { runs } from '../helpers/runs.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const lives = new Lives('build-child.ts');
afterEach(() => lives.killAll());

/** Edits the expected output of some spans in the review, so that they are sent as items. */
async function editEvery({ datasets }: DatasetRig, buildId: string, each: number): Promise<void> {
  const positions = datasets.builds.readPlaces(buildId, 0).filter((position) => position % each === 0);
  await datasets.builds.addReview(
    buildId,
    0,
    positions.map((position) => {
      const patch = { verdict: 'edited', expected: `Edited ${position}` } as const;
      return { type: 'mark', position, patch, atMs: position };
    }),
  );
}

describe('a build killed by kill -9', () => {
  const seeds = Array.from({ length: runs(1, 10) }, (_, at) => at + 1);
  test.each(seeds)('four times at random moments: spans = items = receipts (seed %i)', async (seed) => {
    const next = seededNumbers(seed * 7919);
    const raw = await RawService.start();
    const folder = new DataFolder();
    try {
      const rig = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN, keptFolder: folder });
      const buildId = await rig.newBuild();
      rig.datasets.builds.pickAll(buildId, { kind: 'service', selection: await rig.selection() });
      const { counts } = await rig.datasets.builds.whenIdle(buildId);
      await rig.target(buildId, 'All spans', [...MAPPING]);
      await editEvery(rig, buildId, 40);
      await rig[Symbol.asyncDispose]();
      // Every second line means that a request is in flight when its process is killed. Some answers never arrive.
      raw.service.setFaults([
        { match: { operation: 'datasets.add-spans' }, after: 3, every: 5, action: { type: 'drop-after' } },
        { match: { operation: 'datasets.add-spans' }, action: { type: 'delay', delayMs: 120 } },
        { match: { operation: 'datasets.add-items' }, times: 1, action: { type: 'drop-after' } },
        { match: { operation: 'datasets.create' }, action: { type: 'delay', delayMs: 120 } },
      ]);
      const args = { url: raw.service.baseUrl, token: TOKEN, folder: folder.path, build: buildId };
      for (let kill = 0; kill < 4; kill += 1) await lives.live(args, 1 + Math.floor(next() * 6));
      const last = await lives.live(args, null);
      expect(last).toMatch(/^ended (done|needs-decision)$/);

      const after = new DatasetRig({ baseUrl: raw.service.baseUrl, token: TOKEN, keptFolder: folder });
      const { builds } = after.datasets;
      for (let turn = 0; turn < 5 && builds.get(buildId).state === 'needs-decision'; turn += 1) {
        await builds.control(buildId, 'gather-evidence');
        const { batches } = builds.listBatches(buildId, 0, 200);
        for (const { batch, state, evidence } of batches) {
          if (state === 'unknown' && evidence?.verdict === 'not-stored')
            await builds.decideBatch(buildId, batch, 'resend');
        }
        await builds.whenIdle(buildId);
      }
      expect(await builds.control(buildId, 'verify')).toMatchObject({
        state: 'done',
        counts: { acknowledged: counts.picked, unknown: 0, unsent: 0 },
        check: { verdict: 'equal', comparedItems: counts.picked, equalItems: counts.picked },
      });
      const { batches } = builds.listBatches(buildId, 0, 200);
      const ended = 'The program ended before the answer came.';
      expect(batches.some(({ error }) => error?.message === ended)).toBe(true);
      const { datasetId } = builds.get(buildId);
      const items = await raw.page(raw.path('datasets.items', { dataset_id: datasetId ?? '' }, '?limit=1'));
      expect(items.total).toBe(counts.picked);
      const { items: datasets } = await raw.page(raw.path('datasets.list', {}, '?limit=1000'));
      expect(datasets.filter(({ name }) => name === 'All spans')).toHaveLength(1);
      expect(await builds.writeFile(buildId, 'receipts', after.path('receipts.csv'))).toEqual({
        rows: counts.picked,
      });
      await after[Symbol.asyncDispose]();
      expect(raw.service.report()).toMatchObject({ violations: 0, malformedRequests: 0 });
    } finally {
      folder[Symbol.dispose]();
      await raw.service.stop();
    }
  });
});
