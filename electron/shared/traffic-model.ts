/** Lanes, limits and requests, shared by both processes: shown in the Requests view and on the command line. */
import type { ErrorCode, WireError } from './errors.ts';

/** The purpose of a request. Requests with a purpose listed earlier are sent first. */
export const PRIORITIES = ['view', 'click', 'outbox', 'upload', 'prefetch'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Why a lane does not send now; `ready` if it can. `retry`: all its requests wait for a retry after a failure. */
export type WaitReason = 'ready' | 'window' | 'retry-after' | 'in-flight' | 'paused' | 'breaker' | 'retry';

/** `user`: paused by a person, in this process only, until the application ends. */
export type PauseReason = 'user' | 'offline' | 'unauthorized';

export interface WindowStatus {
  /** Requests allowed in any interval of `lengthMs`. */
  count: number;
  lengthMs: number;
  /** Requests that count in the present window, including those in flight and those of other senders. */
  used: number;
  left: number;
  /** Part of `used`: requests by others with the same token, according to the service's headers. */
  foreign: number;
  /** Wall time at which the next occupied slot becomes free; null if none is occupied or only an answer frees it. */
  resetsAtMs: number | null;
}

export interface LearnedLimits {
  /**
   * `published`: SERVICE.md S8. `stated`: X-RateLimit-Limit states another limit. `off`: answers have no rate headers.
   * `adapting`: no limit is known.
   */
  source: 'published' | 'stated' | 'off' | 'adapting';
  /** Last X-RateLimit-Limit as received. */
  policy: string | null;
  /** Maximum requests in flight; null if only the windows decide. */
  inFlightLimit: number | null;
  /** Share of the published limits that is used: below 1 after unexpected 429 answers, above 1 if limiting is off. */
  factor: number;
  /** Number of 429 answers since the lane was first used, or since its limits were reset. */
  refusals: number;
  /** Wall time at which an answer last changed any of these values; null if none has. */
  changedAtMs: number | null;
}

/** Why a lane does not send, as values and as text. */
export interface WaitStatus {
  reason: WaitReason;
  /** One sentence without clock times, e.g. `All 30 requests of 1 s are used.` */
  text: string;
  /** Wall time at which the wait ends; null if it depends on an answer or a person. */
  untilMs: number | null;
  /** The full window, if a window is the reason. */
  window: { count: number; lengthMs: number } | null;
  /** Set if `reason` is `paused`. */
  pausedBy: PauseReason | null;
  /** Last failure, if `reason` is `breaker`. */
  error: WireError | null;
  /** The other processes whose answers the lane waits for; absent if there are none, or if they are not known. */
  others?: { pid: number; isStopped: boolean }[];
}

/** One lane: a token and an operation, whose requests are counted together. */
export interface LaneStatus {
  origin: string;
  /** Method and path template; identifies the lane within its connection. */
  operation: string;
  title: string;
  /** Name of the rate limit, e.g. `Metadata read`. */
  limitTitle: string;
  windows: WindowStatus[];
  queued: number;
  queuedBy: Record<Priority, number>;
  /** Failed requests waiting for a retry; not included in `queued`. */
  retrying: number;
  /** Requests sent by this process without an answer yet. */
  inFlight: number;
  /**
   * Requests in flight of other processes: another window or command, or one that ended without reporting all of its
   * requests.
   */
  inFlightOfOthers: number;
  parkedUntilMs: number | null;
  /** Longest waiting time of a queued request since it was submitted, including failed attempts. */
  longestWaitMs: number;
  reason: WaitReason;
  wait: WaitStatus;
  /** Wall time of the next possible send; null if it depends on an answer or a person. */
  nextSendAtMs: number | null;
  /** Whether a person paused the lane, alone or with all lanes of its connection. */
  isPaused: boolean;
  learned: LearnedLimits;
}

/** Waiting and in-flight requests of one lane with the same cause: a view, an upload, a build. */
export interface WaitingGroup {
  /** The lane. */
  operation: string;
  /** The same text as in the log. */
  group: string;
  /** Present priority of the group. */
  priority: Priority;
  /** Whether a person chose the priority, which then also applies to later requests of the group. */
  isChosen: boolean;
  queued: number;
  /** Failed requests waiting for a retry. */
  retrying: number;
  inFlight: number;
  /** Longest waiting time of a queued or retrying request. */
  longestWaitMs: number;
  /** Number of queued requests of the lane that are sent before those of this group, by priority. */
  ahead: number;
  /** Wall time of the next retry. */
  retryAtMs: number | null;
}

/** Priorities that a person can choose for a group that is not interactive. */
export const CHOSEN_PRIORITIES = ['outbox', 'upload', 'prefetch'] as const;
export type ChosenPriority = (typeof CHOSEN_PRIORITIES)[number];

export interface LaneOverview {
  lanes: LaneStatus[];
  /** By lane and priority; at most 100. */
  waiting: WaitingGroup[];
  /** A person paused all lanes of this connection; lanes that were resumed by name since then still send. */
  isAllPaused: boolean;
  /** Ids of uploads in sending order; null: in turn. */
  uploadOrder: string[] | null;
}

/** The rate headers of SERVICE.md S8 as received, null if absent. */
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
  /** Body bytes sent and received. */
  sentBytes: number;
  receivedBytes: number;
  contentType: string | null;
  rate: RateHeaderTexts;
  /** All headers of the answer with lower-case names, without cookies; empty in rows of older versions. */
  headers: Record<string, string>;
  /** Reason for the following retry, as text; null for the last one. */
  retriedFor: string | null;
}

