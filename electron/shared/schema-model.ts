/** Changes in the schema of rows read from the service, shared by both processes. */
import { counted } from './count-text.ts';
import * as z from './zod.ts';

const count = z.int().min(0);

/** Counts of one field. The rows of one trace count as one unit, because they resemble each other. */
export const fieldShape = z.strictObject({
  rows: count,
  units: count,
  /** Number of rows by type of the value; `null` is a type here, absent values are not counted. */
  types: z.record(z.string(), count),
});
export type FieldShape = z.infer<typeof fieldShape>;

const SCHEMA_CHANGE_KINDS = ['type', 'coverage', 'blind'] as const;
export type SchemaChangeKind = (typeof SCHEMA_CHANGE_KINDS)[number];

/** A list whose rows are watched: the spans of an application, or the items of a dataset. */
export const watchedList = z.strictObject({ kind: z.enum(['spans', 'items']), id: z.string().min(1) });
export type WatchedList = z.infer<typeof watchedList>;

/** A field of new rows that differs from the known rows. */
export const schemaChange = z.strictObject({
  /** `type`: values have another type. `coverage`: fewer rows have a value. `blind`: a saved mapping finds no value. */
  kind: z.enum(SCHEMA_CHANGE_KINDS),
  /**
   * Rows in which the field changed: a span type, with a name if that name is frequent (`groupName`); empty for all
   * rows.
   */
  group: z.string(),
  /** Path of the field, e.g. `span_attributes.llm.model`, `inputs.question`. */
  path: z.string(),
  before: fieldShape,
  after: fieldShape,
  /** Names of the saved mappings that read this field. */
  mappings: z.array(z.string()),
  noticedAtMs: z.number(),
  /** Time of the oldest of the new rows. */
  sinceMs: z.number(),
  /** `over`: later rows are as before. `accepted`: a person accepted the new shape. */
  state: z.enum(['open', 'over', 'accepted']),
});
export type SchemaChange = z.infer<typeof schemaChange>;

export interface StoredSchemaChange extends SchemaChange {
  changeId: number;
  list: WatchedList;
}

export interface ListedSchemaChange extends StoredSchemaChange {
  /** Name of the application or dataset; empty if it is not stored. */
  name: string;
}

/** Number of rows with a value. */
export function rowsWithValue({ types }: FieldShape): number {
  return Object.entries(types).reduce((sum, [type, rows]) => sum + (type === 'null' ? 0 : rows), 0);
}

const WORDS: Readonly<Record<string, string>> = { string: 'text', array: 'list', boolean: 'true or false' };

/** Examples: `number`, or `text or number` for a field with values of several types, most frequent first. */
function typesText({ types }: FieldShape): string {
  const all = Object.entries(types).filter(([type, rows]) => type !== 'null' && rows > 0);
  const named = all.toSorted(([, one], [, other]) => other - one).map(([type]) => WORDS[type] ?? type);
  return named.length === 0 ? 'no value' : named.join(' or ');
}

/** Example: `95 %`. A share that is not all or none is never written as 100 % or 0 %. */
function shareText(field: FieldShape): string {
  const value = rowsWithValue(field);
  if (value === 0 || value === field.rows) return value === 0 ? '0 %' : '100 %';
  const percent = Math.round((value / field.rows) * 100);
  return `${Math.min(99, Math.max(1, percent))} %`;
}

/** The name of a field in the window: an attribute's key without `span_attributes.`. */
export const fieldName = (path: string): string => path.replace(/^span_attributes\./, '');

/** Separates the type from the name in a group. */
const NAME_SIGN = '\u001F';

/** The group of rows with this span type and name. Rows without a type have no group. */
export const groupName = (type: string, name: string): string =>
  type === '' || name === '' ? type : `${type}${NAME_SIGN}${name}`;
/**
 * Span type of a group. A group without a name holds the rows of the type whose names are too rare to be compared
 * separately.
 */
export const typeOfGroup = (group: string): string => group.split(NAME_SIGN)[0] ?? '';
/** Name in a group; empty if the group has no name. */
export const nameOfGroup = (group: string): string => group.split(NAME_SIGN).slice(1).join(NAME_SIGN);
/** Examples: `tool`, or `tool search` for a group with a name. */
const groupText = (group: string): string => group.replace(NAME_SIGN, ' ');

/** Examples: `from number to text in 40 new rows`, `a value in 95 % of the rows before, in 20 % of 40 new llm rows`. */
export function schemaChangeText({ kind, group, before, after, mappings }: SchemaChange): string {
  const rows = `${counted(after.rows, group === '' ? 'new row' : `new ${groupText(group)} row`)}`;
  const read = mappings.length === 0 ? '' : `; read by ${mappings.join(', ')}`;
  if (kind === 'type') return `from ${typesText(before)} to ${typesText(after)} in ${rows}${read}`;
  if (kind === 'coverage')
    return `a value in ${shareText(before)} of the rows before, in ${shareText(after)} of ${rows}${read}`;
  return `${mappings.join(', ')}: no value in ${rows}, in ${shareText(before)} of the rows before`;
}
