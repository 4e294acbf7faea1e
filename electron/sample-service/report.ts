/** The service's observations of its clients, for judging a test run. Contains only counts, never a token or a body. */
import type { OperationId } from '../api/endpoints.ts';
import type { Clock } from '../core/ports.ts';

const VIOLATION_KINDS = [
  'overLimit',
  'beforeRetryAfter',
  'unknownRoutes',
  'malformedRequests',
  'missingCredentials',
] as const;
type ViolationKind = (typeof VIOLATION_KINDS)[number];

interface Violation {
  kind: ViolationKind;
  /** Wall time in milliseconds since 1970. */
  timeMs: number;
  /** Method and path template; the path as it was sent if no template matches. */
  endpoint: string;
  message: string;
}

interface OperationCounts {
  requests: number;
  /** Number of requests by status of the answer; requests without an answer are counted as `none`. */
  statuses: Record<string, number>;
}

export interface SampleReport {
  /** Number of requests below /v3, with any answer. */
  requests: number;
  /** Sum of the five counts of violations. */
  violations: number;
  /** Requests above a limit. Each was answered with 429. */
  overLimit: number;
  /** Requests to an endpoint that were sent before the wait was over for which Retry-After had asked this token. */
  beforeRetryAfter: number;
  unknownRoutes: number;
  /**
   * Requests with an invalid form: bad JSON, wrong types, wrong uuids, missing parameters, or a body that is too large.
   */
  malformedRequests: number;
  missingCredentials: number;
  /** Number of executed faults of the script. */
  faults: number;
  /** Query parameters that the operation does not know. They are ignored, and are not violations. */
  unknownParameters: number;
  /** Maximum number of requests in progress at the same time, including those held by a delay or a hang. */
  peakConcurrency: number;
  operations: Partial<Record<OperationId, OperationCounts>>;
  /** The latest violations, oldest first. */
  latest: Violation[];
}

const LATEST_KEPT = 200;

function emptyReport(): SampleReport {
  return {
    requests: 0,
    violations: 0,
    overLimit: 0,
    beforeRetryAfter: 0,
    unknownRoutes: 0,
    malformedRequests: 0,
    missingCredentials: 0,
    faults: 0,
    unknownParameters: 0,
    peakConcurrency: 0,
    operations: {},
    latest: [],
  };
}

export class Reporter {
  readonly #clock: Clock;
  #report = emptyReport();
  #underWay = 0;
  /** Monotonic times until which a token must not call an endpoint. */
  readonly #waits = new Map<string, { fromMs: number; untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  began(): void {
    this.#report.requests += 1;
    this.#underWay += 1;
    this.#report.peakConcurrency = Math.max(this.#report.peakConcurrency, this.#underWay);
  }

  ended(operation: OperationId | null, status: number | null): void {
    this.#underWay -= 1;
    if (operation === null) return;
    const counts = this.#report.operations[operation] ?? { requests: 0, statuses: {} };
    const key = status === null ? 'none' : String(status);
    counts.requests += 1;
    counts.statuses[key] = (counts.statuses[key] ?? 0) + 1;
    this.#report.operations[operation] = counts;
  }

  violation(kind: ViolationKind, endpoint: string, message: string): void {
    this.#report[kind] += 1;
    this.#report.violations += 1;
    this.#report.latest.push({ kind, timeMs: this.#clock.nowMs(), endpoint, message });
    if (this.#report.latest.length > LATEST_KEPT) this.#report.latest.shift();
  }

  fault(): void {
    this.#report.faults += 1;
  }

  unknownParameters(count: number): void {
    this.#report.unknownParameters += count;
  }

  /**
   * Notes that an answer with Retry-After was sent. Requests within `graceMs` after it are not violations, because they
   * were in flight before the client could read the answer.
   */
  toldToWait(token: string, endpoint: string, retryAfterS: number, graceMs: number): void {
    const nowMs = this.#clock.monotonicMs();
    const key = `${token}\n${endpoint}`;
    const untilMs = Math.max(nowMs + retryAfterS * 1_000, this.#waits.get(key)?.untilMs ?? 0);
    const known = this.#waits.get(key);
    const fromMs = known !== undefined && known.untilMs > nowMs ? known.fromMs : nowMs + graceMs;
    this.#waits.set(key, { fromMs, untilMs });
  }

  /** Checks a request that arrives now against the waits for its token. */
  arrived(token: string, endpoint: string): void {
    const wait = this.#waits.get(`${token}\n${endpoint}`);
    const nowMs = this.#clock.monotonicMs();
    if (wait === undefined || nowMs >= wait.untilMs || nowMs < wait.fromMs) return;
    const earlyMs = Math.ceil(wait.untilMs - nowMs);
    this.violation('beforeRetryAfter', endpoint, `Sent ${earlyMs} ms before Retry-After had elapsed.`);
  }

  read(): SampleReport {
    return structuredClone(this.#report);
  }

  /** Resets the counts; waits remain. */
  clear(): void {
    this.#report = emptyReport();
    this.#report.peakConcurrency = this.#underWay;
  }
}
