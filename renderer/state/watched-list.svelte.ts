/** Rows of one kind of the connection at hand: read when it is entered, then kept up by what main tells of them. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import { Tellings } from './tellings.ts';

export abstract class WatchedList<T> {
  list = $state.raw<readonly T[]>([]);
  isLoaded = $state(false);
  error = $state.raw<AppError | null>(null);
  connectionId = $state<string | null>(null);
  readonly #tellings = new Tellings();

  protected abstract idOf(row: T): string;
  /** In the order they are shown in. Throws AppError. */
  protected abstract read(connectionId: string): Promise<readonly T[]>;
  /** Another connection is entered: forgets what is not in the list. */
  protected leave?(): void;

  async watch(connectionId: string): Promise<void> {
    if (this.connectionId !== connectionId) {
      this.connectionId = connectionId;
      this.list = [];
      this.isLoaded = false;
      this.#tellings.clear();
      this.leave?.();
    }
    await this.load();
  }

  /** A list that cannot be read is said where the list is shown. */
  async load(): Promise<void> {
    const { connectionId } = this;
    if (connectionId === null) return;
    const asked = this.#tellings.now;
    try {
      const list = await this.read(connectionId);
      if (connectionId !== this.connectionId) return;
      this.list = this.#tellings.merge(list, this.list, asked, (row) => this.idOf(row));
      this.isLoaded = true;
      this.error = null;
    } catch (thrown) {
      if (connectionId === this.connectionId) this.error = toAppError(thrown);
    }
  }

  /** Main tells how one of them stands now, or of a new one. */
  protected told(connectionId: string, row: T): void {
    if (connectionId !== this.connectionId) return;
    if (this.#tellings.told(this.idOf(row))) this.#put(row);
  }

  /** Asks for something that is answered with a row as it stands then, and answers that. Throws as the question does. */
  protected async ask<R extends T | null>(connectionId: string, question: () => Promise<R>): Promise<R> {
    const asked = this.#tellings.now;
    const row = await question();
    if (row === null || connectionId !== this.connectionId) return row;
    if (!this.#tellings.isNewer(this.idOf(row), asked)) this.#put(row);
    return row;
  }

  /** It is there no longer. */
  protected drop(id: string): void {
    this.#tellings.gone(id);
    this.list = this.list.filter((row) => this.idOf(row) !== id);
  }

  /** A new one comes first. */
  #put(row: T): void {
    const id = this.idOf(row);
    const at = this.list.findIndex((each) => this.idOf(each) === id);
    this.list = at === -1 ? [row, ...this.list] : this.list.with(at, row);
  }
}
