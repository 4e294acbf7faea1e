/**
 * Converts one value of a column from cell text or a JSON value to JSON text, or returns the reason why it is invalid.
 * Digits are never lost: integers of any size keep theirs, and decimals are sent as written.
 */

import type { ColumnReading } from '../../shared/column-reading.ts';
import { isRawNumber, writeSigned } from '../../shared/exact-json.ts';
import { doubledKeys, parseLenient } from '../../shared/lenient-json.ts';
import type { ColumnPlan } from '../../shared/upload-model.ts';
import type { ValueRule } from '../../shared/value-ledger.ts';
import { isNumeric, isText, NULL_MARK } from './column-evidence.ts';
import { jsonReason, NO_JSON } from './json-reason.ts';
import { dashOfAmount } from './number-marks.ts';
import { readNumber, withPlainSign } from './number-reading.ts';
import { numberReason } from './number-reason.ts';
import { asciiDigits, hasArabicSeparator } from './script-digits.ts';
import type { TimeValue } from './time-value.ts';
import { formatCheck, formatOrder, namesZone, readTime } from './timestamps.ts';

type ColumnType = ColumnPlan['type'];

interface BadValue {
  reason: string;
}
/** A JSON text, or the reason why the value cannot be converted. */
export type Converted = string | BadValue;

export interface Converter {
  fromText(text: string): Converted;
  /** Converts digits with a decimal point, whatever the column's decimal sign is. */
  fromNumber(text: string): Converted;
  /**
   * Converts a value of a JSON file, as parsed by `parseExact`. Numbers that are not finite stand for NaN and Infinity.
   */
  fromJson(value: unknown): Converted;
  /**
   * The rules that changed the value converted last. A rule occurs once for each part that it changed. Valid until the
   * next conversion.
   */
  readonly applied: readonly ValueRule[];
}

export interface ConverterOptions {
  type: ColumnType;
  nullWords: readonly string[];
  reading?: ColumnReading | undefined;
  /** Category values of the model, with their JSON types. */
  categories: readonly (string | number | boolean)[] | null;
  dimensions: number | null;
  /** Only for the model's time column. */
  timeFormat: string | null;
  /** True for the model's time column, whose times should be those of events. */
  isEventTime?: boolean;
  onTime?: (time: Pick<TimeValue, 'form'>) => void;
}

