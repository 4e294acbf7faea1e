/** Now or later: what a person chose for the beginning of something, and what it would cost then. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { TrafficPlan } from '../../electron/shared/traffic-model.ts';
import { client } from '../lib/client.ts';
import { fromField, startProblem, toField } from '../lib/schedule.ts';

export class StartChoice {
  when = $state<'now' | 'later'>('now');
  /** What the date-and-time field holds. */
  text = $state('');
  /** Wall time of the beginning; null for now, and while no time is given. */
  readonly atMs: number | null = $derived(this.when === 'later' ? fromField(this.text) : null);

  set(atMs: number): void {
    this.when = 'later';
    this.text = toField(atMs);
  }

  clear(): void {
    this.when = 'now';
    this.text = '';
  }

  /** What keeps it from being taken, or null. */
  problem(nowMs: number): string | null {
    return this.when === 'now' ? null : startProblem(this.atMs, nowMs);
  }
}

export interface PlanRequest {
  /** Id of an operation, e.g. `events.publish`. */
  operation: string;
  count: number;
}

/** The plan of an act, asked for again as its beginning or the budgets change; one that may not hold is not kept. */
export class PlanModel {
  plan = $state.raw<TrafficPlan | null>(null);
  error = $state.raw<AppError | null>(null);
  #asked = 0;

  async ask(connectionId: string, requests: PlanRequest[], startAtMs: number | null): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    try {
      const plan = await client.invoke('traffic:plan', { connectionId, requests, startAtMs });
      if (asked !== this.#asked) return;
      this.plan = plan;
      this.error = null;
    } catch (thrown) {
      if (asked !== this.#asked) return;
      this.plan = null;
      this.error = toAppError(thrown);
    }
  }
}
