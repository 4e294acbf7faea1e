/** Stored wall times of the past. They lie in the future if the clock was ahead and has been set back since. Pure. */

/** The moment, or `nowMs` if it lies in the future: it is not known when it was, but not later than now. */
export function pastMoment(storedMs: number | null, nowMs: number): number | null {
  return storedMs === null ? null : Math.min(storedMs, nowMs);
}

/** The time since the moment; infinite if it lies in the future, because it is not known how long ago it was. */
export function ageOf(storedMs: number, nowMs: number): number {
  return storedMs > nowMs ? Number.POSITIVE_INFINITY : nowMs - storedMs;
}
