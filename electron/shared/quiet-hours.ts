/** Hours of the day without notifications. Pure. */

/** Empty, or two times of day: `22:00-07:00`. */
export const QUIET_HOURS = /^(?:(?:[01]\d|2[0-3]):[0-5]\d-(?:[01]\d|2[0-3]):[0-5]\d)?$/;

/** Whether a moment is within the quiet hours, in local time. They may extend past midnight. */
export function isQuiet(hours: string, nowMs: number): boolean {
  const [from, to] = hours.split('-');
  if (from === undefined || to === undefined) return false;
  const at = new Date(nowMs);
  const now = `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`;
  return from <= to ? from <= now && now < to : now >= from || now < to;
}
