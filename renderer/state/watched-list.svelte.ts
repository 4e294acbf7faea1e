/** Rows of one kind of the connection at hand: read when it is entered, then kept up by what main tells of them. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';

export abstract class WatchedList<T> {
  list = $state.raw<readonly T[]>([]);
  isLoaded = $state(false);
  error = $state.raw<AppError | null>(null);
  connectionId = $state<string | null>(null);

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
      this.leave?.();
    }
    await this.load();
  }

  /** A list that cannot be read is said where the list is shown. */
  async load(): Promise<void> {
    const { connectionId } = this;
    if (connectionId === null) return;
    try {
      const list = await this.read(connectionId);
      if (connectionId !== this.connectionId) return;
      this.list = list;
      this.isLoaded = true;
      this.error = null;
    } catch (thrown) {
      if (connectionId === this.connectionId) this.error = toAppError(thrown);
    }
  }

  /** Takes over how one of them stands now, or a new one, which comes first. */
  protected take(connectionId: string, row: T): void {
    if (connectionId !== this.connectionId) return;
    const id = this.idOf(row);
    const at = this.list.findIndex((each) => this.idOf(each) === id);
    this.list = at === -1 ? [row, ...this.list] : this.list.with(at, row);
  }
}
