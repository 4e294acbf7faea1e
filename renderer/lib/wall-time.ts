/** Reads a date and a time of day without a zone. Pure. */

/** Milliseconds of the date and time as if they were UTC; null if they do not exist, such as 31 February. */
export function wallTime(day: string, clock: string): number | null {
  const ms = Date.parse(`${day}T${clock}Z`);
  // JavaScript reads 31 February as 3 March.
  return Number.isNaN(ms) || new Date(ms).toISOString().slice(0, day.length) !== day ? null : ms;
}
