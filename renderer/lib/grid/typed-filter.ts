/** Filters that are typed for a column: `refund`, `=paid`, `>5`, `1..3`, `is null`. Pure. */
import { type ColumnFilter, type ColumnProfile, EMPTINESS } from '../../../electron/shared/analysis-model.ts';
import { doubleOf, isRawNumber } from '../../../electron/shared/exact-json.ts';
import { valuesShownAs, type WordTable, wordsFor } from '../../../electron/shared/shown-words.ts';
import { isoTime } from '../../../electron/shared/zone-time.ts';

/** Numbers and times are compared by value; everything else is treated as text. */
export type TypedKind = 'number' | 'time' | 'text';

type Typed = { filter: ColumnFilter | null } | { problem: string };

/** The form of input that an error message asks for, and the hint in an empty field. */
export const EXPECTED: Readonly<Record<TypedKind, { hint: string; problem: string }>> = {
  number: {
    hint: '>5, 1..3, =7',
    problem: 'Expected a number, such as 5, >5, <=2.5, 1..3, !=7 or is null',
  },
  time: {
    hint: '>2026-03-01',
    problem: 'Expected a time, such as >2026-03-01, <2026-03-01T12:00Z, 2026-03-01..2026-03-05 or is null',
  },
  text: { hint: 'contains', problem: 'Expected text that occurs, or =text, !=text, !text, is null' },
};

const MAX_CHARACTERS = 200;
/** Maximum length of a value in a filter. */
const MAX_VALUE = 10_000;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?$/;
const DAY_MS = 86_400_000;

export function typedKind(kind: ColumnProfile['kind'] | undefined, shownAs: string): TypedKind {
  if (kind === undefined) return shownAs === 'number' || shownAs === 'time' ? shownAs : 'text';
  if (kind === 'time') return 'time';
  return kind === 'text' || kind === 'json' || kind === 'boolean' ? 'text' : 'number';
}

/** A point on the axis. A date has a start and an end. */
interface Point {
  from: number;
  /** For a date: start of the next day. */
  to: number;
}

function pointOf(text: string, kind: 'number' | 'time'): Point | null {
  if (kind === 'number') {
    if (!NUMBER.test(text) || !Number.isFinite(Number(text))) return null;
    return { from: Number(text), to: Number(text) };
  }
  if (!DAY.test(text) && !TIME.test(text)) return null;
  const ms = isoTime(text);
  return ms === null ? null : { from: ms, to: DAY.test(text) ? ms + DAY_MS : ms };
}

/** Values of a column that are shown as words. */
interface WordedValues {
  table: WordTable;
  /** Values that are known to occur in the column. */
  known: readonly string[];
}

/** Parses the text typed for a column. An empty text is not a filter. `worded`: null if the column shows its values. */
export function readTyped(
  typed: string,
  field: string,
  kind: TypedKind,
  worded: WordedValues | null = null,
): Typed {
  const text = typed.trim();
  if (text === '') return { filter: null };
  const emptiness = EMPTINESS.find((is) => text.toLowerCase() === `is ${is}`);
  if (emptiness !== undefined) return { filter: { kind: 'emptiness', field, is: emptiness } };
  if (text.length > MAX_CHARACTERS)
    return { problem: `Expected at most ${MAX_CHARACTERS} characters, got ${text.length}.` };
  return kind === 'text' ? readText(text, field, worded) : readRange(text, field, kind);
}

/**
 * The values that the column shows with these words. Looks among the values known to occur first, then among all
 * constants of the table. If no value matches, returns the words unchanged.
 */
function valuesOfWords(text: string, { table, known }: WordedValues): string[] {
  if (known.includes(text)) return [text];
  const found = known.filter((value) => wordsFor(table, value).toLowerCase() === text.toLowerCase());
  if (found.length > 0) return found;
  const constants = valuesShownAs(table, text);
  return constants.length > 0 ? constants : [text];
}

function readText(text: string, field: string, worded: WordedValues | null): Typed {
  const [, sign = '', rest = ''] = /^(!?=?)\s*([\s\S]*)$/.exec(text) ?? [];
  if (rest === '') return { problem: `${EXPECTED.text.problem}.` };
  const excludes = sign.startsWith('!');
  const values = worded === null ? [rest] : valuesOfWords(rest, worded);
  if (sign.endsWith('=')) return { filter: { kind: 'values', field, values, excludes } };
  const words = worded === null ? {} : { words: worded.table };
  return { filter: { kind: 'contains', field, text: rest, excludes, ...words } };
}

