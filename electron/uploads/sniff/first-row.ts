/** Decides whether the first row of delimited text holds the names of its columns. Pure. */
import { NULL_WORDS } from '../validate/column-evidence.ts';
import { looksLikeNumber } from '../validate/number-reading.ts';
import { asciiDigits } from '../validate/script-digits.ts';
import { secondTable } from './second-table.ts';
import { isCounted, isDatum, isSeriesOfNames, isTimeAmongTimes } from './series-header.ts';
import type { TrialRow } from './table-start.ts';

const SEEN_ROWS = 200;
const MAX_WORDS_OF_NAME = 5;

/** Ignores blanks, and a byte order mark in the middle of a joined file. */
const plainCell = (cell: string | undefined): string => (cell ?? '').replace('\uFEFF', '').trim();
const isSameRow = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((cell, at) => plainCell(cell) === plainCell(other[at]));

const columnOf = (rows: readonly (readonly string[])[], at: number): string[] =>
  rows.map((row) => row[at] ?? '');

/** True if all values of some column are numbers or times. */
export const isTypedBelow = (first: readonly string[], body: readonly (readonly string[])[]): boolean =>
  first.some((_cell, index) => {
    const values = body.map((row) => row[index] ?? '').filter((cell) => cell.trim() !== '');
    return values.length > 0 && values.every(isDatum);
  });

/** An entry of a list without a header, such as a question. */
export const isSentence = (text: string): boolean =>
  /[.?!]\s*$/.test(text) || text.trim().split(/\s+/).length > MAX_WORDS_OF_NAME;

/** True if most of the texts are sentences. Short texts below a question would be the answers to it. */
function areMostlySentences(rows: readonly (readonly string[])[]): boolean {
  const found = rows.slice(0, SEEN_ROWS).filter(([only = '']) => isSentence(only)).length;
  return found > Math.min(rows.length, SEEN_ROWS) / 2;
}

/**
 * The form of a text: each number, in any script, becomes one zero, and blanks one blank. Null if it has no number, or
 * nothing else.
 */
function formOf(text: string): string | null {
  const form = text
    .trim()
    .replaceAll(/\p{Nd}+(?:[.,]\p{Nd}+)*/gu, '0')
    .replaceAll(/\s+/g, ' ');
  return /0/.test(form) && form !== '0' ? form : null;
}

/** Minimum number of equal forms below a text for it to be one of them, such as user_1 above user_2 and user_3. */
const MIN_EQUAL_FORMS = 2;

/** True if the text is one of the values below it: they differ from it in their digits alone, and from each other. */
function isOneOfForm(text: string, below: readonly string[]): boolean {
  const form = formOf(text);
  const values = below.filter((value) => value.trim() !== '');
  return (
    form !== null &&
    values.length >= MIN_EQUAL_FORMS &&
    new Set(values).size > 1 &&
    values.every((value) => formOf(value) === form)
  );
}

/** The numbers that count texts, such as 1 and 2 in item01 and item02; empty if the texts differ in more than these. */
function countIn(cells: readonly string[]): string[] {
  const parts = cells.map((cell) => {
    const text = asciiDigits(cell.trim());
    const { index = 0, 0: digits = '' } = [...text.matchAll(/\d+/g)].at(-1) ?? {};
    return { digits, around: `${text.slice(0, index)}0${text.slice(index + digits.length)}` };
  });
  const isSame = parts.every(({ digits, around }) => digits !== '' && around === parts[0]?.around);
  return isSame ? parts.map(({ digits }) => String(Number(digits))) : [];
}

/**
 * True if texts of the first row are counted from 0 or 1, as node1 and node2 are above pairs of nodes. They are values
 * if those below are counted too, or continue the count.
 */
function areCountedNames(cells: readonly string[], rows: readonly (readonly string[])[]): boolean {
  const count = countIn(cells);
  const next = Number(count.at(-1)) + 1;
  if (cells.length < 2 || !isCounted(count) || Number(countIn(rows[0] ?? [])[0]) === next) return false;
  return !rows.some((row) => isCounted(countIn(row)));
}

/**
 * True if a text of the first row is one of the values below it, and no name: no other text stands above numbers or
 * times, and such texts are not counted across the columns.
 */
function isOneOfValues(first: readonly string[], body: readonly (readonly string[])[]): boolean {
  const places = first.flatMap((cell, at) => (isOneOfForm(cell, columnOf(body, at)) ? [at] : []));
  const at = (row: readonly string[]): string[] => places.map((place) => row[place] ?? '');
  return places.length > 0 && !isNameAboveTyped(first, body) && !areCountedNames(at(first), body.map(at));
}

/** True if a text that is no word for a missing value stands above numbers or times alone. */
const isNameAboveTyped = (first: readonly string[], body: readonly (readonly string[])[]): boolean =>
  first.some(
    (cell, at) =>
      plainCell(cell) !== '' &&
      !NULL_WORDS.includes(plainCell(cell)) &&
      isTypedBelow(
        [cell],
        columnOf(body, at).map((text) => [text]),
      ),
  );

/** Minimum number of names above numbers or times for a first row that has a number too. */
const MIN_NAMES_BESIDE_NUMBER = 2;
/** Minimum numbers of rows below a number among names: if it clearly differs from its column, and otherwise. */
const MIN_ROWS_BELOW_NUMBER = { clear: 2, other: 10 };

/** A whole number that is no year. */
const isPlainNumber = (cell: string): boolean => /^\d{1,6}$/.test(cell) && !/^(?:19|20)\d\d$/.test(cell);

