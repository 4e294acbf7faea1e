/** Writes values of typed tables as JSON text, with exact digits. Pure. */

/** A 64-bit float. NaN and Infinity become null, because JSON has neither. */
export function floatJson(value: number): string {
  if (!Number.isFinite(value)) return 'null';
  return Object.is(value, -0) ? '-0.0' : String(value);
}

/** A 32-bit float with the fewest digits that identify it: 0.1, not 0.10000000149011612. */
export function float32Json(value: number): string {
  if (!Number.isFinite(value) || value === 0) return floatJson(value);
  for (let digits = 6; digits <= 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return floatJson(short);
  }
  return floatJson(value);
}

/** An unscaled integer with `scale` digits after the point. */
export function decimalJson(unscaled: bigint, scale: number): string {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale));
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

const UNITS = { second: 1n, millisecond: 1_000n, microsecond: 1_000_000n, nanosecond: 1_000_000_000n };
export type TimeUnit = keyof typeof UNITS;

/** A time since 1970 in ISO 8601, with as many digits as needed; with `Z` if it is an instant. */
export function timeText(since: bigint, unit: TimeUnit, isInstant: boolean): string {
  const perSecond = UNITS[unit];
  let seconds = since / perSecond;
  let rest = since % perSecond;
  if (rest < 0n) {
    rest += perSecond;
    seconds -= 1n;
  }
  const date = new Date(Number(seconds) * 1_000);
  const zone = isInstant ? 'Z' : '';
  if (Number.isNaN(date.getTime())) return `${since} ${unit}s since 1970`;
  const digits = String(perSecond).length - 1;
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(digits, '0').replace(/0+$/, '')}`;
  return `${date.toISOString().slice(0, -5)}${fraction}${zone}`;
}

/** Maximum distance from 1970, in seconds, that a JavaScript date can hold. */
const MAX_SECONDS = 8_640_000_000_000n;

/** True for a time that a JavaScript date cannot hold. It is written as its number. */
export function isBeyondDates(since: bigint, unit: TimeUnit): boolean {
  const most = MAX_SECONDS * UNITS[unit];
  return since > most || since < -most;
}

/** A time of day, which may exceed a day or be negative, with as many digits as needed. */
export function clockText(since: bigint, unit: TimeUnit): string {
  const perSecond = UNITS[unit];
  const size = since < 0n ? -since : since;
  const two = (part: bigint): string => String(part).padStart(2, '0');
  const seconds = size / perSecond;
  const rest = size % perSecond;
  const digits = String(perSecond).length - 1;
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(digits, '0').replace(/0+$/, '')}`;
  return `${since < 0n ? '-' : ''}${two(seconds / 3_600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}${fraction}`;
}
