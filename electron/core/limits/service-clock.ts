/** Measures the service's clock against ledger time from `Date` headers, which are truncated to whole seconds. */

const DATE_STEP_MS = 1_000;
/** How fast two clocks may drift apart. */
export const DRIFT = 1e-4;
/** Shorter gaps are ignored: the windows cover them, and two machines with slightly different clocks look the same. */
const GAP_MS = 120_000;
/** A `Date` this far behind is stale (a cache) or from a clock that was set back ... */
const BEHIND_MS = 60_000;
/** ... and this many in a row mean the latter. */
const BEHIND_BELIEVED = 20;

/** When the service last stated its time: evidence of time that passed while no process ran. */
export interface ServiceTime {
  origin: string;
  /** The service's `Date`, milliseconds since 1970. */
  dateMs: number;
  sentAtMs: number;
  receivedAtMs: number;
  /** This computer's own clock at that time; null if it was not recorded. */
  wallMs: number | null;
}

/** In ledger time. */
export interface UnseenTime {
  /** Everything answered until then ... */
  untilMs: number;
  /** ... is at least this much older than ledger time says ... */
  byMs: number;
  /** ... as proved by an answer that arrived at this time. */
  atMs: number;
}

const offsetOf = (time: ServiceTime) => time.dateMs - time.receivedAtMs;

/** Whether `stored` was taken after the unseen time that began at `untilMs` and ended with `time`. */
export function knowsOf(stored: ServiceTime, time: ServiceTime, untilMs: number): boolean {
  return stored.receivedAtMs > untilMs && offsetOf(time) - offsetOf(stored) < GAP_MS / 2;
}

/** Time that passed on this computer's clock but not in ledger time. */
function unseenByWall(previous: ServiceTime, time: ServiceTime): number {
  if (previous.wallMs === null || time.wallMs === null) return 0;
  return time.wallMs - previous.wallMs - (time.receivedAtMs - previous.receivedAtMs);
}

export class ServiceClock {
  #low = Number.NEGATIVE_INFINITY;
  #high = Number.POSITIVE_INFINITY;
  #measuredAtMs = 0;
  #behind = 0;
  #last: ServiceTime | null;

  constructor(last: ServiceTime | null) {
    this.#last = last;
  }

  get last(): ServiceTime | null {
    return this.#last;
  }

  /**
   * Takes one answer's `Date`. Returns time that passed for the service but not in ledger time (the computer slept or
   * was restarted), if that is certain.
   */
  note(time: ServiceTime): UnseenTime | null {
    const previous = this.#last;
    if (previous !== null && offsetOf(time) < offsetOf(previous) - BEHIND_MS) {
      // Returning to the old reference would wrongly look like time that passed.
      this.#behind++;
      if (this.#behind < BEHIND_BELIEVED) return null;
    }
    this.#behind = 0;
    this.#last = time;
    const slack = Math.max(0, time.receivedAtMs - this.#measuredAtMs) * DRIFT;
    const low = Math.max(this.#low - slack, time.dateMs - time.receivedAtMs);
    const high = Math.min(this.#high + slack, time.dateMs + DATE_STEP_MS - time.sentAtMs);
    const isConsistent = low <= high;
    this.#low = isConsistent ? low : time.dateMs - time.receivedAtMs;
    this.#high = isConsistent ? high : time.dateMs + DATE_STEP_MS - time.sentAtMs;
    this.#measuredAtMs = time.receivedAtMs;
    if (previous === null) return null;
    // Measured from the send of the earlier request to the arrival of this answer, so that latency never adds time.
    const seenMs = time.receivedAtMs - previous.sentAtMs;
    const byService = time.dateMs - previous.dateMs - DATE_STEP_MS - seenMs;
    // Both clocks must agree: a single wrong `Date` proves nothing, and neither does a wall clock that was set.
    const byMs = Math.min(byService, unseenByWall(previous, time));
    return byMs < GAP_MS ? null : { untilMs: previous.receivedAtMs, byMs, atMs: time.receivedAtMs };
  }

  /** Ledger time at which the service's clock has certainly reached `serviceMs`; null before the first `Date`. */
  latestLocalMs(serviceMs: number): number | null {
    if (!Number.isFinite(this.#low)) return null;
    const localMs = serviceMs - this.#low;
    // The clocks drift apart between this measurement and its use.
    return localMs + Math.max(0, localMs - this.#measuredAtMs) * DRIFT;
  }

  /** Bounds of service time minus ledger time; null before the first `Date`. */
  offset(): { lowMs: number; highMs: number } | null {
    return Number.isFinite(this.#low) ? { lowMs: this.#low, highMs: this.#high } : null;
  }
}
