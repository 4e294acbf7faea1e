/** A strict model of how the service counts. It rejects requests beyond its windows, and records them. */
import type { RateHeaders } from '../../electron/core/limits/attempt.ts';
import type { LimitWindow } from '../../electron/core/limits/limits.ts';

export type Counting = 'fixed' | 'rolling' | 'bucket';
export type PolicyForm = 'whole' | 'tightest' | 'bare' | 'absent';
export type RetryAfterForm = 'seconds' | 'imf' | 'rfc850' | 'asctime' | 'absent' | 'nonsense';

export type ResetForm =
  | 'epoch'
  | 'epoch-cut'
  | 'epoch-ms'
  | 'iso'
  | 'imf'
  | 'seconds'
  | 'absent'
  | 'nonsense';
/** `zero` and `full` contradict the count. */
export type RemainingForm = 'exact' | 'absent' | 'nonsense' | 'zero' | 'full';

export interface ServiceModelOptions {
  counting: Counting;
  windows: readonly LimitWindow[];
  /** Clock of the service minus true time, at true time 0, in ms. */
  clockMs: number;
  /** How much faster the clock of the service ticks, in millionths. */
  driftPpm?: number;
  reset?: ResetForm;
  remaining?: RemainingForm;
  /** Whether answers carry `Date`. */
  hasDate?: boolean;
  policy: PolicyForm;
  retryAfter: RetryAfterForm;
  /** Wait in ms that Retry-After adds to that of the windows. */
  penaltyMs: number;
  /**
   * For rolling windows only: whether the stated reset is a full window from now, instead of when the oldest request
   * leaves.
   */
  resetIsFullLength: boolean;
}

interface Counter {
  window: LimitWindow;
  wait(atMs: number): number;
  take(atMs: number): void;
  left(atMs: number): number;
  resetIn(atMs: number): number;
}

class FixedCounter implements Counter {
  readonly window: LimitWindow;
  #period = -1;
  #used = 0;
  constructor(window: LimitWindow) {
    this.window = window;
  }
  #turn(atMs: number): void {
    const period = Math.floor(atMs / this.window.lengthMs);
    if (period !== this.#period) this.#used = 0;
    this.#period = period;
  }
  wait(atMs: number): number {
    return this.left(atMs) > 0 ? 0 : this.resetIn(atMs);
  }
  take(atMs: number): void {
    this.#turn(atMs);
    this.#used++;
  }
  left(atMs: number): number {
    this.#turn(atMs);
    return this.window.count - this.#used;
  }
  resetIn(atMs: number): number {
    return (Math.floor(atMs / this.window.lengthMs) + 1) * this.window.lengthMs - atMs;
  }
}

