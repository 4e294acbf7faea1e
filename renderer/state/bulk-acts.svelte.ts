/** Changes of many records of the connection at hand: under way, planned, and over until they are put away. */
import {
  type BulkAct,
  type BulkAction,
  type BulkItem,
  type BulkItemState,
  type BulkRecord,
  type BulkRequest,
  type BulkWords,
  RECORDS_A_MESSAGE,
} from '../../electron/shared/bulk-contract.ts';
import { client } from '../lib/client.ts';
import { WatchedList } from './watched-list.svelte.ts';

interface NewBulk {
  request: BulkRequest;
  words: BulkWords;
  records: readonly BulkRecord[];
  /** Wall time at which it begins by itself; null: now. */
  startAtMs: number | null;
}

/** What the channel takes of a name. */
const MOST_OF_A_NAME = 300;

class BulkActsState extends WatchedList<BulkAct> {
  protected idOf({ bulkId }: BulkAct): string {
    return bulkId;
  }

  /** Newest first. */
  protected read(connectionId: string): Promise<readonly BulkAct[]> {
    return client.invoke('bulk:list', { connectionId });
  }

  /** Returns what ends it. */
  listen(): () => void {
    return client.on('bulk:changed', ({ connectionId, act }) => this.told(connectionId, act));
  }

  protected override told(connectionId: string, act: BulkAct): void {
    // Not all of its records are named yet.
    if (act.state !== 'collecting') super.told(connectionId, act);
  }

  /** Those of some operations, newest first. Reactive. */
  of(operations: readonly string[]): BulkAct[] {
    return this.list.filter(({ operation }) => operations.includes(operation));
  }

  /** Hands it over; it goes on whatever becomes of the window. Throws AppError: then nothing was sent. */
  create(connectionId: string, asked: NewBulk): Promise<BulkAct> {
    return this.ask(connectionId, () => this.#handOver(connectionId, asked));
  }

  async #handOver(connectionId: string, { request, words, records, startAtMs }: NewBulk): Promise<BulkAct> {
    const named = records.map(({ id, name }) => ({ id, name: name.slice(0, MOST_OF_A_NAME) }));
    let act = await client.invoke('bulk:create', {
      connectionId,
      // Bodies are JSON made by forms; the channel's schema checks it on arrival.
      request,
      words,
      records: named.slice(0, RECORDS_A_MESSAGE),
      total: named.length,
      startAtMs,
    });
    for (let from = RECORDS_A_MESSAGE; from < named.length; from += RECORDS_A_MESSAGE) {
      const more = named.slice(from, from + RECORDS_A_MESSAGE);
      act = await client.invoke('bulk:add', { connectionId, bulkId: act.bulkId, records: more });
    }
    return act;
  }

  /** `startAtMs`, a wall time, belongs to `schedule`. Throws AppError. */
  async control({ connectionId, bulkId }: BulkAct, action: BulkAction, startAtMs: number | null = null) {
    const argument = { connectionId, bulkId, action, startAtMs };
    await this.ask(connectionId, () => client.invoke('bulk:control', argument));
  }

  /** Puts one away that is over. Throws AppError. */
  async forget({ connectionId, bulkId }: BulkAct): Promise<void> {
    await client.invoke('bulk:forget', { connectionId, bulkId });
    this.drop(bulkId);
  }

  /** Throws AppError. */
  items(
    { connectionId, bulkId }: Pick<BulkAct, 'connectionId' | 'bulkId'>,
    states: BulkItemState[] | null,
    offset: number,
    limit = 200,
  ): Promise<{ items: BulkItem[]; total: number }> {
    return client.invoke('bulk:list-items', { connectionId, bulkId, states, offset, limit });
  }
}

export const bulkActs = new BulkActsState();
