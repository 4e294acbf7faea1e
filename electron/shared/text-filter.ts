/**
 * Filters rows by typed text, or by a regular expression between slashes, with the same grammar for stored lists in
 * main and for loaded rows in the window. Expressions are matched in linear time (RE2), so that none can block either
 * process; this excludes look-around and back references.
 */
import { RE2JS, RE2JSSyntaxException } from 're2js';
import { numberText } from './count-text.ts';
import { AppError } from './errors.ts';
import { fold, MAX_TYPED_CHARS } from './fold.ts';
import { constantsSaid, isSaid, type SaidConstants, type WordTable } from './shown-words.ts';

/** Whether a row matches, by its displayed text. */
type Matcher = (shownText: string) => boolean;

/** Separates two displayed values, so that no match includes both. */
export const VALUE_SEPARATOR = '\u001f';

/** Characters of a value that an expression is matched against; a plain text is found anywhere. */
export const MAX_VALUE_CHARS = 10_000;
/**
 * Bound of the size of an expression with its repetitions written out, as the compiler does: `(…){500}` of a long
 * expression takes as many steps.
 */
const TYPED_BOUNDS = { writtenOut: 10_000, steps: 1_000 };
/** Bounds of an expression of a JSON schema, which often counts characters: `^.{1,512}$`. */
export const SCHEMA_BOUNDS = { writtenOut: 100_000, steps: 10_000 };

const FLAGS: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  // `u` changes nothing, because characters are always Unicode characters.
  u: 0,
};

function shown(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : (JSON.stringify(value) ?? '');
}

/** Displayed text of a record: its values, nested ones as JSON. */
export function shownTextOf(item: Readonly<Record<string, unknown>>): string {
  return Object.values(item).map(shown).join(VALUE_SEPARATOR);
}

const EXPRESSION = /^\/(.+)\/([a-z]*)$/s;

/** Whether the text is a regular expression between slashes; `/api` is plain text. */
export const isExpression = (typed: string): boolean => EXPRESSION.test(typed);

/**
 * `/expression/flags` (flags i, m, s, u) is matched against each original value, case-sensitively unless `i` is given;
 * anything else is a plain text, matched ignoring case. With `tables`, by which the rows show constants, it also finds the
 * words for a constant: `failed` finds the value `ERROR`. Throws INVALID_ARGUMENT with the error and its place.
 */
export function createMatcher(typed: string, tables: readonly WordTable[] = []): Matcher {
  if (typed.length > MAX_TYPED_CHARS)
    throw invalid(
      `Expected a filter text of at most ${numberText(MAX_TYPED_CHARS)} characters, got ${numberText(typed.length)}.`,
    );
  const parts = EXPRESSION.exec(typed);
  if (parts !== null) return expressionMatcher(parts[1] ?? '', parts[2] ?? '');
  const needle = fold(typed);
  const said = constantsSaid(needle, tables);
  return (text) => {
    const folded = fold(text);
    return folded.includes(needle) || holdsConstant(text, folded, said);
  };
}

/** Values, and texts within a nested value. */
const PARTS_OF_VALUES = new RegExp(`["${VALUE_SEPARATOR}]`);

/** Whether a text of several values contains a constant that was found for a typed text. `folded`: the text, folded. */
function holdsConstant(text: string, folded: string, { values, part }: SaidConstants): boolean {
  const candidates = values.filter((value) => folded.includes(value));
  if (candidates.length > 0) {
    const said = { values: candidates, part: null };
    if (text.split(VALUE_SEPARATOR).some((value) => isSaid(value, said))) return true;
  }
  if (part === null || !folded.includes(part)) return false;
  return text.split(PARTS_OF_VALUES).some((value) => isSaid(value, { values: [], part }));
}

/** Finds the positions of the typed text in a displayed text: at most 500, in its first 10,000 characters. */
export type Finder = (text: string) => [number, number][];
const MAX_PLACES = 500;