function readRange(text: string, field: string, kind: 'number' | 'time'): Typed {
  const problem = { problem: `${EXPECTED[kind].problem}; got “${text.slice(0, 40)}”.` };
  const range = (
    from: number | null,
    to: number | null,
    includesTo: boolean,
    more: { excludesFrom?: true; excludes?: true } = {},
  ): Typed => ({ filter: { kind: 'range', field, from, to, includesTo, ...more } });
  const between = /^(.*?)\s*\.\.\s*(.*)$/.exec(text);
  if (between !== null) {
    const [low, high] = [pointOf(between[1] ?? '', kind), pointOf(between[2] ?? '', kind)];
    if (low === null || high === null) return problem;
    if (low.from > high.from)
      return { problem: `Expected the smaller end first, got “${text.slice(0, 40)}”.` };
    // A date covers the whole day, up to the start of the next one.
    return range(low.from, high.to, high.to === high.from);
  }
  const [, sign = '', rest = ''] = /^(!=|[<>]=?|=)?\s*([\s\S]*)$/.exec(text) ?? [];
  const point = pointOf(rest, kind);
  if (point === null) return problem;
  const isDay = point.to !== point.from;
  switch (sign) {
    case '>':
      return isDay ? range(point.to, null, false) : range(point.from, null, false, { excludesFrom: true });
    case '>=':
      return range(point.from, null, false);
    case '<':
      return range(null, point.from, false);
    case '<=':
      return range(null, point.to, !isDay);
    case '!=':
      return range(point.from, point.to, !isDay, { excludes: true });
    default:
      return range(point.from, point.to, !isDay);
  }
}

/**
 * A filter for the rows with this value, or for all other rows if `excludes` is set. Null if there is no such filter.
 */
export function filterOfValue(
  value: unknown,
  { field, kind, excludes }: { field: string; kind: TypedKind; excludes: boolean },
): ColumnFilter | null {
  if (value === null || value === undefined || value === '') {
    const is = value === null ? 'null' : value === '' ? 'empty' : 'absent';
    return excludes ? null : { kind: 'emptiness', field, is };
  }
  if (kind === 'text') {
    if (typeof value !== 'string' && typeof value !== 'boolean') return null;
    const text = String(value);
    return text.length > MAX_VALUE ? null : { kind: 'values', field, values: [text], excludes };
  }
  if (typeof value !== 'string' && doubleOf(value) === null) return null;
  const at = kind === 'time' ? (isoTime(String(value)) ?? Number.NaN) : Number(value);
  // Other whole numbers beyond 2^53 are the same double.
  if (isRawNumber(value) && value.isWhole) return null;
  if (!Number.isFinite(at)) return null;
  return {
    ...{ kind: 'range', field, from: at, to: at, includesTo: true },
    ...(excludes ? { excludes: true as const } : {}),
  };
}

/** The text, if all texts are equal; otherwise null. */
export function onlyText(texts: readonly string[]): string | null {
  const [first = ''] = texts;
  return texts.every((each) => each === first) ? first : null;
}

/** The typed form of a filter; empty for filters that can only be made by clicking, e.g. for several values. */
export function writeTyped(
  filter: ColumnFilter | undefined,
  kind: TypedKind,
  worded: WordedValues | null = null,
): string {
  if (filter === undefined) return '';
  switch (filter.kind) {
    case 'emptiness':
      return `is ${filter.is}`;
    case 'contains':
      return `${filter.excludes ? '!' : ''}${filter.text}`;
    case 'values': {
      const texts = filter.values.map((value) => (worded === null ? value : wordsFor(worded.table, value)));
      const text = onlyText(texts);
      return text === null ? '' : `${filter.excludes ? '!=' : '='}${text}`;
    }
    case 'range':
      return writeRange(filter, kind);
  }
}

function writeRange(
  { from, to, includesTo, excludesFrom, excludes }: Extract<ColumnFilter, { kind: 'range' }>,
  kind: TypedKind,
): string {
  const write = (point: number) => (kind === 'time' ? new Date(point).toISOString() : String(point));
  if (from !== null && to !== null) {
    if (from === to) return `${excludes === true ? '!=' : ''}${write(from)}`;
    // There is no typed form for a range with both a start and an excluded end.
    return includesTo && excludes !== true ? `${write(from)}..${write(to)}` : '';
  }
  if (from !== null) return `${excludesFrom === true ? '>' : '>='}${write(from)}`;
  return to === null ? '' : `${includesTo ? '<=' : '<'}${write(to)}`;
}
