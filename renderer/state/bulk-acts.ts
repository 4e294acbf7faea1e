/** Hands over a change of many records, which goes on whatever becomes of the window. */
import type { BulkAct, BulkRecord, BulkRequest, BulkWords } from '../../electron/shared/bulk-contract.ts';
import { jobs } from './jobs.svelte.ts';

interface NewBulk {
  request: BulkRequest;
  words: BulkWords;
  records: readonly BulkRecord[];
  /** Wall time at which it begins by itself; null: now. */
  startAtMs: number | null;
}

/** What the channel takes of a name. */
const MOST_OF_A_NAME = 300;

/** Throws AppError: then nothing was sent. */
export async function createBulk(
  connectionId: string,
  { request, words, records, startAtMs }: NewBulk,
): Promise<BulkAct> {
  const named = records.map(({ id, name }) => ({ id, name: name.slice(0, MOST_OF_A_NAME) }));
  return jobs.create('bulk', { request, words, records: named }, startAtMs, connectionId);
}
