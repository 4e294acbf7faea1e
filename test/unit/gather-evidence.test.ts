/** A row count is evidence only if no other rows of the upload were sent while it was read. */
import { expect, test } from 'vitest';
import type { StoredBatch } from '../../electron/db/upload-store.ts';
import { accessOf, gatherEvidence } from '../../electron/uploads/gather-evidence.ts';
import type { UploadLedger } from '../../electron/uploads/upload-ledger.ts';

interface Rest {
  evidence?: { verdict: 'stored' | 'not-stored'; facts: string[]; atMs: number } | null;
  /** Row counts of the readings, one after another. */
  counts?: number[];
}

/** One batch of 10 rows has no answer; the environment had 100 rows, and now has 110. */
async function verdictAfter(
  sendingBatches: number,
  whileAsked: (tallies: { rows: number }) => void,
  { evidence = null, counts = [] }: Rest = {},
) {
  const lost = { batch: 1, rows: 10, state: 'unknown', sentAtMs: 0, answeredAtMs: 0, evidence };
  let saved = lost as unknown as StoredBatch;
  const acknowledged = { batches: 0, rows: 0 };
  const plan = { modelId: 'm', envType: 'PRODUCTION', envName: null };
  const ledger = {
    job: { id: 'job', plan, baseline: { rowCount: 100, reason: '', atMs: 0 } },
    core: { tallies: { acknowledged, sending: { batches: sendingBatches, rows: 0 } } },
    apply: (_events: unknown, _changes: unknown, also: () => void) => also(),
  };
  const batches = {
    list: () => [saved],
    get: () => saved,
    save: (_id: string, batch: StoredBatch) => {
      saved = batch;
    },
    latestAcknowledgedMs: () => null,
  };
  const deps = {
    store: { batches, jobs: { rowsByOthers: () => ({ acknowledged: 0, uncertain: 0 }) } },
    client: {
      list: async () => {
        whileAsked(acknowledged);
        return {
          value: {
            items: [{ type: 'PRODUCTION', row_count: counts.shift() ?? 110 }],
            itemCount: 1,
            total: 1,
          },
        };
      },
    },
    clock: { nowMs: () => 1_000_000 },
    options: { evidenceSettleMs: 0, countPauseMs: 0 },
    closing: new AbortController().signal,
  };
  await gatherEvidence(
    deps as unknown as Parameters<typeof gatherEvidence>[0],
    accessOf(ledger as unknown as UploadLedger),
  );
  return saved.evidence;
}

test('a count while other batches are in flight or were acknowledged proves nothing', async () => {
  expect((await verdictAfter(0, () => undefined))?.verdict).toBe('stored');
  const other = 'other batches of this upload are on their way';
  for (const evidence of [
    await verdictAfter(1, () => undefined),
    await verdictAfter(0, (acknowledged) => {
      acknowledged.rows = 10;
    }),
  ])
    expect(evidence).toMatchObject({ verdict: 'undecided', facts: [expect.stringContaining(other)] });
});

test('a count that grew by rows of an unknown batch while it was read keeps the verdict of an earlier count', async () => {
  const evidence = { verdict: 'not-stored', facts: [], atMs: 0 } as const;
  const earlier = { ...evidence, facts: [] };
  const still = () => undefined;
  expect(await verdictAfter(0, still, { evidence: earlier, counts: [100, 110] })).toEqual(evidence);
  // No unknown batch has 3 rows: others write to the environment, so the earlier count is no evidence either.
  for (const counts of [
    [100, 103],
    [103, 100],
  ])
    expect(await verdictAfter(0, still, { evidence: earlier, counts })).toMatchObject({
      verdict: 'undecided',
      facts: [expect.stringContaining('others write to the environment')],
    });
  expect(await verdictAfter(0, still, { counts: [100, 110] })).toMatchObject({
    verdict: 'undecided',
    facts: [expect.stringContaining('or rows of unknown batches arrived only now')],
  });
});
