/** Access of agents and the log of their reads, from the main process. */
import type { AgentsState } from '../../electron/shared/agents-model.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import { client } from '../lib/client.ts';

export class Agents {
  found = $state.raw<AgentsState | null>(null);
  error = $state.raw<AppError | null>(null);

  async load(): Promise<void> {
    try {
      this.found = await client.act('agents:act', 'get', {});
      this.error = null;
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  /** Throws AppError if nothing was changed. */
  async setOpen(connectionId: string, isOpen: boolean): Promise<void> {
    this.found = await client.act('agents:act', isOpen ? 'open' : 'close', { connectionId });
    this.error = null;
  }
}
