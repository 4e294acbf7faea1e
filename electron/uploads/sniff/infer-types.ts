/**
 * Determines types and null words of columns from sampled texts. Decisions that need the whole file are made by the
 * check.
 */

import { isRawNumber } from '../../shared/exact-json.ts';
import { parseLenient } from '../../shared/lenient-json.ts';
import type { RepairKind } from '../../shared/repair-options.ts';
import type { COLUMN_TYPES } from '../../shared/upload-model.ts';
import { excerptOf } from '../readers/row-source.ts';
import { NULL_WORDS } from '../validate/column-evidence.ts';
import { shownBy } from '../validate/json-reason.ts';
import { withPlainSign } from '../validate/number-reading.ts';
import { COMMA_EITHER, repairText } from '../validate/repairs.ts';
import { asciiNumber } from '../validate/script-digits.ts';
import { textOfFormula } from '../validate/text-formula.ts';
import { readTime } from '../validate/timestamps.ts';
import { notationNote } from './text-notations.ts';

type ColumnType = (typeof COLUMN_TYPES)[number];

const WHOLE = /^[+-]?(?:0|[1-9]\d*)$/;
const NUMBER = /^[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
/** A plus sign with this many digits is a telephone number, which would lose its plus sign as a number. */
const PHONE = /^\+\d{7,}$/;
/** Points may separate thousands before the decimal comma. */
const DECIMAL_COMMA = /^[+-]?\d[\d.]*,\d+$/;
/**
 * Digits with an E between them, probably an id in hexadecimal digits. Programs that print numbers with an exponent add
 * a point or a sign, as in 1.0E5 and 1e+16.
 */
const ID_WITH_E = /^\d+[eE]\d+$/;
const DIGITS_OR_ID = /^\d+(?:[eE]\d+)?$/;
const WORDS = new Set(['true', 'false']);

export type Kind = 'int' | 'float' | 'decimal' | 'bool' | 'timestamp' | 'vector' | 'json' | 'text';

export function kindOf(written: string): Kind {
  const { text } = withPlainSign(asciiNumber(written, 'point'));
  if (PHONE.test(text)) return 'text';
  if (WHOLE.test(text)) return 'int';
  if (NUMBER.test(text)) return isDouble(text) ? 'float' : 'decimal';
  // Words and JSON are read as written.
  if (WORDS.has(written.toLowerCase())) return 'bool';
  if (/^\d{1,4}[-/]/.test(text) && typeof readTime(text) !== 'string') return 'timestamp';
  if (/^[[{]/.test(written)) return jsonKind(written);
  return 'text';
}

const MAX_EXACT_DIGITS = 15;
const MAX_DOUBLE_DIGITS = 17;

/** True if a double keeps every digit. */
function isDouble(text: string): boolean {
  const digits = digitsOf(text);
  if (digits.length > MAX_DOUBLE_DIGITS || !Number.isFinite(Number(text))) return false;
  return digits.length <= MAX_EXACT_DIGITS || digitsOf(String(Number(text))) === digits;
}

/** The significant digits, without outer zeros, sign, point and exponent. */
const digitsOf = (text: string): string =>
  text
    .replace(/[eE].*$/, '')
    .replaceAll(/[+.-]/g, '')
    .replaceAll(/^0+|0+$/g, '');

function jsonKind(text: string): Kind {
  try {
    const { value } = parseLenient(text);
    const isVector =
      Array.isArray(value) &&
      value.length > 0 &&
      value.every((part) => isRawNumber(part) || Number.isFinite(part));
    return isVector ? 'vector' : 'json';
  } catch {
    // Not JSON, so it is text.
    return 'text';
  }
}

const isNumber = (kind: Kind): boolean => kind === 'int' || kind === 'float' || kind === 'decimal';

/** The one kind that fits all values; a mix of integers and decimals counts as decimals. Null if there is none. */
export function commonKind(kinds: ReadonlySet<Kind>): Kind | null {
  if (kinds.size === 0) return null;
  if (kinds.size === 1) return [...kinds][0] ?? null;
  if ([...kinds].every(isNumber)) return kinds.has('decimal') ? 'decimal' : 'float';
  if ([...kinds].every((kind) => kind === 'vector' || kind === 'json')) return 'json';
  return 'text';
}

/** Words that mean "no value" among the texts of a column. None in a column of texts, where any word may be a value. */
export function nullWordsOf(texts: readonly string[]): string[] {
  const found = new Set<string>();
  const others = new Set<Kind>();
  for (const raw of texts) {
    const text = raw.trim();
    if (text === '') continue;
    if (NULL_WORDS.includes(text)) found.add(text);
    else others.add(kindOf(text));
  }
  const kind = commonKind(others);
  return kind === null || kind === 'text' ? [] : [...found];
}

interface TypeGuess {
  type: ColumnType;
  /** A sentence about doubts about the type; null if there are none. */
  note: string | null;
}

/** Infers the type of a column from its texts, each with its line. */
export function inferType(
  name: string,
  texts: readonly { text: string; line: number }[],
  nullWords: readonly string[],
): TypeGuess {
  const values = texts
    .map(({ text, line }) => ({ text: text.trim(), line }))
    .filter(({ text }) => text !== '' && !nullWords.includes(text));
  const kinds = values.map(({ text }) => kindOf(text));
  const kind = commonKind(new Set(kinds));
  if (kind === null) return { type: 'str', note: null };
  const id = values.find(({ text }) => ID_WITH_E.test(text));
  if (id !== undefined && isNumber(kind) && values.every(({ text }) => DIGITS_OR_ID.test(text))) {
    const note = `Column “${excerptOf(name)}” is taken as text because values such as “${excerptOf(id.text)}” in line ${id.line} may be ids.`;
    return { type: isCategory(values) ? 'category' : 'str', note };
  }
  const version = isNumber(kind) && namesVersions(name) ? values.find(isCut(values)) : undefined;
  if (version !== undefined) {
    const note = `Column “${excerptOf(name)}” is taken as text because the numbers in it, such as “${excerptOf(version.text)}” in line ${version.line}, may be versions, which would lose the zero at their end.`;
    return { type: isCategory(values) ? 'category' : 'str', note };
  }
  if (kind !== 'text') return { type: kind, note: null };
  if (values.every(({ text }) => COMMA_EITHER.test(text))) {
    const note = `Column “${excerptOf(name)}” looks like numbers with a comma, which may separate decimals or thousands, first “${excerptOf(values[0]?.text ?? '')}”. They stay text unless they are repaired by “thousands” or “decimal-comma”.`;
    return { type: 'str', note };
  }
  if (values.every(({ text }) => DECIMAL_COMMA.test(text))) {
    const note = `Column “${excerptOf(name)}” looks like decimals with a comma. They are sent as numbers where the model has a number, and stay text elsewhere unless the decimal sign of the column is set to a comma.`;
    return { type: 'str', note };
  }
  const note =
    textFormulas(name, values) ??
    shownNote(name, values) ??
    marksNote(name, values, kinds) ??
    notationNote(name, values) ??
    nearMiss(name, values, kinds);
  return { type: isCategory(values) ? 'category' : 'str', note };
}

/** Words in names of columns whose values count in two parts, so that 3.10 follows 3.9. */
const COUNTED = /^(?:version|release|revision|(?:sub)?section|chapter|(?:sub)?clause|paragraph)s?$/;

/** Whole words count only, because a conversion is no version. */
const namesVersions = (name: string): boolean =>
  name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .some((word) => COUNTED.test(word));

/**
 * Finds a number such as 3.10 beside one with fewer decimals such as 3.9. Programs write a single zero behind the point
 * of any whole decimal, so 1.0 beside 0.25 shows nothing.
 */
function isCut(values: readonly LocatedText[]): (value: LocatedText) => boolean {
  const decimals = values.map(({ text }) => decimalsOf(text)).filter((count) => count > 0);
  const fewest = Math.min(...new Set(decimals));
  return ({ text }) => /^\d+\.[1-9]\d*0$/.test(text) && decimalsOf(text) > fewest;
}

/** Number of digits behind the point; 0 in other notations. */
const decimalsOf = (text: string): number => /^\d+\.(\d+)$/.exec(text)?.[1]?.length ?? 0;

interface LocatedText {
  text: string;
  line: number;
}

function textFormulas(name: string, values: readonly LocatedText[]): string | null {
  const first = values.find(({ text }) => textOfFormula(text) !== null);
  return first === undefined
    ? null
    : `Column “${excerptOf(name)}” holds formulas that stand for texts, first ${excerptOf(first.text)} in line ${first.line}. They are read as these texts.`;
}

/** A note for a column of dicts or lists that were written as Python or DuckDB shows them. */
function shownNote(name: string, values: readonly LocatedText[]): string | null {
  const found = values.filter(({ text }) => shownBy(text) !== null);
  const [first] = found;
  if (first === undefined || found.length < values.length / 2) return null;
  if (found.some(({ text }) => shownBy(text) === 'DuckDB'))
    return `Column “${excerptOf(name)}” has structs or lists as DuckDB shows them, first “${excerptOf(first.text)}” in line ${first.line}. They stay texts: export them with to_json first to send objects and lists.`;
  return `Column “${excerptOf(name)}” has dicts or lists in Python's notation, first “${excerptOf(first.text)}” in line ${first.line}. They stay texts: write them with json.dumps first to send objects and lists.`;
}

/** Repairs that turn a text into a number. */
const NUMBER_REPAIRS = [
  'percent',
  'currency',
  'parentheses',
  'trailing-sign',
  'thousands',
  'decimal-comma',
] as const;

/** A note for a column of numbers that carry marks, such as percent signs. */
function marksNote(name: string, values: readonly LocatedText[], kinds: readonly Kind[]): string | null {
  const used = new Set<string>();
  let first: LocatedText | null = null;
  for (const [at, value] of values.entries()) {
    if (isNumber(kinds[at] ?? 'text')) continue;
    const kind = NUMBER_REPAIRS.find((each) => makesNumber(each, value.text));
    if (kind === undefined) return null;
    used.add(kind);
    first ??= value;
  }
  if (first === null) return null;
  const chosen = [...used].map((kind) => `“${kind}”`).join(' and ');
  return `Column “${excerptOf(name)}” looks like numbers with marks, first “${excerptOf(first.text)}” in line ${first.line}. They stay text unless they are repaired by ${chosen}.`;
}

/** Whether these texts, without missing ones, are numbers, some of them only by these repairs. */
export function areNumbersBy(kinds: readonly RepairKind[], texts: readonly string[]): boolean {
  const values = texts.map((text) => text.trim()).filter((text) => text !== '');
  const marked = values.filter((text) => !isNumber(kindOf(text)));
  return marked.length > 0 && marked.every((text) => kinds.some((kind) => makesNumber(kind, text)));
}

function makesNumber(kind: RepairKind, text: string): boolean {
  const mended = repairText(kind, text, { type: 'float', categories: null });
  return mended !== null && mended !== undefined && isNumber(kindOf(mended));
}

function isCategory(values: readonly { text: string }[]): boolean {
  const distinct = new Set(values.map(({ text }) => text)).size;
  return values.length >= 20 && distinct <= 50 && distinct <= values.length / 5;
}

/**
 * Maximum share of texts in a column of numbers or times for a note: a half, to include a row of units above a single
 * number.
 */
const MAX_MISSES = 1 / 2;

/** A note for a column that would be numbers or times except for a few values. */
function nearMiss(name: string, values: readonly LocatedText[], kinds: readonly Kind[]): string | null {
  const texts = kinds.filter((kind) => kind === 'text').length;
  if (texts === 0 || texts > values.length * MAX_MISSES) return null;
  const first = values[kinds.indexOf('text')];
  if (first === undefined) return null;
  return `Column “${excerptOf(name)}” is taken as text because of ${texts} of ${values.length} sampled values, first “${excerptOf(first.text)}” in line ${first.line}.`;
}

/** A note for JSON texts that stand for numbers or times in another notation; null if a value is no text. */
export function jsonTextNote(
  name: string,
  values: readonly { value: unknown; line: number }[],
): string | null {
  const texts: LocatedText[] = [];
  for (const { value, line } of values) {
    if (value === null || value === undefined || value === '') continue;
    if (typeof value !== 'string') return null;
    texts.push({ text: value.trim(), line });
  }
  const kinds = texts.map(({ text }) => kindOf(text));
  if (!kinds.includes('text')) return null;
  return marksNote(name, texts, kinds) ?? notationNote(name, texts);
}

/** Type of a column of JSON values. */
export function inferJsonType(values: readonly unknown[]): ColumnType {
  const given = values.filter(
    (value) => value !== null && value !== undefined && (typeof value !== 'number' || Number.isFinite(value)),
  );
  const kinds = new Set(given.map(jsonWord));
  if (kinds.size === 0) return 'str';
  if (kinds.size > 1) return 'json';
  if (kinds.has('boolean')) return 'bool';
  if (kinds.has('number')) return numberType(given);
  if (kinds.has('list')) {
    const isVector = given.every(
      (value) => Array.isArray(value) && value.every((part) => typeof part === 'number' || isRawNumber(part)),
    );
    return isVector ? 'vector' : 'json';
  }
  if (kinds.has('object')) return 'json';
  const isTime = given.every(
    (value) => /^\d{4}-/.test(String(value)) && typeof readTime(String(value)) !== 'string',
  );
  return isTime ? 'timestamp' : 'str';
}

/** Type of JSON numbers. Numbers beyond double precision become int or decimal, so that they keep their digits. */
function numberType(given: readonly unknown[]): ColumnType {
  const kinds = new Set(given.map((value) => kindOf(isRawNumber(value) ? value.digits : String(value))));
  const kind = commonKind(kinds);
  return kind === 'int' || kind === 'decimal' ? kind : 'float';
}

function jsonWord(value: unknown): string {
  if (isRawNumber(value)) return 'number';
  return Array.isArray(value) ? 'list' : typeof value;
}
