import type { Session } from '../engine/session.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import type { Freshness, ListQuery, ListRow } from '../shared/model.ts';
import type { CommandContext } from './context.ts';
import { table } from './output.ts';
import { createWaiter } from './waiter.ts';

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
  const offset = context.args.wholeNumber('offset', 0) ?? 0;
  const limit = context.args.wholeNumber('limit', 1);
  const { rows, freshness } = await readList(context, query, offset + (limit ?? 1));
  const found = rows.filter(({ position }) => position >= offset).slice(0, limit ?? Number.POSITIVE_INFINITY);
  const records = found.map(({ record }) => record);
  const total = freshness.totalRows ?? (freshness.isComplete ? freshness.storedRows : null);
  context.output.answer(
    { items: records, total, complete: total !== null && records.length === total, asOf: asOf(freshness) },
    () =>
      `${table(records, FIELDS[query.operation] ?? ['id', 'name'])}\n${records.length} of ${total ?? 'unknown'} · as of ${asOf(freshness) ?? 'never'}`,
  );
}

/** Waits until the library has read `wanted` rows or all there are; a failure with nothing stored is the command's failure. */
async function readList(
  context: CommandContext,
  query: ListQuery,
  wanted: number,
): Promise<{ rows: ListRow[]; freshness: Freshness }> {
  const session = await context.session();
  const { library } = session;
  const request = { connectionId: session.connection.id, viewId: VIEW, query, refresh: refreshMode(context) };
  const ask = (open: Watched['open']) =>
    settled(context, (report) => ({
      open,
      stop: context.listen('library:list-changed', ({ state }) => report(state.listKey, state.freshness)),
    }));
  let latest = await ask(() => library.openList(request));
  while (
    !context.args.isOffline &&
    wanted > latest.storedRows &&
    latest.storedRows < (latest.totalRows ?? 0)
  ) {
    const offset = latest.storedRows;
    latest = await ask(() => library.fetchRows({ ...request, offset }));
    if (latest.storedRows <= offset) break;
  }
  throwIfNothing(latest);
  sayIfNotRefreshed(context, latest);
  const rows: ListRow[] = [];
  // By position: a window that was scrolled ahead leaves gaps.
  for (let offset = 0, end = 1; offset < end; offset += WINDOW_ROWS) {
    const window = { offset, limit: WINDOW_ROWS, sort: null, narrow: null };
    const page = await library.readRows({ query, window });
    rows.push(...page.rows);
    end = page.matchingRows;
  }
  return { rows, freshness: latest };
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
  sayIfNotRefreshed(context, freshness);
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
  const waiter = createWaiter(context.signal);
  const { stop, open } = watch((key, freshness) => {
    heard.set(key, freshness);
    if (freshness.refresh.phase === 'loading') context.output.progress(`${freshness.storedRows} rows`);
    waiter.wake();
  });
  try {
    const opened = await open();
    for (;;) {
      const latest = heard.get(opened.listKey) ?? opened.freshness;
      if (latest.refresh.phase !== 'loading') return latest;
      if (context.signal.aborted) throw new AppError('CANCELLED', 'Stopped. What was fetched is stored.');
      await waiter.next();
    }
  } finally {
    stop();
    waiter.end();
  }
}

function throwIfNothing(freshness: Freshness): void {
  if (freshness.source !== 'none') return;
  if (freshness.refresh.phase === 'failed') throw fromWire(freshness.refresh.error);
  throw new AppError('NOT_STORED', 'This was never read on this computer. Run it once without --offline.');
}

/** Stored rows are an answer, but nobody may take them for today's. */
function sayIfNotRefreshed(context: CommandContext, freshness: Freshness): void {
  if (context.args.isOffline || freshness.refresh.phase !== 'failed') return;
  const { code, message } = freshness.refresh.error;
  context.output.note(`not refreshed, ${code}: ${message} This is what was stored as of ${asOf(freshness)}.`);
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
  const rows = await rowsNamed(context, operation, given);
  const matches = rows.filter(({ record }) => record['name'] === given);
  const id = matches[0]?.record['id'];
  if (matches.length === 1 && typeof id === 'string') return id;
  throw new AppError(
    'NOT_FOUND',
    `${matches.length === 0 ? 'No' : 'More than one'} ${operation.split('.')[0]?.replace(/s$/, '')} named "${given}". Give its id.`,
  );
}

async function rowsNamed(
  context: CommandContext,
  operation: ListQuery['operation'],
  name: string,
): Promise<ListRow[]> {
  const searched = { operation, path: {}, query: { search: name } };
  try {
    return (await readList(context, searched, Number.POSITIVE_INFINITY)).rows;
  } catch (thrown) {
    // Offline the name may never have been searched for; the list without search may be stored all the same.
    if (!context.args.isOffline || !(thrown instanceof AppError) || thrown.code !== 'NOT_STORED')
      throw thrown;
    return (await readList(context, { ...searched, query: {} }, Number.POSITIVE_INFINITY)).rows;
  }
}
