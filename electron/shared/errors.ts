import type { Dialect } from './dialect.ts';
import { sentence } from './untrusted-text.ts';

/**
 * Every failure that leaves a module is an AppError with one of these codes. The code is the identity; the message says
 * what was expected, what was received and what to do, and never contains a body or a token.
 */
type Retry = 'now' | 'later' | 'never';

/** One row for each code: the short title shown above the message, and whether a retry can help. */
export const ERROR_CODES = {
  // Errors in reaching the service
  DNS_FAILED: { title: 'Host name not found', retry: 'later' },
  CONNECTION_REFUSED: { title: 'Connection refused', retry: 'later' },
  SAMPLE_STOPPED: { title: 'The sample service is stopped', retry: 'later' },
  TLS_FAILED: { title: 'Certificate not accepted', retry: 'never' },
  PROXY_FAILED: { title: 'Proxy did not connect', retry: 'later' },
  TIMEOUT: { title: 'No answer in time', retry: 'later' },
  CONNECTION_LOST: { title: 'Connection lost', retry: 'later' },
  REDIRECTED: { title: 'Redirected elsewhere', retry: 'never' },
  OFFLINE: { title: 'Working offline', retry: 'later' },
  INSECURE_URL: { title: 'Not encrypted', retry: 'never' },
  // Errors from the service's answer
  NOT_THIS_SERVICE: { title: 'Not this service', retry: 'never' },
  ANSWER_INVALID: { title: 'Unexpected answer', retry: 'later' },
  ANSWER_TOO_LARGE: { title: 'Answer too large', retry: 'never' },
  INCOMPLETE: { title: 'Rows are missing', retry: 'later' },
  RECEIPT_DOUBTFUL: { title: 'Doubtful receipt', retry: 'never' },
  BAD_REQUEST: { title: 'Request not accepted', retry: 'never' },
  UNAUTHORIZED: { title: 'Token not accepted', retry: 'never' },
  FORBIDDEN: { title: 'No permission', retry: 'never' },
  NOT_FOUND: { title: 'Not found', retry: 'never' },
  CONFLICT: { title: 'Already exists or changed', retry: 'never' },
  UNPROCESSABLE: { title: 'Could not be processed', retry: 'never' },
  RATE_LIMITED: { title: 'Rate limit reached', retry: 'later' },
  SERVICE_UNAVAILABLE: { title: 'Service unavailable', retry: 'later' },
  SERVICE_FAILED: { title: 'Service failed', retry: 'later' },
  HTTP_ERROR: { title: 'Unexpected status', retry: 'never' },
  // Errors of this application
  CANCELLED: { title: 'Cancelled', retry: 'now' },
  LOCKED: { title: 'Locked', retry: 'now' },
  PAUSED: { title: 'Paused', retry: 'later' },
  QUEUE_FULL: { title: 'Too many requests waiting', retry: 'later' },
  NOT_STORED: { title: 'Not stored on this computer', retry: 'later' },
  NEEDS_DECISION: { title: 'Waits for a decision', retry: 'never' },
  READ_ONLY: { title: 'Read-only connection', retry: 'never' },
  NO_TOKEN: { title: 'No token', retry: 'never' },
  KEYCHAIN_UNAVAILABLE: { title: 'No keychain', retry: 'never' },
  KEYCHAIN_FAILED: { title: 'Keychain refused', retry: 'later' },
  INVALID_ARGUMENT: { title: 'Not accepted', retry: 'never' },
  SENDER_REFUSED: { title: 'Refused', retry: 'never' },
  DISK_FULL: { title: 'Disk full', retry: 'later' },
  STORE_FAILED: { title: 'Local store failed', retry: 'later' },
  STORE_DAMAGED: { title: 'Local store damaged', retry: 'never' },
  STORE_NEWER: { title: 'Local store is from a newer version', retry: 'never' },
  GATE_FAILED: { title: 'Gate not passed', retry: 'never' },
  GATE_UNSURE: { title: 'Gate cannot tell', retry: 'never' },
  GATE_EMPTY: { title: 'Nothing to judge', retry: 'never' },
  CHECK_FAILED: { title: 'Self-check found faults', retry: 'later' },
  INTERNAL: { title: 'Unexpected failure', retry: 'later' },
  // Errors with files
  FILE_NOT_FOUND: { title: 'File not found', retry: 'now' },
  FILE_UNREADABLE: { title: 'File cannot be read', retry: 'now' },
  FILE_EMPTY: { title: 'File is empty', retry: 'never' },
  FILE_BINARY: { title: 'Not a text file', retry: 'never' },
  FILE_MALFORMED: { title: 'File not well formed', retry: 'never' },
  FILE_CHANGED: { title: 'File has changed', retry: 'never' },
  FILE_NEWER: { title: 'File is from a newer version', retry: 'never' },
  PASSPHRASE_WRONG: { title: 'Passphrase not accepted', retry: 'now' },
  FILE_LINE_TOO_LONG: { title: 'Line too long', retry: 'never' },
} as const satisfies Record<string, { title: string; retry: Retry }>;

