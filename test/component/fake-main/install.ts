/**
 * A fake main process behind `window.spandeck`, with the types of the contract. Runs in the page before the script of
 * the window, and records every call for the test.
 */

import type { InvokeChannel } from '../../../electron/shared/channels.ts';
import type { Envelope, InvokeResults, ParsedArgs } from '../../../electron/shared/contract.ts';
import type { WireError } from '../../../electron/shared/errors.ts';
import { EventSequence } from '../../../electron/shared/event-sequence.ts';
import { parseExact } from '../../../electron/shared/exact-json.ts';
import { isLongMessage, shortMessage } from '../../../electron/shared/long-message.ts';
import type { NetworkState } from '../../../electron/shared/model.ts';
import type { Settings } from '../../../electron/shared/settings.ts';
import { TABLE_DEFAULTS } from '../../../electron/shared/settings-table.ts';
import * as builds from './builds.ts';
import './given-builds.ts';
import * as checks from './checks.ts';
import * as connections from './connections.ts';
import { answerCoverage } from './coverage.ts';
import * as experiments from './experiments.ts';
import * as health from './health.ts';
import * as items from './items.ts';
import * as jobs from './jobs.ts';
import * as kept from './kept.ts';
import {
  arrived,
  DAMAGED,
  fetchRows,
  firstRows,
  type Json,
  listsArrive,
  modelMetricsArrive,
  modeOf,
  network,
  openList,
  profile,
  readRecord,
  readRows,
  recordState,
  UNREACHABLE,
} from './lists.ts';
import { lock } from './lock.ts';
import * as mapping from './mapping.ts';
import { mutated } from './mutated.ts';
import * as outbox from './outbox.ts';
import { reports } from './reports.ts';
import * as requestLog from './request-log.ts';
import * as resources from './resources.ts';
import * as sampleFile from './sample-file.ts';
import { CONNECTION_ID, type FakeWindow, NOW, scenario } from './scenario.ts';
import { search } from './search.ts';
import { answerSnapshots } from './snapshots.ts';
import { checkFile } from './span-file.ts';
import { sql } from './sql.ts';
import * as traffic from './traffic.ts';
import * as uploads from './uploads.ts';

type Handlers = {
  [C in InvokeChannel]?: (argument: ParsedArgs<C>) => InvokeResults[C] | Promise<never>;
};

// A new connection starts with the start page; most tests need another view.
const firstTabs = {
  list: [{ id: 'first-tab', kind: 'catalog', title: 'Catalog', params: {} }],
  activeId: 'first-tab',
};
const layout: Json = { ...(scenario.opensStart === true ? {} : { tabs: firstTabs }), ...scenario.layout };
let settings: Settings = {
  ...TABLE_DEFAULTS,
  worksOffline: false,
  isSidebarOpen: true,
  isInspectorOpen: true,
  activeConnectionId: null,
  lastFolder: null,
  arePrivateFieldsLost: false,
  shortcuts: {},
  theme: scenario.theme ?? 'system',
  density: scenario.density ?? 'default',
  ...scenario.settings,
  // JSON, like the scenario that was passed to the page.
  firstConnection: (scenario.firstConnection ?? null) as Settings['firstConnection'],
};

const networkState = (): NetworkState => ({
  connectionId: connections.list().activeId ?? CONNECTION_ID,
  state: network.state,
  sinceMs: NOW - 60_000,
  error: network.state === 'unreachable' ? UNREACHABLE : null,
  lastAnswerMs: NOW - 20_000,
  silence: null,
});

