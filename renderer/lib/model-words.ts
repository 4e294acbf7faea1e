/** Describes the record of a model in words, for its home page. Pure. */

import { doubleOf } from '../../electron/shared/exact-json.ts';
import { constantText } from './constant-words.ts';
import { capitalized, formatCount, formatFigure, formatJsonLine } from './format.ts';
import { isObject, textField } from './records.ts';

type Row = Record<string, unknown>;

const ROLES: readonly (readonly [field: string, word: string])[] = [
  ['outputs', 'output'],
  ['targets', 'target'],
  ['decisions', 'decision'],
  ['metadata', 'metadata'],
  ['inputs', 'input'],
];

interface ModelColumn {
  name: string;
  /** Role of the column; empty if the service states none. */
  role: string;
  type: string;
  /** Range or categories in words; empty if unknown. */
  values: string;
}

const MAX_CATEGORIES = 3;

function valuesOf(column: Row): string {
  const { categories, min, max } = column;
  if (Array.isArray(categories) && categories.length > 0) {
    const shown = categories.slice(0, MAX_CATEGORIES).map((each) => formatJsonLine(each));
    const more = categories.length - shown.length;
    return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
  }
  const [low, high] = [doubleOf(min), doubleOf(max)];
  if (low !== null && high !== null) return `${formatFigure(low)} to ${formatFigure(high)}`;
  const dimensions = column['n_dimensions'];
  return typeof dimensions === 'number' ? formatCount(dimensions, 'dimension') : '';
}

/** Roles in the order shown: the columns that the model is about come first. */
const SHOWN_FIRST = ['output', 'target', 'decision', 'input', '', 'metadata'];

/** Columns of a model, ordered by role and then as in its schema. */
export function modelColumns(record: Row): ModelColumn[] {
  const { schema, spec } = record;
  const columns = isObject(schema) ? schema['columns'] : null;
  const roleOf = new Map<string, string>();
  for (const [field, word] of ROLES) {
    const names = isObject(spec) ? spec[field] : null;
    for (const name of Array.isArray(names) ? names : [])
      if (typeof name === 'string' && !roleOf.has(name)) roleOf.set(name, word);
  }
  const found = (Array.isArray(columns) ? columns : []).filter(isObject).map((column) => {
    const name = textField(column, 'name');
    return {
      name,
      role: roleOf.get(name) ?? '',
      type: textField(column, 'data_type').toLowerCase(),
      values: valuesOf(column),
    };
  });
  return found.toSorted((a, b) => SHOWN_FIRST.indexOf(a.role) - SHOWN_FIRST.indexOf(b.role));
}

/** `Binary classification` for `BINARY_CLASSIFICATION`, `LLM` for `LLM`; empty if there is no constant. */
export function constantWords(value: unknown): string {
  if (typeof value !== 'string' || value === '') return '';
  const words = constantText(value);
  return capitalized(words);
}
