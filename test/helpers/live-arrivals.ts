import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { LIMIT_CATEGORIES } from '../../electron/core/limits/limits.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { type Counting, ServiceModel } from './service-model.ts';

const COUNTINGS: readonly Counting[] = ['rolling', 'fixed', 'bucket'];

/**
 * Requests that arrive at the service, observed through Node. Our share alone is counted, in each way in which a
 * service may count.
 */
export class Arrivals {
  readonly #ownAgent: string;
  readonly #shared: string;
  readonly #models = new Map<string, ServiceModel[]>();
  own = 0;
  foreign = 0;
  firstForeignMs: number | null = null;
  /** The Remaining that the shared endpoint would state without other clients, by the number of our arrival there. */
  readonly ownLeft: number[] = [];
  readonly #ownTimes: number[] = [];

  /** `ownAgent`: the User-Agent of our requests; `shared`: path that another client uses too. */
  constructor(ownAgent: string, shared: string) {
    this.#ownAgent = ownAgent;
    this.#shared = shared;
  }

  listen(): () => void {
    const note = (message: unknown) => {
      const { request } = message as { request: IncomingMessage };
      this.#arrived((request.url ?? '').split('?')[0] ?? '', request.headers['user-agent'] ?? '');
    };
    subscribe('http.server.request.start', note);
    return () => unsubscribe('http.server.request.start', note);
  }

  #arrived(path: string, agent: string): void {
    const nowMs = performance.now();
    if (agent !== this.#ownAgent) {
      this.foreign++;
      this.firstForeignMs ??= nowMs;
      return;
    }
    this.own++;
    for (const model of this.#of(path)) model.arrive(nowMs, true);
    if (path !== this.#shared) return;
    this.#ownTimes.push(nowMs);
    const left = LIMIT_CATEGORIES['metadata-read'].windows.map(
      ({ count, lengthMs }) => count - this.#ownTimes.filter((time) => time > nowMs - lengthMs).length,
    );
    this.ownLeft.push(Math.min(...left));
  }

  #of(path: string): ServiceModel[] {
    const known = this.#models.get(path);
    if (known !== undefined) return known;
    const models = COUNTINGS.map(
      (counting) =>
        new ServiceModel({
          counting,
          windows: LIMIT_CATEGORIES['metadata-read'].windows,
          clockMs: systemClock.nowMs() - performance.now(),
          policy: 'whole',
          retryAfter: 'seconds',
          penaltyMs: 0,
          resetIsFullLength: false,
        }),
    );
    this.#models.set(path, models);
    return models;
  }

  violations(): number {
    return Math.max(...COUNTINGS.map((_, index) => this.#sum(index)));
  }

  #sum(index: number): number {
    return [...this.#models.values()].reduce((sum, models) => sum + (models[index]?.ownViolations ?? 0), 0);
  }
}
