/** The daily limit for deletions of events, and how much of it is left. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { DeletionBudget, EventDeletion } from '../../electron/shared/upload-model.ts';
import { client } from '../lib/client.ts';
import { jobs } from './jobs.svelte.ts';
import { Newest } from './newest.ts';

export interface DeletionRequest {
  modelId: string;
  eventIds: string[] | null;
  timeRange: { startTime: string; endTime: string } | null;
  updateMetrics: boolean;
  /** Wall time of an automatic start; null to start now. */
  startAtMs: number | null;
}

class DeletionsState {
  budget = $state.raw<DeletionBudget | null>(null);
  error = $state.raw<AppError | null>(null);
  #connectionId: string | null = null;
  readonly #newest = new Newest();

  /** Follows the deletions, as each can use up the limit. Returns a function that unsubscribes. */
  listen(): () => void {
    return client.on('jobs:changed', ({ connectionId, kind }) => {
      if (connectionId === this.#connectionId && kind === 'deletion') void this.load();
    });
  }

  async watch(connectionId: string): Promise<void> {
    if (this.#connectionId !== connectionId) {
      this.#connectionId = connectionId;
      this.#newest.clear();
      this.budget = null;
    }
    await this.load();
  }

  async load(): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return;
    try {
      const { value, seq } = await client.ask('events:get-budget', { connectionId });
      if (connectionId !== this.#connectionId || !this.#newest.takes(seq)) return;
      this.budget = value;
      this.error = null;
    } catch (thrown) {
      if (connectionId === this.#connectionId) this.error = toAppError(thrown);
    }
  }

  /** Requests a deletion, and reads the limit again, whatever the outcome. Throws AppError. */
  async delete({ startAtMs, ...request }: DeletionRequest): Promise<EventDeletion> {
    try {
      return await jobs.create('deletion', request, startAtMs);
    } finally {
      await this.load();
    }
  }
}

export const deletions = new DeletionsState();