export type ErrorCode = keyof typeof ERROR_CODES;

const UNREACHABLE: ReadonlySet<ErrorCode> = new Set([
  'DNS_FAILED',
  'CONNECTION_REFUSED',
  'SAMPLE_STOPPED',
  'TLS_FAILED',
  'PROXY_FAILED',
  'TIMEOUT',
  'CONNECTION_LOST',
]);

/** Whether an error means that the service is unreachable. */
export function isUnreachable(code: ErrorCode): boolean {
  return UNREACHABLE.has(code);
}

/** Facts in addition to the message. Only values that are safe to show and to log. */
export interface ErrorDetails {
  /** HTTP status, if the service answered. */
  status?: number;
  /** The service's `errors[].reason`; shown, never branched on. */
  reason?: string;
  /** Method and path template, e.g. `GET /v3/applications/{application_id}/catalog`. */
  operation?: string;
  /** Row of the request log. */
  requestId?: string;
  /** Whether the request was certainly not sent, was answered, or has an unknown outcome. */
  outcome?: 'unsent' | 'answered' | 'unknown';
  /** An earlier attempt was sent without an answer, so the request may have been carried out. */
  isSentAgain?: true;
  /** Position of the error in typed text; line and column count from 1. */
  place?: { line: number; column: number };
  /** Milliseconds the service asked to wait. */
  retryAfterMs?: number;
  /** Per-issue details of the service's error object (SERVICE.md S2.3); truncated to a readable number on the wire. */
  issues?: { reason: string; message: string; help?: string }[];
  /** File name without folder, 1-based line. */
  file?: string;
  line?: number;
  /** The dialect used for the file, which a person may want to correct. */
  dialect?: Dialect;
  /** The choices that a person has: sheets of a workbook, or lists of a JSON document. */
  sheets?: string[];
  /** Advice on what to do, if the message does not contain it. */
  nextStep?: string;
}

/** The form of an AppError for IPC and for the database. */
export interface WireError {
  code: ErrorCode;
  title: string;
  message: string;
  retry: Retry;
  details: ErrorDetails;
}

/** Maximum issues for IPC and storage; the error itself has all of them. */
const WIRE_ISSUES = 20;

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly retry: Retry;
  readonly details: ErrorDetails;

  /**
   * Message and next step may contain untrusted text: characters that would reverse the text direction are masked.
   * `cause` is only for the log and never crosses IPC.
   */
  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, cause?: unknown) {
    super(sentence(message), cause === undefined ? undefined : { cause });
    this.code = code;
    this.retry = ERROR_CODES[code].retry;
    const { nextStep } = details;
    this.details = nextStep === undefined ? details : { ...details, nextStep: sentence(nextStep) };
  }

  /** Whether this application refused, as opposed to the service. */
  get #isOwnConflict(): boolean {
    return this.code === 'CONFLICT' && this.details.status === undefined;
  }

  toWire(): WireError {
    return {
      code: this.code,
      title: this.#isOwnConflict ? 'Not possible now' : ERROR_CODES[this.code].title,
      message: this.message,
      retry: this.retry,
      details: cutIssues(this.details),
    };
  }
}

function cutIssues(details: ErrorDetails): ErrorDetails {
  const { issues } = details;
  if (issues === undefined || issues.length <= WIRE_ISSUES) return details;
  return { ...details, issues: issues.slice(0, WIRE_ISSUES) };
}

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_CODES, text);
}

/** Rebuilds the AppError on the receiving side; an unknown code becomes INTERNAL and keeps its message. */
export function fromWire(wire: WireError): AppError {
  return new AppError(isErrorCode(wire.code) ? wire.code : 'INTERNAL', wire.message, wire.details);
}

