/** Texts about values that do not fit, as a check finds them, and about their repairs. Pure. */
import type { ProblemKind, RepairKind } from '../../electron/shared/repair-options.ts';
import type { ProblemGroup, Replacement } from '../../electron/shared/upload-model.ts';
import { formatCount, formatNumber } from './format.ts';

const PROBLEM_WORDS: Readonly<Record<ProblemKind, string>> = {
  trim: 'Quotes around the value',
  comma: 'Comma in a number',
  'decimal-comma': 'Decimal comma',
  thousands: 'Thousands separators',
  currency: 'Currency beside a number',
  parentheses: 'Number in parentheses',
  'trailing-sign': 'Sign after a number',
  percent: 'Percentage',
  'null-word': 'Word for no value',
  spelling: 'Spelling of a category',
  'true-false': 'Word for true or false',
  'day-first': 'Day before month',
  'month-name': 'Name of a month',
  'compact-date': 'Date without separators',
  'out-of-range': 'Out of range',
  other: 'Not valid',
};

export const REPAIR_WORDS: Readonly<Record<RepairKind, string>> = {
  trim: 'Remove the quotes around it',
  'decimal-comma': 'Comma is decimal',
  thousands: 'Remove the separators',
  currency: 'Remove the currency',
  parentheses: 'Read as negative',
  'trailing-sign': 'Move the sign to the front',
  percent: 'Remove the percent sign',
  'percent-share': 'Divide by 100',
  'null-word': 'Read as no value',
  spelling: 'Use the nearest category',
  'true-false': 'Read as true or false',
  'day-first': 'Day comes first',
  'month-name': 'Read the month by its name',
  'compact-date': 'Read as year, month, day',
  null: 'Set to null',
};

/** The problem with the values of a group. Values can be sent unchanged although the model does not list them. */
export function problemWords({ problem, isSent }: Pick<ProblemGroup, 'problem' | 'isSent'>): string {
  return isSent && problem === 'other' ? 'Not one of the categories' : PROBLEM_WORDS[problem];
}

type Example = ProblemGroup['examples'][number];
/** The text that is sent for a value; null for no value. `isSent` false: the row is left out. */
type After = { text: string | null; isReplaced: boolean; isSent: boolean };

/**
 * The result for an example: its own replacement, otherwise the choice for its group. `kind` null means no repair.
 */
export function afterOf(
  { source, isSent }: Pick<ProblemGroup, 'source' | 'isSent'>,
  { before, after }: Example,
  kind: RepairKind | null,
  replacements: readonly Replacement[],
): After {
  const found = replacements.find((each) => each.source === source && each.value === before);
  if (found !== undefined) return { text: found.with, isReplaced: true, isSent: true };
  if (kind !== null) return { text: after[kind] ?? null, isReplaced: false, isSent: true };
  return { text: before, isReplaced: false, isSent };
}

/** The replacements that the user entered for single values of a group. */
export function replacementsOf(
  { source, examples }: Pick<ProblemGroup, 'source' | 'examples'>,
  replacements: readonly Replacement[],
): Replacement[] {
  return replacements.filter(
    (each) => each.source === source && examples.some(({ before }) => before === each.value),
  );
}

/** Longer texts are compared only by their beginnings, because a model can have hundreds of categories. */
const MAX_COMPARED_CHARS = 40;

/** The names, most similar to the text first. */
export function nearestFirst(text: string, names: readonly string[]): string[] {
  const begin = (whole: string) => whole.slice(0, MAX_COMPARED_CHARS).toLowerCase();
  const wanted = begin(text);
  const likeness = (name: string) => {
    const kept = markChange(wanted, begin(name)).after.filter(({ isChanged }) => !isChanged);
    const shared = kept.reduce((sum, part) => sum + part.text.length, 0);
    return (2 * shared) / (wanted.length + begin(name).length);
  };
  return names
    .map((name) => ({ name, likeness: likeness(name) }))
    .toSorted((a, b) => b.likeness - a.likeness)
    .map(({ name }) => name);
}

/** Identifies a group of problems. */
export const problemKey = ({ source, problem }: Pick<ProblemGroup, 'source' | 'problem'>): string =>
  `${problem} ${source}`;

/** `83.807,86 → 83807.86`: the effect of a repair on the first example of the group. */
export function exampleOf({ examples }: ProblemGroup, kind: RepairKind): string {
  const [first] = examples;
  if (first === undefined) return '';
  return `${first.before} → ${first.after[kind] ?? 'null'}`;
}

export interface Marked {
  text: string;
  isChanged: boolean;
}

/** Splits both texts into the characters that they share in the same order, and the characters that only one has. */
export function markChange(before: string, after: string): { before: Marked[]; after: Marked[] } {
  const [a, b] = [[...before], [...after]];
  /** Length of the longest common subsequence from here on. */
  const shared = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number) => shared[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const row = shared[i];
      if (row !== undefined)
        row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const [old, fresh]: [Marked[], Marked[]] = [[], []];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add(old, a[i], false);
      add(fresh, b[j], false);
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && at(i + 1, j) >= at(i, j + 1))) {
      add(old, a[i], true);
      i += 1;
    } else {
      add(fresh, b[j], true);
      j += 1;
    }
  }
  return { before: old, after: fresh };
}

function add(parts: Marked[], sign: string | undefined, isChanged: boolean): void {
  const last = parts.at(-1);
  if (last?.isChanged === isChanged) last.text += sign ?? '';
  else parts.push({ text: sign ?? '', isChanged });
}

/** `4 rows`, or `1 of 4` if the other rows are repaired. */
export function openRowsText({ rows, repaired }: Pick<ProblemGroup, 'rows' | 'repaired'>): string {
  const isMixed = repaired > 0 && repaired < rows;
  return isMixed ? `${formatNumber(rows - repaired)} of ${formatNumber(rows)}` : formatCount(rows, 'row');
}
