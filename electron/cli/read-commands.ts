import type { Session } from '../engine/session.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import type { Freshness, ListQuery, ListRow } from '../shared/model.ts';
import type { CommandContext } from './context.ts';
import { table } from './output.ts';

const VIEW = 'command line';
const WINDOW_ROWS = 200;

/** Fields shown first in the human form of each list. */
const FIELDS: Record<string, readonly string[]> = {
  'applications.list': ['id', 'name'],
  'catalog.list': ['name', 'data_type', 'semantic_name', 'row_count', 'last_seen'],
  'catalog.values': ['value', 'row_count', 'last_seen'],
  'attributes.list': ['name', 'data_type', 'scope'],
  'models.list': ['id', 'name', 'version', 'task'],
  'datasets.list': ['id', 'name', 'description'],
  'datasets.items': ['id', 'inputs', 'expected_outputs'],
};

export async function applications(context: CommandContext): Promise<void> {
  await list(context, { operation: 'applications.list', path: {}, query: searchQuery(context) });
}

export async function attributes(context: CommandContext): Promise<void> {
  await list(context, { operation: 'attributes.list', path: {}, query: searchQuery(context) });
}

export async function models(context: CommandContext): Promise<void> {
  await list(context, { operation: 'models.list', path: {}, query: searchQuery(context) });
}

export async function datasets(context: CommandContext): Promise<void> {
  await list(context, { operation: 'datasets.list', path: {}, query: searchQuery(context) });
}

export async function catalog(context: CommandContext): Promise<void> {
  const application_id = await resolveName(context, 'applications.list', positional(context, 'APP'));
  const query = queryOf(context, {
    'entity-type': 'entity_type',
    'data-type': 'data_type',
    'semantic-name': 'semantic_name',
    search: 'search',
  });
  await list(context, { operation: 'catalog.list', path: { application_id }, query });
}

export async function values(context: CommandContext): Promise<void> {
  const application_id = await resolveName(context, 'applications.list', positional(context, 'APP'));
  const query = queryOf(context, { 'entity-type': 'entity_type', name: 'name', search: 'search' });
  if (query['entity_type'] === undefined || query['name'] === undefined) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'values expects --entity-type and --name: values belong to one entity.',
    );
  }
  await list(context, { operation: 'catalog.values', path: { application_id }, query });
}

export async function items(context: CommandContext): Promise<void> {
  const dataset_id = await resolveName(context, 'datasets.list', positional(context, 'DATASET'));
  await list(context, {
    operation: 'datasets.items',
    path: { dataset_id },
    query: queryOf(context, { ordering: 'ordering' }),
  });
}

export async function schema(context: CommandContext): Promise<void> {
  const dataset_id = await resolveName(context, 'datasets.list', positional(context, 'DATASET'));
  const session = await context.session();
  const query: ListQuery = { operation: 'datasets.schema', path: { dataset_id }, query: {} };
  const { record, freshness } = await readRecord(context, session, query);
  context.output.answer({ ...record, asOf: asOf(freshness) }, () => JSON.stringify(record, null, 2));
}

/** Reads a list as asked (from the service, or what is stored with --offline) and answers {items, total, complete, asOf}. */
async function list(context: CommandContext, query: ListQuery): Promise<void> {
  const session = await context.session();
  const { rows, freshness } = await readList(context, session, query);
  const offset = context.args.wholeNumber('offset', 0) ?? 0;
  const limit = context.args.wholeNumber('limit', 1) ?? Number.POSITIVE_INFINITY;
  const found = rows.filter(({ position }) => position >= offset).slice(0, limit);
  const records = found.map(({ record }) => record);
  const total = freshness.totalRows ?? (freshness.isComplete ? freshness.storedRows : null);
  context.output.answer(
    { items: records, total, complete: total !== null && records.length === total, asOf: asOf(freshness) },
    () =>
      `${table(records, FIELDS[query.operation] ?? ['id', 'name'])}\n${records.length} of ${total ?? 'unknown'} · as of ${asOf(freshness) ?? 'never'}`,
  );
}