const handlers: Handlers = {
  'datasets:coverage': answerCoverage,
  'datasets:check-value': items.checkValue,
  'datasets:check-rows': items.checkRows,
  'snapshots:ask': (question) => answerSnapshots(question, NOW),
  'app:get-info': () => ({
    version: '0.1.0',
    runtime: 'Chromium host',
    versions: { electron: '', chrome: '', node: '' },
    platform: 'linux',
    canDragOut: true,
    crash: scenario.crash ?? null,
    brokenRun: scenario.brokenRun ?? null,
    notice: scenario.notice ?? null,
  }),
  'app:report-ready': () => null,
  'app:report-saved': () => null,
  'app:report-power': (known) => scenario.power ?? known,
  'app:copy-text': () => null,
  'settings:get': () => {
    if (scenario.hasNoStart === true) throw UNREACHABLE;
    return settings;
  },
  'settings:set': (patch) => {
    settings = { ...settings, ...(patch as Partial<Settings>) };
    return settings;
  },
  'connections:list': connections.list,
  'connections:get-keychain': connections.keychain,
  'connections:choose-file': ({ kind }) =>
    kind === 'certificate' ? '/home/mara/mara.p12' : '/home/mara/company-ca.pem',
  'connections:test': connections.testConnection,
  'connections:save': ({ draft, token, secrets }) => connections.save(draft, token, secrets),
  'connections:activate': ({ connectionId }) => connections.activate(connectionId),
  'connections:forget': ({ connectionId }) => connections.forget(connectionId),
  'connections:open-sample': connections.openSample,
  'connections:set-sample-running': ({ isRunning }) => ({ isRunning }),
  'connections:set-offline': ({ isOffline }) => {
    network.state = isOffline ? 'switched-off' : 'online';
    return networkState();
  },
  'connections:get-network': networkState,
  'library:open-list': ({ query, window }) => ({ state: openList(query), page: firstRows(query, window) }),
  'library:read-rows': ({ query, window }) => readRows(query, window),
  'library:fetch-rows': ({ query, offset }) => fetchRows(query, offset),
  'library:open-record': ({ query }) => recordState(query),
  'library:release': () => null,
  'library:profile': profile,
  'library:sql': sql,
  'library:search': search,
  'layout:read': () => {
    const isRead = (globalThis as unknown as FakeWindow).isLayoutRead === true;
    if (scenario.isLayoutUnread === true && !isRead) throw UNREACHABLE;
    return layout;
  },
  'layout:write': ({ key, value }) => {
    layout[key] = value;
    return null;
  },
  'app:read-part': (part) => ('textId' in part ? readRecord(part.textId, part.from) : null),
  'app:drag-out': () => null,
  'app:open-logs': () => null,
  'app:save-file': ({ fileName }) => ({ fileName }),
  'traffic:get-lanes': traffic.overview,
  'traffic:control': (asked) => {
    switch (asked.action) {
      case 'pause':
      case 'resume':
        return traffic.setPaused(asked.operation, asked.action === 'pause');
      case 'order-uploads':
        return traffic.orderUploads(asked.jobIds);
      case 'choose-priority':
        return traffic.choosePriority(asked.group, asked.priority);
      case 'forget-limits':
        return traffic.forget(asked.operation);
      case 'clear-log':
        requestLog.clearLog();
        return traffic.overview();
    }
  },
  'traffic:get-log': requestLog.page,
  'traffic:get-request': ({ requestId }) => requestLog.request(requestId),
  'traffic:copy-curl': ({ requestId }) => ({
    command: `curl -H "Authorization: Bearer $SPANDECK_TOKEN" '${requestLog.request(requestId).url}'`,
    note: '',
  }),
  'traffic:save-har': (filter) => ({
    fileName: 'requests.har',
    entries: requestLog.page({ ...filter, limit: 200, beforeSeq: null }).matchingRows,
  }),
  'traffic:plan': traffic.plan,
  'builds:pick-spans': ({ buildId, spans }) => builds.pick(buildId, spans),
  'builds:add-second-review': ({ buildId, reviewer }) => builds.addSecondReview(buildId, reviewer),
  'builds:add-verdicts': ({ action, experiment }) =>
    action === 'send'
      ? { itemsId: 'verdicts-1' }
      : {
          ...{ rows: 21, undecided: 2, withoutItem: 1, rejectedWithoutItem: 1, withoutOutputs: 0 },
          ...{ withoutResult: 3, alreadyThere: 4, judgedOtherwise: experiment.name === '' ? 0 : 1 },
        },
  'builds:read': (asked) => {
    if (asked.action === 'check-file') return checkFile();
    const { buildId } = asked;
    switch (asked.action) {
      case 'find-picked':
        return builds.findPicked(buildId, asked.spans);
      case 'rows':
        return builds.readRows(buildId, asked);
      case 'keys':
        return builds.listKeys(buildId, asked.search);
      case 'check-mapping':
        return builds.checkMapping(buildId, asked.mapping);
      case 'suggest-mapping':
        return mapping.suggest();
      case 'review':
        return builds.readReview(buildId, asked.seq);
      case 'group-agreement':
        return scenario.hasThreeReviewers === true
          ? { reviewers: 3, spans: 24, kappa: { value: 0.52, interval: [0.29, 0.75] }, good: 0.61 }
          : null;
      case 'agreements':
        return builds.agreements(buildId);
      case 'places':
        return builds.readPlaces(asked.buildId, asked.position);
      case 'records':
        return {
          records: builds
            .readPlaces(buildId, asked.position)
            .map((at) => builds.readSpan(buildId, at).record ?? {}),
          next: null,
        };
      case 'span':
        return builds.readSpan(buildId, asked.position);
      case 'near-duplicate':
        return builds.readNearDuplicate(buildId, asked.position);
      case 'differences':
        return builds.readDifferences(buildId);
    }
  },
  'presets:list': ({ owner }) => (owner.kind === 'upload' ? checks.presets() : []),
  'presets:save': () => null,
  'uploads:start-dry-run': ({ plan }) => checks.dryRun(plan),
  'uploads:get-dry-run': checks.recheck,
  'uploads:check-rows': checks.checkRows,
  'uploads:check-value': checks.checkValue,
  'uploads:read-check': () => ({ ledger: checks.LEDGER, notes: [] }),
  'uploads:list-bad-rows': () => ({ rows: [], total: 0 }),
  'jobs:plan': jobs.plan,
  'jobs:create': jobs.create,
  'jobs:list': jobs.list,
  'jobs:change': jobs.change,
  'jobs:repeat': jobs.repeat,
  'jobs:control': jobs.control,
  'jobs:decide': jobs.decide,
  'jobs:parts': jobs.parts,
  'outbox:send-all': outbox.sendAll,
  'jobs:forget': jobs.forget,
  'jobs:save': jobs.save,
  'keep:act': (asked) => {
    switch (asked.action) {
      case 'test':
        return kept.test();
      case 'get-space':
        return kept.space();
      case 'plan-drop':
        return kept.planDrop(asked.keptId);
      case 'plan-sync':
        return { requests: 240, byLimitsMs: 1_440_000, lastMs: 1_000_000 };
    }
  },
  'uploads:undo': ({ jobId }) => uploads.undo(jobId),
  'events:get-budget': uploads.budget,
  'resources:act': resources.act,
  'resources:watch-job': resources.watchJob,
  'resources:dry-run': ({ draft }) => {
    if (scenario.hasNoDryRun === true) throw DAMAGED;
    return resources.dryRun(draft);
  },
  'health:act': (asked) => {
    switch (asked.action) {
      case 'get-storage':
        return health.storage();
      case 'check':
        return health.check();
      case 'compact':
        return [];
      case 'self-check':
        return health.selfCheck();
      case 'save-report':
        return { fileName: 'spandeck-report.txt' };
      case 'repair':
        return health.repair();
      case 'get-copies':
        return health.copies();
      case 'restore-copy':
        return health.restoreCopy(asked);
      case 'remove-copy':
        return health.removeCopy(asked.name);
    }
  },
  'agents:act': health.agents,
  'reports:act': reports,
  'lock:act': lock,
  'pack:act': (asked) => {
    switch (asked.action) {
      case 'plan':
        return health.plan(asked.choice);
      case 'create':
        return health.create(asked.choice);
      case 'choose':
        return { fileName: 'claims.pack', sizeBytes: 2_400_000 };
      case 'open':
        return health.refuse();
      case 'cancel':
        return null;
    }
  },
  'scores:of-items': () => [],
  'runs:compare': experiments.compare,
  'runs:items': experiments.itemsOf,
  'runs:usage': experiments.usageOf,
  'runs:item': experiments.item,
  'damaged:list': () => scenario.damaged ?? [],
  'damaged:remove': ({ id }) => {
    scenario.damaged = scenario.damaged?.filter((row) => row.id !== id) ?? [];
    return null;
  },
  'uploads:choose-files': () => items.choose(),
  'uploads:offer-sample': sampleFile.offer,
  'uploads:inspect': ({ fileId, dialect }) =>
    fileId === sampleFile.SAMPLE_FILE_ID ? sampleFile.preview() : items.inspect(dialect),
  'uploads:profile': () => checks.wholeFile(),
  'uploads:list-preparations': () =>
    (scenario.prepared ?? []).map((name) => ({
      preparationId: `preparation of ${name}`,
      file: { fileId: name, name, sizeBytes: 1_000, packed: null, error: null },
      ...{ changedFrom: null, choices: null, check: null, changedAtMs: NOW },
    })),
  'uploads:keep-preparation': () => null,
};

