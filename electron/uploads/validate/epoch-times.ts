/** Reads numbers as times: seconds to nanoseconds since 1970, and spreadsheet days if a person chose that. Pure. */
import type { ColumnReading } from '../../shared/column-reading.ts';
import type { TimeValue } from './time-value.ts';

/**
 * Number of digits by which seconds, milliseconds, microseconds and nanoseconds are distinguished, for times from 1973
 * to 5138 (nanoseconds: 2262).
 */
const NUMBER = /^([+-]?\d{1,20})(\.\d+)?$/;
const EXPONENT = /^(\d)(?:\.(\d+))?[eE](\+?)(\d{1,2})$/;
/** Maximum number of digits that spreadsheets show of a large number. */
const SHOWN_DIGITS = 6;
const MAX_SERIAL = 2_958_466;
/** Days from 1 January 1900 to 1970 as spreadsheets count them, including a 29 February 1900. */
const SERIAL_OF_1970 = 25_569;
const DAY_MS = 86_400_000;

/**
 * Numbers of 18 digits that may count steps of 100 nanoseconds: since the year 1601 for 1990 to 2099 (Windows), or
 * since the year 1 for 1970 to 2099 (.NET). As nanoseconds they would be times in 1973, 1974, 1989 and 1990.
 */
const TICKS = [
  { from: 122_756_256e9, to: 157_469_184e9 },
  { from: 621_355_968e9, to: 662_380_416e9 },
];
const TICKS_REASON =
  'Expected a time since 1970, got a number that may count steps of 100 nanoseconds since 1601 (Windows) or since the year 1 (.NET). Write it as a time such as 2011-02-01 13:45:00, or choose nanoseconds for the column.';

type Unit = NonNullable<ColumnReading['unit']>;
const DIGITS_OF: Readonly<Record<Exclude<Unit, 'excel'>, number>> = { s: 0, ms: 3, us: 6, ns: 9 };

function unitOf(digits: number): Exclude<Unit, 'excel'> | null {
  if (digits >= 9 && digits <= 11) return 's';
  if (digits === 12 || digits === 13) return 'ms';
  if (digits === 15 || digits === 16) return 'us';
  return digits === 18 || digits === 19 ? 'ns' : null;
}

/**
 * Dates with hours and minutes, such as 202605011015, also have 12 digits. As milliseconds they would be times in 1976.
 */
const DATE_TO_MINUTE = /^(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d$/;
/** Dates with hours, such as 2026050110. As seconds they would be times in 2033 and 2034. */
const DATE_TO_HOUR =
  /^(?:199\d|20[0-2]\d|203[0-5])(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])$/;

/**
 * True if the text is a number that stands for a time. Without a unit, the number of digits must determine the unit; a
 * number with zeros in front is then an id.
 */
export function isEpoch(text: string, unit: Unit | undefined): boolean {
  if (EXPONENT.test(text)) return true;
  const found = NUMBER.exec(text);
  if (found === null) return false;
  if (unit === undefined && DATE_TO_MINUTE.test(text)) return false;
  return unit !== undefined || (/^[1-9]/.test(text) && unitOf((found[1] ?? '').length) !== null);
}

/** The time of a text that `isEpoch` accepts, or a message that says why the number is not a time. */
export function epochTime(text: string, chosen: Unit | undefined): TimeValue | string {
  const exponent = EXPONENT.exec(text);
  if (exponent !== null) return ofExponent(exponent, chosen);
  const [, given = '', fraction = ''] = NUMBER.exec(text) ?? [];
  // JSON has no numbers with zeros in front.
  const whole = given.replace(/^([+-]?)0+(?=\d)/, '$1');
  if (chosen === 'excel') return ofSerial(Number(text));
  const unit = chosen ?? unitOf(whole.length);
  if (unit === null) return 'Expected a time since 1970 with 9 to 19 digits.';
  const size = Number(whole);
  if (chosen === undefined && TICKS.some(({ from, to }) => size >= from && size < to)) return TICKS_REASON;
  if (chosen === undefined && DATE_TO_HOUR.test(text)) return dateToHour(text);
  if (unit === 's' || unit === 'ms') {
    // Sent as a number only if the number of digits implies this unit. Otherwise the service would read another time.
    if (unitOf(whole.replace(/^[+-]/, '').length) === unit && !whole.startsWith('+'))
      return {
        ...{ form: `epoch-${unit}`, json: `${whole}${fraction}`, isZoneless: false },
        rules: whole === given ? [] : ['number-form'],
      };
  }
  return ofUnit(whole, fraction, unit);
}

