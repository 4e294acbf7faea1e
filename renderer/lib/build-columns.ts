/** Columns for picked spans: the span and the item made from it. Pure. */
import { BUCKETS, type Mapping, type SpanState } from '../../electron/shared/dataset-model.ts';
import { PICKED_WORDS } from './build-words.ts';
import { guessKind, guessWidth } from './column-guess.ts';
import { formatNumber } from './format.ts';
import type { ChipTone, Column, Row } from './grid/columns.ts';
import { BUCKET_TITLES, entriesOf } from './mapping-edit.ts';
import { isObject } from './records.ts';
import { timeText } from './span-columns.ts';

const TONES: Readonly<Partial<Record<SpanState, ChipTone>>> = {
  acknowledged: 'ok',
  unresolved: 'bad',
  unknown: 'warn',
  sending: 'info',
};

const field =
  (name: string) =>
  (row: Row): unknown =>
    row[name];

/** No column can be sorted: the main process returns the spans in the order in which they were picked. */
const fixed = { sortField: null } as const;

const START: Column = {
  id: 'start_time',
  title: 'Start',
  kind: 'time',
  width: 160,
  get: field('start_time'),
  ...fixed,
};
const TYPE: Column = {
  id: 'span_type',
  title: 'Type',
  kind: 'chip',
  width: 84,
  get: field('span_type'),
  ...fixed,
};
const NAME: Column = {
  id: 'name',
  title: 'Name',
  kind: 'text',
  width: 150,
  narrow: 110,
  get: field('name'),
  isMono: true,
  ...fixed,
};
const IDS: readonly Column[] = [
  { id: 'trace_id', title: 'Trace', kind: 'id', width: 140, get: field('trace_id'), ...fixed },
  { id: 'span_id', title: 'Span', kind: 'id', width: 140, get: field('span_id'), ...fixed },
];

/** Columns for the span of an item. The texts are not among them, as the item shows them. */
export const SPAN_OF_ROW: readonly Column[] = [START, TYPE, NAME, ...IDS];

/** A span with its input and output, as in the list of spans. Its ids are hidden by default. */
export const SELECTED_SPAN: readonly Column[] = [
  TYPE,
  { id: 'input', title: 'Input', kind: 'text', width: 270, narrow: 180, get: field('input'), ...fixed },
  {
    ...{ id: 'output', title: 'Output', kind: 'text', width: 270, narrow: 180, get: field('output') },
    grows: true,
    ...fixed,
  },
  NAME,
  { ...START, width: 130, write: timeText },
  ...IDS.map((column) => ({ ...column, startsHidden: true })),
];

export const STATE_OF_ROW: Column = {
  id: 'state',
  title: 'State',
  kind: 'chip',
  width: 110,
  get: (row) => PICKED_WORDS[row['state'] as SpanState] ?? row['state'],
  tone: (value) =>
    TONES[
      (Object.keys(PICKED_WORDS) as SpanState[]).find((state) => PICKED_WORDS[state] === value) ?? 'unsent'
    ] ?? 'plain',
  ...fixed,
};

/** The form in which a span is sent to the dataset: as a span, or as an item if it was edited or read from a file. */
export const SENT_AS: Column = {
  id: 'sentAs',
  title: 'Goes as',
  kind: 'text',
  width: 130,
  get: (row) =>
    row['isEdited'] === true ? 'item, edited' : row['isOfFile'] === true ? 'item, from a file' : 'span',
  ...fixed,
};

/** The item with a similar input. The cell is empty for most spans. */
export const NEAR_DUPLICATE_OF_ROW: Column = {
  // The id in stored column layouts.
  id: 'twin',
  title: 'Near-duplicate of',
  kind: 'text',
  width: 150,
  get: (row) => nearDuplicateText(row['nearDuplicate']),
  ...fixed,
};

function nearDuplicateText(nearDuplicate: unknown): string | null {
  if (!isObject(nearDuplicate) || !isObject(nearDuplicate['of'])) return null;
  const { of, likeness } = nearDuplicate;
  if (of['isSameSpan'] === true) return 'its own item';
  const source = of['kind'] === 'item' ? 'an item' : `span ${formatNumber(Number(of['position']) + 1)}`;
  return likeness === 1 ? source : `${source}, ${Math.min(99, Math.floor(Number(likeness) * 100))}%`;
}

export const ITEM_ID: Column = {
  id: 'itemId',
  title: 'Item',
  kind: 'id',
  width: 140,
  get: field('itemId'),
  ...fixed,
};

/** One column for each field of the mapping, grouped by bucket; a cell says so if its span lacks the field's key. */
export function itemColumns(mapping: Mapping, rows: readonly Row[]): Column[] {
  return BUCKETS.flatMap((bucket) =>
    entriesOf(mapping, bucket).map(({ entry, index }): Column => {
      const read = (row: Row) => {
        const item = row['item'];
        const part = isObject(item) ? item[bucket] : undefined;
        return isObject(part) ? part[entry.field] : undefined;
      };
      const values = rows.map(read);
      const kind = guessKind(values);
      const title = entry.field === '' ? 'no name' : entry.field;
      return {
        // The index makes the id unique: two fields can have the same name while they are edited.
        id: `${bucket}.${entry.field}.${index}`,
        title,
        kind,
        width: guessWidth(kind, title, values),
        get: read,
        group: BUCKET_TITLES[bucket],
        absentText: 'missing',
        ...fixed,
      };
    }),
  );
}
