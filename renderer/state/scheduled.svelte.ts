/** What starts by itself later, of every kind, of the connection at hand. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { PlannedAct, PlannedAction } from '../../electron/shared/planned-model.ts';
import { client } from '../lib/client.ts';

class ScheduledState {
  /** The next one first. */
  list = $state.raw<readonly PlannedAct[]>([]);
  error = $state.raw<AppError | null>(null);
  #connectionId: string | null = null;

  /** Returns what ends it. */
  listen(): () => void {
    return client.on('traffic:planned-changed', ({ connectionId, acts }) => {
      if (connectionId !== this.#connectionId) return;
      this.list = acts;
      this.error = null;
    });
  }

  async watch(connectionId: string): Promise<void> {
    if (this.#connectionId !== connectionId) {
      this.#connectionId = connectionId;
      this.list = [];
    }
    await this.load();
  }

  /** A list that cannot be read is said where the list is shown. */
  async load(): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return;
    try {
      const list = await client.invoke('traffic:list-planned', { connectionId });
      if (connectionId !== this.#connectionId) return;
      this.list = list;
      this.error = null;
    } catch (thrown) {
      if (connectionId === this.#connectionId) this.error = toAppError(thrown);
    }
  }

  /** Begins it now, gives it another time, or calls it off. Throws AppError. */
  async control(
    { kind, id }: Pick<PlannedAct, 'kind' | 'id'>,
    action: PlannedAction,
    startAtMs: number | null = null,
  ): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return;
    const argument = { connectionId, kind, id, action, startAtMs };
    try {
      const list = await client.invoke('traffic:control-planned', argument);
      if (connectionId === this.#connectionId) this.list = list;
    } catch (thrown) {
      await this.load();
      throw thrown;
    }
  }
}

export const scheduled = new ScheduledState();