/** One call as listed in the log. */
export interface RequestLogRow {
  id: string;
  /** Order of the log: newer rows have higher numbers. Used as paging cursor. */
  seq: number;
  /** Wall time at which the request was submitted. */
  startedAtMs: number;
  /** Wall time at which the request ended. */
  atMs: number;
  /** Method and path template: the lane. */
  operation: string;
  /** Path and query as sent; never headers. */
  url: string;
  status: number | null;
  errorCode: ErrorCode | null;
  attempts: number;
  /** Number of attempts answered with 429. */
  refusals: number;
  /** Time spent waiting for permits, over all attempts. */
  queuedMs: number;
  networkMs: number;
  /** Body bytes, counted once for all attempts. */
  sentBytes: number;
  /** Bytes of the last answer's body. */
  sizeBytes: number;
  priority: Priority;
  /** The group of the request (a view, an upload job); empty if none was named. */
  group: string;
  /** The answer of an identical read was shared, so no separate request was sent. */
  isShared: boolean;
}

/**
 * `whole`: logged. `none`: the request has no body. Not logged: `events` (rows of a person's data), `file`, `secret` (a
 * field looks like a password or key), `too-large`, `pruned` (only the newest bodies are kept).
 */
export const BODY_KEPT = ['whole', 'none', 'events', 'file', 'secret', 'too-large', 'pruned'] as const;
export type BodyKept = (typeof BODY_KEPT)[number];

export interface RequestDetails extends RequestLogRow {
  /** Origin of the service, e.g. `https://service.example.com`. */
  origin: string;
  tries: RequestAttempt[];
  /** JSON text as sent if `bodyKept` is `whole`, else null. Bodies with events are never logged. */
  body: string | null;
  bodyKept: BodyKept;
  error: WireError | null;
}

/**
 * `answered`: 2xx and 3xx. `problems`: all requests without success, except cancelled ones. `retried`: more than one
 * attempt. `refused`: 429, finally or in between. `client-error`: other 4xx. `server-error`: 5xx. `failed`: no answer.
 * `cancelled`: nobody waited for the answer any more.
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

/** Sort fields of the log; `totalMs` is from submission to the end, including waits. */
export const LOG_SORTS = ['totalMs', 'queuedMs', 'networkMs', 'sizeBytes', 'attempts', 'status'] as const;
export type LogSortField = (typeof LOG_SORTS)[number];
export interface LogSort {
  field: LogSortField;
  isDescending: boolean;
}

/** Shells that a request can be copied for. */
export const SHELLS = ['posix', 'powershell'] as const;
export type Shell = (typeof SHELLS)[number];

export interface LogPage {
  /** Newest first. */
  rows: RequestLogRow[];
  /** Rows of the log that match the filter. */
  matchingRows: number;
  /** Total rows of the log; the oldest are dropped as new ones are added. */
  storedRows: number;
  /** Approximate number of newest rows that are kept. */
  keptRows: number;
  /** Operations that occur in the log, for a selection list. */
  operations: string[];
  /** Titles of all operations that the program knows, by method and path. */
  titles: Readonly<Record<string, string>>;
}
/** A page as the store returns it, without titles, which belong to the program. */
export type StoredLogPage = Omit<LogPage, 'titles'>;

export interface PlannedLane {
  operation: string;
  title: string;
  requests: number;
  windows: WindowStatus[];
  /** Wall time of the last answer in this lane. */
  finishAtMs: number;
}

/** The predicted cost of an action. */
export interface TrafficPlan {
  requests: number;
  /** Wall time at which the action would start: now, or the requested time. */
  startAtMs: number;
  /** Wall time of the last answer. */
  finishAtMs: number;
  /** The smallest remaining daily budget among the lanes, before the action; null if no lane has a daily limit. */
  leftToday: number | null;
  /** The window that determines when the last lane finishes; null if none does. */
  bindingWindow: { count: number; lengthMs: number; operation: string } | null;
  budgets: PlannedLane[];
}
