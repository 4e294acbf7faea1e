/**
 * One value of one column: cell text or JSON value in, JSON text out, or the reason why it is none. Digits are
 * never lost: whole numbers of any size keep theirs, decimals are sent as they are written.
 */

import { isRawNumber, parseExact, writeExact } from '../../shared/exact-json.ts';
import type { ColumnPlan } from '../../shared/upload-model.ts';
import { formatCheck, readTime, type TimeForm } from './timestamps.ts';

type ColumnType = ColumnPlan['type'];

interface BadValue {
  reason: string;
}
/** JSON text, or why there is none. */
export type Converted = string | BadValue;

export interface Converter {
  fromText(text: string): Converted;
  /** A value of a JSON file, as `parseExact` reads it. */
  fromJson(value: unknown): Converted;
}

export interface ConverterOptions {
  type: ColumnType;
  nullWords: readonly string[];
  /** Model's own values of a category, with their JSON types. */
  categories: readonly (string | number | boolean)[] | null;
  dimensions: number | null;
  /** Only for the model's time column. */
  timeFormat: string | null;
  onTime?: (form: TimeForm) => void;
}

const WHOLE = /^[+-]?\d+$/;
const WHOLE_DECIMAL = /^([+-]?\d+)\.0*$/;
const JSON_WHOLE = /^(?:0|-?[1-9]\d*)$/;
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const PARTS = /^([+-]?)(\d*)\.?(\d*)([eE][+-]?\d+)?$/;
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

function wholeFromText(text: string): Converted {
  if (JSON_WHOLE.test(text)) return text;
  if (WHOLE.test(text)) return BigInt(text.replace(/^\+/, '')).toString();
  const decimal = WHOLE_DECIMAL.exec(text);
  if (decimal !== null) return BigInt((decimal[1] ?? '').replace(/^\+/, '')).toString();
  if (NOT_FINITE.test(text)) return bad(NOT_FINITE_REASON);
  if (NUMBER.test(text)) return bad('Expected a whole number, got a decimal.');
  return bad('Expected a whole number.');
}

function numberFromText(text: string, isAnySize: boolean): Converted {
  if (JSON_NUMBER.test(text) && (isAnySize || Number.isFinite(Number(text)))) return text;
  if (NOT_FINITE.test(text)) return bad(NOT_FINITE_REASON);
  if (!NUMBER.test(text)) {
    const hint = /^[+-]?[\d.]*\d,\d+$/.test(text) ? ' Decimals need a point, not a comma.' : '';
    return bad(`Expected a number.${hint}`);
  }
  if (!isAnySize && !Number.isFinite(Number(text))) {
    return bad('Expected a number of at most about 1.8e308. Choose the type decimal for larger ones.');
  }
  return asJsonNumber(text);
}

/** The same number as JSON writes it, digit for digit. */
function asJsonNumber(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = ''] = PARTS.exec(text) ?? [];
  const digits = whole.replace(/^0+(?=\d)/, '') || '0';
  return `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
}

/** JSON text of a text; most need no escapes. */
function jsonText(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

function boolFromText(text: string): Converted {
  const word = text.toLowerCase();
  if (TRUE_WORDS.has(word)) return 'true';
  if (FALSE_WORDS.has(word)) return 'false';
  return bad('Expected true or false (also yes/no, t/f, 1/0).');
}

function vectorFromJson(value: unknown, dimensions: number | null): Converted {
  const isNumber = (part: unknown) => typeof part === 'number' || isRawNumber(part);
  if (!Array.isArray(value) || !value.every(isNumber))
    return bad('Expected a list of numbers such as [0.1, 0.2].');
  if (dimensions !== null && value.length !== dimensions) {
    return bad(`Expected ${dimensions} numbers, got ${value.length}.`);
  }
  return writeExact(value);
}

function jsonFromText(text: string): { value: unknown } | BadValue {
  try {
    return { value: parseExact(text) };
  } catch {
    return bad('Expected JSON.');
  }
}

/** Values that a model names as categories go with the type they have there. */
function categoryTexts(categories: ConverterOptions['categories']): ReadonlyMap<string, string> {
  return new Map((categories ?? []).map((category) => [String(category), JSON.stringify(category)]));
}

function timeConverter(options: ConverterOptions): (text: string) => Converted {
  const isInFormat = formatCheck(options.timeFormat);
  return (text) => {
    if (isInFormat?.(text) === true) {
      options.onTime?.('model');
      return JSON.stringify(text);
    }
    const time = readTime(text);
    if (typeof time === 'string') return bad(time);
    options.onTime?.(time.form);
    return time.json;
  };
}

function textConverter(options: ConverterOptions): (text: string, trimmed: string) => Converted {
  const toTime = timeConverter(options);
  const categories = categoryTexts(options.categories);
  switch (options.type) {
    case 'int':
      return (_text, trimmed) => wholeFromText(trimmed);
    case 'float':
      return (_text, trimmed) => numberFromText(trimmed, false);
    case 'decimal':
      return (_text, trimmed) => numberFromText(trimmed, true);
    case 'bool':
      return (_text, trimmed) => boolFromText(trimmed);
    case 'timestamp':
      return (_text, trimmed) => toTime(trimmed);
    case 'category':
      return (text, trimmed) => categories.get(trimmed) ?? jsonText(text);
    case 'str':
      return jsonText;
    case 'vector':
    case 'json':
      return (text) => {
        const parsed = jsonFromText(text);
        if ('reason' in parsed) return parsed;
        return options.type === 'json'
          ? writeExact(parsed.value)
          : vectorFromJson(parsed.value, options.dimensions);
      };
  }
}

/** Builds the conversion of one column. */
export function createConverter(options: ConverterOptions): Converter {
  const convert = textConverter(options);
  const nullWords = new Set(options.nullWords);
  const fromText = (text: string): Converted => {
    const trimmed = text.trim();
    return trimmed === '' || nullWords.has(trimmed) ? 'null' : convert(text, trimmed);
  };
  return { fromText, fromJson: (value) => fromJson(value, fromText, options) };
}

function fromJson(
  value: unknown,
  fromText: (text: string) => Converted,
  options: ConverterOptions,
): Converted {
  const { type } = options;
  if (value === null || value === undefined) return 'null';
  if (type === 'json') return writeExact(value);
  if (type === 'vector') {
    return typeof value === 'string' ? fromText(value) : vectorFromJson(value, options.dimensions);
  }
  if (typeof value === 'string') {
    // An empty text in JSON is a text, not a missing value.
    return value === '' && (type === 'str' || type === 'category') ? '""' : fromText(value);
  }
  if (typeof value === 'boolean') return booleanAs(type, value);
  if (typeof value === 'number') return numberAs(type, String(value), fromText);
  if (isRawNumber(value)) return numberAs(type, value.digits, fromText);
  return bad(`Expected ${wordOf(type)}, got ${Array.isArray(value) ? 'a list' : 'an object'}.`);
}

function booleanAs(type: ColumnType, value: boolean): Converted {
  if (type === 'str') return JSON.stringify(String(value));
  if (type === 'bool' || type === 'category') return String(value);
  return bad(`Expected ${wordOf(type)}, got true or false.`);
}

function numberAs(type: ColumnType, text: string, fromText: (text: string) => Converted): Converted {
  if (type === 'str') return JSON.stringify(text);
  if (type !== 'category') return fromText(text);
  const known = fromText(text);
  // A category the model does not name stays the number it was.
  return known === JSON.stringify(text) ? text : known;
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
