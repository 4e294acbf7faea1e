/** Deletions of events that were asked for, and what is left of the day. */
import type { DeletionBudget, EventDeletion } from '../../electron/shared/upload-model.ts';
import { client } from '../lib/client.ts';
import { WatchedList } from './watched-list.svelte.ts';

export interface DeletionRequest {
  modelId: string;
  eventIds: string[] | null;
  timeRange: { startTime: string; endTime: string } | null;
  updateMetrics: boolean;
  /** Wall time at which it is sent by itself; null: now. */
  startAtMs: number | null;
}

class DeletionsState extends WatchedList<EventDeletion> {
  budget = $state.raw<DeletionBudget | null>(null);

  protected idOf({ deletionId }: EventDeletion): string {
    return deletionId;
  }

  /** Newest first. */
  protected async read(connectionId: string): Promise<readonly EventDeletion[]> {
    const { deletions, budget } = await client.invoke('events:list-deletions', { connectionId });
    if (connectionId === this.connectionId) this.budget = budget;
    return deletions.toSorted((a, b) => b.atMs - a.atMs);
  }

  protected override leave(): void {
    this.budget = null;
  }

  /** Returns what ends it. */
  listen(): () => void {
    return client.on('events:deletion-changed', ({ connectionId, deletion, budget }) => {
      if (connectionId === this.connectionId) this.budget = budget;
      this.told(connectionId, deletion);
    });
  }

  /** Asks the service to delete. The budget is read again afterwards, whatever came of it. Throws AppError. */
  async delete(request: DeletionRequest): Promise<EventDeletion | null> {
    const { connectionId } = this;
    if (connectionId === null) return null;
    try {
      return await this.ask(connectionId, () => client.invoke('events:delete', { connectionId, ...request }));
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
    const { connectionId } = this;
    if (connectionId === null) return;
    try {
      const argument = { connectionId, deletionId, action, startAtMs };
      await this.ask(connectionId, () => client.invoke('events:control-deletion', argument));
    } finally {
      await this.load();
    }
  }
}

export const deletions = new DeletionsState();
