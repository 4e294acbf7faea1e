import type { EventChannel } from '../../../electron/shared/channels.ts';
import type { DamagedRow } from '../../../electron/shared/damaged-rows.ts';
import type { ExportedSettings } from '../../../electron/shared/settings.ts';
import type { RequestLogRow } from '../../../electron/shared/traffic-model.ts';

/** What the made-up service is like in one test. */
export interface Scenario {
  /** No connection at all: the first run. */
  isFirstRun?: boolean;
  network?: 'online' | 'switched-off' | 'unreachable';
  /** The service is not reached because it is the sample service, and that is stopped. */
  isSampleStopped?: boolean;
  /** Rows of the catalog. */
  entities?: number;
  /** The list of applications; full where nothing is said. */
  applications?: 'not-stored';
  /** How lists answer: `slow` never, `loading` nothing yet, `failed` keeps what is stored, `broken` has nothing, `refused` the same until `isTokenAccepted`. */
  lists?: 'full' | 'empty' | 'slow' | 'loading' | 'failed' | 'broken' | 'refused' | 'not-stored';
  /** How columns are profiled: over a sample while they are prepared, or not, because the disk is full. */
  profiles?: 'full' | 'sample' | 'failed';
  /** How the SQL view finds the stored lists. */
  sql?: 'full' | 'empty' | 'loading' | 'failed';
  /**
   * How the search answers: `slow` never, `empty` as where nothing is stored, `gone` with an upload, and with records that
   * are not stored any more.
   */
  search?: 'full' | 'empty' | 'slow' | 'failed' | 'indexing' | 'gone';
  /** Names of files that were in preparation when the application ended. */
  prepared?: readonly string[];
  /** Exports, one in each state. */
  hasExports?: boolean;
  /** The comparison with production: nothing of the catalog is stored, or it cannot be read. */
  coverage?: 'empty' | 'failed';
  /** Versions of a dataset: none, one, the list or what differs cannot be read. */
  versions?: 'none' | 'one' | 'failed' | 'lost-diff';
  /** A score run of the first dataset, or two, or two that cannot be compared. */
  hasScores?: boolean | 'two' | 'incomparable';
  /** A file can be chosen whose rows become items; with bad rows, or one that cannot be read. */
  itemFile?: 'full' | 'bad' | 'failed' | 'workbook' | 'misread' | 'titled';
  /** What is kept offline: nothing, entries of every kind and state, or none that can be read. */
  kept?: 'none' | 'full' | 'failed';
  /** Operations whose records are on their way until the test says that they are here. */
  lateRecords?: readonly string[];
  /** Spans that stand before the made-up ones: their fields replace those of the first rows. */
  spans?: readonly Record<string, unknown>[];
  /** Spans of the one trace; 2,000 unless told otherwise. */
  traceSpans?: number;
  /** Spans under each span of the trace. */
  traceChildren?: number;
  /** Spans of the one session, with what differs from the made-up ones. */
  sessionSpans?: readonly Record<string, unknown>[];
  /** Spans after which the first “pick all” is still under way: a person stops it. */
  pickStalls?: number;
  /** Rows that are stored; the rest is fetched when asked for. */
  storedRows?: number;
  /** Stored data that is being brought to this version. */
  updating?: { connectionId: string; sizeBytes: number; share: number }[];
  theme?: 'system' | 'light' | 'dark';
  density?: 'compact' | 'default' | 'comfortable';
  /** Settings that differ from the defaults. */
  settings?: Partial<ExportedSettings>;
  /** A connection that was never opened: its first tab is Start. */
  opensStart?: boolean;
  /** Of the connection at hand. */
  answerTimeoutS?: number;
  hasKeychain?: boolean;
  /** The lock of the window, with the passphrase 2468. */
  lock?: 'set' | 'locked' | 'damaged';
  /** The window crashed and was loaded again. */
  crash?: { atMs: number; reason: string };
  /** The run before did not end in order. */
  brokenRun?: { startedAtMs: number | null; failure: string | null };
  /** What was found wrong with the stored data at the start. */
  notice?: string;
  /** The window cannot start: its settings are not read. */
  hasNoStart?: boolean;
  isReadOnly?: boolean;
  /** Of the stores: one is damaged, or their sizes cannot be read. */
  health?: 'damaged' | 'failed';
  /** The connection at hand is a pack. */
  isPack?: boolean;
  test?: 'ok' | 'refused' | 'insecure';
  /** `lost`: a change is sent, and no answer comes. */
  act?: 'ok' | 'lost';
  /** `empty`: nothing was ever sent. `failed`: lanes and log cannot be read. `cut-off`: nothing answers, nothing waits. */
  traffic?: 'usual' | 'empty' | 'failed' | 'cut-off';
  /** Records of a change of several cannot be read. */
  hasLostRecords?: boolean;
  /** What an act would cost: `slow` is never told, `once-failed` only when asked again. */
  plan?: 'usual' | 'slow' | 'once-failed';
  /** One upload starts later, one is under way, one began late; a deletion starts later. */
  hasPlans?: boolean;
  /** The check of a file finds problems, and a mapping is saved. */
  hasChecks?: boolean;
  /** The file was sent to the same place before; `undone`: its events were deleted since; `meanwhile`: after its check. */
  wasSent?: 'sent' | 'undone' | 'meanwhile';
  /** It finds values that the model does not name, too; `alone`: nothing else. */
  hasUnusual?: boolean | 'alone';
  /** A column of its file can be read in two ways, and a key comes up behind the first rows. */
  hasQuestions?: boolean;
  /** `full`: a change in each state waits in the outbox. */
  outbox?: 'full';
  /** What is stored and cannot be read. */
  damaged?: DamagedRow[];
  /** A dataset from spans is ready, and starts later. */
  hasPlannedBuild?: boolean;
  /** A dataset that spans of the application were added to before. */
  hasSentBuild?: boolean;
  /** One that stopped before its first call, as its spans are not as they were prepared. */
  hasChangedBuild?: boolean;
  /** Rows of the request log. */
  requests?: number;
  /** What was typed into the form of the first connection. */
  firstConnection?: Record<string, unknown>;
  /** What the window kept of the connection: tabs, saved charts. */
  layout?: Record<string, unknown>;
  /** Bins of every chart. */
  bins?: number;
  /** The latest alerts of rules: how many of 12 came, whether more are on their way, and which are critical besides. */
  latestAlerts?: { came: number; isReading: boolean; critical?: readonly number[]; newestMs?: number };
  /** Does a service that is asked to compare send the earlier period? */
  comparison?: 'sent' | 'none';
  /**
   * How metric queries answer: `partly` leaves one query out and says an error for another; `earlier` has only what was
   * asked for a range that ended two days ago.
   */
  metrics?: 'full' | 'partly' | 'empty' | 'loading' | 'broken' | 'not-stored' | 'earlier';
  /** The metrics of a model, until they are told to be there. */
  modelMetrics?: 'loading' | 'broken';
}

