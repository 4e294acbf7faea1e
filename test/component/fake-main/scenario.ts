import type { EventChannel } from '../../../electron/shared/channels.ts';
import type { DamagedRow } from '../../../electron/shared/damaged-rows.ts';
import type { PowerState } from '../../../electron/shared/power-model.ts';
import type { ExportedSettings } from '../../../electron/shared/settings.ts';
import type { RequestLogRow } from '../../../electron/shared/traffic-model.ts';

/** Properties of the fake service in a test. */
export interface Scenario {
  /** Name of the channel to a fake main process in another page. */
  mainChannel?: string;
  /** No connection: the first run. */
  isFirstRun?: boolean;
  network?: 'online' | 'switched-off' | 'unreachable';
  /** Hours until the token of the connection expires; the keys do not say which one it is by default. */
  tokenHours?: number;
  /** Spans have results of evaluator rules, one of which takes a sample. */
  hasOutputs?: true;
  /** The service lists an evaluator. */
  hasEvaluators?: true;
  /** Number of evaluator rules that all belong to another application. */
  rulesOfOthers?: number;
  /** The stored spans for a dry run cannot be read. */
  hasNoDryRun?: true;
  /** Battery and network, as the system states them; unknown by default. */
  power?: PowerState;
  /** People decided on the first 60 results of each run. */
  hasPeople?: true;
  /** No key of the spans names an input. */
  hasNoInputKeys?: true;
  /** New drafts belong to this dataset. */
  draftDataset?: string;
  /** A third person reviewed the spans too. */
  hasThreeReviewers?: true;
  /** The connection is the sample workspace. */
  isSample?: boolean;
  /** The sample file with problems cannot be offered. */
  sampleFile?: 'failed';
  /** The service is unreachable because it is the stopped sample service. */
  isSampleStopped?: boolean;
  /** Number of rows in the catalog. */
  entities?: number;
  /** Records of lists have fields of other types, chosen by this seed. */
  mutatedSeed?: number;
  /** State of the list of applications; full by default. */
  applications?: 'not-stored' | 'empty';
  /**
   * Answers of lists: `slow` never, `loading` nothing yet, `failed` keeps stored rows, `broken` has none, `refused` the
   * same until `isTokenAccepted`.
   */
  lists?: 'full' | 'empty' | 'slow' | 'loading' | 'failed' | 'broken' | 'refused' | 'not-stored' | 'unknown';
  /** Profiles of columns: over a sample while they are prepared, or failed because the disk is full. */
  profiles?: 'full' | 'sample' | 'failed';
  /** State of the stored lists in the SQL view. */
  sql?: 'full' | 'empty' | 'loading' | 'failed';
  /**
   * Answers of the search: `slow` never, `empty` as if nothing is stored, `gone` with an upload, and with records that
   * are no longer stored.
   */
  search?: 'full' | 'empty' | 'slow' | 'failed' | 'indexing' | 'gone';
  /** Names of files that were in preparation when the application ended. */
  prepared?: readonly string[];
  /** Exports, one in each state. */
  hasExports?: boolean;
  /** Mirrors: a finished, a running and a paused one. */
  hasMirrors?: boolean;
  /** Mirrors that repeat: by times, after each sync, and paused after failures. */
  hasRepeats?: boolean;
  /** The comparison with production: the catalog is not stored, or cannot be read; `unknown`: no span of an item is. */
  coverage?: 'empty' | 'failed' | 'unknown';
  /** Versions of a dataset: none, one, unreadable list, unreadable differences, or all damaged. */
  versions?: 'none' | 'one' | 'failed' | 'lost-diff' | 'damaged';
  /** Fields of new rows that changed: open ones and ended ones, or unreadable. */
  schema?: 'changed' | 'failed';
  /** Datasets other than the first one requested have no version until the test sets `isOtherRead`. */
  isOtherUnread?: boolean;
  /** One score run of the first dataset, or two, or two that cannot be compared. */
  hasScores?: boolean | 'two' | 'judges' | 'incomparable';
  /** The comparison of experiments: without results, or unreadable. */
  runsCompared?: 'empty' | 'failed';
  /** The first compared items of a filter were made from spans of a draft here. */
  hasOrigins?: true;
  /** Results of experiments name their traces; most of them are stored. */
  hasTraces?: boolean;
  /** The service lacks the operations of experiments. */
  lacksExperiments?: boolean;
  /** A file whose rows become items: with bad rows, unreadable, and so on. */
  itemFile?: 'full' | 'bad' | 'failed' | 'workbook' | 'lists' | 'misread' | 'titled';
  /** Content kept offline: none, entries of every kind and state, or unreadable entries. */
  kept?: 'none' | 'full' | 'failed';
  /** Operations whose records are pending until the test releases them. */
  lateRecords?: readonly string[];
  /** Spans before the fake ones: their fields override those of the first rows. */
  spans?: readonly Record<string, unknown>[];
  /** Number of spans in the trace; default 2,000. */
  traceSpans?: number;
  /** Number of children of each span in the trace. */
  traceChildren?: number;
  /** Spans of the session, as differences from the fake ones. */
  sessionSpans?: readonly Record<string, unknown>[];
  /** Number of spans after which the first “pick all” stalls until the user stops it. */
  pickStalls?: number;
  /** Number of items of each compared experiment. */
  comparedItems?: number;
  /** Stated number of compared items: their rows repeat, with a title of their own. */
  comparedTotal?: number;
  /** Number of stored rows; the others are fetched on request. */
  storedRows?: number;
  /** Lists were read to their end: rows that are not stored are missing at the service. */
  isReadToEnd?: boolean;
  /** Stored data being migrated to this version. */
  updating?: { connectionId: string; sizeBytes: number; share: number }[];
  theme?: 'system' | 'light' | 'dark';
  density?: 'compact' | 'default' | 'comfortable';
  /** Settings that differ from the defaults. */
  settings?: Partial<ExportedSettings>;
  /** A connection that was never opened: its first tab is Start. */
  opensStart?: boolean;
  /** For the active connection. */
  answerTimeoutS?: number;
  hasKeychain?: boolean;
  /** The lock of the window, with the passphrase 2468. */
  lock?: 'set' | 'locked' | 'damaged';
  /** The window crashed and was reloaded. */
  crash?: { atMs: number; reason: string };
  /** The previous run did not end normally. */
  brokenRun?: { startedAtMs: number | null; failure: string | null };
  /** Problem with the stored data found at the start. */
  notice?: string;
  /** The window cannot start: its settings cannot be read. */
  hasNoStart?: boolean;
  isReadOnly?: boolean;
  /** Stores: one is damaged, or their sizes cannot be read. */
  health?: 'damaged' | 'failed';
  /** Copies of stores; `locked`: another process has the connection open. */
  copies?: 'some' | 'failed' | 'locked';
  /** Fields of a report: `private` masks one, and there is no keychain. */
  report?: 'private' | 'failed' | 'slow';
  /** `unread`: open to agents that have read nothing; `full`: a long log with lines that cannot be read. */
  agents?: 'failed' | 'slow' | 'unread' | 'full';
  /** The active connection is a pack. */
  isPack?: boolean;
  test?: 'ok' | 'refused' | 'insecure';
  /** `lost`: a change is sent without a response. `forbidden`: it is refused, with a long reason. */
  act?: 'ok' | 'lost' | 'forbidden';
  /**
   * `empty`: nothing was ever sent. `failed`: lanes and log cannot be read. `cut-off`: no response, and nothing is
   * waiting.
   */
  traffic?: 'usual' | 'empty' | 'failed' | 'cut-off';
  /** Records of a bulk change cannot be read. */
  hasLostRecords?: boolean;
  /** Cost of an action: `slow` never answers, `once-failed` only answers a retry. */
  plan?: 'usual' | 'slow' | 'once-failed';
  /** One upload planned, one running, one started late; one deletion planned. */
  hasPlans?: boolean;
  /** The check of a file finds problems, and a mapping is saved. */
  hasChecks?: boolean;
  /**
   * The file was sent to the same target before; `undone`: its events were deleted since; `meanwhile`: after its check.
   */
  wasSent?: 'sent' | 'undone' | 'meanwhile';
  /** The check also finds values that are not categories of the model; `alone`: nothing else. */
  hasUnusual?: boolean | 'alone';
  /** A column of the file can be read in two ways, and a key first occurs after the first rows. */
  hasQuestions?: boolean;
  /** `full`: the outbox contains a change in each state. */
  outbox?: 'full';
  /** Stored data that cannot be read. */
  damaged?: DamagedRow[];
  /** A dataset from spans is ready, with a planned start. */
  hasPlannedBuild?: boolean;
  /** A dataset to which spans of the application were added before. */
  hasSentBuild?: boolean;
  /** A build that stopped before its first call, as its spans changed since their preparation. */
  hasChangedBuild?: boolean;
  /** A paused build: another one is adding the same spans to the same dataset. */
  hasAskingBuild?: boolean;
  /** Number of rows in the request log. */
  requests?: number;
  /** Input in the form of the first connection. */
  firstConnection?: Record<string, unknown>;
  /** Stored layout of the connection: tabs, saved charts. */
  layout?: Record<string, unknown>;
  /** Number of bins in every chart. */
  bins?: number;
  /** Latest alerts of rules: how many of 12 arrived, whether more are pending, and which others are critical. */
  latestAlerts?: { came: number; isReading: boolean; critical?: readonly number[]; newestMs?: number };
  /** State of the list of the latest alerts; that of the other lists by default. */
  summary?: 'failed' | 'broken' | 'not-stored';
  /** Whether the service sends the earlier period of a requested comparison. */
  comparison?: 'sent' | 'none';
  /**
   * Answers of metric queries: `partly` omits one query and reports an error for another; `earlier` has values only for
   * a range that ended two days ago.
   */
  metrics?: 'full' | 'partly' | 'empty' | 'loading' | 'broken' | 'not-stored' | 'earlier';
  /** Metric whose queries are never answered, while the others are. */
  brokenMetric?: string;
  /** The model also has metrics of drift, missing values and performance. */
  hasManyMetrics?: boolean;
  /** State of a model's metrics until they are released. */
  modelMetrics?: 'loading' | 'broken';
}

