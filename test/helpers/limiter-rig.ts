import type { LimitCategory } from '../../electron/core/limits/limits.ts';
import { readRateHeaders } from '../../electron/core/limits/rate-headers.ts';
import { learn } from '../../electron/core/limits/rate-learning.ts';
import { RateLimiter } from '../../electron/core/limits/rate-limiter.ts';
import { ServiceClock } from '../../electron/core/limits/service-clock.ts';
import { httpDate } from './service-model.ts';

export const SERVICE_MS = Date.UTC(2025, 10, 3, 9);
export const WHOLE = '30 per 1 second, 1000 per 1 minute';

interface Headers {
  limit?: string;
  remaining?: number;
  /** Milliseconds from now. */
  resetIn?: number;
  retryAfter?: string;
}

/** A lane of the limiter under test, with one request at a time. The time of the ledger starts at 0. */
export class LimiterRig {
  readonly limiter: RateLimiter;
  readonly #clock = new ServiceClock(null);
  nowMs = 0;
  #id = 0;

  constructor(category: LimitCategory = 'metadata-read') {
    this.limiter = new RateLimiter(category, null, 0);
  }

  get decision() {
    return this.limiter.decide(this.nowMs);
  }

  /** Sends a request that takes `latencyMs` and gets this answer. */
  request(status: number, headers: Headers = {}, latencyMs = 10): void {
    const id = ++this.#id;
    const sentAtMs = this.nowMs;
    this.limiter.start(id, sentAtMs);
    this.nowMs += latencyMs;
    this.limiter.finish(id, this.nowMs);
    const serviceMs = SERVICE_MS + this.nowMs;
    const reading = readRateHeaders(
      {
        limit: headers.limit ?? null,
        remaining: headers.remaining === undefined ? null : String(headers.remaining),
        reset:
          headers.resetIn === undefined ? null : String(Math.ceil((serviceMs + headers.resetIn) / 1_000)),
        retryAfter: headers.retryAfter ?? null,
        date: httpDate(serviceMs, 'imf'),
      },
      0,
    );
    const time = { origin: 'http://127.0.0.1', sentAtMs, receivedAtMs: this.nowMs };
    this.#clock.note({ ...time, dateMs: reading.serviceMs ?? 0, wallMs: null });
    learn(this.limiter, reading, { status, sentAtMs, receivedAtMs: this.nowMs, random: 0.5 }, this.#clock);
  }

  /** Number of requests that could be sent now, all at the same time. */
  room(): number {
    for (let count = 0; ; count++) {
      if (this.decision.kind === 'wait' || count > 5_000) {
        for (let taken = 0; taken < count; taken++) this.limiter.release(1_000_000 + taken);
        return count;
      }
      this.limiter.start(1_000_000 + count, this.nowMs);
    }
  }

  counts(): string[] {
    return this.limiter.state.windows.map(({ count, lengthMs }) => `${count}/${lengthMs}`);
  }
}
