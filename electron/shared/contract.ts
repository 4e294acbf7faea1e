/**
 * Argument schema and result type of every channel. Main parses arguments with the schema on arrival; the renderer's
 * client takes its types from here. One entry for each name in channels.ts, checked by the compiler.
 */
import { type AgentsAnswers, agentsContract } from './agents-model.ts';
import type { FiredAlert } from './alert-record.ts';
import { columnFilters, fields, type ListProfile, type Preparation } from './analysis-model.ts';
import type { EventChannel, InvokeChannel } from './channels.ts';
import { type Coverage, coverageContract } from './coverage-model.ts';
import { type DamagedResults, damagedContract } from './damaged-rows.ts';
import {
  type BuildAnswers,
  type DatasetResults,
  datasetContract,
  type VerdictAnswers,
} from './dataset-contract.ts';
import type { WireError } from './errors.ts';
import { type HealthAnswers, healthContract } from './health-model.ts';
import { type ItemsResults, itemsContract } from './items-model.ts';
import { type JobEvents, type JobResults, jobContract } from './job-contract.ts';
import { jsonValue } from './json-body.ts';
import { type KeepAnswers, keepContract } from './keep-contract.ts';
import { type LockAnswers, lockContract } from './lock-model.ts';
import type * as m from './model.ts';
import { accessToken, connectionDraft, connectionSecrets, listQuery, rowWindow, viewId } from './model.ts';
import { type OutboxResults, outboxContract } from './outbox-contract.ts';
import { type PackAnswers, packContract } from './pack-model.ts';
import { plainFileName } from './plain-file-name.ts';
import { type PowerState, powerReport } from './power-model.ts';
import { type PresetResults, presetContract } from './preset-contract.ts';
import { PART_CHARACTERS } from './record-parts.ts';
import { type ReportAnswers, reportContract } from './report-model.ts';
import { type ResourceEvents, type ResourceResults, resourceContract } from './resource-contract.ts';
import { type SearchAnswer, searchRequest } from './search-contract.ts';
import { type Settings, settings } from './settings.ts';
import { type SnapshotAnswers, snapshotContract } from './snapshot-model.ts';
import { type SqlAnswers, sqlRequest } from './sql-model.ts';
import { type TrafficEvents, type TrafficResults, trafficContract } from './traffic-contract.ts';
import { type UploadEvents, type UploadResults, uploadContract } from './upload-contract.ts';
import * as z from './zod.ts';

const connectionId = z.uuid();
const none = z.undefined();
/** A null token keeps the stored one. */
const typedConnection = z.strictObject({
  draft: connectionDraft,
  token: accessToken.nullable(),
  secrets: connectionSecrets,
});

