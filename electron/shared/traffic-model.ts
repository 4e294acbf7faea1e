/** Lanes, limits and requests as both processes know them: what the Traffic view and the command line show. */
import type { ErrorCode, WireError } from './errors.ts';

/** Who is waiting for a request; earlier ones are sent first. */
export const PRIORITIES = ['view', 'click', 'outbox', 'upload', 'prefetch'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Why a lane does not send now; `ready` when it does. `retry`: all it has waits to be sent again after a failure. */
export type WaitReason = 'ready' | 'window' | 'retry-after' | 'in-flight' | 'paused' | 'breaker' | 'retry';

/** `user`: a person paused it, in this process only: it is over when the application ends. */
export type PauseReason = 'user' | 'offline' | 'unauthorized';

export interface WindowStatus {
  /** Requests allowed in any interval of `lengthMs`. */
  count: number;
  lengthMs: number;
  /** Requests that occupy the window now, in flight and foreign ones included. */
  used: number;
  left: number;
  /** Of `used`: requests somebody else sent with the same token, as far as the service's headers show. */
  foreign: number;
  /** Wall time at which the next occupied place becomes free; null when none is or only an answer frees it. */
  resetsAtMs: number | null;
}

export interface LearnedLimits {
  /** `published`: SERVICE.md S8. `stated`: X-RateLimit-Limit says otherwise. `off`: answers carry no
   * rate headers. `adapting`: no limit is known. */
  source: 'published' | 'stated' | 'off' | 'adapting';
  /** Last X-RateLimit-Limit, as it came. */
  policy: string | null;
  /** Requests that may be in flight together; null when only the windows decide. */
  inFlightLimit: number | null;
  /** Share of the windows that is used: below 1 after unexpected 429, above 1 where limiting is off. */
  factor: number;
  /** 429 answers since the lane was first used, or since what was learned was forgotten. */
  refusals: number;
  /** Wall time at which an answer last changed any of this; null where none has. */
  changedAtMs: number | null;
}

/** What keeps a lane from sending, in values and in words. */
export interface WaitStatus {
  why: WaitReason;
  /** One sentence without clock times, e.g. `All 30 requests of 1 s are used.` */
  text: string;
  /** Wall time until which it holds; null when it depends on an answer or a person. */
  untilMs: number | null;
  /** The full window, where one decides. */
  window: { count: number; lengthMs: number } | null;
  /** Set where `why` is `paused`. */
  pausedBy: PauseReason | null;
  /** Last failure, where `why` is `breaker`. */
  error: WireError | null;
}

/** One lane: what is counted together, a token and an operation. */
export interface LaneStatus {
  origin: string;
  /** Method and path template; names the lane within its connection. */
  operation: string;
  title: string;
  /** What limits it, in words, e.g. `Metadata read`. */
  limitTitle: string;
  windows: WindowStatus[];
  queued: number;
  queuedBy: Record<Priority, number>;
  /** Requests that failed and wait for their next attempt; not among `queued`. */
  retrying: number;
  inFlight: number;
  parkedUntilMs: number | null;
  /** Longest time one of the queued requests has been waiting since it was asked for, failed attempts and all. */
  longestWaitMs: number;
  why: WaitReason;
  wait: WaitStatus;
  /** Wall time of the next possible send; null when it depends on an answer or a person. */
  nextSendAtMs: number | null;
  /** A person paused it, alone or with all lanes of its connection. */
  isPaused: boolean;
  learned: LearnedLimits;
}

/** Requests of one lane that wait or are under way for one cause: a view, an upload, a build. */
export interface WaitingGroup {
  /** The lane. */
  operation: string;
  /** As the log has it. */
  group: string;
  /** By which it goes now. */
  priority: Priority;
  /** A person chose that priority; it holds for what the group asks for later, too. */
  isChosen: boolean;
  queued: number;
  /** They failed and wait for their next attempt. */
  retrying: number;
  inFlight: number;
  /** Longest time one of the queued or retrying has been waiting. */
  longestWaitMs: number;
  /** Queued requests of the lane that go first by their priority. */
  ahead: number;
  /** Wall time of the next attempt of those that failed. */
  retryAtMs: number | null;
}

/** What a person can choose for a group nobody looks at. */
export const CHOSEN_PRIORITIES = ['outbox', 'upload', 'prefetch'] as const;
export type ChosenPriority = (typeof CHOSEN_PRIORITIES)[number];

export interface LaneOverview {
  lanes: LaneStatus[];
  /** By lane and priority; at most 100. */
  waiting: WaitingGroup[];
  /** A person paused everything of this connection; lanes that were resumed by name since then run all the same. */
  isAllPaused: boolean;
  /** Ids of uploads in the order in which they send; null: in turn. */
  uploadOrder: string[] | null;
}

/** The rate headers of SERVICE.md S8 as they came, null where absent. */
export interface RateHeaderTexts {
  limit: string | null;
  remaining: string | null;
  reset: string | null;
  retryAfter: string | null;
  date: string | null;
}

/** One request on the wire. */
export interface RequestAttempt {
  /** Wall time. */
  sentAtMs: number;
  networkMs: number;
  status: number | null;
  errorCode: ErrorCode | null;
  outcome: 'answered' | 'unsent' | 'unknown';
  /** Bytes of the body sent, and of the body received. */
  sentBytes: number;
  receivedBytes: number;
  contentType: string | null;
  rate: RateHeaderTexts;
  /** All headers of the answer by their names in small letters, without cookies; empty in rows of older versions. */
  headers: Record<string, string>;
  /** Why another attempt followed, in words; null for the last one. */
  retriedFor: string | null;
}

/** One call as the log lists it. */
export interface RequestLogRow {
  id: string;
  /** Order of the log: newer rows have higher numbers. The cursor of paging. */
  seq: number;
  /** When it was asked for. */
  startedAtMs: number;
  /** When it ended. */
  atMs: number;
  /** Method and path template: the lane. */
  operation: string;
  /** Path and query as sent; never headers. */
  url: string;
  status: number | null;
  errorCode: ErrorCode | null;
  attempts: number;
  /** Of these: answered with 429. */
  refusals: number;
  /** Time spent waiting for permits, over all attempts. */
  queuedMs: number;
  networkMs: number;
  /** Bytes of the body, once for all attempts. */
  sentBytes: number;
  /** Bytes of the last answer's body. */
  sizeBytes: number;
  priority: Priority;
  /** What it belongs to (a view, an upload job); empty where nothing was named. */
  group: string;
  /** It shared the answer of an identical read: no request of its own was sent. */
  isShared: boolean;
}

/**
 * `whole`: kept. `none`: the request has no body. Not kept: `events` (rows of a person's data), `file`, `secret` (it has a
 * field that looks like a password or key), `too-large`, `pruned` (only the newest bodies stay).
 */
export const BODY_KEPT = ['whole', 'none', 'events', 'file', 'secret', 'too-large', 'pruned'] as const;
export type BodyKept = (typeof BODY_KEPT)[number];

export interface RequestDetails extends RequestLogRow {
  /** Origin of the service, e.g. `https://service.example.com`. */
  origin: string;
  tries: RequestAttempt[];
  /** JSON text as sent where `bodyKept` is `whole`, else null. Bodies with events are never kept. */
  body: string | null;
  bodyKept: BodyKept;
  error: WireError | null;
}

/**
 * `answered`: 2xx and 3xx. `problems`: all that did not end well, but nothing that was cancelled. `retried`: more than
 * one attempt. `refused`: 429, in the end or on the way. `client-error`: other 4xx. `server-error`: 5xx. `failed`: no
 * answer. `cancelled`: nobody waited for it any more.
 */
export const STATUS_CLASSES = [
  'answered',
  'problems',
  'retried',
  'refused',
  'client-error',
  'server-error',
  'failed',
  'cancelled',
] as const;
export type StatusClass = (typeof STATUS_CLASSES)[number];

/** By which the log can be sorted; `totalMs` is from asking to the end, waiting and all. */
export const LOG_SORTS = ['totalMs', 'queuedMs', 'networkMs', 'sizeBytes', 'attempts', 'status'] as const;
export type LogSortField = (typeof LOG_SORTS)[number];
export interface LogSort {
  field: LogSortField;
  isDescending: boolean;
}

/** Command lines that a request can be copied for. */
export const SHELLS = ['posix', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

export interface LogPage {
  /** Newest first. */
  rows: RequestLogRow[];
  /** Rows of the log that match the filter. */
  matchingRows: number;
  /** Rows of the log in all; the oldest are dropped as new ones come. */
  storedRows: number;
  /** About so many of the newest are kept. */
  keptRows: number;
  /** Operations in the log, for choosing one. */
  operations: string[];
}

export interface PlannedLane {
  operation: string;
  title: string;
  requests: number;
  windows: WindowStatus[];
  /** Wall time of this lane's last answer. */
  finishAtMs: number;
}

/** What an act would cost, before it begins. */
export interface TrafficPlan {
  requests: number;
  /** Wall time at which it would begin: now, or the time asked for. */
  startAtMs: number;
  /** Wall time of the last answer. */
  finishAtMs: number;
  /** Least that is left of a daily budget among the lanes, before the act; null when none has one. */
  leftToday: number | null;
  /** The window that decides when the last lane finishes; null when none does. */
  bindingWindow: { count: number; lengthMs: number; operation: string } | null;
  budgets: PlannedLane[];
}
