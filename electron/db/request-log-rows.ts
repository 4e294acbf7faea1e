/** Rows of the request log, parsed when they are read. An unreadable row stays in its place, with the reason. */
import { wireError } from '../core/jobs/job-record.ts';
import { AppError, type ErrorCode, isErrorCode } from '../shared/errors.ts';
import {
  BODY_KEPT,
  PRIORITIES,
  type RequestAttempt,
  type RequestDetails,
  type RequestLogRow,
} from '../shared/traffic-model.ts';
import * as z from '../shared/zod.ts';
import { parseRow } from './open.ts';

const errorCode = z.custom<ErrorCode>((text) => typeof text === 'string' && isErrorCode(text)).nullable();

/**
 * Maximum time of a logged request, in the year 9999, so that it is still a date after a duration is added or
 * subtracted.
 */
const loggedMs = z.number().min(0).max(253_402_300_799_999);
/** Maximum duration: ten years. */
const MAX_DURATION_MS = 315_576_000_000;
const durationMs = z.number().min(-MAX_DURATION_MS).max(MAX_DURATION_MS);

const listed = {
  seq: z.int(),
  id: z.string(),
  at_ms: loggedMs,
  started_at_ms: loggedMs,
  operation: z.string(),
  url: z.string(),
  status: z.number().nullable(),
  error_code: errorCode,
  attempts: z.number(),
  refusals: z.number(),
  queued_ms: durationMs,
  network_ms: durationMs,
  sent_bytes: z.number(),
  size_bytes: z.number(),
  priority: z.enum(PRIORITIES).catch('view'),
  group_name: z.string(),
  is_shared: z.number(),
};

const headerText = z.string().nullable();
const attempt: z.ZodType<RequestAttempt> = z.object({
  sentAtMs: loggedMs,
  networkMs: durationMs,
  status: z.number().nullable(),
  errorCode,
  outcome: z.enum(['answered', 'unsent', 'unknown']),
  sentBytes: z.number(),
  receivedBytes: z.number(),
  contentType: z.string().nullable(),
  rate: z.object({
    limit: headerText,
    remaining: headerText,
    reset: headerText,
    retryAfter: headerText,
    date: headerText,
  }),
  headers: z.record(z.string(), z.string()).default({}),
  retriedFor: z.string().nullable(),
});

const fromJson = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
});

type Listed = z.infer<z.ZodObject<typeof listed>>;

function toRow(row: Listed): RequestLogRow {
  return {
    id: row.id,
    seq: row.seq,
    startedAtMs: row.started_at_ms,
    atMs: row.at_ms,
    operation: row.operation,
    url: row.url,
    status: row.status,
    errorCode: row.error_code,
    attempts: row.attempts,
    refusals: row.refusals,
    queuedMs: row.queued_ms,
    networkMs: row.network_ms,
    sentBytes: row.sent_bytes,
    sizeBytes: row.size_bytes,
    priority: row.priority,
    group: row.group_name,
    isShared: row.is_shared === 1,
  };
}

const logRow = z.object(listed);

/** A row of the log with its details, which are null in rows of earlier versions. */
const detailRow = z.object({
  ...listed,
  origin: z.string().nullable(),
  tries_json: fromJson.pipe(z.array(attempt)).nullable(),
  error_json: fromJson.pipe(wireError).nullable(),
  body: z.string().nullable(),
  body_kept: z.enum(BODY_KEPT).nullable(),
});

/** The row for a list. Of an unreadable row, the columns that can be read, with STORE_DAMAGED. */
export function readLogRow(row: unknown): RequestLogRow {
  const { value, error } = readInPlace(logRow, row);
  return { ...toRow(value), ...(error === null ? {} : { errorCode: error.code }) };
}

/** The row with its details. Of an unreadable row, the columns that can be read, and an error that names the others. */
export function readDetailRow(row: unknown): RequestDetails {
  const { value, error } = readInPlace(detailRow, row);
  return {
    ...toRow(value),
    ...(error === null ? {} : { errorCode: error.code }),
    origin: value.origin ?? '',
    tries: value.tries_json ?? [],
    error: error?.toWire() ?? value.error_json,
    body: value.body,
    bodyKept: value.body_kept ?? 'pruned',
  };
}

/** Values that replace columns that cannot be read. */
const UNREAD = {
  ...{ operation: 'damaged', status: null, error_code: null, attempts: 0, refusals: 0, queued_ms: 0 },
  ...{ network_ms: 0, sent_bytes: 0, size_bytes: 0, priority: 'view', group_name: '', is_shared: 0 },
  ...{ origin: null, tries_json: null, error_json: null, body: null, body_kept: null },
};
const numbered = z.looseObject({ seq: z.int() });

function readInPlace<T>(schema: z.ZodType<T>, row: unknown): { value: T; error: AppError | null } {
  const parsed = schema.safeParse(row);
  if (parsed.success) return { value: parsed.data, error: null };
  const stored = parseRow(numbered, row, 'request log row');
  const place = `request_log ${stored.seq}`;
  const columns = new Set(parsed.error.issues.map(({ path }) => String(path[0])));
  const [atMs, startedAtMs] = ['at_ms', 'started_at_ms'].map((column) => loggedMs.safeParse(stored[column]));
  const aboutMs = atMs?.data ?? startedAtMs?.data ?? 0;
  const unread = { ...UNREAD, id: place, url: place, at_ms: aboutMs, started_at_ms: aboutMs };
  const readable = Object.entries(stored).filter(([column]) => !columns.has(column));
  const names = [...columns].join(', ');
  const error = new AppError('STORE_DAMAGED', `This request cannot be read in full (${place}: ${names}).`);
  return { value: parseRow(schema, { ...unread, ...Object.fromEntries(readable) }, place), error };
}
