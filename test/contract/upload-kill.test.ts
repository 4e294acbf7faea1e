/** A process that is killed three times, at any moment. In the end every row is at the service once. */
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { seededNumbers } from '../../electron/core/seeded.ts';
import { Lives } from '../helpers/lives.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { impatient, receiptIds, UploadRig } from '../helpers/upload-rig.ts';

const isLong = Number(process.env['PROPERTY_RUNS'] ?? 0) >= 10_000;
const lives = new Lives('upload-child.ts');
afterEach(() => lives.killAll());

async function decideAll(rig: UploadRig, jobId: string): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await rig.uploads.controlJob(jobId, 'gather-evidence');
    const { batches } = rig.uploads.listBatches({ jobId, states: ['unknown'], offset: 0, limit: 200 });
    if (batches.length === 0) return;
    for (const { batch, evidence } of batches) {
      if (evidence?.verdict === 'stored') await rig.uploads.decideBatch(jobId, batch, 'stored');
      if (evidence?.verdict === 'not-stored') await rig.uploads.decideBatch(jobId, batch, 'resend');
    }
    await rig.uploads.whenIdle(jobId);
  }
}

describe('an upload killed by kill -9', () => {
  // 201 kills in the long run. Otherwise two seeds: one in which a request answered with 500 is stored, and one in
  // which a request without an answer is.
  const SEEDS = isLong ? Array.from({ length: 67 }, (_, index) => index + 1) : [2, 3];
  test.each(SEEDS)('three times at random moments: rows = events = receipts (seed %i)', async (seed) => {
    const next = seededNumbers(seed * 7919);
    const rows = 3_000;
    const raw = await RawService.start();
    const rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, wrapClient: impatient });
    try {
      // Answers are late, never arrive, arrive after the timeout, or are errors, so most kills happen while a request
      // is in flight.
      const match = { operation: 'events.publish' } as const;
      raw.service.setFaults([
        { match, after: 17, every: 23, action: { type: 'drop-after' } },
        { match, after: 9, every: 31, action: { type: 'status', status: 429, retryAfterS: 0 } },
        { match, after: 13, every: 37, action: { type: 'status', status: 500, isStored: seed % 2 === 0 } },
        { match, after: 29, every: 41, action: { type: 'hang', isStored: seed % 3 === 0 } },
        { match, action: { type: 'delay', delayMs: 5 } },
      ]);
      const file = rig.write('churn.csv', churnCsv(rows, seed));
      const modelId = await rig.modelId('Bank churn');
      const before = new Set(raw.service.events(modelId).ids);
      const args = {
        url: raw.service.baseUrl,
        token: TOKEN,
        folder: rig.folder,
        file,
        model: 'Bank churn',
        rows: '50',
      };
      for (let kill = 0; kill < 3; kill += 1) await lives.live(args, 1 + Math.floor(next() * 8));
      const last = await lives.live(args, null);
      expect(last).toMatch(/^ended (done|needs-decision)$/);

      const [job] = rig.uploads.listJobs();
      if (job === undefined) throw new Error('There is no job.');
      expect(job.counts.unknown).toBeGreaterThan(0);
      await decideAll(rig, job.jobId);
      const ended = rig.uploads.getJob(job.jobId);
      const open = rig.uploads.listBatches({ jobId: job.jobId, states: ['unknown'], offset: 0, limit: 200 });
      expect(open.batches.map(({ batch, evidence }) => [batch, evidence?.facts])).toEqual([]);
      expect(ended).toMatchObject({
        state: 'done',
        counts: { rows, acknowledged: rows, unknown: 0, unsent: 0 },
      });

      const { records, ids } = raw.service.events(modelId);
      const added = ids.filter((id) => !before.has(id));
      expect(added).toHaveLength(rows);
      const sent = readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[9]);
      const stored = records.slice(-rows).map((record) => Number(record['EstimatedSalary']));
      expect(stored.sort()).toEqual(sent.map(Number).sort());

      expect(await rig.uploads.writeFile(job.jobId, 'receipts', rig.path('receipts.csv'))).toEqual({
        rows,
      });
      const receipts = receiptIds(readFileSync(rig.path('receipts.csv'), 'utf8'));
      const known = receipts.filter((id) => id !== '');
      expect(new Set(known).size).toBe(known.length);
      expect(known.every((id) => added.includes(id))).toBe(true);
      expect(raw.service.report().violations).toBe(0);
    } finally {
      await rig[Symbol.asyncDispose]();
      await raw.service.stop();
    }
  });

  test('while the model publishes to the same environment: each acknowledged row has its id, and no count decides', async () => {
    const rows = 1_000;
    const raw = await RawService.start();
    const rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, wrapClient: impatient });
    try {
      const modelId = await rig.modelId('Bank churn');
      const match = { operation: 'events.publish' } as const;
      const traffic = (others: number) => ({ type: 'live-traffic', modelId, rows: others }) as const;
      raw.service.setFaults([
        { match, after: 5, every: 6, action: { type: 'drop' } },
        { match, after: 8, every: 9, action: { type: 'status', status: 503, isStored: true } },
        // With so few rows, a single count fits several batches.
        { match, every: 4, action: traffic(3) },
        { match: { operation: 'models.environments' }, action: traffic(1) },
        { match, action: { type: 'delay', delayMs: 5 } },
      ]);
      const file = rig.write('churn.csv', churnCsv(rows, 7));
      const args = {
        ...{ url: raw.service.baseUrl, token: TOKEN, folder: rig.folder, file },
        ...{ model: 'Bank churn', rows: '50' },
      };
      for (const lines of [2, 3, 4]) await lives.live(args, lines);
      expect(await lives.live(args, null)).toBe('ended needs-decision');

      const [{ jobId } = { jobId: '' }] = rig.uploads.listJobs();
      await rig.uploads.controlJob(jobId, 'gather-evidence');
      const { batches } = rig.uploads.listBatches({ jobId, states: ['unknown'], offset: 0, limit: 200 });
      expect(new Set(batches.map(({ evidence }) => evidence?.verdict))).toEqual(new Set(['undecided']));
      const { state, counts } = rig.uploads.getJob(jobId);
      expect(state).toBe('needs-decision');
      expect(counts.acknowledged + counts.unknown + counts.unsent).toBe(rows);
      expect(counts.unknown).toBeGreaterThan(0);

      await rig.uploads.writeFile(jobId, 'receipts', rig.path('receipts.csv'));
      const known = receiptIds(readFileSync(rig.path('receipts.csv'), 'utf8')).filter((id) => id !== '');
      expect(new Set(known).size).toBe(counts.acknowledged);
      const atService = new Set(raw.service.events(modelId).ids);
      expect(known.filter((id) => !atService.has(id))).toEqual([]);
    } finally {
      await rig[Symbol.asyncDispose]();
      await raw.service.stop();
    }
  });
});
