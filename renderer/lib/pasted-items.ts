/**
 * Dataset items from a table of copied cells. Columns are assigned to fields in the same way as those of a file. Pure.
 */
import { BUCKETS, type Bucket } from '../../electron/shared/dataset-model.ts';
import { withFormula } from '../../electron/shared/delimited.ts';
import { readPlace, suggestItemColumns } from '../../electron/shared/item-columns.ts';
import { typedValue } from './cell-edit.ts';
import { formatCount } from './format.ts';
import type { ItemContent } from './item-fields.ts';
import { BUCKET_TITLES } from './mapping-edit.ts';
import { isObject, type JsonObject } from './records.ts';

type Keys = Readonly<Partial<Record<Bucket, readonly string[]>>>;

interface PastedItems {
  items: ItemContent[];
  /** How the columns and rows were used, in words. */
  text: string;
}

/**
 * Whether the first line of a block has names of item fields. In a dataset without items, any text can be such a name.
 */
export function namesFields([names = [], ...rows]: readonly string[][], known: Keys): boolean {
  const isNew = BUCKETS.every((bucket) => (known[bucket] ?? []).length === 0);
  const isField = (name: string) =>
    (readPlace(name)?.field ?? '') !== '' || BUCKETS.some((bucket) => known[bucket]?.includes(name));
  return rows.length > 0 && names.every((name) => name.trim() !== '') && (isNew || names.some(isField));
}

/** The JSON value of a cell, unless it is a text or null; otherwise undefined. */
function plainValue(cell: string): unknown {
  const typed = typedValue(cell, 'json', false);
  return 'value' in typed && typeof typed.value !== 'string' && typed.value !== null
    ? typed.value
    : undefined;
}

/**
 * Makes at most `most` items, one for each line after the first, which names the columns. If all cells of a column are
 * JSON, they are read as JSON; otherwise they are texts. An empty cell adds no field.
 */
export function pastedItems(block: readonly string[][], known: Keys, most: number): PastedItems {
  const [names = [], ...lines] = block;
  const cellsOf = (at: number) =>
    lines.map((line) => withFormula(line[at] ?? '')).filter((cell) => cell !== '');
  const isPlain = names.map((_, at) => cellsOf(at).every((cell) => plainValue(cell) !== undefined));
  const isJson = names.map((_, at) => isPlain[at] === true && cellsOf(at).some((cell) => /^[[{]/.test(cell)));
  const columns = suggestItemColumns(
    names.map((name, at) => ({ name: name.trim(), type: isJson[at] === true ? 'json' : 'str' })),
    known,
  ).map(({ place, ...column }) => ({ ...column, bucket: BUCKETS.find((bucket) => bucket === place) }));
  let replaced = 0;
  const items = lines.slice(0, most).flatMap((line) => {
    const item: Record<string, JsonObject> = {};
    for (const [at, { bucket, field }] of columns.entries()) {
      const cell = withFormula(line[at] ?? '');
      if (bucket === undefined || cell === '') continue;
      const value = isPlain[at] === true ? plainValue(cell) : cell;
      const fields = field !== '' ? { [field]: value } : isObject(value) ? value : {};
      const before = item[bucket] ?? {};
      replaced += Object.keys(fields).filter((key) => Object.hasOwn(before, key)).length;
      item[bucket] = { ...before, ...fields };
    }
    return Object.keys(item).length === 0 ? [] : [item];
  });
  const [used, left] = [
    columns.filter(({ bucket }) => bucket !== undefined),
    columns.filter(({ bucket }) => bucket === undefined),
  ];
  const namesOf = (of: typeof columns) => of.map(({ source }) => source).join(', ');
  const places = BUCKETS.flatMap((bucket) => {
    const of = used.filter((column) => column.bucket === bucket);
    return of.length === 0 ? [] : [`${namesOf(of)} to ${BUCKET_TITLES[bucket].toLowerCase()}`];
  });
  const empty = Math.min(lines.length, most) - items.length;
  const widest = lines.reduce((width, line) => Math.max(width, line.length), 0);
  const rest = [
    left.length > 0 ? `Left out: ${namesOf(left)}.` : '',
    replaced > 0 ? `${formatCount(replaced, 'value')} replaced by a later column with the same field.` : '',
    empty > 0 ? `${formatCount(empty, 'empty row')} skipped.` : '',
    lines.length > most ? `${formatCount(lines.length - most, 'row')} did not fit.` : '',
    widest > names.length ? `${formatCount(widest - names.length, 'column')} without a name left out.` : '',
  ];
  return {
    items,
    text: [`${formatCount(items.length, 'new item')}: ${places.join('; ')}.`, ...rest]
      .filter((part) => part !== '')
      .join(' '),
  };
}
