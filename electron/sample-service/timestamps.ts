/** Parses the times of events and deletions (SERVICE.md F1.2 and F1.5). A time without a zone is in UTC. */

/**
 * Numbers from this one on are milliseconds since 1970 (from the year 1973 on), smaller ones are seconds (up to the
 * year 5138).
 */
const FIRST_MILLISECONDS = 100_000_000_000;

/** The largest number of milliseconds that a date can be away from 1970. */
const LAST_TIME_MS = 8_640_000_000_000_000;

const ISO_LIKE =
  /^(?<Y>\d{4})-(?<m>\d{2})-(?<d>\d{2})(?:[T ](?<H>\d{2}):(?<M>\d{2})(?::(?<S>\d{2})(?:\.(?<f>\d{1,9}))?)?(?<z>Z|[+-]\d{2}:?\d{2})?)?$/;

const DIRECTIVES: Readonly<Record<string, string>> = {
  Y: '(?<Y>\\d{4})',
  y: '(?<y>\\d{2})',
  m: '(?<m>\\d{1,2})',
  d: '(?<d>\\d{1,2})',
  H: '(?<H>\\d{1,2})',
  M: '(?<M>\\d{1,2})',
  S: '(?<S>\\d{1,2})',
  f: '(?<f>\\d{1,9})',
  z: '(?<z>Z|[+-]\\d{2}:?\\d{2})',
};

/** Two-digit years up to this one belong to 2000, the others to 1900. */
const LAST_SHORT_YEAR = 68;

function compileFormat(format: string): RegExp | null {
  const escaped = format.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  let isKnown = true;
  const source = escaped.replaceAll(/%(.)/g, (_whole, letter: string) => {
    const part = DIRECTIVES[letter];
    if (part === undefined) isKnown = false;
    return part ?? '';
  });
  return isKnown ? new RegExp(`^${source}$`) : null;
}

function fullYear(groups: Record<string, string | undefined>): number {
  if (groups['Y'] !== undefined) return Number(groups['Y']);
  const short = Number(groups['y'] ?? Number.NaN);
  return short <= LAST_SHORT_YEAR ? 2_000 + short : 1_900 + short;
}

function zoneOffsetMs(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  const digits = zone.slice(1).replace(':', '');
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2))) * 60_000;
}

function toMs(groups: Record<string, string | undefined>): number | null {
  const [year, month, day] = [fullYear(groups), Number(groups['m'] ?? 1), Number(groups['d'] ?? 1)];
  const [hour, minute, second] = [groups['H'], groups['M'], groups['S']].map((part) => Number(part ?? 0));
  const milliseconds = Math.floor(Number(`0.${groups['f'] ?? '0'}`) * 1_000);
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second, milliseconds));
  // Whether a date exists: Date.UTC would turn 31 February into a day in March.
  const isReal =
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hour &&
    date.getUTCMinutes() === minute;
  return isReal ? date.getTime() - zoneOffsetMs(groups['z']) : null;
}

/**
 * Milliseconds since 1970 of a text or a number, or null. `format` is the `event_ts_format` of a model, which is tried
 * first.
 */
export function parseTime(value: unknown, format: string | null = null): number | null {
  if (typeof value === 'number') {
    const ms = Math.abs(value) >= FIRST_MILLISECONDS ? value : value * 1_000;
    return Math.abs(ms) <= LAST_TIME_MS ? ms : null;
  }
  if (typeof value !== 'string') return null;
  const text = value.trim();
  const groups =
    (format === null ? null : compileFormat(format)?.exec(text)?.groups) ?? ISO_LIKE.exec(text)?.groups;
  return groups === undefined ? null : toMs(groups);
}
