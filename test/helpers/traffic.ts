/** Generated lanes and log rows. Unspecified values have usual defaults. */
import type { LaneStatus, RequestDetails, WindowStatus } from '../../electron/shared/traffic-model.ts';

export const aWindow = (changes: Partial<WindowStatus> = {}): WindowStatus => {
  const { count = 30, used = 0, ...rest } = changes;
  return {
    count,
    used,
    left: Math.max(0, count - used),
    lengthMs: 1_000,
    foreign: 0,
    resetsAtMs: null,
    ...rest,
  };
};

export const aLane = (changes: Partial<LaneStatus> = {}): LaneStatus => {
  const { reason = 'ready', queued = 0 } = changes;
  return {
    origin: 'https://monitor.example.com',
    operation: 'GET /v3/applications',
    title: 'Applications',
    limitTitle: 'Metadata read',
    windows: [aWindow(), aWindow({ count: 1_000, lengthMs: 60_000 })],
    queued,
    queuedBy: { view: queued, click: 0, outbox: 0, upload: 0, prefetch: 0 },
    retrying: 0,
    inFlight: 0,
    inFlightOfOthers: 0,
    parkedUntilMs: null,
    longestWaitMs: 0,
    reason,
    wait: {
      reason,
      text: reason === 'ready' && queued === 0 ? 'Nothing waits.' : '',
      untilMs: null,
      window: null,
      pausedBy: null,
      error: null,
    },
    nextSendAtMs: null,
    isPaused: false,
    learned: {
      source: 'published',
      policy: null,
      inFlightLimit: null,
      factor: 1,
      refusals: 0,
      changedAtMs: null,
    },
    ...changes,
  };
};

export const aRequest = (
  changes: Partial<Omit<RequestDetails, 'seq'>> = {},
): Omit<RequestDetails, 'seq'> => ({
  id: '6f2c2f4e-8a0c-4a55-9a55-1e6c1d1f0001',
  startedAtMs: 957,
  atMs: 1_000,
  operation: 'GET /v3/applications',
  url: '/v3/applications?limit=10',
  status: 200,
  errorCode: null,
  attempts: 1,
  refusals: 0,
  queuedMs: 3,
  networkMs: 40,
  sentBytes: 0,
  sizeBytes: 1_000,
  priority: 'view',
  group: '',
  isShared: false,
  origin: 'https://monitor.example.com',
  tries: [],
  body: null,
  bodyKept: 'none',
  error: null,
  ...changes,
});
