/** The strict service of a simulation. It is down, rejects the token or answers, and states waits. */
import type { Attempt } from '../../electron/core/limits/attempt.ts';
import { LIMIT_CATEGORIES } from '../../electron/core/limits/limits.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { Schedule } from './scheduler-schedule.ts';
import { ServiceModel } from './service-model.ts';
import { START_MS, type VirtualWorld } from './virtual-world.ts';

const isWithin = (spans: readonly { fromMs: number; lengthMs: number }[], atMs: number) =>
  spans.some(({ fromMs, lengthMs }) => atMs >= fromMs && atMs < fromMs + lengthMs);

export class SimulatedService {
  readonly #world: VirtualWorld;
  readonly #schedule: Schedule;
  readonly #models: ServiceModel[];
  readonly #notBeforeMs: number[];
  readonly #reached: Set<string>;

  constructor(world: VirtualWorld, schedule: Schedule, lanes: number, reached: Set<string>) {
    this.#world = world;
    this.#schedule = schedule;
    this.#reached = reached;
    this.#notBeforeMs = Array.from({ length: lanes }, () => 0);
    this.#models = Array.from(
      { length: lanes },
      () =>
        new ServiceModel({
          ...schedule,
          windows: LIMIT_CATEGORIES[schedule.category].windows,
          clockMs: START_MS + schedule.serviceClockMs,
        }),
    );
  }

  /** Number of own requests beyond a limit, whatever others did. */
  get violations(): number {
    return this.#models.reduce((sum, { ownViolations }) => sum + ownViolations, 0);
  }

  get refusals(): number {
    return this.#models.reduce((sum, { refusals }) => sum + refusals, 0);
  }

  /** True time before which the service has said that a lane must not send. */
  notBeforeMs(lane: number): number {
    return this.#notBeforeMs[lane] ?? 0;
  }

  useForeign(lane: number, count: number): void {
    for (let index = 0; index < count; index++) this.#model(lane).arrive(this.#world.trueMs, false);
  }

  /**
   * A request arrives. Returns its outcome, which reaches the client `downMs` later if the request was received.
   * `luck`: in [0, 1).
   */
  arrive(lane: number, luck: number, downMs: number, isHeard: () => boolean): () => Attempt<string> {
    const world = this.#world;
    const { faults, retryAfter, downs, refusedTokens } = this.#schedule;
    if (isWithin(downs, world.trueMs)) return () => failed('unknown', 'CONNECTION_LOST');
    const { isAllowed, headers, waitMs } = this.#model(lane).arrive(world.trueMs, true);
    if (luck < faults.unsent + faults.lost) return () => failed('unknown', 'CONNECTION_LOST');
    const isRefused = isWithin(refusedTokens, world.trueMs);
    const usual = luck > 1 - faults.failed500 ? 500 : 200;
    return () => {
      if (!isAllowed) this.#reached.add('429');
      if (!isAllowed && isHeard()) {
        // A wait in seconds counts at least from the arrival of the answer; a wait until a date does not.
        const untilMs = world.trueMs + waitMs - (retryAfter === 'seconds' ? 0 : downMs);
        this.#notBeforeMs[lane] = Math.max(this.#notBeforeMs[lane] ?? 0, untilMs);
      }
      const status = isAllowed ? (isRefused ? 401 : usual) : 429;
      return { kind: 'answered', status, rate: headers, value: 'ok' };
    };
  }

  #model(lane: number): ServiceModel {
    const model = this.#models[lane];
    if (model === undefined) throw new RangeError(`No lane ${lane}.`);
    return model;
  }
}

type Failure = 'CANCELLED' | 'CONNECTION_LOST' | 'CONNECTION_REFUSED';

export const failed = (outcome: 'unsent' | 'unknown', code: Failure) =>
  ({ kind: 'failed', outcome, error: new AppError(code, `${code} in a test.`) }) as const;