const calls: FakeWindow['fakeCalls'] = [];
const order = new EventSequence();

/** Whether the scenario withholds this answer. */
function isKeptBack(channel: string, argument: unknown): boolean {
  if (channel === 'library:search') return scenario.search === 'slow';
  if (channel === 'traffic:plan') return scenario.plan === 'slow';
  if (scenario.lists !== 'slow' || channel !== 'library:open-list') return false;
  return modeOf((argument as ParsedArgs<'library:open-list'>).query) === 'slow';
}

/** Encodes values like the main process: exact numbers become text. Here, long values are not split. */
function pack(value: unknown): unknown {
  const short = value === undefined ? null : shortMessage(JSON.stringify(value), value);
  return short === null ? value : short.message;
}

/** Texts of long arguments by id, whose parts arrive before the calls. */
const partTexts = new Map<unknown, string>();

function addPart(sent: unknown): Envelope<unknown> {
  const { id, part } = sent as { id: number; part: string };
  partTexts.set(id, `${partTexts.get(id) ?? ''}${part}`);
  return { ok: true, seq: 0, value: null };
}

/** Decodes arguments that were sent as text or in parts. */
function unpack(argument: unknown): unknown {
  if (!isLongMessage(argument)) return argument;
  const { id, begin } = argument.spandeckParts;
  return parseExact(begin === '' ? (partTexts.get(id) ?? '') : begin);
}

