/** Rows of the request log, parsed when they are read. */
import { z } from 'zod';
import { ERROR_CODES, type ErrorCode, isErrorCode, type WireError } from '../shared/errors.ts';
import {
  BODY_KEPT,
  PRIORITIES,
  type RequestAttempt,
  type RequestDetails,
  type RequestLogRow,
} from '../shared/traffic-model.ts';
import { wallMs } from './row-parts.ts';

const errorCode = z
  .string()
  .nullable()
  .transform((text): ErrorCode | null => {
    if (text === null) return null;
    return isErrorCode(text) ? text : 'INTERNAL';
  });

const listed = {
  seq: z.int(),
  id: z.string(),
  at_ms: wallMs,
  started_at_ms: wallMs,
  operation: z.string(),
  url: z.string(),
  status: z.number().nullable(),
  error_code: errorCode,
  attempts: z.number(),
  refusals: z.number(),
  queued_ms: z.number(),
  network_ms: z.number(),
  sent_bytes: z.number(),
  size_bytes: z.number(),
  priority: z.enum(PRIORITIES).catch('view'),
  group_name: z.string(),
  is_shared: z.number(),
};

const headerText = z.string().nullable();
const attempt: z.ZodType<RequestAttempt> = z.object({
  sentAtMs: wallMs,
  networkMs: z.number(),
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

const codes = Object.keys(ERROR_CODES);
const wireError: z.ZodType<WireError> = z.object({
  code: z.custom<WireError['code']>((value) => typeof value === 'string' && codes.includes(value)),
  title: z.string(),
  message: z.string(),
  retry: z.enum(['now', 'later', 'never']),
  details: z.custom<WireError['details']>((value) => typeof value === 'object' && value !== null),
});

const fromJson = z.string().transform((text, context): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is no JSON' });
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

export const logRow = z.object(listed).transform(toRow);

/** Columns of `request_detail` are null in rows of an older version. */
export const detailRow = z
  .object({
    ...listed,
    origin: z.string().nullable(),
    tries_json: fromJson.pipe(z.array(attempt)).nullable(),
    error_json: fromJson.pipe(wireError).nullable(),
    body: z.string().nullable(),
    body_kept: z.enum(BODY_KEPT).nullable(),
  })
  .transform(
    (row): RequestDetails => ({
      ...toRow(row),
      origin: row.origin ?? '',
      tries: row.tries_json ?? [],
      error: row.error_json,
      body: row.body,
      bodyKept: row.body_kept ?? 'pruned',
    }),
  );
