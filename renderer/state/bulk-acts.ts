/** Starts a change of many records, which continues if the window is closed. */
import type { BulkAct, BulkRecord, BulkRequest, BulkWords } from '../../electron/shared/bulk-contract.ts';
import { jobs } from './jobs.svelte.ts';

interface NewBulk {
  request: BulkRequest;
  words: BulkWords;
  records: readonly BulkRecord[];
  /** Wall time of an automatic start; null to start now. */
  startAtMs: number | null;
}

/** Maximum length of a name in the channel. */
const MAX_OF_A_NAME = 300;

/** Throws AppError if nothing was sent. */
export async function createBulk(
  connectionId: string,
  { request, words, records, startAtMs }: NewBulk,
): Promise<BulkAct> {
  const named = records.map(({ id, name }) => ({ id, name: name.slice(0, MAX_OF_A_NAME) }));
  return jobs.create('bulk', { request, words, records: named }, startAtMs, connectionId);
}
