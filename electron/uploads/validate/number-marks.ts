/**
 * Reads numbers with a currency, in parentheses, in percent, or with a trailing sign: the marks around the digits, and
 * the resulting number. Pure.
 */
import type { RepairKind } from '../../shared/repair-options.ts';
import type { ValueRule } from '../../shared/value-ledger.ts';
import { BLANKS, DASHES, type Decimal, GAPS, readNumber } from './number-reading.ts';
import { ARABIC_SEPARATORS, asciiDigits } from './script-digits.ts';

/** Marks in order of precedence. Each is repaired separately. */
const MARKS = ['percent', 'parentheses', 'currency', 'trailing-sign'] as const;
type Mark = (typeof MARKS)[number];

interface MarkedNumber {
  mark: Mark;
  /** The number without its mark; sign, digits and separators are unchanged. */
  core: string;
  /** The currency sign or code in the text; null if there is none. */
  currency: string | null;
  rules: ValueRule[];
}

const SIGN = String.raw`(?:(?:US|AU|CA|NZ|HK|[ACRS])?\p{Sc}|[A-Z]{3}|kr\.?|Kč|zł|Ft|Fr\.?)`;
const FIRST = new RegExp(`^(${SIGN})\\s*`, 'u');
const LAST = new RegExp(`(${SIGN})$`, 'u');
const DIGITS = new RegExp(
  `^[\\d.,${ARABIC_SEPARATORS}][\\d.,${ARABIC_SEPARATORS}${GAPS}]*(?:[eE][+-]?\\d+|(?<=[.,])[${DASHES}-]{1,2})?$`,
);
const SIGN_BEFORE = new RegExp(`^[+${DASHES}-]`);
/** A trailing sign. A dash after a separator is not one: it means zero decimals, as in the price 5,-. */
const SIGN_BEHIND = new RegExp(`(?:\\d|\\d[${BLANKS}]|\\p{Sc}|[A-Za-zč%])([+${DASHES}-])$`, 'u');
const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
/** Signs that stand for exactly one currency. */
const CODE_OF: Readonly<Record<string, string>> = {
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  US$: 'USD',
  zł: 'PLN',
};

const isCurrency = (text: string): boolean => !/^[A-Z]{3}$/.test(text) || CODES.has(text);
const WHOLE = new RegExp(`^${SIGN}$`, 'u');

/** True for the sign or code of a currency, e.g. `CHF`, `kr` or `US$`. */
export const isCurrencyName = (text: string): boolean => WHOLE.test(text) && isCurrency(text);

const DASH_ALONE = new RegExp(`^(.*?)[${BLANKS}]*([${DASHES}-])[${BLANKS}]*(.*)$`, 'u');

/** The dash of a text such as `$ -`, with which accounting formats show zero; null for other texts. */
export function dashOfAmount(text: string): string | null {
  const [, before = '', dash, after = ''] = DASH_ALONE.exec(text) ?? [];
  const name = before === '' ? after : after === '' ? before : '';
  return dash !== undefined && isCurrencyName(name) ? dash : null;
}

/** Null if the number has only a leading sign, or if a text around it is not a known mark. */
function marksOf(text: string): MarkedNumber | null {
  const ascii = asciiDigits(text);
  let rest = ascii.trim();
  let sign = '';
  let currency: string | null = null;
  let [isNegative, isPercent, isBehind] = [false, false, false];
  const rules: ValueRule[] = ascii === text ? [] : ['script-digits'];
  while (!DIGITS.test(rest)) {
    const before = rest;
    if (!isNegative && sign === '' && /^\(.*\)$/.test(rest)) {
      isNegative = true;
      rest = rest.slice(1, -1).trim();
    } else if (!isNegative && sign === '' && SIGN_BEFORE.test(rest)) {
      const written = rest.slice(0, 1);
      sign = written === '+' ? '+' : '-';
      if (written !== sign) rules.push('minus-sign');
      rest = rest.slice(1).trim();
    } else if (!isNegative && sign === '' && SIGN_BEHIND.test(rest)) {
      sign = rest.endsWith('+') ? '+' : '-';
      isBehind = true;
      rest = rest.slice(0, -1).trim();
    } else if (!isPercent && (rest.startsWith('%') || rest.endsWith('%'))) {
      isPercent = true;
      rest = rest.replace(/^%|%$/, '').trim();
    } else if (currency === null) {
      const found = FIRST.exec(rest) ?? LAST.exec(rest);
      const named = found?.[1];
      if (named !== undefined && isCurrency(named)) {
        currency = named;
        rest = found?.index === 0 ? rest.slice(found[0].length) : rest.slice(0, found?.index).trimEnd();
      }
    }
    if (rest === before) return null;
  }
  if (isPercent && currency !== null) return null;
  const found = {
    ...{ percent: isPercent, parentheses: isNegative, currency: currency !== null },
    'trailing-sign': isBehind,
  };
  const mark = MARKS.find((each) => found[each]);
  if (mark === undefined) return null;
  if (isNegative) rules.push('parentheses');
  if (currency !== null) rules.push('currency');
  if (isBehind) rules.push('trailing-sign');
  return { mark, core: `${isNegative ? '-' : sign}${rest}`, currency, rules };
}

/** The code of the currency in a text: `EUR` also for `€`. An ambiguous sign is returned unchanged. */
export function currencyOf(text: string): string | null {
  const found = marksOf(text)?.currency ?? null;
  return found === null ? null : (CODE_OF[found] ?? found);
}

/** The mark of a text that is a number with either decimal sign; null if it has no mark or is not a number. */
export function markOf(text: string): Mark | null {
  const found = marksOf(text);
  if (found === null) return null;
  return (readNumber(found.core, 'point') ?? readNumber(found.core, 'comma')) === null ? null : found.mark;
}

const MARK_OF = {
  currency: 'currency',
  parentheses: 'parentheses',
  'trailing-sign': 'trailing-sign',
  percent: 'percent',
  'percent-share': 'percent',
} as const satisfies Partial<Record<RepairKind, Mark>>;
export type MarkRepair = keyof typeof MARK_OF;

export const isMarkRepair = (kind: RepairKind): kind is MarkRepair => Object.hasOwn(MARK_OF, kind);

/**
 * The number without the mark that this repair removes; null for another mark. Sign, digits and separators are
 * unchanged.
 */
export function coreOf(kind: RepairKind, text: string): string | null {
  return isMarkRepair(kind) ? (marksOf(text)?.core ?? null) : null;
}

/** The repaired number with a decimal point and without separators. Null if this repair does not apply. */
export function unmarked(
  kind: MarkRepair,
  text: string,
  decimal: Decimal,
): { text: string; rules: ValueRule[] } | null {
  const found = marksOf(text);
  if (found === null || MARK_OF[kind] !== found.mark) return null;
  const number = readNumber(found.core, decimal);
  if (number === null) return null;
  const rules = [...found.rules, ...number.rules];
  if (kind === 'percent') return { text: number.text, rules: ['percent', ...rules] };
  if (kind !== 'percent-share') return { text: number.text, rules };
  const share = hundredth(number.text);
  return share === null ? null : { text: share, rules: ['percent-share', ...rules] };
}

/** The number divided by 100, with every digit; null for a number with an exponent. */
function hundredth(text: string): string | null {
  const found = /^([+-]?)(\d*)\.?(\d*)$/.exec(text);
  if (found === null) return null;
  const [, sign = '', whole = '', fraction = ''] = found;
  const digits = whole.padStart(3, '0');
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}${fraction}`;
}