async function invoke(channel: string, sent: unknown): Promise<Envelope<unknown>> {
  if (channel === 'app:add-part') return addPart(sent);
  const argument = unpack(sent);
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
  const before = jobs.now();
  try {
    const { value, seq } = await order.answer(() => handler(argument));
    const { mutatedSeed: seed } = scenario;
    const isOfService = channel.startsWith('library:') && seed !== undefined;
    return { ok: true, seq, value: structuredClone(pack(isOfService ? mutated(value, seed) : value)) };
  } catch (thrown) {
    return { ok: false, error: thrown as WireError };
  } finally {
    const connectionId = connections.list().activeId ?? CONNECTION_ID;
    for (const change of jobs.changesSince(before)) {
      told.fakeEvent('jobs:changed', { connectionId, ...change });
    }
  }
}

const listeners = new Map<string, Set<(payload: unknown) => void>>();

function on(channel: string, listener: (payload: unknown) => void): () => void {
  const known = listeners.get(channel) ?? new Set();
  listeners.set(channel, known.add(listener));
  return () => known.delete(listener);
}

const told: Omit<FakeWindow, 'scenario'> = {
  fakeCalls: calls,
  fakeEvent: (channel, payload) => {
    const message = order.event(pack(payload));
    for (const listener of listeners.get(channel) ?? []) listener(message);
  },
  fakeModelMetrics: () => {
    for (const state of modelMetricsArrive()) told.fakeEvent('library:record-changed', { state });
  },
  fakeListsArrive: (lists = 'full') => {
    for (const state of listsArrive(lists))
      told.fakeEvent('library:list-changed', { connectionId: CONNECTION_ID, state });
  },
  fakeRecord: (operation, record, isWhole) => {
    const state = arrived(operation, record, isWhole);
    if (state !== null) told.fakeEvent('library:record-changed', { connectionId: CONNECTION_ID, state });
  },
  fakeRequest: requestLog.newRequest,
};
Object.assign(globalThis, told, {
  spandeck: { invoke, offerFiles: () => invoke('uploads:offer-files', undefined), on },
});
