/** Columns of items other than those for their buckets, labels of their fields, and texts for a dataset without items. */
import { compactColumns } from '../../lib/column-guess.ts';
import { formatCount } from '../../lib/format.ts';
import type { Column } from '../../lib/grid/columns.ts';
import type { FieldWords } from '../../lib/inspect.ts';
import { BUCKET_TITLES } from '../../lib/mapping-edit.ts';

export const ORIGIN_COLUMNS: readonly Column[] = [
  { id: 'source_name', title: 'Source', kind: 'text', width: 140, get: (row) => row['source_name'] },
  { id: 'source_id', title: 'Source id', kind: 'id', width: 140, get: (row) => row['source_id'] },
  { id: 'created_at', title: 'Created', kind: 'time', width: 172, get: (row) => row['created_at'] },
  { id: 'updated_at', title: 'Updated', kind: 'time', width: 172, get: (row) => row['updated_at'] },
];
export const ID_COLUMN: Column = {
  id: 'id',
  title: 'Id',
  kind: 'id',
  width: 130,
  startsHidden: true,
  startsPinned: true,
  get: (row) => row['id'],
};
/** One column for each bucket, until the keys of the buckets are known. */
export const BUCKET_PLACES: readonly Column[] = compactColumns().map((column) => ({
  ...column,
  ...{ title: '', width: 280, narrow: 190 },
  group: column.title,
}));
export const KNOWN_COLUMNS: readonly Column[] = [...ORIGIN_COLUMNS, ...compactColumns(), ID_COLUMN];
export const ITEM_WORDS: FieldWords = {
  labels: {
    ...Object.fromEntries([ID_COLUMN, ...ORIGIN_COLUMNS].map(({ id, title }) => [id, title])),
    ...BUCKET_TITLES,
  },
  write: {},
  isOfService: true,
};

/** `added`: number of new items that are not sent yet. */
export const emptyText = (added: number): string =>
  added === 0
    ? 'This dataset has no items yet.'
    : `${formatCount(added, 'new item')}, not sent yet. This dataset has no other items.`;
export const addText = (added: number): string => (added === 0 ? 'Add the first items' : 'Add items');
export const FIRST_STEP =
  'The selected item is shown here. Add the first items from a file or by hand, or paste a table whose first line names the fields, such as inputs.question.';
