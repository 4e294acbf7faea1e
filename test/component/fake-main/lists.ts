/** Lists and records of the library as the scenario requires. */
import {
  sessionRow,
  sessionSpan,
  sessionsWith,
  sortSessions,
  spanSessions,
} from '../../../electron/core/spans/sessions.ts';
import type { ListProfile } from '../../../electron/shared/analysis-model.ts';
import type { ParsedArgs } from '../../../electron/shared/contract.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import type {
  Freshness,
  ListQuery,
  ListState,
  NetworkState,
  RecordState,
  RowPage,
  RowWindow,
  TimeRange,
} from '../../../electron/shared/model.ts';
import { whole } from '../../../electron/shared/pieces.ts';
import { rangeOfQuery } from '../../../electron/shared/query-range.ts';
import { isLong, partOf } from '../../../electron/shared/record-parts.ts';
import { passes } from '../../../renderer/lib/row-profiles.ts';
import { resultRows } from './experiment-rows.ts';
import { MONITORING_RECORDS } from './monitoring.ts';
import { flat, profileOf } from './profiles.ts';
import { type Json, ROWS, type Rows, SCHEMA, SESSION, SPAN_FIELDS, TRACE } from './records.ts';
import { RESOURCE_RECORDS } from './resources.ts';
import { type FakeWindow, NOW, scenario } from './scenario.ts';

const HOUR = 3_600_000;
/** Maximum number of fake rows that are sorted and filtered. */
const MAX_SORTED = 5_000;

export const network: { state: NetworkState['state'] } = { state: scenario.network ?? 'online' };
const storedRows = new Map<string, number>();

export const UNREACHABLE: WireError = {
  ...(scenario.isSampleStopped === true
    ? { code: 'SAMPLE_STOPPED' as const, title: 'The sample service is stopped' }
    : { code: 'CONNECTION_REFUSED' as const, title: 'Connection refused' }),
  message: 'Expected an answer from 127.0.0.1:8443; nothing listens there.',
  retry: 'later',
  details: {
    operation: 'GET /v3/applications/{application_id}/catalog',
    requestId: '0f3c9a5e-7d1b-4a7e-8b2d-5f6a9e1c2d3b',
    outcome: 'unsent',
    nextStep: 'Check that the service is running, then try again.',
  },
};
export const DAMAGED: WireError = {
  code: 'STORE_DAMAGED',
  title: 'Local store damaged',
  message: 'The local store cannot be read: its file is damaged.',
  retry: 'never',
  details: {},
};
const REFUSED: WireError = {
  code: 'UNAUTHORIZED',
  title: 'Token not accepted',
  message: 'GET /v3/alert-rules was answered with status 401.',
  retry: 'never',
  details: {},
};
const isRefused = (query: ListQuery): boolean =>
  modeOf(query) === 'refused' && (globalThis as unknown as FakeWindow).isTokenAccepted !== true;
const ABSENT: WireError = {
  code: 'NOT_FOUND',
  title: 'Not found',
  message: 'GET /v3/evals/experiments was answered with status 404.',
  retry: 'never',
  details: { status: 404 },
};
const isAbsent = (query: ListQuery): boolean =>
  scenario.lists === 'unknown' ||
  (scenario.lacksExperiments === true && query.operation.startsWith('experiments.'));
const OFFLINE: WireError = {
  code: 'OFFLINE',
  title: 'Working offline',
  message: 'Spandeck is switched offline.',
  retry: 'later',
  details: {},
};

const LOADING: Freshness['refresh'] = { phase: 'loading', fetchedRows: 0, startedAtMs: NOW };

const keyOf = (query: ListQuery): string => JSON.stringify(query);

/** Queries of the opened lists. */
const opened = new Map<string, ListQuery>();

/** Delivers the rows of the opened lists, or no rows. Returns their states. */
export function listsArrive(lists: 'full' | 'empty'): ListState[] {
  scenario.lists = lists;
  return [...opened.values()].map(listState);
}

export function openList(query: ListQuery): ListState {
  opened.set(keyOf(query), query);
  return listState(query);
}

let modelMetrics = scenario.modelMetrics;

const DAY = 86_400_000;