/** Additional members of a test's window. */
export interface FakeWindow {
  /** `refused` lists can be read from now on. */
  isTokenAccepted?: boolean;
  /** Datasets that were `isOtherUnread` have versions from now on. */
  isOtherRead?: boolean;
  scenario?: Scenario;
  fakeCalls: { channel: string; argument: unknown }[];
  /** Sends an event to the window, like the main process. */
  fakeEvent: (channel: EventChannel, payload: unknown) => void;
  /** Releases the metrics of the requested models. */
  fakeModelMetrics: () => void;
  /** Delivers the rows of all opened lists that were `loading`, or reports that they have none. */
  fakeListsArrive: (lists?: 'full' | 'empty') => void;
  /** Delivers a requested record: a part of it, or all. */
  fakeRecord: (operation: string, record: Record<string, unknown>, isWhole: boolean) => void;
  /** A request that has just ended. */
  fakeRequest: (seq: number, changes?: Partial<RequestLogRow>) => RequestLogRow;
}

/** The wall clock of every component test is stopped at this time: 10:24 on a Wednesday in Berlin, in winter time. */
export const NOW = Date.UTC(2026, 10, 18, 9, 24, 36, 400);
export const CONNECTION_ID = '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11';
export const SAMPLE_ID = '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c12';
export const NEW_ID = '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c13';

const given = (globalThis as unknown as FakeWindow).scenario;
export const scenario: Scenario = given ?? {};

export const iso = (agoMs: number): string => new Date(NOW - agoMs).toISOString();

/** A deterministic uuid. */
export function uuid(seed: number): string {
  const head = (0x1a2b3c4d + seed * 2_654_435).toString(16).padStart(8, '0').slice(0, 8);
  const tail = (0x5ec7a1f00d11 + seed * 7_919).toString(16).padStart(12, '0').slice(-12);
  return `${head}-4f1c-4d2a-9b77-${tail}`;
}
