/**
 * A process that is killed at any moment while it uploads results. In the end each result exists once, with its scores.
 */
import { writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { readResult } from '../../electron/shared/experiment-result.ts';
import type { ItemsPlan } from '../../electron/shared/items-model.ts';
import { suggestResultColumns } from '../../electron/shared/result-columns.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { DatasetRig } from '../helpers/dataset-rig.ts';
import { Lives } from '../helpers/lives.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';

const RESULTS = 10_000;
const KILLS = 12;
const DIALECT: ItemsPlan['dialect'] = {
  ...{ format: 'jsonl', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
};
const PAGE = 1_000;
const lives = new Lives('results-child.ts');
afterEach(() => lives.killAll());

const line = (at: number) =>
  JSON.stringify({
    dataset_item_id: `item-${at}`,
    outputs: { answer: `Answer ${at}` },
    scores: [{ evaluator_name: 'Judge', name: 'quality', value: at / RESULTS }],
    status: at % 50 === 0 ? 'FAILED' : at % 77 === 0 ? 'SKIPPED' : 'SUCCESS',
  });

test('kill -9 twelve times while 10,000 results are uploaded: none is lost, none is there twice', async () => {
  const next = seededNumbers(34);
  const raw = await RawService.start({ limits: 'off' });
  const folder = new DataFolder();
  try {
    const experimentId = await raw.idOf('experiments.list', 'Triage rules 2.3');
    const { items: datasets } = await raw.page(raw.path('datasets.list'));
    const datasetId = String(datasets.find(({ name }) => name === 'Claims triage, edge cases')?.['id']);
    const path = folder.file('results.jsonl');
    writeFileSync(path, `${Array.from({ length: RESULTS }, (_, at) => line(at)).join('\n')}\n`);
    const args = { baseUrl: raw.service.baseUrl, token: TOKEN, keptFolder: folder };
    const rig = new DatasetRig(args);
    const columns = suggestResultColumns([
      { name: 'dataset_item_id', type: 'str' },
      { name: 'outputs', type: 'json' },
      { name: 'scores', type: 'json' },
      { name: 'status', type: 'category' },
    ]);
    const plan: ItemsPlan = {
      ...{ datasetId, datasetName: 'Claims', experiment: { id: experimentId, name: 'Triage rules 2.3' } },
      ...{ fileId: path, fileName: 'results.jsonl', dialect: DIALECT },
      ...{ columns, flattens: false, onBadRow: 'stop', itemsPerRequest: 100 },
    };
    const { itemsId } = await rig.datasets.items.create(plan, false, null);
    await rig[Symbol.asyncDispose]();
    // Every second line of a process means that a request is in flight when it is killed. Some answers never arrive.
    raw.service.setFaults([
      { match: { operation: 'experiments.add-results' }, after: 3, every: 9, action: { type: 'drop-after' } },
    ]);
    const child = { url: raw.service.baseUrl, token: TOKEN, folder: folder.path, job: itemsId };
    for (let kill = 0; kill < KILLS; kill += 1) await lives.live(child, 1 + Math.floor(next() * 12));
    raw.service.setFaults([]);
    expect(await lives.live(child, null)).toMatch(/^ended (done|needs-decision)$/);

    const after = new DatasetRig(args);
    const { items } = after.datasets;
    // Requests that did not arrive are sent again; those that the service has executed completely are recognized.
    let resent = 0;
    for (let turn = 0; turn < KILLS * 2 && items.get(itemsId).state === 'needs-decision'; turn += 1) {
      const { parts } = items.listParts(itemsId, ['unknown'], 0, 100);
      for (const { part, evidence } of parts) {
        expect(evidence?.found).toBe(0);
        items.decide(itemsId, part, 'resend');
        resent += 1;
      }
      await items.whenIdle(itemsId);
    }
    const parts = items.listParts(itemsId, null, 0, RESULTS).parts;
    const recognized = parts.filter(({ evidence }) => evidence?.found === 100).length;
    expect([recognized > 2, recognized + resent > 6]).toEqual([true, true]);
    expect(items.get(itemsId)).toMatchObject({
      state: 'done',
      counts: { rows: RESULTS, added: RESULTS, badRows: 0, refused: 0, unknown: 0, givenUp: 0 },
    });
    expect(await items.writeReceipts(itemsId, after.path('receipts.csv'))).toEqual({ rows: RESULTS });
    await after[Symbol.asyncDispose]();

    const found: Record<string, number> = {};
    for (let offset = 0; offset < RESULTS; offset += PAGE) {
      const query = `?limit=${PAGE}&offset=${offset}`;
      const page = await raw.page(raw.path('experiments.results', { experiment_id: experimentId }, query));
      expect(page.total).toBe(RESULTS);
      for (const each of page.items) {
        const { datasetItemId, scores } = readResult(each);
        // A result that had arrived twice would have changed since its creation.
        expect(each['updated_at']).toBe(each['created_at']);
        found[datasetItemId] = (found[datasetItemId] ?? 0) + scores.length;
      }
    }
    expect(Object.keys(found)).toHaveLength(RESULTS);
    expect(new Set(Object.values(found))).toEqual(new Set([1]));
    expect(raw.service.report()).toMatchObject({ violations: 0, malformedRequests: 0 });
  } finally {
    await raw.service.stop();
    folder[Symbol.dispose]();
  }
});