export const CONTRACT = {
  'app:get-info': none,
  'app:report-ready': z.strictObject({ view: z.string().max(100) }),
  /** The answer to `app:closing`: the page has stored everything that it wants to keep. */
  'app:report-saved': none,
  /** Reports the battery and network state known to the window; the answer adds what the system reports. */
  'app:report-power': powerReport,
  'app:copy-text': z.strictObject({ text: z.string().max(1_000_000) }),
  /** Saves a file that the window created, after asking for its path. Null if cancelled. */
  'app:save-file': z.strictObject({ fileName: plainFileName, base64: z.base64().max(40_000_000) }),
  /**
   * Drags a file out of the window: a finished export, current receipts, or a file created by the window. Only the main
   * process knows its path.
   */
  'app:drag-out': z.discriminatedUnion('of', [
    z.strictObject({ of: z.literal('export'), connectionId, id: z.string().min(1).max(100) }),
    z.strictObject({
      of: z.literal('receipts'),
      connectionId,
      kind: z.enum(['upload', 'build', 'items']),
      id: z.string().min(1).max(100),
    }),
    z.strictObject({
      of: z.literal('made'),
      fileName: plainFileName,
      base64: z.base64().max(40_000_000),
    }),
  ]),
  /** Opens the system's file manager. */
  'app:open-logs': none,
  /** Reads a part of an answer or event too long for one message; null once it was dropped. */
  'app:read-part': z.union([
    /** Part of a long message. */
    z.strictObject({ id: z.int().min(1), from: z.int().min(0) }),
    /** Part of a stored record too long for a message. */
    z.strictObject({ connectionId, textId: z.int().min(0), from: z.int().min(0) }),
  ]),
  /** Sends the next part of an argument too long for one message. */
  'app:add-part': z.strictObject({
    id: z.int().min(1),
    from: z.int().min(0),
    part: z.string().min(1).max(PART_CHARACTERS),
  }),
  'settings:get': none,
  'settings:set': settings.partial(),
  'connections:list': none,
  'connections:get-keychain': none,
  'connections:choose-file': z.strictObject({ kind: z.enum(['authorities', 'certificate']) }),
  'connections:test': typedConnection,
  'connections:save': typedConnection,
  'connections:activate': z.strictObject({ connectionId }),
  'connections:forget': z.strictObject({ connectionId }),
  'connections:open-sample': none,
  /** Starts or stops the sample service inside the application, to demonstrate a missing network. */
  'connections:set-sample-running': z.strictObject({ isRunning: z.boolean() }),
  'connections:set-offline': z.strictObject({ connectionId, isOffline: z.boolean() }),
  'connections:get-network': z.strictObject({ connectionId }),
  'library:open-list': z.strictObject({
    connectionId,
    viewId,
    query: listQuery,
    refresh: z.enum(['if-stale', 'always', 'never']),
    /** The answer includes stored rows. */
    window: rowWindow.optional(),
    /** Whether a person requested a refresh, which precedes other reads and tries a rejected token once more. */
    isClick: z.boolean().optional(),
  }),
  'library:read-rows': z.strictObject({ connectionId, query: listQuery, window: rowWindow }),
  /** Fetches rows of a list that are not stored yet (when scrolling beyond stored rows). */
  'library:fetch-rows': z.strictObject({
    connectionId,
    viewId,
    query: listQuery,
    /** Position of a wanted row; null: the first rows that are not stored. */
    offset: z.int().min(0).nullable(),
  }),
  'library:open-record': z.strictObject({
    connectionId,
    viewId,
    query: listQuery,
    refresh: z.enum(['if-stale', 'always', 'never']),
  }),
  /** Notes that a view was closed, and cancels its waiting reads. */
  'library:release': z.strictObject({ connectionId, viewId }),
  /** Column profiles over a list's stored rows. */
  'library:profile': z.strictObject({
    connectionId,
    query: listQuery,
    narrow: rowWindow.shape.narrow,
    fields,
    filters: columnFilters,
  }),
  /** Typed SQL over the stored lists, read-only. */
  'library:sql': sqlRequest,
  /** Searches all stored data, without a request. */
  'library:search': searchRequest.extend({ connectionId }),
  /** The window's state for a connection: open tabs and column layouts. */
  'layout:read': z.strictObject({ connectionId }),
  'layout:write': z.strictObject({ connectionId, key: z.string().min(1).max(200), value: jsonValue }),
  ...resourceContract,
  ...jobContract,
  ...damagedContract,
  ...healthContract,
  ...agentsContract,
  ...lockContract,
  ...packContract,
  ...reportContract,
  ...keepContract,
  ...outboxContract,
  ...trafficContract,
  ...uploadContract,
  ...datasetContract,
  ...presetContract,
  ...snapshotContract,
  ...coverageContract,
  ...itemsContract,
} satisfies Record<InvokeChannel, z.ZodType>;

export interface AppInfo {
  version: string;
  runtime: 'Electron' | 'Chromium host';
  versions: { electron: string; chrome: string; node: string };
  platform: string;
  /** Whether files can be dragged out of the window. */
  canDragOut: boolean;
  /** Why the window was reloaded, if not reported yet. */
  crash: WindowCrash | null;
  /** The previous run if it ended abnormally and this was not reported yet. */
  brokenRun: BrokenRun | null;
  /** Problems of the stored data found at startup and the action taken, if not reported yet. */
  notice: string | null;
}

/** A run of the application that was killed, failed or lost power. */
export interface BrokenRun {
  /** Null if the note of the run was truncated. */
  startedAtMs: number | null;
  /** The error that ended the run; null if the run was ended from outside. */
  failure: string | null;
}

/** A crash of the window's process. */
export interface WindowCrash {
  atMs: number;
  reason: string;
}

export interface ConnectionList {
  connections: m.Connection[];
  activeId: string | null;
  /** Whether the sample service inside the application is running. */
  isSampleRunning: boolean;
  /** Connections whose stored data is being migrated to this version; their views wait for it. */
  updating: { connectionId: string; sizeBytes: number; share: number }[];
  /** A call waits for the operating system's keychain, which may be asking for permission. */
  isKeychainWaiting: boolean;
}

/** The result of each action of a channel, if it depends on the action. */
export interface ActionAnswers {
  'health:act': HealthAnswers;
  'agents:act': AgentsAnswers;
  'lock:act': LockAnswers;
  'pack:act': PackAnswers;
  'reports:act': ReportAnswers;
  'keep:act': KeepAnswers;
  'builds:add-verdicts': VerdictAnswers;
  'builds:read': BuildAnswers;
  'snapshots:ask': SnapshotAnswers;
}
export type ActionChannel = keyof ActionAnswers;
export type ActionOn<C extends ActionChannel> = keyof ActionAnswers[C] & InvokeArgs<C>['action'];
/** Arguments of one action, without the name of the action. */
export type ActionArgs<C extends ActionChannel, A extends ActionOn<C>> = Omit<
  Extract<InvokeArgs<C>, { action: A }>,
  'action'