/** For a metric query about another range, returns the range that has stored values. */
function rangeInstead(query: ListQuery): TimeRange | null {
  const isHistory = query.operation === 'alert-rules.history';
  const asked = isHistory
    ? { endMs: Date.parse(query.query['end_time'] ?? '') }
    : query.operation === 'queries.run'
      ? rangeOfQuery(query)
      : null;
  const endMs = Math.floor(NOW / DAY) * DAY - 2 * DAY;
  return asked === null || asked.endMs === endMs ? null : { startMs: endMs - 30 * DAY, endMs };
}

const metricOf = (query: unknown): unknown =>
  typeof query === 'object' && query !== null && 'metric' in query ? query.metric : null;

/** The scenario affects only lists within an application, so that a test can always get there. */
export function modeOf(query: ListQuery): NonNullable<typeof scenario.lists> {
  if (query.operation === 'models.metrics' && modelMetrics !== undefined) return modelMetrics;
  const { metrics, brokenMetric, summary } = scenario;
  const queries = query.body?.['queries'];
  if (
    brokenMetric !== undefined &&
    Array.isArray(queries) &&
    queries.some((each) => metricOf(each) === brokenMetric)
  )
    return 'broken';
  if (query.operation === 'alert-rules.summary' && summary !== undefined) return summary;
  if (
    query.operation === 'queries.run' &&
    (metrics === 'loading' || metrics === 'broken' || metrics === 'not-stored')
  )
    return metrics;
  if (metrics === 'earlier' && rangeInstead(query) !== null) return 'not-stored';
  return query.operation === 'applications.list'
    ? (scenario.applications ?? 'full')
    : (scenario.lists ?? 'full');
}

function isNumeric(name: string | undefined): boolean {
  const { make } = ROWS['catalog.list'] ?? { make: (): Json => ({}) };
  const first = Array.from({ length: 100 }, (_, index) => make(index));
  return first.some((row) => row['name'] === name && row['data_type'] === 'numeric');
}

function rowsOf(query: ListQuery): Rows {
  const all =
    query.operation === 'experiments.results'
      ? resultRows(query.path['experiment_id'] ?? '')
      : ROWS[query.operation];
  const removed = scenario.removedRows?.[query.operation] ?? 0;
  const source = all && { total: all.total - removed, make: (index: number) => all.make(index + removed) };
  if (
    source === undefined ||
    isRefused(query) ||
    isAbsent(query) ||
    ['empty', 'broken', 'not-stored', 'loading'].includes(modeOf(query))
  ) {
    return { total: 0, make: () => ({}) };
  }
  if (query.operation === 'spans.query' && JSON.stringify(query.body).includes('Span::trace_id'))
    return TRACE;
  if (query.operation === 'spans.query' && JSON.stringify(query.body).includes('Span::session_id'))
    return SESSION;
  if (scenario.isSample === true && query.operation === 'spans.query') return filtered(source, query);
  // Like the service, lists distinct values only for texts.
  if (query.operation === 'catalog.values' && isNumeric(query.query['name']))
    return { total: 0, make: () => ({}) };
  const { search, semantic_name: meaning, data_type: type } = query.query;
  if (search === undefined && meaning === undefined && type === undefined) return source;
  const found = Array.from({ length: Math.min(source.total, MAX_SORTED) }, (_, index) =>
    source.make(index),
  ).filter(
    (row) =>
      (search === undefined || String(row['name'] ?? row['value']).includes(search)) &&
      (meaning === undefined || meaning.split(',').includes(String(row['semantic_name']))) &&
      (type === undefined || type.split(',').includes(String(row['data_type']))),
  );
  return { total: found.length, make: (index) => found[index] ?? {} };
}

/** The first spans with the status or type that the filter names, sorted by duration if the query requires it. */
function filtered({ total, make }: Rows, query: ListQuery): Rows {
  const body = JSON.stringify(query.body);
  const rows = Array.from({ length: Math.min(total, 200) }, (_, index) => make(index)).filter(
    (row) =>
      (!body.includes('"ERROR"') || row['status_code'] === 'ERROR') &&
      (!body.includes('"llm"') || row['span_type'] === 'llm'),
  );
  if (body.includes('"-duration"')) rows.sort((a, b) => Number(b['duration']) - Number(a['duration']));
  return { total: rows.length, make: (index) => rows[index] ?? {} };
}

