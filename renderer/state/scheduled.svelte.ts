/** What starts by itself later, of every kind, of the connection at hand. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { PlannedAct, PlannedAction } from '../../electron/shared/planned-model.ts';
import { client as realClient } from '../lib/client.ts';
import { InOrder } from './in-order.ts';

type Client = Pick<typeof realClient, 'invoke' | 'on'>;

export class ScheduledState {
  /** The next one first. */
  list = $state.raw<readonly PlannedAct[]>([]);
  error = $state.raw<AppError | null>(null);
  #connectionId: string | null = null;
  readonly #answers = new InOrder();
  readonly #client: Client;

  constructor(client: Client = realClient) {
    this.#client = client;
  }

  /** Returns what ends it. */
  listen(): () => void {
    return this.#client.on('traffic:planned-changed', ({ connectionId, acts }) => {
      if (connectionId !== this.#connectionId) return;
      if (this.#answers.holds(this.#answers.ask())) this.list = acts;
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
    const asked = this.#answers.ask();
    try {
      const list = await this.#client.invoke('traffic:list-planned', { connectionId });
      if (connectionId !== this.#connectionId) return;
      if (this.#answers.holds(asked)) this.list = list;
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
    const asked = this.#answers.ask();
    try {
      const list = await this.#client.invoke('traffic:control-planned', argument);
      if (connectionId === this.#connectionId && this.#answers.holds(asked)) this.list = list;
    } catch (thrown) {
      await this.load();
      throw thrown;
    }
  }
}

export const scheduled = new ScheduledState();
