/** The request log as the scenario requires. */
import type { ParsedArgs } from '../../../electron/shared/contract.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import type {
  LogPage,
  LogSortField,
  RequestDetails,
  RequestLogRow,
} from '../../../electron/shared/traffic-model.ts';
import { matchesFilter } from '../../../renderer/lib/request-log.ts';
import { aRequest } from '../../helpers/traffic.ts';
import { NOW, scenario, uuid } from './scenario.ts';
import { CATALOG, FAILED } from './traffic.ts';

const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'x-ratelimit-remaining': '7',
  server: 'gunicorn',
};

/** Every 7th request was first rejected, every 11th has no response, and every 13th failed. */
function details(index: number): RequestDetails {
  const atMs = NOW - index * 3_700;
  const queuedMs = (index * 17) % 400;
  const networkMs = 20 + ((index * 31) % 180);
  const isRefused = index % 7 === 4;
  const isLost = index % 11 === 9;
  const isFailed = index % 13 === 6;
  const isApplications = index % 5 === 3;
  const sentAtMs = atMs - networkMs;
  const rate = {
    limit: '30 per 1 second',
    remaining: '7',
    reset: String(Math.ceil(atMs / 1_000)),
    retryAfter: null,
    date: new Date(atMs).toUTCString(),
  };
  const none = { limit: null, remaining: null, reset: null, retryAfter: null, date: null };
  const last = {
    sentAtMs,
    networkMs,
    status: isLost ? null : isFailed ? 503 : 200,
    errorCode: isLost ? ('TIMEOUT' as const) : isFailed ? ('SERVICE_UNAVAILABLE' as const) : null,
    outcome: isLost ? ('unknown' as const) : ('answered' as const),
    sentBytes: 0,
    receivedBytes: isLost ? 0 : 48_213 + index * 91,
    contentType: isLost ? null : 'application/json',
    rate: isLost ? none : rate,
    headers: isLost ? {} : HEADERS,
    retriedFor: null,
  };
  const refused = {
    ...last,
    sentAtMs: sentAtMs - 2_040,
    networkMs: 31,
    status: 429,
    errorCode: 'RATE_LIMITED' as const,
    outcome: 'answered' as const,
    receivedBytes: 180,
    rate: { ...rate, remaining: '0', retryAfter: '2' },
    retriedFor: 'Refused with 429: asked to wait.',
  };
  const tries = isRefused ? [refused, last] : [last];
  return {
    ...aRequest({
      id: uuid(3_000 + index),
      startedAtMs: (tries[0]?.sentAtMs ?? sentAtMs) - queuedMs,
      atMs,
      operation: isApplications ? 'GET /v3/applications' : CATALOG,
      url: isApplications
        ? '/v3/applications?limit=500'
        : `/v3/applications/${uuid(0)}/catalog?limit=500&offset=${index * 500}`,
      status: last.status,
      errorCode: last.errorCode,
      attempts: tries.length,
      refusals: isRefused ? 1 : 0,
      queuedMs,
      networkMs: tries.reduce((sum, each) => sum + each.networkMs, 0),
      sizeBytes: last.receivedBytes,
      priority: index % 5 === 0 ? 'prefetch' : 'view',
      group: 'tab-1.entities',
      tries,
      error: isLost
        ? {
            code: 'TIMEOUT',
            title: 'No answer in time',
            message: 'Expected an answer within 100 s.',
            retry: 'later',
            details: { outcome: 'unknown' },
          }
        : null,
    }),
    seq: 10_000 - index,
  };
}

const STORED = scenario.traffic === 'empty' ? 0 : (scenario.requests ?? 60);
const all = Array.from({ length: STORED }, (_, index) => details(index));

function row({
  origin: _,
  tries: __,
  body: ___,
  bodyKept: ____,
  error: _____,
  ...rest
}: RequestDetails): RequestLogRow {
  return rest;
}

/** A request that has just ended, about which the window is notified. */
export function newRequest(seq: number, changes: Partial<RequestLogRow> = {}): RequestLogRow {
  return { ...row(details(0)), id: uuid(9_000 + seq), seq: 10_000 + seq, ...changes };
}

const sortKey = (row: RequestLogRow, field: LogSortField): number => {
  if (field === 'totalMs') return row.atMs - row.startedAtMs;
  return row[field] ?? 0;
};

export function clearLog(): void {
  all.splice(0);
}

export function page(asked: ParsedArgs<'traffic:get-log'>): LogPage {
  if (scenario.traffic === 'failed') throw FAILED;
  const filter = {
    operation: asked.operation ?? null,
    method: asked.method ?? null,
    priority: asked.priority ?? null,
    statusClass: asked.statusClass ?? null,
    text: asked.text ?? '',
  };
  const found = all.filter((each) => matchesFilter(each, filter));
  const { sort } = asked;
  if (sort != null) found.sort((a, b) => sortKey(a, sort.field) - sortKey(b, sort.field) || b.seq - a.seq);
  if (sort?.isDescending === true) found.reverse();
  const after = found.findIndex(({ seq }) => seq === asked.beforeSeq) + 1;
  return {
    rows: found.slice(after, after + asked.limit).map(row),
    matchingRows: found.length,
    storedRows: all.length,
    keptRows: 10_000,
    operations: [...new Set(all.map(({ operation }) => operation))].toSorted(),
    titles: { [CATALOG]: 'Catalog' },
  };
}

export function request(id: string): RequestDetails {
  const found = all.find((each) => each.id === id);
  if (found !== undefined) return found;
  const gone: WireError = {
    code: 'NOT_FOUND',
    title: 'Not found',
    message: 'This request is no longer in the log.',
    retry: 'never',
    details: {},
  };
  throw gone;
}