class RollingCounter implements Counter {
  readonly window: LimitWindow;
  readonly #resetIsFullLength: boolean;
  #times: number[] = [];
  /** Index of the first request in the window; earlier ones have left it. */
  #first = 0;
  constructor(window: LimitWindow, resetIsFullLength: boolean) {
    this.window = window;
    this.#resetIsFullLength = resetIsFullLength;
  }
  #drop(atMs: number): void {
    const sinceMs = atMs - this.window.lengthMs;
    while ((this.#times[this.#first] ?? Number.POSITIVE_INFINITY) <= sinceMs) this.#first++;
    if (this.#first < 4_096) return;
    this.#times = this.#times.slice(this.#first);
    this.#first = 0;
  }
  wait(atMs: number): number {
    if (this.left(atMs) > 0) return 0;
    return (this.#times[this.#times.length - this.window.count] ?? atMs) + this.window.lengthMs - atMs;
  }
  take(atMs: number): void {
    this.#times.push(atMs);
  }
  left(atMs: number): number {
    this.#drop(atMs);
    return this.window.count - (this.#times.length - this.#first);
  }
  resetIn(atMs: number): number {
    const { lengthMs } = this.window;
    return this.#resetIsFullLength ? lengthMs : (this.#times[this.#first] ?? atMs) + lengthMs - atMs;
  }
}

class BucketCounter implements Counter {
  readonly window: LimitWindow;
  #tokens: number;
  #atMs = 0;
  constructor(window: LimitWindow) {
    this.window = window;
    this.#tokens = window.count;
  }
  #fill(atMs: number): void {
    const { count, lengthMs } = this.window;
    this.#tokens = Math.min(count, this.#tokens + ((atMs - this.#atMs) * count) / lengthMs);
    this.#atMs = atMs;
  }
  wait(atMs: number): number {
    this.#fill(atMs);
    const missing = 1 - 1e-9 - this.#tokens;
    return missing <= 0 ? 0 : (missing * this.window.lengthMs) / this.window.count;
  }
  take(atMs: number): void {
    this.#fill(atMs);
    this.#tokens -= 1;
  }
  left(atMs: number): number {
    this.#fill(atMs);
    return Math.floor(this.#tokens + 1e-9);
  }
  resetIn(atMs: number): number {
    this.#fill(atMs);
    return ((this.window.count - this.#tokens) * this.window.lengthMs) / this.window.count;
  }
}

export interface ModelAnswer {
  isAllowed: boolean;
  headers: RateHeaders;
  /** Time in ms, from now, that a client must wait; 0 if it need not. */
  waitMs: number;
}

export class ServiceModel {
  readonly #options: ServiceModelOptions;
  readonly #all: Counter[];
  /** Counts only our own requests, so that exceeding a limit is our own fault. */
  readonly #own: Counter[];
  #dated = { second: Number.NaN, text: '' };
  ownViolations = 0;
  refusals = 0;

  constructor(options: ServiceModelOptions) {
    this.#options = options;
    const counters = () =>
      options.windows.map((window): Counter => {
        if (options.counting === 'fixed') return new FixedCounter(window);
        if (options.counting === 'rolling') return new RollingCounter(window, options.resetIsFullLength);
        return new BucketCounter(window);
      });
    this.#all = counters();
    this.#own = counters();
  }

  /** Counts a request that arrives at `trueMs`. */
  arrive(trueMs: number, isOwn: boolean): ModelAnswer {
    const atMs = trueMs * (1 + (this.#options.driftPpm ?? 0) * 1e-6) + this.#options.clockMs;
    const waitMs = Math.max(0, ...this.#all.map((counter) => counter.wait(atMs)));
    if (isOwn && this.#own.some((counter) => counter.wait(atMs) > 0)) this.ownViolations++;
    // A rejected request uses no capacity.
    if (waitMs === 0) for (const counter of this.#all) counter.take(atMs);
    else this.refusals++;
    if (waitMs === 0 && isOwn) for (const counter of this.#own) counter.take(atMs);
    return { isAllowed: waitMs === 0, ...this.#headers(atMs, waitMs) };
  }

  #headers(atMs: number, waitMs: number): { headers: RateHeaders; waitMs: number } {
    const { policy } = this.#options;
    const tightest = this.#all.reduce((a, b) => (b.left(atMs) < a.left(atMs) ? b : a));
    const text = ({ window: { count, lengthMs } }: Counter) => `${count} per ${lengthMs / 1_000} second`;
    const limits: Record<PolicyForm, () => string | null> = {
      whole: () => this.#all.map(text).join(', '),
      tightest: () => text(tightest),
      bare: () => String(tightest.window.count),
      absent: () => null,
    };
    const date = this.#options.hasDate === false ? null : this.#date(atMs);
    const retry = this.#retryAfter(atMs, waitMs);
    return {
      headers: {
        limit: limits[policy](),
        remaining: this.#remaining(tightest, atMs),
        reset: this.#reset(tightest.resetIn(atMs), atMs),
        retryAfter: retry.text,
        date,
      },
      waitMs: retry.waitMs,
    };
  }

  /** Cached, because most answers arrive in the same second as the previous one. */
  #date(atMs: number): string {
    const second = Math.floor(atMs / 1_000);
    if (second !== this.#dated.second) this.#dated = { second, text: httpDate(atMs, 'imf') };
    return this.#dated.text;
  }

  #remaining(counter: Counter, atMs: number): string | null {
    const forms: Record<RemainingForm, string | null> = {
      exact: String(Math.max(0, counter.left(atMs))),
      absent: null,
      nonsense: 'some',
      zero: '0',
      full: String(counter.window.count),
    };
    return forms[this.#options.remaining ?? 'exact'];
  }

  #reset(inMs: number, atMs: number): string | null {
    const seconds = Math.ceil((atMs + inMs) / 1_000);
    const forms: Record<ResetForm, () => string | null> = {
      epoch: () => String(seconds),
      'epoch-cut': () => String(Math.floor((atMs + inMs) / 1_000)),
      'epoch-ms': () => String(Math.ceil(atMs + inMs)),
      iso: () => new Date(seconds * 1_000).toISOString(),
      imf: () => httpDate(seconds * 1_000, 'imf'),
      seconds: () => String(Math.ceil(inMs / 1_000)),
      absent: () => null,
      nonsense: () => 'later',
    };
    return forms[this.#options.reset ?? 'epoch']();
  }

  #retryAfter(atMs: number, waitMs: number): { text: string | null; waitMs: number } {
    const { retryAfter, penaltyMs } = this.#options;
    if (waitMs === 0 || retryAfter === 'absent') return { text: null, waitMs: 0 };
    if (retryAfter === 'nonsense') return { text: 'soon', waitMs: 0 };
    const seconds = Math.max(1, Math.ceil((waitMs + penaltyMs) / 1_000));
    if (retryAfter === 'seconds') return { text: String(seconds), waitMs: seconds * 1_000 };
    const untilMs = Math.ceil((atMs + waitMs + penaltyMs) / 1_000) * 1_000;
    return { text: httpDate(untilMs, retryAfter), waitMs: untilMs - atMs };
  }
}

const two = (value: number) => String(value).padStart(2, '0');

export function httpDate(ms: number, form: 'imf' | 'rfc850' | 'asctime'): string {
  const date = new Date(ms);
  const [day = '', dayOfMonth = '', month = '', year = '', time = ''] = date
    .toUTCString()
    .replace(',', '')
    .split(' ');
  if (form === 'imf') return date.toUTCString();
  if (form === 'asctime') return `${day} ${month} ${String(date.getUTCDate()).padStart(2)} ${time} ${year}`;
  const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  return `${weekdays[date.getUTCDay()]}, ${dayOfMonth}-${month}-${two(date.getUTCFullYear() % 100)} ${time} GMT`;
}