const WHOLE = /^[+-]?\d+$/;
const WHOLE_DECIMAL = /^([+-]?\d+)\.0*$/;
const JSON_WHOLE = /^(?:0|-?[1-9]\d*)$/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const PARTS = /^([+-]?)(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/;
const PLAIN = /^[ !#-[\]-~]*$/;
const NOT_FINITE = /^[+-]?(?:nan|inf|infinity)$/i;
const TRUE_WORDS = new Set(['true', 't', 'yes', 'y', '1', 'on']);
const FALSE_WORDS = new Set(['false', 'f', 'no', 'n', '0', 'off']);

const NOT_FINITE_REASON =
  'Expected a number, got NaN or infinity, which JSON cannot hold. Add it to the values read as empty to send no value.';

const bad = (reason: string): BadValue => ({ reason });

export function isBad(value: Converted): value is BadValue {
  return typeof value !== 'string';
}

type Rules = ValueRule[];

/** A number in ASCII digits and signs, without separators other than those of Arabic digits, which have one meaning. */
function plainNumber(written: string): ReturnType<typeof withPlainSign> {
  const arabic = hasArabicSeparator(written) ? readNumber(written, 'point') : null;
  if (arabic !== null) return arabic;
  const ascii = asciiDigits(written);
  const { text, rules } = withPlainSign(ascii);
  return { text, rules: ascii === written ? rules : [...rules, 'script-digits'] };
}

/** Reads with the column's decimal sign if it is known; otherwise in the notation of programming languages. */
function numberText(text: string, decimal: ColumnReading['decimal'], rules: Rules): string | BadValue {
  const found = decimal === undefined ? plainNumber(text) : readNumber(text, decimal);
  if (found === null) {
    if (decimal === 'point' || !text.includes('.') || readNumber(text, 'point') === null) return text;
    return bad('Expected a number with a decimal comma, as in the rest of the column, got one with a point.');
  }
  rules.push(...found.rules);
  return found.text;
}

function wholeFromText(text: string, rules: Rules): Converted {
  if (JSON_WHOLE.test(text)) return text;
  const decimal = WHOLE_DECIMAL.exec(text);
  if (WHOLE.test(text) || decimal !== null) {
    rules.push(decimal === null || !text.includes('.') ? 'number-form' : 'whole-number');
    return BigInt((decimal?.[1] ?? text).replace(/^\+/, '')).toString();
  }
  if (NOT_FINITE.test(text)) return bad(NOT_FINITE_REASON);
  if (/^[+-]?\d[\d.]*[eE]/.test(text) && NUMBER.test(text))
    return bad(
      'Expected a whole number with all of its digits, got one with an exponent, which may have lost some.',
    );
  if (NUMBER.test(text)) return bad('Expected a whole number, got a decimal.');
  return bad(numberReason(text, 'Expected a whole number'));
}

function numberFromText(text: string, isAnySize: boolean, rules: Rules): Converted {
  if (JSON_NUMBER.test(text) && (isAnySize || Number.isFinite(Number(text)))) return text;
  if (NOT_FINITE.test(text)) return bad(NOT_FINITE_REASON);
  if (!NUMBER.test(text)) {
    const hint = /^[+-]?[\d.]*\d,(?:\d+|-+)$/.test(text) ? ' Decimals need a point, not a comma.' : '';
    return bad(`${numberReason(text, 'Expected a number')}${hint}`);
  }
  if (!isAnySize && !Number.isFinite(Number(text))) {
    return bad('Expected a number of at most about 1.8e308. Choose the type decimal for larger ones.');
  }
  rules.push('number-form');
  return asJsonNumber(text);
}

/** The same number in JSON notation, with all digits. */
function asJsonNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = ''] = PARTS.exec(text) ?? [];
  const digits = whole.replace(/^0+(?=\d)/, '') || '0';
  return `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
}

/** JSON text of a string. Most strings need no escapes. */
function jsonText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function boolFromText(text: string, rules: Rules): Converted {
  if (text === 'true' || text === 'false') return text;
  // Programs write 1 and 0 as 1.0 and 0.0 in a column with missing values.
  const word = WHOLE_DECIMAL.exec(text)?.[1] ?? text.toLowerCase();
  const isTrue = TRUE_WORDS.has(word);
  if (!isTrue && !FALSE_WORDS.has(word)) return bad('Expected true or false (also yes/no, t/f, 1/0).');
  rules.push('true-false');
  return String(isTrue);
}

const NO_VECTOR = 'Expected a list of numbers such as [0.1, 0.2].';

function vectorFromJson(value: unknown, dimensions: number | null): Converted {
  const isNumber = (part: unknown) => typeof part === 'number' || isRawNumber(part);
  if (!Array.isArray(value) || !value.every(isNumber)) return bad(NO_VECTOR);
  if (value.some((part) => typeof part === 'number' && !Number.isFinite(part)))
    return bad('Expected a list of numbers, got one with NaN or infinity, which JSON cannot hold.');
  if (value.some((part) => !Number.isFinite(Number(part))))
    return bad('Expected numbers of at most about 1.8e308, got a larger one.');
  if (dimensions !== null && value.length !== dimensions) {
    return bad(`Expected ${dimensions} numbers, got ${value.length}.`);
  }
  return `[${value.map((part) => (isRawNumber(part) ? part.digits : digitsOf(Number(part)))).join(',')}]`;
}

/** The parsed value of a JSON text. NaN, Infinity and repeated keys are allowed, as in a JSON file. */
function jsonFromText(text: string, rules: Rules): { value: unknown } | BadValue {
  try {
    const { value, oddities } = parseLenient(text);
    for (const { kind } of [...oddities, ...doubledKeys(text, value)]) rules.push(kind);
    return { value };
  } catch {
    return bad(jsonReason(text));
  }
}

/** JSON texts of the model's categories. Their values are sent with the type that they have in the model. */
function categoryTexts(categories: ConverterOptions['categories']): ReadonlyMap<string, string> {
  return new Map((categories ?? []).map((category) => [String(category), JSON.stringify(category)]));
}

/** The integer category for a number written as 1.0, as pandas does in a column with missing values. */
function wholeCategory(
  text: string,
  categories: ReadonlyMap<string, string>,
  rules: Rules,
): string | undefined {
  const found = categories.get(WHOLE_DECIMAL.exec(text)?.[1] ?? '');
  if (found === undefined || found.startsWith('"')) return undefined;
  rules.push('whole-number');
  return found;
}

/** Years of events. Programs write earlier and later ones for a missing or an endless time. */
const [MIN_EVENT_YEAR, MAX_EVENT_YEAR] = [1971, 2098];

/** True for a time in JSON text that is written with a year in which no event of a model lies. */
function isFarTime(json: string): boolean {
  const year = Number(/^"(\d{4})-/.exec(json)?.[1] ?? MIN_EVENT_YEAR);
  return year < MIN_EVENT_YEAR || year > MAX_EVENT_YEAR;
}

function timeConverter(options: ConverterOptions, rules: Rules): (text: string) => Converted {
  const isInFormat = formatCheck(options.timeFormat);
  const reading = options.reading ?? {};
  return (text) => {
    const isOwn = isInFormat?.(text) === true;
    if (isOwn && reading.zone === undefined) {
      options.onTime?.({ form: 'model' });
      if (!namesZone(options.timeFormat)) rules.push('utc');
      return JSON.stringify(text);
    }
    const time = readTime(text, isOwn ? { ...reading, days: formatOrder(options.timeFormat) } : reading);
    if (typeof time === 'string') return bad(time);
    for (const rule of time.rules) rules.push(rule);
    if (time.isZoneless && reading.zone === undefined) rules.push('utc');
    if (options.isEventTime === true && isFarTime(time.json)) rules.push('far-time');
    options.onTime?.(time);
    return time.json;
  };
}

function textConverter(
  options: ConverterOptions,
  rules: Rules,
): (text: string, trimmed: string, decimal: ColumnReading['decimal']) => Converted {
  const toTime = timeConverter(options, rules);
  const categories = categoryTexts(options.categories);
  const { type } = options;
  switch (type) {
    case 'int':
    case 'float':
    case 'decimal':
      return (_text, trimmed, decimal) => {
        const number = numberText(trimmed, decimal, rules);
        if (isBad(number)) return number;
        return type === 'int'
          ? wholeFromText(number, rules)
          : numberFromText(number, type === 'decimal', rules);
      };
    case 'bool':
      return (_text, trimmed) => boolFromText(trimmed, rules);
    case 'timestamp':
      return (_text, trimmed) => toTime(trimmed);
    case 'category':
      return (text, trimmed) =>
        categories.get(trimmed) ?? wholeCategory(trimmed, categories, rules) ?? jsonText(text);
    case 'str':
      return jsonText;
    case 'vector':
    case 'json':
      return (text) => {
        const parsed = jsonFromText(text, rules);
        if ('reason' in parsed)
          return parsed.reason === NO_JSON && type === 'vector' ? bad(NO_VECTOR) : parsed;
        return type === 'json' ? writeSigned(parsed.value) : vectorFromJson(parsed.value, options.dimensions);
      };
  }
}

/** Column types whose texts keep surrounding blanks. */
const KEEPS_BLANKS: ReadonlySet<ColumnType> = new Set(['str', 'json', 'vector']);

/** Builds the conversion of one column. */
export function createConverter(options: ConverterOptions): Converter {
  const rules: Rules = [];
  const convert = textConverter(options, rules);
  const { type, reading } = options;
  const nullWords = new Set([...options.nullWords, ...(reading?.nulls ?? [])]);
  const isAmount = isNumeric(type);
  const isMarked = isText(type) && reading?.nulls === undefined;
  const toJson = (text: string, decimal: ColumnReading['decimal']): Converted => {
    const trimmed = text.trim();
    if (trimmed === '') {
      if (text !== '') rules.push('blank');
      return 'null';
    }
    if (nullWords.has(trimmed) || (isAmount && isNullDash(trimmed, nullWords))) {
      rules.push('null-word');
      return 'null';
    }
    const json = convert(text, trimmed, decimal);
    const isTrimmed = trimmed.length !== text.length && !KEEPS_BLANKS.has(type);
    if (isTrimmed && (type !== 'category' || json !== jsonText(text))) rules.push('trimmed');
    return json;
  };
  return {
    applied: rules,
    fromText: (text) => {
      rules.length = 0;
      if (!isMarked || text.trim() !== NULL_MARK) return toJson(text, reading?.decimal);
      rules.push('null-word');
      return 'null';
    },
    fromNumber: (text) => {
      rules.length = 0;
      return toJson(text, undefined);
    },
    fromJson: (value) => {
      rules.length = 0;
      return fromJson(value, toJson, options, rules);
    },
  };
}

/** True for a dash next to a currency sign, if a single dash means "no value". */
function isNullDash(text: string, nullWords: ReadonlySet<string>): boolean {
  if (text.length > MAX_DASH_CHARS || /\d/.test(text)) return false;
  const dash = dashOfAmount(text);
  return dash !== null && nullWords.has(dash);
}

const MAX_DASH_CHARS = 40;

type ToJson = (text: string, decimal: ColumnReading['decimal']) => Converted;

function fromJson(value: unknown, toJson: ToJson, options: ConverterOptions, rules: Rules): Converted {
  const { type } = options;
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number' && !Number.isFinite(value)) {
    rules.push('not-finite');
    return 'null';
  }
  if (type === 'json') {
    const json = writeSigned(value);
    if (json.includes('null')) rules.push(...notFiniteIn(value));
    return json;
  }
  if (type === 'vector') {
    if (typeof value !== 'string') return vectorFromJson(value, options.dimensions);
    rules.push('json-of-text');
    return toJson(value, undefined);
  }
  if (typeof value === 'string') return textAs(value, toJson, options, rules);
  if (typeof value === 'boolean') return booleanAs(type, value, rules);
  // A number in JSON has a decimal point, whatever the decimal sign of the column's texts is.
  if (typeof value === 'number') return numberAs(type, digitsOf(value), toJson, rules);
  if (isRawNumber(value)) return numberAs(type, value.digits, toJson, rules);
  return bad(`Expected ${wordOf(type)}, got ${Array.isArray(value) ? 'a list' : 'an object'}.`);
}

/** The number as JSON text. `String` would lose the sign of -0. */
export const digitsOf = (value: number): string => (Object.is(value, -0) ? '-0' : String(value));

/** In JSON, an empty text is a text and not a missing value. */
function textAs(value: string, toJson: ToJson, { type, reading }: ConverterOptions, rules: Rules): Converted {
  if (value === '') {
    if (isText(type)) return '""';
    rules.push('empty-text');
    return 'null';
  }
  const json = toJson(value, reading?.decimal);
  if (isBad(json) || json === 'null') return json;
  if (type === 'category' && !json.startsWith('"')) rules.push('category-type');
  else if (type === 'int' || type === 'float' || type === 'decimal') rules.push('number-of-text');
  else if (type === 'bool' && !rules.includes('true-false')) rules.push('true-false');
  return json;
}

function booleanAs(type: ColumnType, value: boolean, rules: Rules): Converted {
  if (type === 'str') {
    rules.push('text-of-boolean');
    return JSON.stringify(String(value));
  }
  if (type === 'bool' || type === 'category') return String(value);
  return bad(`Expected ${wordOf(type)}, got true or false.`);
}

function numberAs(type: ColumnType, text: string, toJson: ToJson, rules: Rules): Converted {
  if (type === 'str') {
    rules.push('text-of-number');
    return JSON.stringify(text);
  }
  if (type === 'bool') {
    const json = toJson(text, undefined);
    return json;
  }
  if (type !== 'category') return toJson(text, undefined);
  const known = toJson(text, undefined);
  // A category that the model does not name remains a number if it was one.
  if (known === JSON.stringify(text)) return text;
  if (known !== text && known !== 'null') rules.push('category-type');
  return known;
}

/** NaN and Infinity inside a list or an object are written as null. Returns the rule once for each of them. */
function notFiniteIn(value: unknown): ValueRule[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : ['not-finite'];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(notFiniteIn) : [];
}

function wordOf(type: ColumnType): string {
  const words: Record<ColumnType, string> = {
    int: 'a whole number',
    float: 'a number',
    decimal: 'a number',
    str: 'a text',
    bool: 'true or false',
    category: 'a single value',
    timestamp: 'a time',
    vector: 'a list of numbers',
    json: 'JSON',
  };
  return words[type];
}