/** What the window of a test holds beside `spandeck`. */
export interface FakeWindow {
  /** Lists that are `refused` are read from now on. */
  isTokenAccepted?: boolean;
  scenario?: Scenario;
  fakeCalls: { channel: string; argument: unknown }[];
  /** Tells the window of something, as main would. */
  fakeEvent: (channel: EventChannel, payload: unknown) => void;
  /** The metrics of the models that were asked about are there now. */
  fakeModelMetrics: () => void;
  /** A record that was asked for is here: a part of it, or the whole. */
  fakeRecord: (operation: string, record: Record<string, unknown>, isWhole: boolean) => void;
  /** A request that just ended. */
  fakeRequest: (seq: number, changes?: Partial<RequestLogRow>) => RequestLogRow;
}

/** The wall clock of every component test stands here: 10:24 on a Wednesday in Berlin, summer time long over. */
export const NOW = Date.UTC(2026, 10, 18, 9, 24, 36, 400);
export const CONNECTION_ID = '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c11';
export const SAMPLE_ID = '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c12';
export const NEW_ID = '6a1f0d3e-2b64-4f0e-9a53-0d8f6f3f1c13';

const given = (globalThis as unknown as FakeWindow).scenario;
export const scenario: Scenario = given ?? {};

export const iso = (agoMs: number): string => new Date(NOW - agoMs).toISOString();

/** A uuid that is the same each time. */
export function uuid(seed: number): string {
  const head = (0x1a2b3c4d + seed * 2_654_435).toString(16).padStart(8, '0').slice(0, 8);
  const tail = (0x5ec7a1f00d11 + seed * 7_919).toString(16).padStart(12, '0').slice(-12);
  return `${head}-4f1c-4d2a-9b77-${tail}`;
}
