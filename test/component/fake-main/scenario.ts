import type { EventChannel } from '../../../electron/shared/channels.ts';
import type { DamagedRow } from '../../../electron/shared/damaged-rows.ts';
import type { PowerState } from '../../../electron/shared/power-model.ts';
import type { ExportedSettings } from '../../../electron/shared/settings.ts';
import type { RequestLogRow } from '../../../electron/shared/traffic-model.ts';

/** Properties of the fake service and the fake main process in a test. */
export interface Scenario {
  /** Name of the channel to a fake main process in another page. */
  mainChannel?: string;
  /** There is no connection, as at the first start. */
  isFirstRun?: boolean;
  network?: 'online' | 'switched-off' | 'unreachable';
  /** Hours until the token of the connection expires. By default, the keys do not show which of them is the token. */
  tokenHours?: number;
  /** The spans have results of evaluator rules. One rule checks only a sample. */
  hasOutputs?: true;
  /** The service lists an evaluator. */
  hasEvaluators?: true;
  /** Number of evaluator rules. All belong to another application. */
  rulesOfOthers?: number;
  /** The stored spans for a dry run cannot be read. */
  hasNoDryRun?: true;
  /** State of battery and network as reported by the system, unknown by default. */
  power?: PowerState;
  /** People have decided about the first 60 results of each run. */
  hasPeople?: true;
  /** No key of the spans is named like an input. */
  hasNoInputKeys?: true;
  /** Dataset to which new drafts belong. */
  draftDataset?: string;
  /** A third person has also reviewed the spans. */
  hasThreeReviewers?: true;
  /** The connection is the sample workspace. */
  isSample?: boolean;
  /** The sample file with problems cannot be offered. */
  sampleFile?: 'failed';
  /** The service is unreachable because the sample service is stopped. */
  isSampleStopped?: boolean;
  /** Number of rows in the catalog. */
  entities?: number;
  /** Seed for changing the types of fields in records of lists. */
  mutatedSeed?: number;
  /** State of the list of applications; full by default. */
  applications?: 'not-stored' | 'empty';
  /**
   * Answers of lists: `slow` never answers, `loading` has nothing yet, `failed` keeps stored rows, `broken` has none,
   * and `refused` has none until `isTokenAccepted`.
   */
  lists?: 'full' | 'empty' | 'slow' | 'loading' | 'failed' | 'broken' | 'refused' | 'not-stored' | 'unknown';
  /** Profiles of columns: from a sample while they are prepared, or failed because the disk is full. */
  profiles?: 'full' | 'sample' | 'failed';
  /** State of the stored lists in the SQL view. */
  sql?: 'full' | 'empty' | 'loading' | 'failed';
  /**
   * Answers of the search: `slow` never answers, `empty` has nothing stored, and `gone` finds an upload and records
   * that are no longer stored.
   */
  search?: 'full' | 'empty' | 'slow' | 'failed' | 'indexing' | 'gone';
  /** Names of the files that were in preparation when the application ended. */
  prepared?: readonly string[];
  /** There is an export in each state. */
  hasExports?: boolean;
  /** There are a finished, a running and a paused mirror. */
  hasMirrors?: boolean;
  /** There are mirrors that repeat at certain times, or after each sync, and one that was paused after failures. */
  hasRepeats?: boolean;
  /**
   * The comparison with production: the catalog is not stored, it cannot be read, or no item belongs to a known span
   * (`unknown`).
   */
  /** `slow`: the comparison of chosen fields is never answered. */
  coverage?: 'empty' | 'failed' | 'unknown' | 'slow';
  /** Versions of a dataset: none, one, an unreadable list, unreadable differences, or all damaged. */
  versions?: 'none' | 'one' | 'failed' | 'lost-diff' | 'damaged';
  /** Changed fields of new rows: open and ended changes, or unreadable. */
  schema?: 'changed' | 'failed';
  /** Only the first requested dataset has a version until the test sets `isOtherRead`. */
  isOtherUnread?: boolean;
  /** The first dataset has one score run, two, or two that cannot be compared. */
  hasScores?: boolean | 'two' | 'judges' | 'incomparable';
  /** The comparison of experiments has no results, or cannot be read. */
  runsCompared?: 'empty' | 'failed';
  /** The first compared items of a filter were made from spans of a draft on this computer. */
  hasOrigins?: true;
  /** Results of experiments refer to traces. Most of these are stored. */
  hasTraces?: boolean;
  /** Number of experiments, four by default. */
  experiments?: number;
  /** The service does not have the operations of experiments. */
  lacksExperiments?: boolean;
  /** State of a file whose rows become items, e.g. with bad rows, or unreadable. */
  itemFile?: 'full' | 'bad' | 'failed' | 'workbook' | 'lists' | 'misread' | 'titled';
  /** Offline content: none, entries of every kind and state, or unreadable. */
  kept?: 'none' | 'full' | 'failed';
  /** Operations whose records arrive only when the test releases them. */
  lateRecords?: readonly string[];
  /** Fields that override the fields of the first fake spans. */
  spans?: readonly Record<string, unknown>[];
  /** Number of spans in the trace; default 2,000. */
  traceSpans?: number;
  /** Number of children of each span in the trace. */
  traceChildren?: number;
  /** Spans of the session, as fields that override the fields of the fake ones. */
  sessionSpans?: readonly Record<string, unknown>[];
  /** Number of spans after which the first “pick all” stalls until the user stops it. */
  pickStalls?: number;
  /** Number of items of each compared experiment. */
  comparedItems?: number;
  /** Total number of compared items that is stated. Their rows repeat with different titles. */
  comparedTotal?: number;
  /** Number of stored rows; the others are requested from the service. */
  storedRows?: number;
  /** Lists were read to their end, so rows that are not stored do not exist at the service. */
  isReadToEnd?: boolean;
  /** Stored data that is migrated to this version. */
  updating?: { connectionId: string; sizeBytes: number; share: number }[];
  theme?: 'system' | 'light' | 'dark';
  density?: 'compact' | 'default' | 'comfortable';
  /** Settings that differ from the defaults. */
  settings?: Partial<ExportedSettings>;
  /** The connection was never opened, so its first tab is Start. */
  opensStart?: boolean;
  /** Timeout for answers of the active connection, in seconds. */
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
  /** A store is damaged, or the sizes of stores cannot be read. */
  health?: 'damaged' | 'failed';
  /** Copies of stores. With `locked`, another process has the connection open. */
  copies?: 'some' | 'failed' | 'locked';
  /** Fields of a report. With `private`, one of them is masked and there is no keychain. */
  report?: 'private' | 'failed' | 'slow';
  /**
   * With `unread`, agents may read but have read nothing. With `full`, the log is long and has lines that cannot be
   * read.
   */
  agents?: 'failed' | 'slow' | 'unread' | 'full';
  /** The active connection is a pack. */
  isPack?: boolean;
  test?: 'ok' | 'refused' | 'insecure';
  /**
   * With `lost`, a change is sent without a response. With `forbidden`, it is refused for a long reason. With `changed`,
   * somebody else changed the first record of several.
   */
  act?: 'ok' | 'lost' | 'forbidden' | 'changed';
  /**
   * With `empty`, nothing was ever sent. With `failed`, lanes and log cannot be read. With `cut-off`, there is no
   * response and nothing waits.
   */
  traffic?: 'usual' | 'empty' | 'failed' | 'cut-off';
  /** The records of a bulk change cannot be read. */
  hasLostRecords?: boolean;
  /** Cost of an action: `slow` never answers, and `once-failed` answers only the second request. */
  plan?: 'usual' | 'slow' | 'once-failed';
  /** One upload is planned, one is running and one started late. One deletion is planned. */
  hasPlans?: boolean;
  /** Two deletions of an undo are paused because the token was refused. */
  hasPausedUndo?: boolean;
  /** The check of a file finds problems, and a mapping is saved. */
  hasChecks?: boolean;
  /**
   * The file was sent to the same target before. With `undone`, its events were deleted since. With `meanwhile`, it was
   * sent after its check.
   */
  wasSent?: 'sent' | 'undone' | 'meanwhile';
  /** The check also finds values that are not categories of the model, with `alone` nothing else. */
  hasUnusual?: boolean | 'alone';
  /** A column of the file can be read in two ways, and a key first occurs after the first rows. */
  hasQuestions?: boolean;
  /** `full`: the outbox contains a change in each state. */
  outbox?: 'full';
  /** Stored data that cannot be read. */
  damaged?: DamagedRow[];
  /** A dataset from spans is ready, with a planned start. */
  hasPlannedBuild?: boolean;
  /** There is a dataset to which spans of the application were added before. */
  hasSentBuild?: boolean;
  /** There is a build that stopped before its first call because its spans changed after they were prepared. */
  hasChangedBuild?: boolean;
  /** There is a paused build, as another one is adding the same spans to the same dataset. */
  hasAskingBuild?: boolean;
  /** Number of rows in the request log. */
  requests?: number;
  /** Unsaved input in the form of the first connection. */
  firstConnection?: Record<string, unknown>;
  /** Stored layout of the connection: its tabs and saved charts. */
  layout?: Record<string, unknown>;
  /** Whether the layout cannot be read until the test sets `isLayoutRead`. */
  isLayoutUnread?: boolean;
  /** Number of bins in every chart. */
  bins?: number;
  /** Whether the values of charts have as many digits as JavaScript keeps. */
  hasLongNumbers?: boolean;
  /** Number of first rows that lists have no longer, by operation. */
  removedRows?: Readonly<Record<string, number>>;
  /**
   * Latest alerts of rules: how many of the 12 rules they have arrived for, whether more are pending, and which other
   * rules are critical.
   */
  latestAlerts?: { came: number; isReading: boolean; critical?: readonly number[]; newestMs?: number };
  /** State of the list of the latest alerts, by default the same as of the other lists. */
  summary?: 'failed' | 'broken' | 'not-stored';
  /** Whether the service sends the earlier period of a requested comparison. */
  comparison?: 'sent' | 'none';
  /**
   * Answers of metric queries. `partly` omits one query and reports an error for another one. `earlier` has values only
   * for a range that ended two days ago.
   */
  metrics?: 'full' | 'partly' | 'empty' | 'loading' | 'broken' | 'not-stored' | 'earlier';
  /** Metric whose queries are never answered. */
  brokenMetric?: string;
  /** The model also has metrics of drift, missing values and performance. */
  hasManyMetrics?: boolean;
  /** State of the metrics of a model until the test releases them. */
  modelMetrics?: 'loading' | 'broken' | 'not-stored';
}

