/**
 * A made-up main process behind `window.spandeck`, typed by the contract. Runs in the page before the window's own
 * script; every call is kept for the test to read.
 */
import type { InvokeChannel } from '../../../electron/shared/channels.ts';
import type { Envelope, InvokeResults, ParsedArgs } from '../../../electron/shared/contract.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import type { LaneStatus, NetworkState, RequestLogRow, Settings } from '../../../electron/shared/model.ts';
import { aLane, aRequest, aWindow } from '../../helpers/traffic.ts';
import * as connections from './connections.ts';
import {
  fetchRows,
  type Json,
  listState,
  modeOf,
  network,
  readRows,
  recordState,
  UNREACHABLE,
} from './lists.ts';
import { CONNECTION_ID, type FakeWindow, NOW, scenario, uuid } from './scenario.ts';

type Handlers = { [C in InvokeChannel]?: (argument: ParsedArgs<C>) => InvokeResults[C] };

const layout: Json = {};
let settings: Settings = {
  theme: scenario.theme ?? 'system',
  density: scenario.density ?? 'default',
  pageRows: 500,
  staleAfterMs: 300_000,
  prefetchRows: 20_000,
  batchRows: 1_000,
  isSidebarOpen: true,
  isInspectorOpen: true,
  activeConnectionId: null,
  lastFolder: null,
};

const networkState = (): NetworkState => ({
  connectionId: connections.list().activeId ?? CONNECTION_ID,
  state: network.state,
  sinceMs: NOW - 60_000,
  error: network.state === 'unreachable' ? UNREACHABLE : null,
  lastAnswerMs: NOW - 20_000,
});

function lane(title: string, operation: string, used: number, queued: number): LaneStatus {
  const window = (count: number, lengthMs: number, spent: number) =>
    aWindow({ count, lengthMs, used: spent, resetsAtMs: NOW + lengthMs * 0.8 });
  return aLane({
    operation,
    title,
    windows: [window(30, 1_000, used), window(1_000, 60_000, used * 9)],
    queued,
    inFlight: queued > 0 ? 4 : 0,
    longestWaitMs: queued * 130,
    why: queued > 0 ? 'window' : 'ready',
  });
}

const logRow = (index: number): RequestLogRow => {
  const atMs = NOW - index * 3_700;
  const {
    tries: _,
    origin: __,
    body: ___,
    bodyKept: ____,
    error: _____,
    ...row
  } = aRequest({
    id: uuid(3_000 + index),
    startedAtMs: atMs - 20 - ((index * 31) % 180) - ((index * 17) % 400),
    atMs,
    operation: 'GET /v3/applications/{application_id}/catalog',
    url: `/v3/applications/${uuid(0)}/catalog?limit=500&offset=${index * 500}`,
    status: index === 4 ? 429 : index === 9 ? null : 200,
    errorCode: index === 9 ? 'TIMEOUT' : null,
    attempts: index === 4 ? 2 : 1,
    queuedMs: (index * 17) % 400,
    networkMs: 20 + ((index * 31) % 180),
    sizeBytes: 48_213 + index * 91,
    priority: index % 5 === 0 ? 'prefetch' : 'view',
  });
  return { ...row, seq: 60 - index };
};

const handlers: Handlers = {
  'app:get-info': () => ({
    version: '0.1.0',
    runtime: 'Chromium host',
    versions: { electron: '', chrome: '', node: '' },
    platform: 'linux',
  }),
  'app:report-ready': () => null,
  'app:copy-text': () => null,
  'settings:get': () => settings,
  'settings:set': (patch) => {
    settings = { ...settings, ...(patch as Partial<Settings>) };
    return settings;
  },
  'connections:list': connections.list,
  'connections:get-keychain': connections.keychain,
  'connections:test': connections.testConnection,
  'connections:save': ({ draft, token }) => connections.save(draft, token),
  'connections:activate': ({ connectionId }) => connections.activate(connectionId),
  'connections:forget': ({ connectionId }) => connections.forget(connectionId),
  'connections:open-sample': connections.openSample,
  'connections:set-sample-running': ({ isRunning }) => ({ isRunning }),
  'connections:set-offline': ({ isOffline }) => {
    network.state = isOffline ? 'switched-off' : 'online';
    return networkState();
  },
  'connections:get-network': networkState,
  'library:open-list': ({ query }) => listState(query),
  'library:read-rows': ({ query, window }) => readRows(query, window),
  'library:refresh-list': ({ query }) => listState(query),
  'library:fetch-rows': ({ query, offset }) => fetchRows(query, offset),
  'library:open-record': ({ query }) => recordState(query),
  'library:release': () => null,
  'layout:read': () => layout,
  'layout:write': ({ key, value }) => {
    layout[key] = value;
    return null;
  },
  'traffic:get-lanes': () => ({
    lanes: [
      lane('Catalog', 'GET /v3/applications/{application_id}/catalog', 30, 12),
      lane('Applications', 'GET /v3/applications', 2, 0),
    ],
    isAllPaused: false,
  }),
  'traffic:get-log': () => ({
    rows: Array.from({ length: 60 }, (_, index) => logRow(index)),
    matchingRows: 60,
    storedRows: 60,
    operations: ['GET /v3/applications/{application_id}/catalog'],
  }),
  'uploads:list-jobs': () => [],
  'uploads:choose-files': () => [],
  'events:list-deletions': () => ({
    deletions: [],
    budget: { usedToday: 3, limit: 30, resetsAtMs: null },
  }),
};

const calls: FakeWindow['fakeCalls'] = [];

/** Is this the answer that the scenario keeps back? */
function isKeptBack(channel: string, argument: unknown): boolean {
  if (scenario.lists !== 'slow' || channel !== 'library:open-list') return false;
  return modeOf((argument as ParsedArgs<'library:open-list'>).query) === 'slow';
}

async function invoke(channel: string, argument: unknown): Promise<Envelope<unknown>> {
  calls.push({ channel, argument });
  if (isKeptBack(channel, argument)) return new Promise(() => undefined);
  const handler = handlers[channel as InvokeChannel] as ((given: unknown) => unknown) | undefined;
  if (handler === undefined) {
    const message = `No made-up answer for ${channel}.`;
    return {
      ok: false,
      error: { code: 'INTERNAL', title: 'Unexpected failure', message, retry: 'never', details: {} },
    };
  }
  try {
    return { ok: true, value: structuredClone(handler(argument)) };
  } catch (thrown) {
    return { ok: false, error: thrown as WireError };
  }
}

Object.assign(globalThis, {
  fakeCalls: calls,
  spandeck: { invoke, offerFiles: () => invoke('uploads:offer-files', undefined), on: () => () => undefined },
});
