/** If answers to batches were lost, the row count is read until it proves the outcome, and not once per batch. */
import { expect, test } from 'vitest';
import type { StoredBatch } from '../../electron/db/upload-store.ts';
import { UnknownBatches } from '../../electron/uploads/unknown-batches.ts';
import type { UploadLedger } from '../../electron/uploads/upload-ledger.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

function rig(askedAt: (acknowledged: number) => Promise<void>) {
  const lost = [{ batch: 1, attempts: 1, rows: 50, evidence: null }] as StoredBatch[];
  const tallies = { unknown: { batches: 1 }, acknowledged: { batches: 0 } };
  const unknown = new UnknownBatches({
    ledger: { id: 'job', core: { tallies } } as UploadLedger,
    store: { batches: { list: () => lost } } as unknown as ConstructorParameters<
      typeof UnknownBatches
    >[0]['store'],
    logger: silentLogger,
    gatherEvidence: () => askedAt(tallies.acknowledged.batches),
  });
  return { unknown, lost, tallies };
}

test('a count that failed or proved nothing is read again after more rows, at growing intervals', async () => {
  const asked: number[] = [];
  const { unknown, lost, tallies } = rig(async (acknowledged) => {
    asked.push(acknowledged);
    throw new Error('no answer');
  });
  for (tallies.acknowledged.batches = 0; tallies.acknowledged.batches < 40; tallies.acknowledged.batches += 1)
    await unknown.judge();
  expect(asked).toEqual([0, 1, 3, 7, 15, 31]);
  lost.push({ batch: 2, attempts: 1, rows: 49, evidence: null } as StoredBatch);
  await unknown.judge();
  await unknown.judge();
  expect(asked.slice(6)).toEqual([40]);
});
