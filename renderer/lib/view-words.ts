/** Describes in plain words what opening a saved view does. Pure. */
import type { ColumnFilter, ColumnKind } from '../../electron/shared/analysis-model.ts';
import { DEFAULT_LABEL, PERIOD, periodOf } from '../../electron/shared/board-times.ts';
import { constantOf } from '../../electron/shared/constant-words.ts';
import type { SharedView, ViewKind } from '../../electron/shared/saved-view.ts';
import { formatCount, formatFull } from './format.ts';
import type { Column } from './grid/columns.ts';
import { filterText } from './grid/summaries.ts';
import { fieldTitle } from './inspect.ts';
import { readTiles } from './monitoring/board.ts';
import { TIME_LABELS } from './monitoring/chart-body.ts';
import { visible } from './read/visible.ts';
import { spanFilterText } from './span-filter.ts';
import { RANGE_PRESETS } from './span-range.ts';

const VIEW_KIND_WORDS: Readonly<Record<ViewKind, string>> = {
  catalog: 'Catalog',
  values: 'Values of an entity',
  attributes: 'Attributes',
  datasets: 'Datasets',
  dataset: 'Dataset',
  spans: 'Spans',
  trace: 'Spans',
  sql: 'SQL, not run before you run it',
  'alert-rules': 'Alert rules',
  'alert-rule': 'Alert rule',
  board: 'Board of charts',
  resources: 'Records',
  resource: 'Record',
  changes: 'Changes',
  jobs: 'Jobs',
  search: 'Search',
};

/** A Map, because the looked-up parameter names are untrusted. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['filter', 'Filter'],
  ['sql', 'Query'],
  ['search', 'Search'],
  ['application_name', 'Application'],
  ['applicationName', 'Application'],
  ['columns', 'Attribute columns'],
  ['ordering', 'Order'],
  ['part', 'Part'],
]);
const RANGE = new Set(['range', 'start', 'end']);
/** Parameters that the lines about a board already show. */
const OF_BOARD = new Set(['board', 'about', 'projectId', 'time', 'compare', 'tiles']);

/** `Application id` for `application_id` and `applicationId`. Names in another spelling stay unchanged. */
const paramTitle = (key: string): string =>
  fieldTitle(key.replace(/(?<=[a-z])[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`));

interface Line {
  name: string;
  value: string;
  isMono?: boolean;
}

/**
 * All settings of a view, one line each; characters that would change the text direction are shown as
 * symbols.
 */
export function describeView(shared: SharedView): Line[] {
  return linesOf(shared).map(({ name, value, ...rest }) => ({
    name: visible(name),
    value: visible(value),
    ...rest,
  }));
}

function linesOf({ view, service }: SharedView): Line[] {
  const { kind, title, params, grid } = view;
  /** The columns of a query are named by the user. */
  const titleOf = kind === 'sql' ? (field: string) => field : fieldTitle;
  const lines: Line[] = [{ name: 'Opens', value: `${VIEW_KIND_WORDS[kind]}: ${title}` }];
  for (const [key, value] of Object.entries(params)) {
    if (RANGE.has(key) || value === '' || (kind === 'board' && OF_BOARD.has(key))) continue;
    const label = NAMES.get(key);
    const filter = key === 'filter' ? spanFilterText(value) : null;
    lines.push({
      name: label ?? paramTitle(key),
      value: filter ?? constantOf(key, value) ?? value,
      isMono: filter === null && (label === undefined || key === 'filter' || key === 'sql'),
    });
  }
  if (kind === 'board') lines.push(...boardLines(params));
  const range = rangeWords(params);
  if (range !== '') lines.push({ name: 'Time range', value: range });
  if (grid !== null) {
    const { sort, narrow, filters, layout } = grid;
    if (narrow.trim() !== '') lines.push({ name: 'Loaded rows', value: `that match ${narrow}` });
    for (const filter of filters)
      lines.push({
        name: 'Column filter',
        value: `${titleOf(filter.field)}: ${filterText(columnOf(filter.field), kindOf(filter), filter)}`,
      });
    if (sort !== null)
      lines.push({
        name: 'Sort',
        value: `${titleOf(sort.field)}, ${sort.isDescending ? 'descending' : 'ascending'}`,
      });
    const columns = [
      layout.order.length > 0 ? 'own order' : '',
      layout.hidden.length > 0 ? `${formatCount(layout.hidden.length, 'column')} hidden` : '',
      Object.keys(layout.widths).length > 0 ? 'own widths' : '',
    ].filter((each) => each !== '');
    if (columns.length > 0) lines.push({ name: 'Columns', value: columns.join(', ') });
  }
  if (service !== '') lines.push({ name: 'Made with', value: service, isMono: true });
  return lines;
}

/** The charts of a board, which are requested when it opens, and their time range. */
function boardLines({
  about = '',
  time = DEFAULT_LABEL,
  compare = '',
  tiles,
}: Readonly<Record<string, string>>): Line[] {
  const titles = tiles === undefined ? null : readTiles(tiles)?.map(({ title }) => title);
  const charts = titles === null ? 'the standard ones' : (titles ?? []).join(', ') || 'none';
  return [
    ...(about === '' ? [] : [{ name: 'About', value: about }]),
    { name: 'Charts', value: charts },
    { name: 'Time range', value: TIME_LABELS.find(({ value }) => value === time)?.title ?? time },
    ...(compare === ''
      ? []
      : [{ name: 'Compared with', value: (compare === PERIOD ? periodOf(time) : compare).toLowerCase() }]),
  ];
}

const columnOf = (field: string): Column => ({
  ...{ id: field, title: field, kind: 'text', width: 0 },
  get: (row) => row[field],
});
/** Larger numbers are milliseconds since 1970: a view does not say which values are times. */
const MIN_MOMENT = 100_000_000_000;
const kindOf = (filter: ColumnFilter): ColumnKind =>
  filter.kind === 'range' && Math.abs(filter.from ?? filter.to ?? 0) > MIN_MOMENT ? 'time' : 'number';

function rangeWords({ range, start, end }: Readonly<Record<string, string>>): string {
  const preset = RANGE_PRESETS.find(({ id }) => id === range);
  if (preset !== undefined) return `${preset.title}, up to now`;
  const [from, to] = [Date.parse(start ?? ''), Date.parse(end ?? '')];
  return Number.isNaN(from) || Number.isNaN(to) ? '' : `${formatFull(from)} to ${formatFull(to)}`;
}
