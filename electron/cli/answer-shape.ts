/**
 * Reduces an answer to chosen fields (`--fields`) and a size (`--budget`), and names everything that was left out.
 * Pure.
 */
import { RawNumber } from '../shared/exact-json.ts';

export interface Shape {
  /** Names of fields, or paths with dots such as `inputs.question`; null: all. */
  fields: readonly string[] | null;
  /** Maximum size in tokens, of four bytes each; null: no limit. */
  budget: number | null;
  /** Maximum length of each text; absent or null: no limit. */
  mostCharacters?: number | null;
}

interface Shaped<T> {
  value: T;
  /** One sentence for each kind of reduction; empty if nothing was left out. */
  notes: string[];
  /** Chosen fields that no record has; empty if there are no records. */
  missing: MissingFields;
}

export interface MissingFields {
  names: readonly string[];
  /** All fields of the records. */
  known: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const BYTES_A_TOKEN = 4;
/** Minimum length of a text that is cut, because the note about a shorter one would be longer than the saved part. */
const SHORTEST_CUT = 40;

/** Estimated number of tokens; the real number depends on the model. */
export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN);
}

/** The first lines of a text that fit into the budget. */
export function shapedLines(lines: readonly string[], budget: number): string[] {
  let tokens = 0;
  const kept = lines.findIndex((line) => {
    tokens += tokensOf(`${line}\n`);
    return tokens > budget;
  });
  if (kept === -1) return [...lines];
  return [
    ...lines.slice(0, kept),
    `… ${lines.length - kept} of ${lines.length} lines were left out for --budget.`,
  ];
}

/** Reduces a list `{items: […]}`, a record, or a list of records. `jsonOf` returns the JSON that is printed. */
export function shaped(value: unknown, shape: Shape, jsonOf: (value: unknown) => string): Shaped<unknown> {
  const notes: string[] = [];
  const { fields, mostCharacters = null } = shape;
  const missing = missingFields(value, fields ?? []);
  if (missing.names.length > 0) notes.push(noRecordHas(missing));
  const withChosen = fields === null ? value : withFields(value, fields);
  const chosen = mostCharacters === null ? withChosen : cutTo(withChosen, mostCharacters);
  if (shape.budget === null) return { value: chosen, notes, missing };
  return { value: withinBudget(chosen, shape.budget, jsonOf, notes), notes, missing };
}

export const noRecordHas = ({ names, known }: MissingFields, guess = ''): string =>
  `No record has ${names.join(', ')}.${guess} Fields are ${known.join(', ')}.`;

/** The records of an answer that is a list; null for a single record. */
export function recordsOf(value: unknown): readonly Fields[] | null {
  if (Array.isArray(value)) return value.filter(isFields);
  if (isFields(value) && Array.isArray(value['items'])) return value['items'].filter(isFields);
  return null;
}

function missingFields(value: unknown, fields: readonly string[]): MissingFields {
  const records = recordsOf(value) ?? (isFields(value) ? [value] : []);
  const names = fields.filter((field) => !records.some((record) => fieldOf(record, field) !== undefined));
  if (records.length === 0 || names.length === 0) return { names: [], known: [] };
  return { names, known: [...new Set(records.flatMap((record) => Object.keys(record)))] };
}

function withFields(value: unknown, fields: readonly string[]): unknown {
  const pick = (record: unknown) =>
    isFields(record)
      ? Object.fromEntries(fields.map((field) => [field, fieldOf(record, field) ?? null]))
      : record;
  if (Array.isArray(value)) return value.map(pick);
  if (!isFields(value)) return value;
  if (Array.isArray(value['items'])) return { ...value, items: value['items'].map(pick) };
  return pick(value);
}

/** The field of this name, or the value at a path with dots. Names in the path may contain dots themselves. */
export function fieldOf(record: Fields, field: string): unknown {
  if (Object.hasOwn(record, field)) return record[field];
  for (let dot = field.indexOf('.'); dot >= 0; dot = field.indexOf('.', dot + 1)) {
    const name = field.slice(0, dot);
    const inner = Object.hasOwn(record, name) ? record[name] : undefined;
    const found = isFields(inner) ? fieldOf(inner, field.slice(dot + 1)) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

function withinBudget(
  value: unknown,
  budget: number,
  jsonOf: (value: unknown) => string,
  notes: string[],
): unknown {
  const fits = (part: unknown) => tokensOf(jsonOf(part)) <= budget;
  if (fits(value)) return value;
  if (Array.isArray(value)) return wholeRows(value, (items) => items, fits, notes);
  if (isFields(value) && Array.isArray(value['items'])) {
    const items: unknown[] = value['items'];
    const withItems = (some: readonly unknown[]): unknown =>
      some.length === items.length
        ? { ...value, items: some }
        : { ...value, items: some, complete: false, leftOut: items.length - some.length };
    return wholeRows(items, withItems, fits, notes);
  }
  return cutTexts(value, fits, notes);
}

/** The first rows that fit into the budget; if none fits, the first row with its texts cut. */
function wholeRows(
  items: readonly unknown[],
  withItems: (some: readonly unknown[]) => unknown,
  fits: (value: unknown) => boolean,
  notes: string[],
): unknown {
  let [few, many] = [0, items.length];
  while (many - few > 1) {
    const middle = (few + many) >> 1;
    if (fits(withItems(items.slice(0, middle)))) few = middle;
    else many = middle;
  }
  const rows = few === 0 ? items.slice(0, 1) : items.slice(0, few);
  const value = few === 0 ? cutTexts(withItems(rows), fits, notes) : withItems(rows);
  const leftOut = items.length - rows.length;
  if (leftOut > 0) notes.push(`${leftOut} of ${items.length} records were left out for --budget.`);
  return value;
}

/** Cuts all texts to the greatest common length that fits. */
function cutTexts(value: unknown, fits: (value: unknown) => boolean, notes: string[]): unknown {
  const longest = textsIn(value).reduce((most, { length }) => Math.max(most, length), SHORTEST_CUT);
  let [fitting, tooLong] = [SHORTEST_CUT, longest];
  while (tooLong - fitting > 1) {
    const middle = (fitting + tooLong) >> 1;
    if (fits(cutTo(value, middle))) fitting = middle;
    else tooLong = middle;
  }
  const cut = cutTo(value, fitting);
  const count = textsIn(value).filter((text) => text.length > fitting).length;
  if (count > 0)
    notes.push(
      `${count} ${count === 1 ? 'text was' : 'texts were'} cut to ${fitting} characters for --budget.`,
    );
  if (!fits(cut))
    notes.push('--budget is smaller than the shortest form of the answer. Choose fields with --fields.');
  return cut;
}

function cutTo(value: unknown, length: number): unknown {
  if (typeof value === 'string') {
    if (value.length <= length) return value;
    // Removes half of a surrogate pair, which is not a character.
    const kept = value.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
    return `${kept}… (${value.length - kept.length} more characters)`;
  }
  if (Array.isArray(value)) return value.map((part) => cutTo(part, length));
  if (!isFields(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, cutTo(part, length)]));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return isFields(value) ? Object.values(value).flatMap(textsIn) : [];
}

function isFields(value: unknown): value is Fields {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawNumber)
  );
}
