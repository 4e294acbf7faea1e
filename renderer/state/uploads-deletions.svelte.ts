/** Deletions of events that were asked for, and what is left of the day. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { DeletionBudget, EventDeletion } from '../../electron/shared/upload-model.ts';
import { client } from '../lib/client.ts';

export interface DeletionRequest {
  modelId: string;
  eventIds: string[] | null;
  timeRange: { startTime: string; endTime: string } | null;
  updateMetrics: boolean;
  /** Wall time at which it is sent by itself; null: now. */
  startAtMs: number | null;
}

class DeletionsState {
  list = $state.raw<EventDeletion[]>([]);
  budget = $state.raw<DeletionBudget | null>(null);
  isLoaded = $state(false);
  error = $state.raw<AppError | null>(null);
  #connectionId: string | null = null;

  /** Returns what ends it. */
  listen(): () => void {
    return client.on('events:deletion-changed', ({ connectionId, deletion, budget }) => {
      if (connectionId !== this.#connectionId) return;
      this.#put(deletion);
      this.budget = budget;
    });
  }

  async watch(connectionId: string): Promise<void> {
    if (this.#connectionId !== connectionId) {
      this.#connectionId = connectionId;
      this.list = [];
      this.budget = null;
      this.isLoaded = false;
    }
    await this.load();
  }

  async load(): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return;
    this.error = null;
    try {
      const answer = await client.invoke('events:list-deletions', { connectionId });
      if (connectionId !== this.#connectionId) return;
      this.list = answer.deletions.toSorted((a, b) => b.atMs - a.atMs);
      this.budget = answer.budget;
      this.isLoaded = true;
    } catch (thrown) {
      if (connectionId === this.#connectionId) this.error = toAppError(thrown);
    }
  }

  #put(deletion: EventDeletion): void {
    const at = this.list.findIndex(({ deletionId }) => deletionId === deletion.deletionId);
    this.list = at === -1 ? [deletion, ...this.list] : this.list.with(at, deletion);
  }

  /** Asks the service to delete. The budget is read again afterwards, whatever came of it. Throws AppError. */
  async delete(request: DeletionRequest): Promise<EventDeletion | null> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return null;
    try {
      const deletion = await client.invoke('events:delete', { connectionId, ...request });
      if (connectionId === this.#connectionId) this.#put(deletion);
      return deletion;
    } finally {
      await this.load();
    }
  }

  /** Sends a deletion that is to start later now, changes its time, or calls it off. Throws AppError. */
  async control(
    deletionId: string,
    action: 'start' | 'schedule' | 'cancel',
    startAtMs: number | null = null,
  ): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return;
    try {
      const argument = { connectionId, deletionId, action, startAtMs };
      const deletion = await client.invoke('events:control-deletion', argument);
      if (connectionId === this.#connectionId) this.#put(deletion);
    } finally {
      await this.load();
    }
  }
}

export const deletions = new DeletionsState();
