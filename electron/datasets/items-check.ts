/** Reads a whole file as items, without sending anything. */
import { badRowText } from '../shared/bad-row-text.ts';
import { counted } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import {
  ITEM_PLACES,
  type ItemColumn,
  type ItemsCheck,
  type ItemsPlan,
  itemReading,
} from '../shared/items-model.ts';
import { columnBoundProblems } from '../shared/plan-bounds.ts';
import { withoutUnfit } from './item-target.ts';
import type { ItemJobsDeps, ReadableFile } from './types.ts';

const STRETCH = { rows: 5_000, bytes: 8_000_000, lastRow: null };
const MAX_BAD = 50;
const MAX_SHOWN = 20;
/** Keeps the preview below the message limit of about 100 KB. If items are long, fewer are shown. */
const SHOWN_CHARACTERS = 60_000;

/**
 * Null if `shouldContinue` ended the check. Throws FILE_* errors, and INVALID_ARGUMENT for a plan that adds nothing.
 */
export async function checkFile(
  { extractItems, settleItems }: Pick<ItemJobsDeps, 'extractItems' | 'settleItems'>,
  plan: ItemsPlan,
  { path, state }: ReadableFile,
  shouldContinue: () => boolean,
): Promise<(ItemsCheck & { columns: ItemColumn[] }) | null> {
  checkColumns(plan);
  const { newKeys: _, ...settled } = await settleItems({
    ...{ path, state, reading: itemReading(plan) },
    // A run can have several results of one item, so these ids may be repeated.
    ...(plan.experiment === undefined ? {} : { idName: 'dataset item' }),
  });
  const reading = itemReading({ ...plan, columns: settled.columns });
  const check = {
    ...{ rows: 0, items: 0, badRows: 0, firstBad: [], requests: 0, sizeBytes: 0, fields: {}, sample: [] },
    ...settled,
  } as ItemsCheck & { columns: ItemColumn[] };
  let characters = 0;
  for (let start: Awaited<ReturnType<typeof extractItems>>['end'] = null; ; ) {
    const stretch = { path, state, start, reading, most: STRETCH, seed: 'check' };
    const cut = withoutUnfit(plan, await extractItems(stretch));
    check.rows += cut.rows;
    check.items += cut.items.length;
    check.badRows += cut.bad.length;
    check.firstBad.push(...cut.bad.slice(0, MAX_BAD - check.firstBad.length));
    for (const [key, count] of Object.entries(cut.fields))
      check.fields[key] = (check.fields[key] ?? 0) + count;
    for (const { json, line } of cut.items) {
      check.sizeBytes += json.length;
      characters += json.length;
      if (check.sample.length >= MAX_SHOWN || characters > SHOWN_CHARACTERS) continue;
      const { id: _id, ...item }: Record<string, unknown> = JSON.parse(json);
      check.sample.push({ line, item });
    }
    if (!shouldContinue()) return null;
    if (cut.end === null) break;
    start = cut.end;
  }
  check.requests = Math.ceil(check.items / plan.itemsPerRequest);
  return check;
}

/** The error that ends a job because of bad rows; null if the good rows may be sent. */
export function badRowsError(
  { rows, badRows, firstBad }: Pick<ItemsCheck, 'rows' | 'badRows' | 'firstBad'>,
  { onBadRow }: Pick<ItemsPlan, 'onBadRow'>,
): AppError | null {
  const [first] = firstBad;
  if (badRows === 0 || onBadRow === 'skip' || first === undefined) return null;
  return new AppError(
    'FILE_MALFORMED',
    `${counted(badRows, 'row')} of ${counted(rows, 'row')} cannot be added: nothing was sent. The first is in ${badRowText(first)}`,
    { line: first.line },
  );
}

/**
 * Throws INVALID_ARGUMENT if no column goes into a bucket, if two columns have the same key, or if a name is too long
 * to be stored.
 */
export function checkColumns({ columns, experiment }: Pick<ItemsPlan, 'columns' | 'experiment'>): void {
  const named = columns.map(({ source, field }) => ({ source, target: field }));
  const [bound] = columnBoundProblems(named, 'a file of items may have');
  if (bound !== undefined) throw new AppError('INVALID_ARGUMENT', bound);
  const taken = new Map<string, string>();
  for (const { source, place, field } of columns) {
    if (place === null) continue;
    const isOrigin = place === 'source_name' || place === 'source_id';
    if (!isOrigin && field === '') continue;
    const key = isOrigin ? place : `${place}.${field}`;
    const before = taken.get(key);
    if (before !== undefined)
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected one column for ${key}, got “${before}” and “${source}”. Give one of them another key, or leave it out.`,
      );
    taken.set(key, source);
  }
  if (columns.every(({ place }) => place === null || place === 'source_name' || place === 'source_id'))
    throw new AppError(
      'INVALID_ARGUMENT',
      experiment !== undefined
        ? `Expected columns such as dataset_item_id, outputs.answer, scores.Judge.quality or status, got ${columns.map(({ source }) => source).join(', ')}. A result has its item, and outputs, scores or a status.`
        : `Expected a column that goes to ${ITEM_PLACES.slice(0, 4).join(', ')}; all are left out.`,
    );
}