export function diskFullError(cause: unknown): AppError {
  return new AppError(
    'DISK_FULL',
    'The disk that holds the data folder is full. Nothing sent was lost. Free some space, then try again.',
    {},
    cause,
  );
}

/** The error if the disk of a file chosen by a person is full; null for any other problem. */
export function noRoomError(file: string, problem: unknown): AppError | null {
  const code = problem instanceof Error && 'code' in problem ? problem.code : '';
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return null;
  const text = `The disk has no room for ${file}. Free some space, or choose another disk, then try again.`;
  return new AppError('DISK_FULL', text, { file }, problem);
}

const OUT_OF_FILES = /\b(EMFILE|ENFILE)\b|too many open files/i;
const MAX_CAUSES = 5;

/**
 * Whether the cause is the system's limit of open files. The error of loading a module or starting a thread has another
 * code and names the limit only in its message.
 */
export function isOutOfFiles(thrown: unknown, depth = 0): boolean {
  if (!(thrown instanceof Error) || thrown instanceof AppError || depth > MAX_CAUSES) return false;
  const code = 'code' in thrown ? String(thrown.code) : '';
  return (
    OUT_OF_FILES.test(code) || OUT_OF_FILES.test(thrown.message) || isOutOfFiles(thrown.cause, depth + 1)
  );
}

/** `what` could not be done because of the limit of open files. */
export function outOfFilesError(what: string, details: ErrorDetails, cause: unknown): AppError {
  const nextStep = 'Close other programs or raise the limit of open files, then start the application again.';
  return new AppError(
    'INTERNAL',
    `${what} was not possible: this computer lets the application open no more files.`,
    { ...details, nextStep },
    cause,
  );
}

/** The message of SQLite's driver for a closed store; the error has no code. */
const CLOSED_STORE = 'The database connection is not open';

/** The error of using something whose connection is closed. */
export function closedError(cause?: unknown): AppError {
  const message = 'The connection was closed or changed before this action ended. Try it again.';
  return new AppError('CANCELLED', message, {}, cause);
}

/** Turns any thrown value into an AppError; anything unexpected is a bug and becomes INTERNAL. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const code = typeof thrown === 'object' && thrown !== null && 'code' in thrown ? String(thrown.code) : '';
  if (isOutOfFiles(thrown)) return outOfFilesError('This', {}, thrown);
  if (code === 'ENOSPC' || code === 'SQLITE_FULL') return diskFullError(thrown);
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') {
    return new AppError('STORE_DAMAGED', 'The local store cannot be read: its file is damaged.', {}, thrown);
  }
  if (code.startsWith('SQLITE_READONLY')) {
    const message = `The local store can be read but not changed, because one of its files is read-only (${code}). Make the files in the data folder writable, then try again.`;
    return new AppError('STORE_FAILED', message, {}, thrown);
  }
  // An open store opens further files at its first change. SQLite does not say why a file cannot be opened.
  if (code.startsWith('SQLITE_CANTOPEN')) {
    const message = `The local store could not open one of its files (${code}): this computer lets the application open no more files, or the data folder was moved or cannot be written.`;
    const nextStep =
      'Close other programs or raise the limit of open files, and check the data folder; then start the application again.';
    return new AppError('STORE_FAILED', message, { nextStep }, thrown);
  }
  if (code.startsWith('SQLITE_')) {
    return new AppError('STORE_FAILED', `The local store did not accept a change (${code}).`, {}, thrown);
  }
  // Work that is still running while its connection is closed, saved or removed fails with this error.
  if (thrown instanceof TypeError && text === CLOSED_STORE) {
    return closedError(thrown);
  }
  return new AppError(
    'INTERNAL',
    text === '' ? 'Something failed, and no reason was given.' : text,
    {},
    thrown,
  );
}

const NO_VALID_TOKEN: ReadonlySet<string> = new Set<ErrorCode>(['UNAUTHORIZED', 'NO_TOKEN']);

/** Whether a request failed because the connection has no token that the service accepts, so that another one helps. */
export function isTokenRefused({ code }: { code: string }): boolean {
  return NO_VALID_TOKEN.has(code);
}

const UNKNOWN_STATUSES: ReadonlySet<number> = new Set([404, 405, 501]);

/**
 * Whether the service does not know the operation or record of the request. The state of the record is then unknown.
 */
export function isUnknownToService({ details }: AppError): boolean {
  return details.status !== undefined && UNKNOWN_STATUSES.has(details.status);
}
