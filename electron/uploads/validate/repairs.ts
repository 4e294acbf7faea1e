/** Detects the problem of a value that does not fit its column, and repairs it if the repair is obvious. Pure. */

import { editDistance } from '../../core/text/edit-distance.ts';
import type { ProblemKind, RepairKind } from '../../shared/repair-options.ts';
import { REPAIRS_OF } from '../../shared/repair-options.ts';
import type { ColumnPlan } from '../../shared/upload-model.ts';
import type { ValueRule } from '../../shared/value-ledger.ts';
import { isMarkRepair, type MarkRepair, markOf, unmarked } from './number-marks.ts';
import { type Decimal, GAPS, withPlainSign } from './number-reading.ts';
import { readTime } from './timestamps.ts';

export interface RepairColumn {
  type: ColumnPlan['type'];
  /** Categories of the model; null if it has none for this column. */
  categories: readonly (string | number | boolean)[] | null;
  /** Decimal sign of the column. */
  decimal?: Decimal | undefined;
}

/** The replacement of a value: null for no value, otherwise the text of a cell, or a number with a decimal point. */
interface Repaired {
  text: string | null;
  isNumber: boolean;
  rules: readonly ValueRule[];
}

/** Words with which spreadsheets and people write "no value". */
const NULL_WORDS = new Set(
  'n/a,na,n.a.,#n/a,null,(null),none,nil,nan,-,--,–,—,−,?,.,missing,unknown,undefined,(blank),<na>'.split(
    ',',
  ),
);
/** Words for "true" in many languages, some of their first letters, and the -1 of Access. */
const TRUE_WORDS = new Set(
  'x,✓,✔,1.0,-1,yes.,true.,ja,j,wahr,oui,o,vrai,si,sí,sì,s,sim,verdadero,verdadeiro,vero,waar,sant,sand,tosi,kyllä,tak,prawda,ano,pravda,igen,igaz,da,evet,doğru,да,истина,так,ναι,是,真,はい,예'.split(
    ',',
  ),
);
const FALSE_WORDS = new Set(
  '0.0,no.,false.,nein,falsch,non,faux,não,nao,falso,nee,onwaar,nej,nei,falskt,falsk,usann,ei,nie,fałsz,ne,nepravda,nem,hamis,nu,hayır,hayir,yanlış,нет,ложь,ні,όχι,否,假,いいえ,아니요'.split(
    ',',
  ),
);
const MONTHS = 'jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec'.split(',');

/** Quotes and invisible characters around a value. */
const WRAPPING = /[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"'’“”«»]/;
const GAP = new RegExp(`[${GAPS}]`, 'g');
/** A number whose comma may separate decimals or thousands. */
export const COMMA_EITHER = /^[+-]?[1-9]\d{0,2},\d{3}$/;
const DECIMAL_COMMA = new RegExp(`^[+-]?(?:\\d+|\\d{1,3}(?:[.${GAPS}]\\d{3})+),\\d+$`);
const DOTTED = /^[+-]?\d{1,3}(?:\.\d{3}){2,}$/;
/** Groups of three digits, or as in India of two before the last three. */
const THOUSANDS = new RegExp(
  `^[+-]?(?:\\d{1,3}(?:[,${GAPS}]\\d{3})+|\\d{1,2}(?:,\\d{2})+,\\d{3})(?:\\.\\d+)?$`,
);
const TIME = '(?:[ ,T]+(\\d{1,2}):(\\d{2})(?::(\\d{2}))?)?';
const DAY_FIRST = new RegExp(`^(\\d{1,2})([./-])(\\d{1,2})\\2(\\d{4}|\\d{2})${TIME}$`);
const DAY_MONTH_NAME = new RegExp(`^(\\d{1,2})[ .-]+([A-Za-z]{3,9})[ .,-]+(\\d{4})${TIME}$`);
const MONTH_NAME_DAY = new RegExp(`^([A-Za-z]{3,9})[ .-]+(\\d{1,2})[ ,.-]+(\\d{4})${TIME}$`);
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(\d{2})(\d{2}))?$/;

