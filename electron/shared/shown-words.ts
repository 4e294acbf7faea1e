/** Filters by the words that views show for constants, such as “Failed” for the status `ERROR` of a span. Pure. */
import {
  constantWords,
  NAMED,
  SPAN_STATES,
  TASK_STATES,
  WORDS,
  WORDS_IN_CAPITALS,
} from './constant-words.ts';

/**
 * The tables of words for values of a column: for states of spans, for states of tasks of the service, for other
 * constants, for true and false, and for the ends of a ranking.
 */
export const WORD_TABLES = ['span-states', 'task-states', 'constants', 'yes-no', 'enabled', 'ends'] as const;
export type WordTable = (typeof WORD_TABLES)[number];

const OF_VALUES: Readonly<Record<Exclude<WordTable, 'constants'>, ReadonlyMap<string, string>>> = {
  'span-states': SPAN_STATES,
  'task-states': TASK_STATES,
  'yes-no': new Map([
    ['true', 'yes'],
    ['false', 'no'],
  ]),
  enabled: new Map([
    ['true', 'enabled'],
    ['false', 'paused'],
  ]),
  ends: new Map([
    ['top', 'high'],
    ['bottom', 'low'],
  ]),
};

/** The words that a column with this table shows for a value; other values as they are. */
export function wordsFor(table: WordTable, value: string): string {
  if (table === 'constants') return constantWords(value);
  const words = OF_VALUES[table];
  return words.get(value) ?? words.get(value.toUpperCase()) ?? value;
}

/** Constants for which a column with this table shows exactly these words, ignoring case. They need not occur. */
export function valuesShownAs(table: WordTable, words: string): string[] {
  const wanted = words.toLowerCase();
  const candidates = table === 'constants' ? constantsSpelled(wanted) : [...OF_VALUES[table].keys()];
  return candidates.filter((value) => wordsFor(table, value).toLowerCase() === wanted);
}

/** The constants with names of their own, and those whose spelling gives these words. */
function constantsSpelled(words: string): string[] {
  const small = words.replaceAll(' ', '_');
  const spelled = [small.toUpperCase(), small].filter(
    (value) => WORDS.has(value) || constantWords(value) !== value,
  );
  return [...NAMED.keys(), ...spelled];
}

/** For each table, constants in lower case with their words in lower case. */
const SHOWN: ReadonlyMap<WordTable, readonly (readonly [value: string, words: string])[]> = new Map(
  WORD_TABLES.map((table) => {
    const values = table === 'constants' ? [...WORDS, ...NAMED.keys()] : [...OF_VALUES[table].keys()];
    return [table, values.map((value) => [value.toLowerCase(), wordsFor(table, value).toLowerCase()])];
  }),
);

/** Constants that a filter text stands for, because views show them as words with this text. */
export interface SaidConstants {
  /** Whole values, in lower case. */
  readonly values: readonly string[];
  /** The text as a part of a constant of several words, in lower case; null if no such constant can have it. */
  readonly part: string | null;
}

/**
 * Constants whose words contain the text but whose spelling does not: `error` for “failed”. Ignores case. `tables`: those
 * by which the values are shown.
 */
export function constantsSaid(text: string, tables: readonly WordTable[]): SaidConstants {
  const wanted = text.toLowerCase();
  const found = tables
    .flatMap((table) => SHOWN.get(table) ?? [])
    .filter(([value, words]) => words.includes(wanted) && !value.includes(wanted));
  const hasPart = tables.includes('constants') && wanted.includes(' ');
  return {
    values: [...new Set(found.map(([value]) => value))],
    part: hasPart ? wanted.replaceAll(' ', '_') : null,
  };
}

/** Whether a value is a constant that `constantsSaid` found for a typed text. */
export function isSaid(value: string, { values, part }: SaidConstants): boolean {
  const small = value.toLowerCase();
  return values.includes(small) || (part !== null && small.includes(part) && WORDS_IN_CAPITALS.test(value));
}

/** Lists with columns that show constants as words. */
const LISTS_OF_CONSTANTS: ReadonlySet<string> = new Set([
  'alert-rules.list',
  'baselines.list',
  'catalog.list',
  'environments.list',
  'evaluators.list',
  'experiments.list',
  'experiments.results',
  'genai-alert-rules.list',
  'models.baselines',
  'models.environments',
  'models.list',
  'projects.list',
  'users.list',
]);

/** The tables by which a list shows texts of its rows. */
export function tablesOfList(operation: string): readonly WordTable[] {
  if (operation === 'spans.query') return ['span-states'];
  if (operation === 'jobs.list') return ['task-states', 'constants'];
  return LISTS_OF_CONSTANTS.has(operation) ? ['constants'] : [];
}
