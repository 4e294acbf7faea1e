/** The fields that an export was limited to. Pure. */
import { editDistance } from '../core/text/edit-distance.ts';
import { cutText } from '../shared/cut-text.ts';
import { columnName } from './column-scan.ts';

type Path = readonly string[];

/** Maximum number of names in a message, and characters of each. */
const MAX_NAMED = 20;
const MAX_NAME = 80;
/** Maximum share of wrong letters in a mistyped name. */
const MAX_WRONG_SHARE = 0.4;

const isWithin = (name: string, field: string): boolean => name === field || name.startsWith(`${field}.`);
const isAt = (name: string, field: string): boolean => isWithin(name, field) || isWithin(field, name);

/** The column of the whole record holds the fields of it that have no column. */
function isHolder(path: Path, field: string, all: readonly Path[]): boolean {
  if (path.length > 0) return isWithin(field, path.join('.'));
  return !all.some(([key]) => key !== undefined && isWithin(field, key));
}

/** Whether a field of the record itself is chosen, or has chosen fields. */
export const isChosenKey = (key: string, chosen: readonly string[]): boolean =>
  chosen.some((field) => isAt(key, field));

/**
 * The columns that belong to chosen fields. A field includes all its nested fields; null: all are chosen. A column of
 * objects belongs to a chosen field within them only if the field has no column of its own.
 */
export function chosenOf<C>(
  columns: readonly C[],
  pathOf: (column: C) => Path,
  chosen: readonly string[] | null,
): C[] {
  if (chosen === null) return [...columns];
  const paths = columns.map(pathOf);
  const held = new Set(chosen.filter((field) => paths.some((path) => isWithin(columnName(path), field))));
  return columns.filter((column) => {
    const path = pathOf(column);
    const name = columnName(path);
    return chosen.some(
      (field) => isWithin(name, field) || (!held.has(field) && isHolder(path, field, paths)),
    );
  });
}

/**
 * A sentence about chosen fields that no row has, with the most similar name; null if there are none, or if there are
 * no columns.
 */
export function unknownFields(columns: readonly { path: Path }[], chosen: readonly string[]): string | null {
  const paths = columns.map(({ path }) => path);
  const isKnown = (field: string) =>
    paths.some((path) => isWithin(columnName(path), field) || isHolder(path, field, paths));
  const unknown = chosen.filter((field) => !isKnown(field));
  const [first] = unknown;
  if (first === undefined || paths.length === 0) return null;
  // A nested field may be meant by its own name, or by the name of the field that holds it.
  const known = [
    ...new Set(columns.flatMap(({ path }) => path.map((_, at) => path.slice(0, at + 1).join('.')))),
  ];
  const near = nearest(first, known);
  const guess = near === null ? '' : ` Did you mean ${cutText(near, MAX_NAME)}?`;
  const shown = known.slice(0, MAX_NAMED).map((name) => cutText(name, MAX_NAME));
  const more = known.length > shown.length ? ', …' : '';
  const typed = unknown.map((name) => cutText(name, MAX_NAME)).join(', ');
  return `No row has ${typed}.${guess} Fields are ${shown.join(', ')}${more}.`;
}

function nearest(typed: string, known: readonly string[]): string | null {
  const lower = typed.toLowerCase();
  let best: { name: string; edits: number } | null = null;
  for (const name of known) {
    const last = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
    const edits = last === lower ? 0 : editDistance(lower, name.toLowerCase());
    if (best === null || edits < best.edits) best = { name, edits };
  }
  return best !== null && best.edits <= Math.max(1, Math.floor(typed.length * MAX_WRONG_SHARE))
    ? best.name
    : null;
}
