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

/** The only model that has every column of the file; null if there is none or several. */
export function certainMatch(matches: readonly ModelMatch[]): ModelMatch | null {
  const whole = matches.filter(({ matched, of }) => matched === of);
  const [only] = whole;
  return whole.length === 1 && only !== undefined ? only : null;
}

/** `11 of 11 columns match`, `9 of 11 columns match` */
export const matchText = ({ matched, of }: Pick<ModelMatch, 'matched' | 'of'>): string =>
  `${formatNumber(matched)} of ${formatCount(of, 'column')} ${of === 1 ? 'matches' : 'match'}`;
