/** Starts a change of many records, which continues if the window is closed. */
import type { BulkAct, BulkRecord, BulkRequest, BulkWords } from '../../electron/shared/bulk-contract.ts';
import { withMarks } from '../../electron/shared/seen-record.ts';
import { jobs } from './jobs.svelte.ts';

interface NewBulk {
  request: BulkRequest;
  words: BulkWords;
  records: readonly BulkRecord[];
  /** The records as they are shown, in the same order; absent if they are not. */
  seen?: readonly Readonly<Record<string, unknown>>[];
  /** Wall time of an automatic start; null to start now. */
  startAtMs: number | null;
}

/** Maximum length of a name in the channel. */
const MAX_OF_A_NAME = 300;

/** Throws AppError if nothing was sent. */
export async function createBulk(
  connectionId: string,
  { request, words, records, seen = [], startAtMs }: NewBulk,
): Promise<BulkAct> {
  const named = records.map(({ id, name }) => ({ id, name: name.slice(0, MAX_OF_A_NAME) }));
  const { records: marked, ...compared } = withMarks(named, seen, request.body);
  const plan = { request: { ...request, ...compared }, words, records: marked };
  return jobs.create('bulk', plan, startAtMs, connectionId);
}
