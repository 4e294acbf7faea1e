/** Hands over a change of many records, which goes on whatever becomes of the window. */
import {
  type BulkAct,
  type BulkRecord,
  type BulkRequest,
  type BulkWords,
  RECORDS_A_MESSAGE,
} from '../../electron/shared/bulk-contract.ts';
import { client } from '../lib/client.ts';
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
  const plan = {
    request,
    words,
    records: named.slice(0, RECORDS_A_MESSAGE),
    total: named.length,
  };
  let act = await jobs.create('bulk', plan, startAtMs, connectionId);
  for (let from = RECORDS_A_MESSAGE; from < named.length; from += RECORDS_A_MESSAGE) {
    const more = named.slice(from, from + RECORDS_A_MESSAGE);
    act = await client.invoke('bulk:add', { connectionId, bulkId: act.bulkId, records: more });
  }
  return act;
}
