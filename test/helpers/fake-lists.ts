/** A made-up main process for the lists that a window reads. */
import { AppError } from '../../electron/shared/errors.ts';
import type { ListQuery, ListState, RowWindow } from '../../electron/shared/model.ts';
import { freshRows } from './freshness.ts';

export const query = (operation: string): ListQuery => ({ operation, path: {}, query: {} });

interface Argument {
  query: ListQuery;
  window: RowWindow;
  offset: number;
}

/** A main process of lists that are `n` rows long, of which the first ones are stored. */
export class FakeLists {
  readonly calls: [channel: string, argument: Argument][] = [];
  readonly lists = new Map<string, { total: number; stored: number; isTotalWrong?: boolean }>();
  /** Answers that wait until they are let go, by channel. */
  readonly gates = new Map<string, Promise<unknown>>();
  #listeners: ((payload: { state: ListState }) => void)[] = [];

  state(query: ListQuery): ListState {
    const known = this.lists.get(query.operation) ?? { total: 0, stored: 0 };
    const { total, stored, isTotalWrong = false } = known;
    const isComplete = stored >= total;
    const freshness = { ...freshRows(0), storedRows: stored, totalRows: total, isComplete, isTotalWrong };
    return { listKey: query.operation, madeAtMs: 0, freshness };
  }

  change(operation: string, stored: number, newestMs = 2): void {
    const list = this.lists.get(operation);
    if (list !== undefined) list.stored = stored;
    const state = this.state({ operation, path: {}, query: {} });
    for (const listener of this.#listeners) {
      listener({ state: { ...state, freshness: { ...state.freshness, newestMs } } });
    }
  }

  rows({ query, window }: Argument) {
    const { stored } = this.lists.get(query.operation) ?? { stored: 0 };
    if (window.narrow === '/(/') throw new AppError('INVALID_ARGUMENT', 'The expression does not end.');
    const { narrow, sort, offset, limit } = window;
    const record = (n: number) => ({ name: `${query.operation} ${n}` });
    const row = (n: number) => ({ position: n, record: record(n) });
    if (narrow === null && sort === null) {
      const length = Math.max(0, Math.min(stored, offset + limit) - offset);
      return { rows: Array.from({ length }, (_, at) => row(offset + at)), matchingRows: stored };
    }
    const found = Array.from({ length: stored }, (_, n) => row(n)).filter((each) =>
      each.record.name.includes(narrow ?? ''),
    );
    if (sort?.isDescending) found.reverse();
    return { rows: found.slice(offset, offset + limit), matchingRows: found.length };
  }

  readonly client = {
    invoke: async (channel: string, argument: unknown): Promise<unknown> => {
      const given = argument as Argument;
      this.calls.push([channel, given]);
      await this.gates.get(`${channel} ${given.query?.operation}`);
      if (channel === 'library:read-rows') return this.rows(given);
      return channel === 'library:release' ? null : this.state(given.query);
    },
    on: (_event: string, listener: (payload: { state: ListState }) => void) => {
      this.#listeners.push(listener);
      return () => {
        this.#listeners = this.#listeners.filter((each) => each !== listener);
      };
    },
  };

  count(channel: string): number {
    return this.calls.filter(([name]) => name === channel).length;
  }
}