/** Additional members of a test's window. */
export interface FakeWindow {
  /** Whether lists that were `refused` can be read now. */
  isTokenAccepted?: boolean;
  /** Whether rows in another order than that of the service cannot be read. */
  isOrderUnread?: boolean;
  /** Whether a layout that was `isLayoutUnread` can be read now. */
  isLayoutRead?: boolean;
  /** Whether datasets that were `isOtherUnread` have versions now. */
  isOtherRead?: boolean;
  scenario?: Scenario;
  fakeCalls: { channel: string; argument: unknown }[];
  /** Sends an event to the window, like the main process. */
  fakeEvent: (channel: EventChannel, payload: unknown) => void;
  /** Releases the metrics of the requested models. */
  fakeModelMetrics: () => void;
  /** Delivers the rows of all opened lists that were `loading`, or no rows. */
  fakeListsArrive: (lists?: 'full' | 'empty') => void;
  /** Delivers a part of a requested record, or all of it. */
  fakeRecord: (operation: string, record: Record<string, unknown>, isWhole: boolean) => void;
  /** Notifies the window about a request that has just ended. */
  fakeRequest: (seq: number, changes?: Partial<RequestLogRow>) => RequestLogRow;
}

/** The wall clock of every component test is stopped at this time: 10:24 on a Wednesday in Berlin, in winter. */
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
