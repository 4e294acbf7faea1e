/** Columns of spans: the fields of SERVICE.md F2.1, attributes chosen by the user, and any other fields. */
import CircleCheck from '@lucide/svelte/icons/circle-check';
import CircleDashed from '@lucide/svelte/icons/circle-dashed';
import CircleX from '@lucide/svelte/icons/circle-x';
import { spanStatusWords } from '../../electron/shared/constant-words.ts';
import { doubleOf } from '../../electron/shared/exact-json.ts';
import { spanTexts } from '../../electron/shared/messages/span-messages.ts';
import { USUAL_UNIT_MS } from '../../electron/shared/span-unit.ts';
import { parseTime } from '../../electron/shared/zone-time.ts';
import { fieldsOf, guessColumns, guessKind, guessWidth } from './column-guess.ts';
import { formatJsonLine, formatStamp } from './format.ts';
import type { ChipTone, Column, Row } from './grid/columns.ts';
import type { FieldWords } from './inspect.ts';
import { isObject } from './records.ts';
import { formatSpanDuration } from './span-duration.ts';
import { shortKey } from './span-fields.ts';
import { spanTypeLook } from './span-types.ts';

const ATTRIBUTES = 'span_attributes';

const writeStatus = (value: unknown): string =>
  typeof value === 'string' ? spanStatusWords(value) : formatJsonLine(value);

/** OK, ERROR and UNSET are known; any other status is shown without colour. */
export function statusTone(value: unknown): ChipTone {
  const word = String(value).toUpperCase();
  return word === 'OK' ? 'ok' : word === 'ERROR' ? 'bad' : 'plain';
}

function statusIcon(value: unknown) {
  const tone = statusTone(value);
  return tone === 'ok' ? CircleCheck : tone === 'bad' ? CircleX : CircleDashed;
}

const field =
  (name: string) =>
  (row: Row): unknown =>
    row[name];

/** Cache: rows are redrawn often, and their texts can be nested deeply in messages. */
const TEXTS = new WeakMap<Row, ReturnType<typeof spanTexts>>();

/** Input or output: the field of the span, otherwise text from its messages or an attribute. */
const said =
  (name: 'input' | 'output') =>
  (row: Row): unknown => {
    const texts = TEXTS.get(row) ?? spanTexts(row);
    TEXTS.set(row, texts);
    return texts[name] ?? row[name];
  };

/** The known columns: the time first, as the service orders by it; then type and content. */
const known = (unitMs: () => number): readonly Column[] => [
  {
    id: 'start_time',
    title: 'Start',
    kind: 'time',
    width: 122,
    get: field('start_time'),
    write: timeText,
  },
  {
    id: 'span_type',
    title: 'Type',
    kind: 'chip',
    width: 88,
    narrow: 84,
    get: field('span_type'),
    icon: (value) => spanTypeLook(value).icon,
    iconColour: (value) => spanTypeLook(value).colour,
  },
  { id: 'name', title: 'Name', kind: 'text', width: 124, narrow: 100, get: field('name'), isMono: true },
  { id: 'input', title: 'Input', kind: 'text', width: 150, narrow: 106, get: said('input') },
  { id: 'output', title: 'Output', kind: 'text', width: 180, narrow: 106, get: said('output') },
  {
    id: 'duration',
    title: 'Duration',
    kind: 'number',
    width: 90,
    sortsDownFirst: true,
    get: field('duration'),
    write: (value) => {
      const duration = doubleOf(value);
      return duration === null ? formatJsonLine(value) : formatSpanDuration(duration, unitMs());
    },
  },
  {
    id: 'status_code',
    title: 'Status',
    kind: 'chip',
    width: 116,
    get: field('status_code'),
    write: writeStatus,
    words: 'span-states',
    tone: statusTone,
    icon: statusIcon,
  },
];

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `12 Mar 14:02:33`: the year is in the range beside the list and in the tooltip. */
export function timeText(value: unknown): string {
  const ms = parseTime(value);
  if (ms === null) return formatJsonLine(value);
  const stamp = formatStamp(ms);
  return `${Number(stamp.slice(8, 10))} ${MONTHS[Number(stamp.slice(5, 7)) - 1]} ${stamp.slice(11)}`;
}

const FURTHER: readonly Column[] = [
  { id: 'agent_name', title: 'Agent', kind: 'text', width: 140, get: field('agent_name') },
  { id: 'session_id', title: 'Session', kind: 'id', width: 140, get: field('session_id') },
  { id: 'trace_id', title: 'Trace', kind: 'id', width: 140, get: field('trace_id') },
  { id: 'span_id', title: 'Span', kind: 'id', width: 130, get: field('span_id') },
  { id: 'parent_span_id', title: 'Parent', kind: 'id', width: 130, get: field('parent_span_id') },
  { id: 'status_message', title: 'Status message', kind: 'text', width: 200, get: field('status_message') },
  {
    id: 'evaluators',
    title: 'Evaluators',
    kind: 'text',
    width: 220,
    get: (row) => describeEvaluators(row['evaluators']),
    sortField: null,
  },
  { id: 'agent_id', title: 'Agent id', kind: 'text', width: 130, get: field('agent_id') },
];