>;
type ActionResults = { [C in ActionChannel]: ActionAnswers[C][keyof ActionAnswers[C]] };

export interface InvokeResults
  extends UploadResults,
    ItemsResults,
    TrafficResults,
    ResourceResults,
    JobResults,
    DamagedResults,
    ActionResults,
    OutboxResults,
    PresetResults,
    DatasetResults {
  'app:get-info': AppInfo;
  'app:report-ready': null;
  'app:report-saved': null;
  'app:report-power': PowerState;
  'app:copy-text': null;
  'app:save-file': { fileName: string } | null;
  'app:drag-out': null;
  'app:open-logs': null;
  'app:read-part': string | null;
  'app:add-part': null;
  'settings:get': Settings;
  'settings:set': Settings;
  'connections:list': ConnectionList;
  'connections:get-keychain': m.KeychainStatus;
  /** Path of the chosen file; null if cancelled. */
  'connections:choose-file': string | null;
  'connections:test': m.ConnectionTest;
  'connections:save': m.Connection;
  'connections:activate': m.Connection;
  'connections:forget': { removed: string[] };
  'connections:open-sample': m.Connection;
  'connections:set-sample-running': { isRunning: boolean };
  'connections:set-offline': m.NetworkState;
  'connections:get-network': m.NetworkState;
  /** `page` is null if none was requested, or if rows cannot be read: reading them reports the error. */
  'library:open-list': { state: m.ListState; page: m.RowPage | null };
  'library:read-rows': m.RowPage;
  'library:fetch-rows': m.ListState;
  'library:open-record': m.RecordState;
  'library:release': null;
  'library:profile': ListProfile | null;
  'library:sql': SqlAnswers[keyof SqlAnswers];
  'library:search': SearchAnswer;
  'datasets:coverage': Coverage;
  'layout:read': Record<string, unknown>;
  'layout:write': null;
}

export interface EventPayloads extends UploadEvents, TrafficEvents, ResourceEvents, JobEvents {
  /** `link`: untrusted argument of `views.open-link`. */
  'app:command': { command: string; link?: string };
  /** The window closes after this time at the latest: the page stores its pending changes and calls `app:report-saved`. */
  'app:closing': { withinMs: number };
  /** Background work whose result nobody awaited has failed; the log has the cause. `what`: the work in a few words. */
  'app:failed': { what: string; message: string };
  'app:power-changed': PowerState;
  'settings:changed': Settings;
  /** Progress of creating or opening a pack: from 0 to 1. */
  'pack:progress': { share: number };
  /**
   * There is a new snapshot of a dataset, or its newest state was seen again. `datasetId`: null if changes of schemas
   * were found.
   */
  'snapshots:changed': { connectionId: string; datasetId: string | null };
  /** Alerts that are new since the last check, the most severe first. */
  'alerts:fired': { connectionId: string; alerts: FiredAlert[] };
  /** A person opened an alert from outside the window. */
  'alerts:open': { connectionId: string; alert: Pick<FiredAlert, 'ruleId' | 'name'> };
  'connections:changed': ConnectionList;
  'connections:network-changed': m.NetworkState;
  /** Answers of the service differ from what this version knows: once for each field. */
  'connections:difference': { connectionId: string; text: string };
  /**
   * Open lists and records of the connection are not updated any more until they are opened again. `isMoved`: the
   * connection now leads to another address.
   */
  'connections:session-closed': { connectionId: string; isMoved: boolean };
  'library:list-changed': { connectionId: string; state: m.ListState };
  'library:record-changed': { connectionId: string; state: m.RecordState };
  /** Progress or completion of preparing columns. */
  'library:profile-changed': { connectionId: string; preparation: Preparation | null };
}

export type InvokeArgs<C extends InvokeChannel> = z.input<(typeof CONTRACT)[C]>;
export type ParsedArgs<C extends InvokeChannel> = z.output<(typeof CONTRACT)[C]>;

/**
 * The answer of a channel: errors are values, because only the message of a thrown error crosses IPC. `seq` is the
 * position in the order in which main read the values it sends: see `EventSequence`.
 */
export type Envelope<T> = { ok: true; seq: number; value: T } | { ok: false; error: WireError };

/** An event with its position in the order of answers and events. */
export interface EventMessage {
  seq: number;
  payload: unknown;
}

/** Compile-time proof that every channel has a result and every event a payload. */
export type EveryChannelHasResult = Record<InvokeChannel, unknown> & InvokeResults;
export type EveryEventHasPayload = Record<EventChannel, unknown> & EventPayloads;
