/** The user's choice whether to start now or later, and what the start costs. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { TrafficPlan } from '../../electron/shared/traffic-model.ts';
import { client } from '../lib/client.ts';
import { fromField, startProblem, toField } from '../lib/schedule.ts';

export class StartChoice {
  when = $state<'now' | 'later'>('now');
  /** Value of the date-time field. */
  text = $state('');
  /** Wall time of the start; null for now, or while no time is entered. */
  readonly atMs: number | null = $derived(this.when === 'later' ? fromField(this.text) : null);

  set(atMs: number): void {
    this.when = 'later';
    this.text = toField(atMs);
  }

  clear(): void {
    this.when = 'now';
    this.text = '';
  }

  /** The problem with the choice, or null. */
  problem(nowMs: number): string | null {
    return this.when === 'now' ? null : startProblem(this.atMs, nowMs);
  }
}

export interface PlanRequest {
  /** Id of an operation, e.g. `events.publish`. */
  operation: string;
  count: number;
}

/** The plan of an action. It is requested again when its start or the limits change; an outdated plan is not shown. */
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
