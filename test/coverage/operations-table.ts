/** Operation × client, service, window, command line, test: one row for each row of the endpoint table. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Endpoint, endpoint, OPERATION_IDS, type OperationId } from '../../electron/api/endpoints.ts';
import { commandLineOf } from '../../electron/cli/command-line-of.ts';
import { LIMIT_CATEGORIES } from '../../electron/core/limits/limits.ts';
import { HANDLERS } from '../../electron/sample-service/handlers/index.ts';
import { SPECIFIED_OPERATIONS } from '../../electron/sample-service/routes.ts';
import { OPERATION_HOMES } from '../../renderer/views/operation-homes.ts';
import { CASES } from '../contract/sample-service-cases.ts';
import { viewText } from './view-sources.ts';

const root = resolve(import.meta.dirname, '../..');
/** Suites that go through every row of the table: through the product's client, and by raw HTTP. */
const CLIENT_SUITE = 'test/contract/operations-client.test.ts';
const RAW_SUITE = 'test/contract/sample-service-operations.test.ts';

export type Place = 'client' | 'service' | 'window' | 'cli' | 'test';

export interface Row {
  operation: OperationId;
  endpoint: Endpoint;
  /** Contents of the table; null is a gap. */
  cells: Record<Place, string | null>;
}

export interface Gap {
  operation: OperationId;
  place: Place;
}

export function operationRows(): Row[] {
  const hasClientSuite = goesThroughAll(CLIENT_SUITE);
  const hasRawSuite = goesThroughAll(RAW_SUITE);
  return OPERATION_IDS.map((operation) => {
    const row = endpoint(operation);
    const hasCase = Object.hasOwn(CASES, operation);
    const isDriven = hasClientSuite && hasCase;
    return {
      operation,
      endpoint: row,
      cells: {
        client: isDriven ? 'yes' : null,
        service: Object.hasOwn(HANDLERS, operation) ? 'yes' : null,
        window: windowOf(operation),
        cli: commandLineOf(operation),
        test: isDriven && hasRawSuite ? testsOf(row) : null,
      },
    };
  });
}

export function gapsOf(rows: readonly Row[]): Gap[] {
  return rows.flatMap(({ operation, cells }) =>
    (Object.keys(cells) as Place[])
      .filter((place) => cells[place] === null)
      .map((place) => ({ operation, place })),
  );
}

/** The home of the operation, where the view of that kind names it or the channel that leads to it. */
function windowOf(operation: OperationId): string | null {
  const home = OPERATION_HOMES[operation];
  if (home === undefined) return null;
  const text = viewText(home.kind);
  const name = home.by ?? operation;
  // In quotes of a script or of an attribute: a longer name that begins with this one does not count.
  const isNamed = text !== null && (text.includes(`'${name}'`) || text.includes(`"${name}"`));
  return isNamed ? `${home.kind}: ${home.does}` : null;
}

function goesThroughAll(file: string): boolean {
  return /describe\.each\(OPERATION_IDS\)/.test(readFileSync(join(root, file), 'utf8'));
}

function testsOf({ errors }: Endpoint): string {
  return `1 success, ${errors.length} errors`;
}

/** One table for each group of operations. */
export function operationTables(rows: readonly Row[]): string {
  const groups = Map.groupBy(rows, ({ operation }) => operation.split('.')[0] ?? operation);
  return [...groups].map(([name, group]) => `### ${name}\n\n${groupTable(group)}`).join('\n\n');
}

const HEAD = [
  'operation',
  'request',
  'what it does',
  'paging',
  'limit',
  'public facts',
  'client',
  'service',
  'window',
  'command line',
  'tests, by client and by HTTP',
];

function groupTable(rows: readonly Row[]): string {
  const lines = rows.map(({ operation, endpoint: row, cells }) => [
    `\`${operation}\``,
    `\`${row.method} ${row.path}\``,
    row.title,
    row.paging === 'none' ? '–' : row.paging,
    LIMIT_CATEGORIES[row.limit].title.toLowerCase(),
    SPECIFIED_OPERATIONS.has(operation) ? '–' : row.section,
    ...(['client', 'service', 'window'] as const).map((place) => cells[place] ?? '**gap**'),
    cells.cli === null ? '**gap**' : `\`${cells.cli}\``,
    cells.test ?? '**gap**',
  ]);
  return [HEAD, HEAD.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