/** 0 above 1, 2, 3…: the index of a table whose header was counted as a row. */
const isIndexWithHeader = (cell: string, below: readonly string[]): boolean =>
  cell === '0' && below.every((value, at) => value === String(at + 1));

/** True if the names stand above columns of different kinds: numbers, and times or JSON. */
const areOfSeveralKinds = (columns: readonly (readonly string[])[]): boolean =>
  new Set(columns.map((column) => column.every((value) => value === '' || isNumber(value)))).size > 1;

const isNumber = (cell: string): boolean =>
  Number.isFinite(Number(cell)) || looksLikeNumber(cell, 'point') || looksLikeNumber(cell, 'comma');

/**
 * True if a number of the first row is a name, not the first value of its column: it is the index of the header, or it
 * stands above texts or times alone. `isClear`: the names beside it stand above columns of different kinds.
 */
function isNumberAsName(cell: string, column: readonly string[], isClear: boolean): boolean {
  const below = column.map(plainCell).filter((value) => value !== '');
  const { clear, other } = MIN_ROWS_BELOW_NUMBER;
  if (!isPlainNumber(cell)) return false;
  if (isIndexWithHeader(cell, below)) return below.length >= (isClear ? clear : other);
  const areTimes = below.every((value) => isDatum(value) && !isNumber(value));
  const areTexts = !below.some(isDatum);
  return (areTimes && below.length >= clear) || (areTexts && below.length >= other);
}

/**
 * True if several different words stand above numbers or times alone, at least as many as there are numbers in the first
 * row, and these numbers are names too, such as the number of an index in front of the names.
 */
function hasNamesAboveTyped(first: readonly string[], body: readonly (readonly string[])[]): boolean {
  const columns = first.map((cell, at) => ({ cell, values: columnOf(body, at) }));
  const named = columns.filter(
    ({ cell, values }) =>
      /\p{L}/u.test(cell) &&
      !isDatum(cell) &&
      isNameAboveTyped(
        [cell],
        values.map((text) => [text]),
      ),
  );
  const numbers = columns.filter(({ cell }) => isDatum(cell));
  const names = new Set(named.map(({ cell }) => cell));
  if (names.size < Math.max(MIN_NAMES_BESIDE_NUMBER, numbers.length)) return false;
  const isClear = areOfSeveralKinds(named.map(({ values }) => values.map(plainCell)));
  return numbers.every(({ cell, values }) => isNumberAsName(plainCell(cell), values, isClear));
}

/** Maximum share of rows in which two columns of one name have equal values. */
const MAX_EQUAL = 0.1;

/** True if names that stand more than once in the first row are names nevertheless: the values below them differ. */
function areRepeatedNames(first: readonly string[], body: readonly (readonly string[])[]): boolean {
  const pairs = first.flatMap((name, at) => {
    const before = first.indexOf(name);
    return name === '' || before === at ? [] : [[before, at] as const];
  });
  const isEqual = (row: readonly string[]): boolean =>
    pairs.some(([one, other]) => row[one] === row[other] && (row[one] ?? '') !== '');
  return body.filter(isEqual).length <= body.length * MAX_EQUAL;
}

/** Names that columns of tables have, and that no row of values consists of. */
const USUAL_NAME =
  /^(?:id|name|text|label|question|answer|prompt|completion|instruction|context|query|input|output|response|reference|target|prediction|score|category|language|timestamp|source|model|split|title|url)s?$/i;

/**
 * True if a row of texts alone that occurs again is the header of joined files: it is repeated behind a byte order mark,
 * or it has a usual name, and no other row has one of its names in the same column.
 */
function isJoined(table: readonly TrialRow[], others: readonly (readonly string[])[]): boolean {
  const first = table.find(({ cells }) => cells !== null)?.cells ?? [];
  const again = table.filter(({ cells }) => cells !== null && cells !== first && isSameRow(cells, first));
  if (again.length === 0) return false;
  if (again.some(({ isMarked }) => isMarked)) return true;
  const names = first.map(plainCell);
  const isAmongValues = others.some((row) =>
    names.some((name, at) => name !== '' && plainCell(row[at]) === name),
  );
  return (
    names.some((name) => USUAL_NAME.test(name)) && !isAmongValues && new Set(names).size === names.length
  );
}

/** True if the first row looks like names: neither numbers nor times, and not repeated in their own column. */
export function beginsWithNames(all: readonly TrialRow[]): boolean {
  // Rows of a further table say nothing about the first row of this one.
  const table = all.slice(0, secondTable(all) ?? all.length);
  const [first, ...rest] = table.flatMap(({ cells }) => (cells === null ? [] : [cells]));
  if (first === undefined) return false;
  const [only = ''] = first;
  if (first.length === 1 && isSentence(only) && areMostlySentences(rest)) return false;
  // Joined files repeat their header. The repetition is ignored, so that the types of the columns show.
  const others = rest.filter((row) => !isSameRow(row, first)).slice(0, SEEN_ROWS);
  if (others.length < rest.length && first.length > 1 && !first.some(isDatum)) {
    if (isTypedBelow(first, others) || isJoined(table, others)) return true;
  }
  const body = rest.slice(0, SEEN_ROWS);
  if (first.some(isDatum)) return isSeriesOfNames(first, body) || hasNamesAboveTyped(first, body);
  if (first.some((cell, at) => isTimeAmongTimes(cell, columnOf(body, at))) || isOneOfValues(first, body))
    return false;
  if (isTypedBelow(first, body) || body.length === 0) return true;
  const comesAgain = first.some((cell, index) => cell !== '' && body.some((row) => row[index] === cell));
  return !comesAgain && areRepeatedNames(first, body);
}
