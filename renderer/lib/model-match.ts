/** Finds models that a file could be sent to, by the names of its columns. Pure. */
import { planColumns } from '../../electron/shared/column-plan.ts';
import { NOTE_COLUMNS } from '../../electron/shared/upload-columns.ts';
import type { PreviewColumn } from '../../electron/shared/upload-model.ts';
import { formatCount, formatNumber } from './format.ts';

type FileColumn = Pick<PreviewColumn, 'name' | 'type'>;

export interface ModelMatch {
  id: string;
  name: string;
  /** Number of the file's columns that the model has. */
  matched: number;
  /** Number of the file's columns that could be sent. */
  of: number;
  /** Number of the model's columns that the file lacks. */
  lacking: number;
}

/** A model is proposed if it has at least this share of the file's columns. */
const MIN_SHARE = 0.5;
const MAX_PROPOSED = 3;

/**
 * How well a model matches; null if it has too few of the columns. `schema`: names of the model's columns; empty if
 * unknown.
 */
export function modelMatch(
  columns: readonly FileColumn[],
  { id, name, schema }: { id: string; name: string; schema: readonly string[] },
): ModelMatch | null {
  if (schema.length === 0) return null;
  const sendable = columns.filter((column) => !NOTE_COLUMNS.includes(column.name));
  const plan = planColumns(
    sendable,
    schema.map((column) => ({ name: column })),
  );
  const matched = plan.filter(({ target }) => target !== null).length;
  if (matched === 0 || matched < sendable.length * MIN_SHARE) return null;
  return { id, name, matched, of: sendable.length, lacking: schema.length - matched };
}

/** The models with the most matching columns, best first. */
export function bestMatches(matches: readonly (ModelMatch | null)[]): ModelMatch[] {
  return matches
    .filter((match) => match !== null)
    .toSorted((a, b) => b.matched - a.matched || a.lacking - b.lacking || a.name.localeCompare(b.name))
    .slice(0, MAX_PROPOSED);
}

/** A model without rivals is chosen if it has at least this share of the file's columns. */
const MIN_CHOSEN_SHARE = 0.8;
const single = <T>(list: readonly T[]): T | null => (list.length === 1 ? (list[0] ?? null) : null);

/**
 * The model that fits better than all others: the only one with every column of the file, among several the only one
 * without further columns, or if none has every column, the only one with most of them. Null if there is no such model.
 */
export function certainMatch(matches: readonly ModelMatch[]): ModelMatch | null {
  const whole = matches.filter(({ matched, of }) => matched === of);
  if (whole.length > 0) return single(whole) ?? single(whole.filter(({ lacking }) => lacking === 0));
  const only = single(matches);
  return only !== null && only.matched >= only.of * MIN_CHOSEN_SHARE ? only : null;
}

/** `11 of 11 columns match`, `9 of 11 columns match` */
export const matchText = ({ matched, of }: Pick<ModelMatch, 'matched' | 'of'>): string =>
  `${formatNumber(matched)} of ${formatCount(of, 'column')} ${of === 1 ? 'matches' : 'match'}`;
