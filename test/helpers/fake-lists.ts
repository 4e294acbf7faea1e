/** A fake main process for the lists that a window reads. */
import { AppError } from '../../electron/shared/errors.ts';
import type { ListQuery, ListState, RowWindow } from '../../electron/shared/model.ts';
import { freshRows } from './freshness.ts';
import { numberedClient } from './numbered-client.ts';

export const query = (operation: string): ListQuery => ({ operation, path: {}, query: {} });

interface Argument {
  query: ListQuery;
  window: RowWindow;
  offset: number | null;
}

/** A main process with lists of `n` rows. The first ones are stored. */
export class FakeLists {
  readonly calls: [channel: string, argument: Argument][] = [];
  /** `removed`: number of first rows that are gone since the start; negative if rows were added before them. */
  readonly lists = new Map<
    string,
    { total: number; stored: number; isTotalWrong?: boolean; removed?: number }
  >();
  /** Error of opening a list; null if lists can be opened. */
  failure: AppError | null = null;
  /** Error of reading rows; null if they can be read. */
  rowsFailure: AppError | null = null;
  /**
   * Promises that delay answers until they are resolved, by channel and operation, or also by the number of the first
   * row: `library:read-rows a`, `library:read-rows a 100`.
   */
  readonly gates = new Map<string, Promise<unknown>>();

  state(query: ListQuery): ListState {
    const known = this.lists.get(query.operation) ?? { total: 0, stored: 0 };
    const { total, stored, isTotalWrong = false } = known;
    const isComplete = stored >= total;
    const freshness = { ...freshRows(0), storedRows: stored, totalRows: total, isComplete, isTotalWrong };
    return { listKey: query.operation, freshness };
  }

  change(operation: string, stored: number, newestMs = 2): void {
    const list = this.lists.get(operation);
    if (list !== undefined) list.stored = stored;
    const state = this.state({ operation, path: {}, query: {} });
    this.#main.emit('library:list-changed', {
      state: { ...state, freshness: { ...state.freshness, newestMs } },
    });
  }

  /** Closes the session of the connection, after which its lists must be opened again. */
  closeSession(): void {
    this.#main.emit('connections:session-closed', { connectionId: 'c', isMoved: false });
  }

  rows({ query, window }: Argument) {
    const { stored, removed = 0 } = this.lists.get(query.operation) ?? { stored: 0 };
    if (window.narrow === '/(/') throw new AppError('INVALID_ARGUMENT', 'The expression does not end.');
    const { narrow, sort, offset, limit } = window;
    const record = (n: number) => ({ name: `${query.operation} ${n + removed}` });
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

  readonly #main = numberedClient(async (channel, argument: Argument, readsNow) => {
    this.calls.push([channel, argument]);
    const name = `${channel} ${argument.query?.operation}`;
    await (this.gates.get(`${name} ${argument.window?.offset}`) ?? this.gates.get(name));
    readsNow();
    if (channel === 'library:read-rows' && this.rowsFailure !== null) throw this.rowsFailure;
    if (channel === 'library:read-rows') return this.rows(argument);
    if (channel === 'library:release') return null;
    if (channel === 'library:open-list' && this.failure !== null) throw this.failure;
    const state = this.state(argument.query);
    return channel === 'library:open-list' ? { state, page: this.#firstRows(argument) } : state;
  });
  readonly client = this.#main.client;

  #firstRows(argument: Argument) {
    try {
      return this.rows(argument);
    } catch {
      return null;
    }
  }

  count(channel: string): number {
    return this.calls.filter(([name]) => name === channel).length;
  }
}