/** Results of evaluators: `is_answer_relevant 1, sentiment positive`. */
export function describeEvaluators(value: unknown): string {
  if (!Array.isArray(value)) return '';
  return value
    .filter(isObject)
    .map((each) => {
      const result = each['label'] ?? each['value'];
      return `${String(each['output_name'] ?? each['evaluator_rule_name'] ?? 'result')} ${result ?? 'none'}`;
    })
    .join(', ');
}

/** Id of an attribute column; profiles and filters use it as the field name. */
export const attributeColumnId = (key: string): string => `${ATTRIBUTES}.${key}`;

/** A column for an attribute key; its kind depends on the loaded rows. */
function attributeColumn(key: string, rows: readonly Row[]): Column {
  const get = (row: Row) => {
    const attributes = row[ATTRIBUTES];
    return isObject(attributes) ? attributes[key] : undefined;
  };
  const values = rows.map(get);
  const title = shortKey(key);
  const kind = guessKind(values);
  return {
    id: attributeColumnId(key),
    title,
    kind,
    width: guessWidth(kind, title, values),
    get,
    group: 'Attributes',
  };
}

/**
 * `attributes`: keys in display order. `unitMs`: returns the unit of durations, and is called whenever one is
 * formatted.
 */
export function spanColumns(
  rows: readonly Row[],
  attributes: readonly string[],
  unitMs: () => number = () => USUAL_UNIT_MS,
): Column[] {
  const first = known(unitMs);
  const ids = new Set([...first, ...FURTHER].map(({ id }) => id));
  const others = fieldsOf(rows).some((name) => !ids.has(name) && name !== ATTRIBUTES)
    ? guessColumns(rows.slice(0, 20), [...first, ...FURTHER], new Set([ATTRIBUTES]))
    : [];
  const chosen = attributes.map((key) => attributeColumn(key, rows));
  return [...first, ...chosen, ...FURTHER, ...others];
}

export type SpanPart = 'type' | 'exchange' | 'name' | 'duration';

/** Input or output on one line of limited length; empty if there is none. */
export function spanLine(row: Row, name: 'input' | 'output'): string {
  const value = said(name)(row);
  return value === undefined || value === null ? '' : formatJsonLine(value);
}

/**
 * Columns for rows of two lines, with input and output in one column. Ids and single fields are hidden until the user
 * shows them. `isSlim`: there is little space beside input and output.
 */
export function spanLineColumns(
  rows: readonly Row[],
  attributes: readonly string[],
  unitMs: () => number,
  draws: Readonly<Record<SpanPart, Column['draw']>>,
  isSlim: boolean,
): Column[] {
  const all = spanColumns(rows, attributes, unitMs);
  const drawn = (id: string, draw: Column['draw'], change: Partial<Column> = {}) =>
    all
      .filter((column) => column.id === id)
      .map(
        ({ icon: _, iconColour: __, narrow: ___, ...column }): Column => ({
          ...column,
          ...change,
          ...(draw === undefined ? {} : { draw }),
        }),
      );
  const exchange: Column = {
    id: 'exchange',
    title: 'Input and output',
    kind: 'text',
    width: 260,
    narrow: 160,
    get: (row) => [spanLine(row, 'input'), spanLine(row, 'output')].filter((text) => text !== '').join(' → '),
    sortField: null,
    isPrivate: true,
    grows: true,
    parts: all.filter(({ id }) => id === 'input' || id === 'output'),
    ...(draws.exchange === undefined ? {} : { draw: draws.exchange }),
  };
  const shown = new Set([
    'span_type',
    'name',
    'duration',
    'start_time',
    ...attributes.map(attributeColumnId),
  ]);
  return [
    ...drawn('span_type', draws.type, { kind: 'text', width: 10, isTight: true, startsPinned: true }),
    exchange,
    ...drawn('name', draws.name, { width: 150, narrow: 100, startsHidden: isSlim }),
    ...all.filter(({ group }) => group !== undefined),
    ...drawn('duration', draws.duration, { width: 126, narrow: 76 }),
    ...drawn('start_time', undefined, { width: 130, startsHidden: isSlim }),
    ...all.filter(({ id }) => !shown.has(id)).map((column) => ({ ...column, startsHidden: true })),
  ];
}

const LABELS = Object.fromEntries(
  [...known(() => USUAL_UNIT_MS), ...FURTHER].map(({ id, title }) => [id, title]),
);

/** The labels of the columns, for a span in the inspector. */
export function spanWords(unitMs: number): FieldWords {
  return {
    labels: { ...LABELS, [ATTRIBUTES]: 'Attributes' },
    write: { duration: (value) => formatSpanDuration(value, unitMs) },
    isOfService: true,
  };
}
