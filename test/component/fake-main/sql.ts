/** SQL on fake views. Every query returns the same rows, in the form of the SQL process. */
import type { ColumnFilter } from '../../../electron/shared/analysis-model.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import type { DescribedView, SqlAnswers, SqlRequest } from '../../../electron/shared/sql-model.ts';
import { passes } from '../../../renderer/lib/row-profiles.ts';
import { profileOf } from './profiles.ts';
import { NOW, scenario } from './scenario.ts';

const COUNTRIES = ['Germany', 'France', 'Spain', 'Italy', 'Austria', 'Netherlands', 'Poland', 'Belgium'];
const ROWS = Array.from({ length: 240 }, (_, at) => ({
  country: COUNTRIES[at % 7 === 0 ? at % 8 : at % 3] ?? '',
  refunds: 241 - at,
  ms: 372 + ((at * 37) % 140) / 4,
  first_seen: new Date(NOW - at * 5_400_000).toISOString().replace('T', ' ').replace('Z', '+00'),
}));
const COLUMNS = [
  { name: 'country', type: 'VARCHAR' },
  { name: 'refunds', type: 'BIGINT' },
  { name: 'ms', type: 'DOUBLE' },
  { name: 'first_seen', type: 'TIMESTAMP WITH TIME ZONE' },
];
const view = (
  name: string,
  operation: string,
  storedRows: number,
  isComplete: boolean,
  isList = false,
): DescribedView => ({
  ...{ name, storedRows, mostRows: storedRows, isComplete, isSample: !isComplete, oldestMs: NOW - 3_600_000 },
  ...{
    schema: isList ? ('lists' as const) : null,
    title: isList ? name.replace(/ #.*/, '') : `All stored ${name}`,
    operation,
  },
  query: isList ? { operation, path: { application_id: 'support-assistant' }, query: {} } : null,
  columns: [
    ...COLUMNS,
    { name: 'span_attributes.gen_ai.request.model', type: 'VARCHAR' },
    { name: 'input', type: 'JSON' },
  ],
});

const fault = (sql: string): WireError => {
  const line = sql.slice(0, sql.indexOf('nothing')).split('\n');
  return {
    code: 'INVALID_ARGUMENT',
    title: 'Invalid value',
    message: `SQL line ${line.length}, column ${(line.at(-1) ?? '').length + 1}: There is no column nothing. Did you mean country?`,
    retry: 'never',
    details: { place: { line: line.length, column: (line.at(-1) ?? '').length + 1 } },
  };
};
const UNREADABLE: WireError = {
  code: 'STORE_FAILED',
  title: 'The local store failed',
  message: 'The stored lists could not be read. Check the stores under Diagnostics, then try again.',
  retry: 'later',
  details: {},
};

/** Ends the query that otherwise never ends. */
let end: ((problem: WireError) => void) | null = null;

const passing = (filters: readonly ColumnFilter[]) =>
  ROWS.filter((row) => filters.every((filter) => passes(filter)(row)));

export function sql(request: SqlRequest): SqlAnswers[keyof SqlAnswers] | Promise<never> {
  switch (request.act) {
    case 'views':
      if (scenario.sql === 'failed') throw UNREADABLE;
      if (scenario.sql === 'loading') return new Promise<never>(() => undefined);
      return scenario.sql === 'empty'
        ? []
        : [
            view('entities', 'catalog.list', 3_200, false),
            view('spans', 'spans.query', 4_116, true),
            view('items', 'datasets.items', 2_412, true),
            view('Spans of Support assistant, 19–26 Nov, type llm #12', 'spans.query', 812, true, true),
            view('Entities of Support assistant #3', 'catalog.list', 3_200, false, true),
          ];
    case 'run':
      if (request.sql.includes('nothing')) throw fault(request.sql);
      if (request.sql.includes('for_ever'))
        return new Promise<never>((_, reject) => {
          end = reject;
        });
      return {
        ...{ columns: COLUMNS, views: ['spans'], tookMs: 18 },
        rows: request.sql.includes('no_rows') ? 0 : ROWS.length,
        isCut: request.sql.includes('cut'),
      };
    case 'rows': {
      const { offset, limit, filters, sort } = request.window;
      const rows = passing(filters);
      const field = COLUMNS.find(({ name }) => name === sort?.field)?.name;
      const of = (row: object) => (row as Record<string, unknown>)[field ?? ''];
      if (field !== undefined)
        rows.sort((a, b) => (Number(of(a)) - Number(of(b))) * (sort?.isDescending === true ? -1 : 1));
      return {
        rows: rows.slice(offset, offset + limit).map((row) => Object.values(row)),
        matchingRows: rows.length,
      };
    }
    case 'profile':
      return profileOf(ROWS, ROWS.length, request).columns;
    case 'stop':
      end?.({
        code: 'CANCELLED',
        title: 'Stopped',
        message: 'The query was stopped.',
        retry: 'now',
        details: {},
      });
      end = null;
      return null;
  }
}
