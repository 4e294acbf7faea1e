/** Lanes, pauses and request durations as the scenario requires. */
import type { ParsedArgs } from '../../../electron/shared/contract.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import type {
  ChosenPriority,
  LaneOverview,
  LaneStatus,
  TrafficPlan,
  WaitingGroup,
} from '../../../electron/shared/traffic-model.ts';
import { aLane, aWindow } from '../../helpers/traffic.ts';
import { UNREACHABLE } from './lists.ts';
import { NOW, scenario, uuid } from './scenario.ts';

export const CATALOG = 'GET /v3/applications/{application_id}/catalog';
const DAY = 86_400_000;
const FULL = 'All 30 requests of a second are used, 4 of them by another program with the same token.';
export const FAILED: WireError = {
  code: 'STORE_FAILED',
  title: 'Local store failed',
  message: 'The request log could not be read: disk I/O error.',
  retry: 'later',
  details: {},
};

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
      reason: 'window',
      wait: {
        ...wait,
        reason: 'window',
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
      reason: 'retry-after',
      wait: { ...wait, reason: 'retry-after', text: 'The service asked to wait.', untilMs: NOW + 600_000 },
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

/** Resets a lane to the documented limits. */
export function forget(operation: string): LaneOverview {
  lanes = lanes.map((lane) => (lane.operation === operation ? { ...lane, learned: aLane().learned } : lane));
  return overview();
}

/** Lanes while the service does not answer and nothing waits for it. */
const cutOff = (): LaneStatus[] =>
  usual().map((lane) =>
    aLane({
      ...lane,
      queued: 0,
      inFlight: 0,
      reason: 'breaker',
      wait: {
        reason: 'breaker',
        text: 'The service did not answer; one request tries again soon.',
        untilMs: NOW + 30_000,
        window: null,
        pausedBy: null,
        error: UNREACHABLE,
      },
    }),
  );

const isIdle = scenario.traffic === 'empty' || scenario.traffic === 'cut-off';
let lanes = scenario.traffic === 'empty' ? [] : isIdle ? cutOff() : usual();
let isAllPaused = false;
let uploadOrder: string[] | null = null;

export function orderUploads(jobIds: string[] | null): LaneOverview {
  uploadOrder = jobIds;
  return overview();
}

const PAUSED: Partial<LaneStatus> = {
  isPaused: true,
  reason: 'paused',
  nextSendAtMs: null,
  wait: { reason: 'paused', text: 'Paused.', untilMs: null, window: null, pausedBy: 'user', error: null },
};

export const overview = (): LaneOverview => {
  if (scenario.traffic === 'failed') throw FAILED;
  return { lanes, waiting: isIdle ? [] : waiting, isAllPaused, uploadOrder };
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

let isFailing = scenario.plan === 'once-failed';

export function plan(asked: ParsedArgs<'traffic:plan'>): TrafficPlan {
  if (isFailing) {
    isFailing = false;
    const message = 'The store of budgets was not read.';
    const error: WireError = {
      code: 'INTERNAL',
      title: 'Unexpected failure',
      message,
      retry: 'later',
      details: {},
    };
    throw error;
  }
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
