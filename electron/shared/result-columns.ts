/**
 * Columns of a file of results for an experiment. The rows are read like items of a dataset (shared/items-model.ts), so
 * each part of a result takes one of the places of an item. Pure.
 */
import { LOST_NAME } from './item-columns.ts';
import type { ItemColumn, ItemPlace } from './items-model.ts';
import type { PreviewColumn } from './upload-model.ts';

/** Each part of a result, with the place of an item that holds it while its row is read. */
export const RESULT_PLACES = {
  dataset_item_id: 'source_id',
  outputs: 'inputs',
  scores: 'expected_outputs',
  /** State, times and errors of the item. */
  item: 'metadata',
  /** A complete list of scores. */
  lists: 'extras',
} as const satisfies Readonly<Record<string, ItemPlace>>;

/**
 * Columns that identify an existing result, so that the scores are added to it; without them, a new result is created.
 */
const OWN_FACTS = ['experiment_item_id', 'experiment_id'] as const;

/** Fields of a result besides its id and outputs. */
export const ITEM_FACTS = ['status', 'duration_ms', 'timestamp', 'error_reason', 'error_message'] as const;

type Target = Pick<ItemColumn, 'place' | 'field'>;

/**
 * Parses a column name such as `outputs.answer`, `scores.Judge.quality` or `status`; null for a column that is not part
 * of a result.
 */
function readResultPlace(name: string, type: PreviewColumn['type']): Target | null {
  if (name === LOST_NAME) return null;
  if (name === 'dataset_item_id') return { place: RESULT_PLACES.dataset_item_id, field: '' };
  if ([...ITEM_FACTS, ...OWN_FACTS].some((fact) => fact === name))
    return { place: RESULT_PLACES.item, field: name };
  if (name === 'scores' && type === 'json') return { place: RESULT_PLACES.lists, field: 'scores' };
  if (name === 'outputs' && type === 'json') return { place: RESULT_PLACES.outputs, field: '' };
  for (const part of ['outputs', 'scores'] as const) {
    if (name.startsWith(`${part}.`)) {
      const field = name.slice(part.length + 1);
      return field === '' || field === LOST_NAME ? null : { place: RESULT_PLACES[part], field };
    }
  }
  return null;
}

/** Suggests places by column name; a name that is not part of a result is left out. */
export function suggestResultColumns(columns: readonly Pick<PreviewColumn, 'name' | 'type'>[]): ItemColumn[] {
  return columns.map(({ name, type }) => ({
    source: name,
    type,
    ...(readResultPlace(name, type) ?? { place: null, field: name }),
  }));
}

/** The place of a column as text, e.g. `outputs.answer`. */
export function resultPlaceText({ place, field }: Target): string {
  if (place === null) return 'left out';
  const part = Object.entries(RESULT_PLACES).find(([, of]) => of === place)?.[0] ?? place;
  if (part === 'item' || part === 'lists') return field;
  return field === '' ? part : `${part}.${field}`;
}