/** Uses the same grammar as `createMatcher`, for marking matches. Throws INVALID_ARGUMENT. */
export function createFinder(typed: string): Finder {
  const parts = EXPRESSION.exec(typed);
  const expression =
    parts === null
      ? RE2JS.compile(RE2JS.quote(typed.slice(0, MAX_TYPED_CHARS)), RE2JS.CASE_INSENSITIVE)
      : compileExpression(parts[1] ?? '', parts[2] ?? '');
  return (text) => {
    const found: [number, number][] = [];
    const matcher = expression.matcher(text.slice(0, MAX_VALUE_CHARS));
    while (found.length < MAX_PLACES && matcher.find()) {
      if (matcher.end() > matcher.start()) found.push([matcher.start(), matcher.end()]);
    }
    return found;
  };
}

function expressionMatcher(source: string, flags: string): Matcher {
  const expression = compileExpression(source, flags);
  return (text) =>
    text.split(VALUE_SEPARATOR).some((value) => expression.test(value.slice(0, MAX_VALUE_CHARS)));
}

/** An expression that is matched in linear time. Throws INVALID_ARGUMENT with the error and its place. */
export function compileExpression(source: string, flags: string, bounds = TYPED_BOUNDS): RE2JS {
  let bits = 0;
  for (const flag of flags) {
    const bit = FLAGS[flag];
    if (bit === undefined)
      throw invalid(`The regular expression has the flags "${flags}". Expected some of i, m, s, u.`);
    bits |= bit;
  }
  if (source.length * repetitionsIn(source) > bounds.writtenOut) throw tooLong();
  try {
    const expression = RE2JS.compile(RE2JS.translateRegExp(source), bits);
    if (expression.programSize() <= bounds.steps) return expression;
  } catch (problem) {
    throw invalid(`The regular expression is not valid: ${invalidReason(source, problem)}.`, problem);
  }
  throw tooLong();
}

function repetitionsIn(source: string): number {
  let sum = 1;
  for (const [, least = '', most = ''] of source.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    sum += Math.max(Number(least), Number(most));
  return sum;
}

function tooLong(): AppError {
  return invalid('The regular expression repeats too much. Use smaller numbers in { }, or + or *.');
}

/** Texts for the error codes of the RE2 library. */
const REASONS: Readonly<Record<string, string>> = {
  'missing closing )': 'a closing ) is missing',
  'missing closing ]': 'a closing ] is missing',
  'unexpected )': 'a ) has no ( before it',
  'missing argument to repetition operator': 'nothing stands before a repetition',
  'invalid nested repetition operator': 'two repetitions follow each other',
  'invalid repeat count': 'a repetition is above 1,000',
  'invalid character class range': 'a range is reversed',
  'trailing backslash at end of expression': 'it ends with a single backslash',
  'invalid escape sequence': 'an escape is not known (back references such as \\1 are not supported)',
  'invalid or unsupported Perl syntax': 'this is not supported (neither are look-ahead and look-behind)',
};

function invalidReason(source: string, problem: unknown): string {
  if (!(problem instanceof RE2JSSyntaxException)) return 'it cannot be read';
  const reason = REASONS[problem.error] ?? problem.error;
  const at = problem.error === 'missing closing )' ? lastOpen(source) : source.indexOf(problem.input ?? '');
  if (at < 0 || (problem.input ?? '') === '') return reason;
  return `${reason}, at character ${at + 1}: ${source.slice(at, at + 20)}`;
}

/** Position of the last unclosed (; -1 if it cannot be determined. */
function lastOpen(source: string): number {
  const open: number[] = [];
  let isInClass = false;
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at];
    if (char === '\\') at += 1;
    else if (isInClass) isInClass = char !== ']';
    else if (char === '[') isInClass = true;
    else if (char === '(') open.push(at);
    else if (char === ')') open.pop();
  }
  return open.at(-1) ?? -1;
}

function invalid(message: string, cause?: unknown): AppError {
  return new AppError('INVALID_ARGUMENT', message, {}, cause);
}