/** Waits until the library has read as much as asked; a failure with nothing stored is the command's failure. */
async function readList(
  context: CommandContext,
  session: Session,
  query: ListQuery,
): Promise<{ rows: ListRow[]; freshness: Freshness }> {
  const request = { connectionId: session.connection.id, viewId: VIEW, query, refresh: refreshMode(context) };
  const freshness = await settled(context, (report) => {
    const stop = context.listen('library:list-changed', ({ state }) =>
      report(state.listKey, state.freshness),
    );
    return { stop, open: () => session.library.openList(request) };
  });
  const wanted = (context.args.wholeNumber('offset', 0) ?? 0) + (context.args.wholeNumber('limit', 1) ?? 0);
  let latest = freshness;
  while (
    !context.args.isOffline &&
    wanted > latest.storedRows &&
    latest.storedRows < (latest.totalRows ?? 0)
  ) {
    const before = latest.storedRows;
    const offset = latest.storedRows;
    latest = await settled(context, (report) => {
      const stop = context.listen('library:list-changed', ({ state }) =>
        report(state.listKey, state.freshness),
      );
      return { stop, open: () => session.library.fetchRows({ ...request, offset }) };
    });
    if (latest.storedRows <= before) break;
  }
  throwIfNothing(latest);
  const rows: ListRow[] = [];
  for (;;) {
    const page = await session.library.readRows({
      query,
      window: { offset: rows.length, limit: WINDOW_ROWS, sort: null, narrow: null },
    });
    rows.push(...page.rows);
    if (page.rows.length === 0 || rows.length >= page.matchingRows) return { rows, freshness: latest };
  }
}

async function readRecord(context: CommandContext, session: Session, query: ListQuery) {
  const request = { connectionId: session.connection.id, viewId: VIEW, query, refresh: refreshMode(context) };
  await settled(context, (report) => {
    const stop = context.listen('library:record-changed', ({ state }) =>
      report(state.recordKey, state.freshness),
    );
    return {
      stop,
      open: async () => {
        const state = await session.library.openRecord(request);
        return { listKey: state.recordKey, freshness: state.freshness };
      },
    };
  });
  const { record, freshness } = await session.library.openRecord({ ...request, refresh: 'never' });
  throwIfNothing(freshness);
  return { record: record ?? {}, freshness };
}

function refreshMode(context: CommandContext): 'always' | 'never' {
  return context.args.isOffline ? 'never' : 'always';
}

type Report = (key: string, freshness: Freshness) => void;
interface Watched {
  stop: () => void;
  open: () => { listKey: string; freshness: Freshness } | Promise<{ listKey: string; freshness: Freshness }>;
}

/** Opens, then resolves with the freshness once nothing is being fetched any more. */
async function settled(context: CommandContext, watch: (report: Report) => Watched): Promise<Freshness> {
  const heard = new Map<string, Freshness>();
  let wake: (() => void) | null = null;
  const { stop, open } = watch((key, freshness) => {
    heard.set(key, freshness);
    if (freshness.refresh.phase === 'loading') context.output.progress(`${freshness.storedRows} rows`);
    wake?.();
  });
  try {
    const opened = await open();
    for (;;) {
      const latest = heard.get(opened.listKey) ?? opened.freshness;
      if (latest.refresh.phase !== 'loading') return latest;
      if (context.signal.aborted) throw new AppError('CANCELLED', 'Stopped. What was fetched is stored.');
      await new Promise<void>((resolve) => {
        wake = resolve;
        context.signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
  } finally {
    stop();
  }
}

function throwIfNothing(freshness: Freshness): void {
  if (freshness.source !== 'none') return;
  if (freshness.refresh.phase === 'failed') throw fromWire(freshness.refresh.error);
  throw new AppError('NOT_STORED', 'This was never read on this computer. Run it once without --offline.');
}

function asOf(freshness: Freshness): string | null {
  return freshness.oldestMs === null ? null : new Date(freshness.oldestMs).toISOString();
}

function positional(context: CommandContext, name: string): string {
  const value = context.args.positionals[0];
  if (value !== undefined) return value;
  throw new AppError('INVALID_ARGUMENT', `${context.args.command} expects ${name}: an id or a name.`);
}

function searchQuery(context: CommandContext): Record<string, string> {
  return queryOf(context, { search: 'search', filter: 'filter', ordering: 'ordering' });
}

function queryOf(context: CommandContext, names: Record<string, string>): Record<string, string> {
  const pairs = Object.entries(names).map(
    ([option, parameter]) => [parameter, context.args.text(option)] as const,
  );
  return Object.fromEntries(
    pairs.flatMap(([parameter, value]) => (value === null ? [] : [[parameter, value]])),
  );
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An id stays as it is; a name is looked up in the list, and must be there once. */
export async function resolveName(
  context: CommandContext,
  operation: 'applications.list' | 'datasets.list' | 'models.list',
  given: string,
): Promise<string> {
  if (UUID.test(given)) return given;
  const session = await context.session();
  const { rows } = await readList(context, session, { operation, path: {}, query: { search: given } });
  const matches = rows.filter(({ record }) => record['name'] === given);
  const id = matches[0]?.record['id'];
  if (matches.length === 1 && typeof id === 'string') return id;
  throw new AppError(
    'NOT_FOUND',
    `${matches.length === 0 ? 'No' : 'More than one'} ${operation.split('.')[0]?.replace(/s$/, '')} named "${given}". Give its id.`,
  );
}