const RULE_OF_REPAIR: Readonly<Record<PlainRepair, ValueRule>> = {
  trim: 'repaired-text',
  'decimal-comma': 'decimal-comma',
  thousands: 'thousands',
  'null-word': 'null-word',
  spelling: 'spelling',
  'true-false': 'true-false',
  'day-first': 'day-first',
  'month-name': 'month-name',
  'compact-date': 'time-form',
  null: 'repaired-null',
};

/** The text without quotes and invisible characters around it. */
export function withoutQuotes(text: string): string {
  let [from, to] = [0, text.length];
  while (from < to && WRAPPING.test(text.charAt(from))) from += 1;
  while (from < to && WRAPPING.test(text.charAt(to - 1))) to -= 1;
  return text.slice(from, to);
}

/** The repaired value with the rules that changed it; undefined if this repair does not apply. */
export function repairOf(kind: RepairKind, text: string, column: RepairColumn): Repaired | undefined {
  const trimmed = withoutQuotes(text);
  if (isMarkRepair(kind)) {
    const number = unmarked(kind, trimmed, column.decimal ?? 'point');
    return number === null ? undefined : { ...number, isNumber: true };
  }
  const isOfNumbers = kind === 'decimal-comma' || kind === 'thousands';
  const number = isOfNumbers ? withPlainSign(trimmed) : { text: trimmed, rules: [] };
  const mended = repairPlain(kind, text, number.text, column);
  if (mended === undefined) return undefined;
  return { text: mended, isNumber: false, rules: [RULE_OF_REPAIR[kind], ...number.rules] };
}

/** The repaired value, to show as an example: null for no value, undefined if this repair does not apply. */
export const repairText = (kind: RepairKind, text: string, column: RepairColumn): string | null | undefined =>
  (repairOf(kind, text, column) ?? otherRepair(kind, text, column))?.text;

/** Tries the other decimal sign too, because that of the column may not be decided yet. */
const otherRepair = (kind: RepairKind, text: string, column: RepairColumn): Repaired | undefined =>
  isMarkRepair(kind)
    ? repairOf(kind, text, { ...column, decimal: column.decimal === 'comma' ? 'point' : 'comma' })
    : undefined;

type PlainRepair = Exclude<RepairKind, MarkRepair>;

function repairPlain(
  kind: PlainRepair,
  text: string,
  trimmed: string,
  column: RepairColumn,
): string | null | undefined {
  switch (kind) {
    case 'trim':
      return trimmed === text ? undefined : trimmed;
    case 'decimal-comma':
      return DECIMAL_COMMA.test(trimmed) || DOTTED.test(trimmed)
        ? trimmed.replaceAll('.', '').replaceAll(GAP, '').replace(',', '.')
        : undefined;
    case 'thousands':
      return THOUSANDS.test(trimmed) ? trimmed.replaceAll(',', '').replaceAll(GAP, '') : undefined;
    case 'null-word':
      return NULL_WORDS.has(trimmed.toLowerCase()) ? null : undefined;
    case 'spelling':
      return nearest(trimmed, column.categories ?? []);
    case 'true-false':
      return truthOf(trimmed.toLowerCase());
    case 'day-first':
      return dayFirst(trimmed);
    case 'month-name':
      return monthName(trimmed);
    case 'compact-date':
      return compactDate(trimmed);
    case 'null':
      return null;
  }
}

function truthOf(word: string): string | undefined {
  if (TRUE_WORDS.has(word)) return 'true';
  return FALSE_WORDS.has(word) ? 'false' : undefined;
}