/** The latest alerts of rules that the scenario requires, null for other lists or if they are available immediately. */
const arriving = ({ operation }: ListQuery) =>
  operation === 'alert-rules.summary' ? (scenario.latestAlerts ?? null) : null;

function storedOf(query: ListQuery): number {
  const some = arriving(query);
  if (some !== null) return some.came;
  return Math.min(rowsOf(query).total, storedRows.get(keyOf(query)) ?? scenario.storedRows ?? 1_000_000);
}

function refreshOf(query: ListQuery): Freshness['refresh'] {
  if (network.state === 'switched-off') return { phase: 'failed', error: OFFLINE, atMs: NOW };
  const mode = modeOf(query);
  if (isRefused(query)) return { phase: 'failed', error: REFUSED, atMs: NOW };
  if (isAbsent(query)) return { phase: 'failed', error: ABSENT, atMs: NOW };
  if (mode === 'failed' || mode === 'broken') return { phase: 'failed', error: UNREACHABLE, atMs: NOW };
  if (mode === 'loading' || arriving(query)?.isReading === true) return LOADING;
  return { phase: 'idle' };
}

function freshness(query: ListQuery, here: number, total: number): Freshness {
  const isNothing =
    isRefused(query) || isAbsent(query) || ['broken', 'not-stored', 'loading'].includes(modeOf(query));
  const isOld = modeOf(query) === 'failed' || network.state !== 'online';
  return {
    newestMs: isNothing ? null : (arriving(query)?.newestMs ?? NOW - (isOld ? 3 * HOUR : 20_000)),
    oldestMs: isNothing ? null : NOW - (isOld ? 4 * HOUR : 26_000),
    isStale: isOld,
    storedRows: here,
    totalRows: isNothing ? null : total,
    isComplete: !isNothing && here >= total,
    source: isNothing ? 'none' : 'stored',
    searchedRows: null,
    hasMovedWhileRead: false,
    refresh: refreshOf(query),
    requestId: isNothing ? null : '4b1f7c2a-93de-4a55-8c1b-2f90ab3c7d10',
    ...(scenario.isReadToEnd === true && here < total ? { missingRows: total - here } : {}),
  };
}

export function listState(query: ListQuery): ListState {
  return {
    listKey: keyOf(query),
    freshness: freshness(query, storedOf(query), rowsOf(query).total),
  };
}

function recordOf(query: ListQuery): Json | null {
  const { operation, path } = query;
  if (operation === 'spans.fields') return SPAN_FIELDS;
  const monitoring = MONITORING_RECORDS[operation];
  if (monitoring === undefined) return RESOURCE_RECORDS[operation]?.(path) ?? SCHEMA;
  return ['broken', 'not-stored', 'loading'].includes(modeOf(query)) ? null : monitoring(query);
}

/** Queries of records that the test has not released yet. */
const late = new Map<string, ListQuery>();

/** The state of a record after all of it or more of it has arrived, null if it was not requested. */
export function arrived(operation: string, record: Json, isWhole: boolean): RecordState | null {
  const query = late.get(operation);
  if (query === undefined) return null;
  const known = freshness(query, 1, 1);
  const refresh: Freshness['refresh'] = isWhole ? { phase: 'idle' } : LOADING;
  return {
    recordKey: keyOf(query),
    goneAtMs: null,
    record,
    parts: null,
    freshness: { ...known, refresh },
  };
}

/** JSON of the opened long records by text id, which is read in parts as from the library. */
const longTexts = new Map<number, string>();
const textIds = new Map<string, number>();

/** Requests for metrics of models that have no answer yet. */
const awaited: ListQuery[] = [];

/** Delivers the metrics of the models. Returns the states of their records. */
export function modelMetricsArrive(): RecordState[] {
  modelMetrics = undefined;
  return awaited.map(recordState);
}

