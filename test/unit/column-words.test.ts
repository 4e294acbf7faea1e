/** Columns that show constants as words name the table of their words, by which typed filters and find boxes find them. */
import { expect, test } from 'vitest';
import { tablesOfList, WORD_TABLES, wordsFor } from '../../electron/shared/shown-words.ts';
import { viewCell } from '../../renderer/components/grid/cells.ts';
import type { Column } from '../../renderer/lib/grid/columns.ts';
import { filterText } from '../../renderer/lib/grid/summaries.ts';
import { filterOfValue } from '../../renderer/lib/grid/typed-filter.ts';
import { passes } from '../../renderer/lib/row-profiles.ts';
import { spanColumns } from '../../renderer/lib/span-columns.ts';
import { findResource } from '../../renderer/views/resources/registry.ts';

/** The names of all kinds of records are known here, because the registry is searched by name. */
const KINDS = [
  ...['projects', 'applications', 'models', 'environments', 'baselines', 'custom-metrics', 'segments'],
  ...['evaluators', 'evaluator-rules', 'jobs', 'datasets', 'dataset-items', 'experiments', 'alert-rules'],
  ...['genai-alert-rules', 'access-keys', 'users'],
];
const resources = KINDS.flatMap((id) => findResource(id) ?? []);
const VALUES = [
  'OK',
  'ERROR',
  'FAILURE',
  'SUCCESS',
  'ACTIVE',
  'PRE_PRODUCTION',
  'IN_PROGRESS',
  'other',
  true,
];

const columnsOf = (id: string): readonly Column[] => findResource(id)?.columns ?? [];
const columnOf = (id: string, field: string): Column => {
  const found = columnsOf(id).find((column) => column.id === field);
  if (found === undefined) throw new Error(`Expected a column ${field} of ${id}.`);
  return found;
};

test('cells show the words of the named table', () => {
  const columns = resources.flatMap((each) => [
    ...each.columns,
    ...each.parts.flatMap((part) => (part.kind === 'table' ? part.columns : [])),
  ]);
  columns.push(...spanColumns([], []));
  const written = columns.filter(({ words, write }) => words !== undefined && write !== undefined);
  expect(new Set(written.map(({ words }) => words))).toEqual(new Set(WORD_TABLES));
  for (const column of written) {
    const table = column.words ?? 'constants';
    for (const value of VALUES)
      expect([column.id, viewCell(column, value).text]).toEqual([column.id, wordsFor(table, String(value))]);
  }
});

test('find boxes know the tables of the lists whose columns show constants', () => {
  const lists = resources.flatMap(({ list, columns, parts }) => [
    ...(list === null ? [] : [{ operation: list.operation, columns }]),
    ...parts.flatMap((part) =>
      // The view of results makes their columns itself.
      part.kind === 'list' && part.resource !== 'experiment-results'
        ? [{ operation: part.operation, columns: columnsOf(part.resource) }]
        : [],
    ),
  ]);
  const shownIn = lists.map(({ operation, columns }) => {
    const tables = new Set(columns.flatMap(({ words = null }) => words ?? []));
    return [operation, [...tables].filter((table) => table !== 'yes-no' && table !== 'enabled')];
  });
  expect(shownIn).toEqual(lists.map(({ operation }) => [operation, tablesOfList(operation)]));
  expect(tablesOfList('experiments.results')).toEqual(['constants']);
  expect(tablesOfList('spans.query')).toEqual(['span-states']);
  expect(tablesOfList('datasets.items')).toEqual([]);
  expect(tablesOfList('catalog.values')).toEqual([]);
});

test('the state of an evaluator rule is filtered by the words in its cells, and by a cell', () => {
  const state = columnOf('evaluator-rules', 'enabled');
  const rows = [{ enabled: true }, { enabled: false }, { enabled: null }];
  expect(rows.map((row) => viewCell(state, state.get(row)).text)).toEqual(['enabled', 'paused', '–']);
  const filter = filterOfValue(state.get({ enabled: false }), {
    field: 'enabled',
    kind: 'text',
    excludes: false,
  });
  if (filter === null) throw new Error('Expected a filter.');
  expect(rows.map(passes(filter))).toEqual([false, true, false]);
  expect(filterText(state, 'boolean', filter)).toBe('paused');
});

test('the chip of a filter names several values that are shown with the same words once', () => {
  const status = columnOf('evaluators', 'status');
  const filter = (values: string[]) => ({
    kind: 'values' as const,
    field: 'status',
    values,
    excludes: false,
  });
  expect(filterText(status, 'text', filter(['ACTIVE', 'active']))).toBe('active');
  expect(filterText(status, 'text', filter(['ACTIVE', 'INACTIVE']))).toBe('2 values');
});