const MARKS: ReadonlySet<ProblemKind> = new Set([
  ...(['percent', 'parentheses', 'currency', 'trailing-sign'] as const),
]);
const NUMBER_PROBLEMS: readonly ProblemKind[] = [
  ...(['null-word', 'trim', 'percent', 'parentheses', 'currency', 'trailing-sign'] as const),
  ...(['comma', 'decimal-comma', 'thousands'] as const),
];
/** The problems checked for each type of column, the most certain first. */
const OF_TYPE: Readonly<Record<ColumnPlan['type'], readonly ProblemKind[]>> = {
  int: NUMBER_PROBLEMS,
  float: NUMBER_PROBLEMS,
  decimal: NUMBER_PROBLEMS,
  bool: ['null-word', 'trim', 'true-false'],
  category: ['null-word', 'spelling'],
  timestamp: ['null-word', 'trim', 'month-name', 'compact-date', 'day-first'],
  str: [],
  vector: ['null-word'],
  json: ['null-word'],
};

/** The problem of a value. `fits`: whether a repaired text is valid in the column. */
export function problemOf(
  text: string,
  column: RepairColumn,
  fits: (mended: string) => boolean,
): ProblemKind {
  const found = OF_TYPE[column.type].find((problem) => {
    // Whether the number fits cannot be checked here, because the column's decimal sign may not be decided yet.
    if (MARKS.has(problem)) return markOf(withoutQuotes(text)) === problem;
    if (problem === 'comma' && !COMMA_EITHER.test(withoutQuotes(text))) return false;
    return REPAIRS_OF[problem].every((kind) => {
      const mended = repairText(kind, text, column);
      return mended === null || (mended !== undefined && fits(mended));
    });
  });
  return found ?? 'other';
}

/** True if the text is a valid date only with the day first. */
export function isSureDayFirst(text: string): boolean {
  const [, day, sign] = DAY_FIRST.exec(withoutQuotes(text)) ?? [];
  return sign === '.' || Number(day) > 12;
}

const two = (part: string | number): string => String(part).padStart(2, '0');

/** ISO text of a valid date, with its time if it has one. */
function isoText(
  [year, month, day]: readonly [string, string | number, string],
  time: readonly (string | undefined)[],
): string | undefined {
  const date = `${year}-${two(month)}-${two(day)}`;
  const [hour, minute, second] = time;
  const text = hour === undefined ? date : `${date} ${two(hour)}:${minute ?? '00'}:${second ?? '00'}`;
  return typeof readTime(text) === 'string' ? undefined : text;
}

function dayFirst(text: string): string | undefined {
  const [, day, , month, short, ...time] = DAY_FIRST.exec(text) ?? [];
  if (day === undefined || month === undefined || short === undefined) return undefined;
  const year = short.length === 2 ? `${Number(short) <= 68 ? '20' : '19'}${short}` : short;
  return isoText([year, month, day], time);
}

function monthName(text: string): string | undefined {
  const [, day, name, year, ...time] = DAY_MONTH_NAME.exec(text) ?? [];
  if (day !== undefined && name !== undefined && year !== undefined) return named(day, name, year, time);
  const [, first, second, last, ...clock] = MONTH_NAME_DAY.exec(text) ?? [];
  if (first === undefined || second === undefined || last === undefined) return undefined;
  return named(second, first, last, clock);
}

function named(
  day: string,
  name: string,
  year: string,
  time: readonly (string | undefined)[],
): string | undefined {
  const month = MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1;
  return month === 0 ? undefined : isoText([year, month, day], time);
}

function compactDate(text: string): string | undefined {
  const [, year, month, day, ...time] = COMPACT.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  return isoText([year, month, day], time);
}

const plainText = (text: string): string =>
  text
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** The one category with almost the same spelling; undefined if there is none, or several. */
function nearest(text: string, categories: readonly (string | number | boolean)[]): string | undefined {
  const wanted = plainText(text);
  if (wanted === '') return undefined;
  const names = categories.map(String);
  const same = names.filter((name) => plainText(name) === wanted);
  if (same.length > 0) return same.length === 1 ? same[0] : undefined;
  const most = wanted.length >= 8 ? 2 : wanted.length >= 4 ? 1 : 0;
  const near = names
    .map((name) => ({ name, distance: editDistance(wanted, plainText(name)) }))
    .filter(({ distance }) => distance <= most)
    .toSorted((a, b) => a.distance - b.distance);
  const [first, second] = near;
  return first === undefined || first.distance === second?.distance ? undefined : first.name;
}
