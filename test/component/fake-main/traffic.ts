/** Lanes, pauses and the request log, under the scenario. */
import type { ParsedArgs } from '../../../electron/shared/contract.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import type {
  ChosenPriority,
  LaneOverview,
  LaneStatus,
  LogPage,
  LogSortField,
  RequestDetails,
  RequestLogRow,
  TrafficPlan,
  WaitingGroup,
} from '../../../electron/shared/traffic-model.ts';
import { matchesFilter } from '../../../renderer/lib/request-log.ts';
import { aLane, aRequest, aWindow } from '../../helpers/traffic.ts';
import { NOW, scenario, uuid } from './scenario.ts';

const CATALOG = 'GET /v3/applications/{application_id}/catalog';
const DAY = 86_400_000;
const FULL = 'All 30 requests of a second are used, 4 of them by another program with the same token.';

function usual(): LaneStatus[] {
  const wait = { window: null, pausedBy: null, error: null } as const;
  return [
    aLane({
      operation: CATALOG,
      title: 'Catalog',
      windows: [
        aWindow({ used: 30, foreign: 4, resetsAtMs: NOW + 400 }),
        aWindow({ count: 1_000, lengthMs: 60_000, used: 270, foreign: 4, resetsAtMs: NOW + 41_000 }),
      ],
      queued: 12,
      queuedBy: { view: 2, click: 0, outbox: 0, upload: 0, prefetch: 10 },
      inFlight: 4,
      longestWaitMs: 1_560,
      why: 'window',
      wait: {
        ...wait,
        why: 'window',
        text: FULL,
        untilMs: NOW + 400,
        window: { count: 30, lengthMs: 1_000 },
      },
      nextSendAtMs: NOW + 400,
    }),
    aLane({
      windows: [
        aWindow({ used: 2, resetsAtMs: NOW + 600 }),
        aWindow({ count: 1_000, lengthMs: 60_000, used: 18 }),
      ],
    }),
    aLane({
      operation: 'DELETE /v3/events',
      title: 'Delete events',
      limitTitle: 'Event deletion',
      windows: [aWindow({ count: 30, lengthMs: DAY, used: 3, resetsAtMs: NOW + DAY / 2 })],
    }),
    aLane({
      operation: 'POST /v3/events',
      title: 'Publish events',
      limitTitle: 'No published limit',
      windows: [],
      queued: 3,
      queuedBy: { view: 0, click: 0, outbox: 0, upload: 3, prefetch: 0 },
      longestWaitMs: 62_000,
      why: 'retry-after',
      wait: { ...wait, why: 'retry-after', text: 'The service asked to wait.', untilMs: NOW + 600_000 },
      nextSendAtMs: NOW + 600_000,
      learned: {
        source: 'adapting',
        policy: null,
        inFlightLimit: 2,
        factor: 0.5,
        refusals: 3,
        changedAtMs: NOW - 240_000,
      },
    }),
    aLane({
      operation: 'POST /v3/spans/query',
      title: 'Spans',
      limitTitle: 'Span query',
      windows: [aWindow({ count: 20, used: 5, resetsAtMs: NOW + 500 })],
      learned: {
        source: 'stated',
        policy: '20 per 1 second',
        inFlightLimit: null,
        factor: 1,
        refusals: 0,
        changedAtMs: NOW - 7_200_000,
      },
    }),
  ];
}

const UPLOAD = `upload ${uuid(0)}`;
const aGroup = (changes: Partial<WaitingGroup>): WaitingGroup => ({
  operation: CATALOG,
  group: 'tab-1.entities',
  priority: 'view',
  isChosen: false,
  queued: 0,
  retrying: 0,
  inFlight: 0,
  longestWaitMs: 0,
  ahead: 0,
  retryAtMs: null,
  ...changes,
});
let waiting: WaitingGroup[] = [
  aGroup({ queued: 2, inFlight: 4, longestWaitMs: 1_200 }),
  aGroup({ group: 'ahead', priority: 'prefetch', queued: 10, longestWaitMs: 1_560, ahead: 2 }),
  aGroup({
    operation: 'POST /v3/events',
    group: UPLOAD,
    priority: 'upload',
    queued: 3,
    longestWaitMs: 62_000,
  }),
];

export function choosePriority(group: string, priority: ChosenPriority | null): LaneOverview {
  waiting = waiting.map((each) =>
    each.group === group ? { ...each, priority: priority ?? 'upload', isChosen: priority !== null } : each,
  );
  return overview();
}

/** Back to what is published. */
export function forget(operation: string): LaneOverview {
  lanes = lanes.map((lane) => (lane.operation === operation ? { ...lane, learned: aLane().learned } : lane));
  return overview();
}

let lanes = scenario.traffic === 'empty' ? [] : usual();
let isAllPaused = false;

const PAUSED: Partial<LaneStatus> = {
  isPaused: true,
  why: 'paused',
  nextSendAtMs: null,
  wait: { why: 'paused', text: 'Paused.', untilMs: null, window: null, pausedBy: 'user', error: null },
};

export const overview = (): LaneOverview => {
  if (scenario.traffic === 'failed') throw FAILED;
  return { lanes, waiting: scenario.traffic === 'empty' ? [] : waiting, isAllPaused };
};

export function setPaused(operation: string | null, isPaused: boolean): LaneOverview {
  if (operation === null) isAllPaused = isPaused;
  lanes = lanes.map((lane) => {
    if (operation !== null && lane.operation !== operation) return lane;
    return isPaused
      ? { ...lane, ...PAUSED }
      : (usual().find((each) => each.operation === lane.operation) ?? lane);
  });
  return overview();
}

const FAILED: WireError = {
  code: 'STORE_FAILED',
  title: 'Local store failed',
  message: 'The request log could not be read: disk I/O error.',
  retry: 'later',
  details: {},
};

const HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'application/json',
  'x-ratelimit-remaining': '7',
  server: 'gunicorn',
};

/** Every 7th was refused first, every 11th has no answer, every 13th failed. */
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

/** A request that just ended, for a test to tell the window of. */
export function newRequest(seq: number, changes: Partial<RequestLogRow> = {}): RequestLogRow {
  return { ...row(details(0)), id: uuid(9_000 + seq), seq: 10_000 + seq, ...changes };
}

const sortKey = (row: RequestLogRow, field: LogSortField): number => {
  if (field === 'totalMs') return row.atMs - row.startedAtMs;
  return row[field] ?? 0;
};

export function clearLog(): { cleared: number } {
  return { cleared: all.splice(0).length };
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

export function plan(asked: ParsedArgs<'traffic:plan'>): TrafficPlan {
  const requests = asked.requests.reduce((sum, each) => sum + each.count, 0);
  const startAtMs = Math.max(NOW, asked.startAtMs ?? NOW);
  const budgets = asked.requests.map(({ operation, count }) => ({
    operation,
    title: operation === 'events.delete' ? 'Delete events' : 'Publish events',
    requests: count,
    windows:
      operation === 'events.delete'
        ? [aWindow({ count: 30, lengthMs: DAY, used: 3 })]
        : [aWindow({ count: 10 })],
    finishAtMs: startAtMs + count * 400,
  }));
  return {
    requests,
    startAtMs,
    finishAtMs: startAtMs + requests * 400,
    leftToday: asked.requests.some(({ operation }) => operation === 'events.delete') ? 27 : null,
    bindingWindow: null,
    budgets,
  };
}
