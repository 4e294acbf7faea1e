/** Compares the service's clock with ledger time, using `Date` headers, which are truncated to whole seconds. */

const DATE_STEP_MS = 1_000;
/** Maximum relative drift between two clocks. */
export const DRIFT = 1e-4;
/**
 * Minimum gap that is taken as unseen time. Windows tolerate shorter gaps, and shorter gaps also occur if two machines
 * with slightly different clocks answer in turn.
 */
const GAP_MS = 120_000;
/** A `Date` that is behind by this much is stale (from a cache), or the service's clock was set back. */
const BEHIND_MS = 60_000;
/** After this many such dates in a row, the service's clock was set back. */
const BEHIND_BELIEVED = 20;

/** The last time that the service stated. It can prove that time passed while no process ran. */
export interface ServiceTime {
  origin: string;
  /** The service's `Date`, milliseconds since 1970. */
  dateMs: number;
  sentAtMs: number;
  receivedAtMs: number;
  /** This computer's wall clock at that time; null if it was not recorded. */
  wallMs: number | null;
}

/** Time that passed without being counted in ledger time. All values are ledger times or durations. */
export interface UnseenTime {
  /** Everything answered until this time is affected. */
  untilMs: number;
  /** Minimum time to add to the age of everything answered until then. */
  byMs: number;
  /** Arrival time of the answer that proved it. */
  atMs: number;
}

const offsetOf = (time: ServiceTime) => time.dateMs - time.receivedAtMs;

/** Whether `stored` was recorded after the unseen time that began at `untilMs` and ended with `time`. */
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
   * Takes the `Date` of an answer. Returns the time that passed for the service but not in ledger time because the
   * computer slept or restarted, if it is certain.
   */
  note(time: ServiceTime): UnseenTime | null {
    const previous = this.#last;
    if (previous !== null && offsetOf(time) < offsetOf(previous) - BEHIND_MS) {
      // The reference is kept, because a later return to it would look like time that passed.
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
    // Both clocks must agree. A single wrong `Date` proves nothing, and neither does a wall clock that was set.
    const byMs = Math.min(byService, unseenByWall(previous, time));
    return byMs < GAP_MS ? null : { untilMs: previous.receivedAtMs, byMs, atMs: time.receivedAtMs };
  }

  /** Ledger time at which the service's clock has certainly reached `serviceMs`; null before the first `Date`. */
  latestLocalMs(serviceMs: number): number | null {
    if (!Number.isFinite(this.#low)) return null;
    const localMs = serviceMs - this.#low;
    // Adds the maximum drift between this measurement and its use.
    return localMs + Math.max(0, localMs - this.#measuredAtMs) * DRIFT;
  }

  /** Bounds of service time minus ledger time; null before the first `Date`. */
  offset(): { lowMs: number; highMs: number } | null {
    return Number.isFinite(this.#low) ? { lowMs: this.#low, highMs: this.#high } : null;
  }
}
