/** Reads a date and a time of day without a zone. Pure. */

/**
 * Milliseconds of the date and time as if they were UTC; null if they do not exist, such as 31 February. `24:00` is the
 * next midnight.
 */
export function wallTime(day: string, clock: string): number | null {
  const dayMs = Date.parse(`${day}T00:00Z`);
  // JavaScript reads 31 February as 3 March.
  if (Number.isNaN(dayMs) || !new Date(dayMs).toISOString().startsWith(day)) return null;
  const ms = Date.parse(`${day}T${clock}Z`);
  return Number.isNaN(ms) ? null : ms;
}