function dateToHour(text: string): string {
  const [, date = '', hour = ''] = /^(\d{8})(\d{2})$/.exec(text) ?? [];
  const day = date.replace(/^(\d{4})(\d{2})/, '$1-$2-');
  return `Expected a time since 1970, got a number that may be a date with its hour, ${day} ${hour}:00. Write it as such a time, or choose seconds for the column (--time-unit s).`;
}

/** The time as ISO text, which keeps every digit. */
function ofUnit(whole: string, fraction: string, unit: Exclude<Unit, 'excel'>): TimeValue | string {
  const digits = DIGITS_OF[unit];
  const scale = 10n ** BigInt(digits);
  const value = BigInt(whole.replace(/^\+/, ''));
  const below = ((value % scale) + scale) % scale;
  const ms = Number((value - below) / scale) * 1_000;
  if (!(Math.abs(ms) <= 8.64e15)) return 'Expected a time since 1970 between the years 1 and 9999.';
  const date = new Date(ms);
  if (date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9_999)
    return 'Expected a time since 1970 between the years 1 and 9999.';
  const parts = `${digits === 0 ? '' : String(below).padStart(digits, '0')}${fraction.slice(1)}`.replace(
    /0+$/,
    '',
  );
  const second = date.toISOString().slice(0, 19);
  const json = `"${second}${parts === '' ? '' : `.${parts.slice(0, 9)}`}Z"`;
  return { form: 'epoch-ms', json, rules: ['epoch-unit'], isZoneless: false };
}

/** Spreadsheet days from 1954 to 2119. They have too few digits for a time since 1970. */
const SERIAL = { from: 20_000, to: 80_000 };

/** The reason why a number that may be spreadsheet days is not a time; null for other texts. */
export function serialReason(text: string): string | null {
  const serial = /^\d{5}(?:\.\d+)?$/.test(text) ? Number(text) : 0;
  const day = serial >= SERIAL.from && serial < SERIAL.to ? ofSerial(serial) : 'not such a day';
  if (typeof day === 'string') return null;
  return `Expected a time, got a number. If it counts the days of a spreadsheet, it is ${JSON.parse(day.json)}: choose that unit for the column (--time-unit excel).`;
}

function ofExponent(
  [, first = '', rest = '', plus = '', power = '']: RegExpExecArray,
  chosen: Unit | undefined,
): TimeValue | string {
  const shift = Number(power) - rest.length;
  const isRounded = plus === '+' && rest.length < SHOWN_DIGITS && Number(power) > SHOWN_DIGITS;
  if (isRounded || shift < 0) {
    return 'Expected every digit of a time since 1970, got a number that a spreadsheet has rounded. Export it with all of its digits.';
  }
  const time = epochTime(`${first}${rest}${'0'.repeat(shift)}`, chosen);
  if (typeof time === 'string') return time;
  return { ...time, rules: time.rules.length === 0 ? ['number-form'] : time.rules };
}

function ofSerial(serial: number): TimeValue | string {
  if (!(serial >= 1 && serial < MAX_SERIAL)) return 'Expected days since 1900, got a number that is none.';
  // Before March 1900 the spreadsheet count is one day behind.
  const days = serial < 60 ? serial + 1 : serial;
  const date = new Date(Math.round((days - SERIAL_OF_1970) * DAY_MS));
  const text = date.toISOString();
  const json = JSON.stringify(
    Number.isInteger(serial)
      ? text.slice(0, 10)
      : text
          .slice(0, 23)
          .replace('T', ' ')
          .replace(/\.000$/, ''),
  );
  return { form: 'iso', json, rules: ['excel-serial'], isZoneless: true };
}