export function recordState(query: ListQuery): RecordState {
  if (query.operation === 'models.metrics' && modelMetrics !== undefined) awaited.push(query);
  const recordKey = keyOf(query);
  if (scenario.lateRecords?.includes(query.operation)) {
    late.set(query.operation, query);
    const none = { ...freshness(query, 0, 1), source: 'none', refresh: LOADING } as const;
    return { recordKey, goneAtMs: null, record: null, parts: null, freshness: none };
  }
  const record = recordOf(query);
  const json = JSON.stringify(record);
  const instead = scenario.metrics === 'earlier' ? rangeInstead(query) : null;
  const known = freshness(query, 1, 1);
  const rest = {
    recordKey,
    goneAtMs: null,
    freshness: instead === null ? known : { ...known, storedRange: instead },
  };
  if (!isLong(json)) return { ...rest, record, parts: null };
  const textId = textIds.get(recordKey) ?? textIds.size + 1;
  textIds.set(recordKey, textId);
  longTexts.set(textId, json);
  return { ...rest, record: null, parts: { textId, characters: json.length } };
}

export function readRecord(textId: number, from: number): string | null {
  const json = longTexts.get(textId);
  return json === undefined ? null : partOf(json, from);
}

export function fetchRows(query: ListQuery, offset: number | null): ListState {
  const stored = storedOf(query);
  storedRows.set(keyOf(query), Math.max(stored, (offset ?? stored) + 500));
  return listState(query);
}

export function readRows(
  query: ListQuery,
  { offset, limit, sort, narrow, filters = [], groupBy }: RowWindow,
): RowPage {
  if (sort !== null && (globalThis as unknown as FakeWindow).isOrderUnread === true) throw DAMAGED;
  const { make } = rowsOf(query);
  const here = storedOf(query);
  if (groupBy === 'session') {
    const spans = { offset: 0, limit: MAX_SORTED, sort: null, narrow, filters };
    const passing = readRows(query, spans).rows.map(({ position }) => position);
    const all = Array.from({ length: Math.min(here, MAX_SORTED) }, (_, place) =>
      sessionSpan(make(place), place),
    );
    const found = whole(sortSessions(whole(sessionsWith(spanSessions(all), new Set(passing))), sort));
    const rows = found.slice(offset, offset + limit).map((session, at) => ({
      position: offset + at,
      record: whole(sessionRow(session, make)),
    }));
    return { rows, matchingRows: found.length };
  }
  if (narrow === null && sort === null && filters.length === 0) {
    const length = Math.max(0, Math.min(here, offset + limit) - offset);
    const rows = Array.from({ length }, (_, at) => ({ position: offset + at, record: make(offset + at) }));
    return { rows, matchingRows: here };
  }
  let found = Array.from({ length: Math.min(here, MAX_SORTED) }, (_, position) => ({
    position,
    record: make(position),
  }));
  if (narrow !== null) {
    const matches = matcher(narrow);
    found = found.filter(({ record }) => matches(Object.values(record).join(' ')));
  }
  found = found.filter(({ record }) => filters.every((filter) => passes(filter)(flat(record))));
  if (sort !== null) {
    const sign = sort.isDescending ? -1 : 1;
    found.sort((a, b) => sign * compare(a.record[sort.field], b.record[sort.field]));
  }
  return { rows: found.slice(offset, offset + limit), matchingRows: found.length };
}

export function profile(argument: ParsedArgs<'library:profile'>): ListProfile | null {
  const { query } = argument;
  const { make, total } = rowsOf(query);
  const here = Math.min(storedOf(query), MAX_SORTED);
  const rows = Array.from({ length: here }, (_, at) => make(at));
  return here === 0 ? null : profileOf(rows, total, argument);
}

/** The first rows, which the main process returns together with the list. */
export function firstRows(query: ListQuery, window: RowWindow | undefined): RowPage | null {
  if (window === undefined) return null;
  try {
    return readRows(query, window);
  } catch {
    return null;
  }
}

function compare(a: unknown, b: unknown): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}

function matcher(narrow: string): (text: string) => boolean {
  const expression = /^\/(.+)\/$/.exec(narrow)?.[1];
  if (expression === undefined) return (text) => text.includes(narrow);
  try {
    const pattern = new RegExp(expression);
    return (text) => pattern.test(text);
  } catch {
    const message = `The expression ${narrow} does not end.`;
    const error: WireError = {
      code: 'INVALID_ARGUMENT',
      title: 'Not accepted',
      message,
      retry: 'never',
      details: {},
    };
    throw error;
  }
}

export type { Json };
