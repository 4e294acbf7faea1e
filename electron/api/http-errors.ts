/** Maps statuses and network failures to AppErrors. Messages never contain bodies or tokens. */
import {
  AppError,
  type ErrorCode,
  type ErrorDetails,
  isOutOfFiles,
  outOfFilesError,
} from '../shared/errors.ts';
import { isolated } from '../shared/untrusted-text.ts';

/** The error object of SERVICE.md S2.3, as far as the answer has its fields. */
export interface ServiceIssue {
  message: string;
  issues: { reason: string; message: string; help?: string }[];
}

const STATUS_CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'HTTP_ERROR',
  407: 'PROXY_FAILED',
  408: 'TIMEOUT',
  409: 'CONFLICT',
  413: 'BAD_REQUEST',
  422: 'UNPROCESSABLE',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
  511: 'NOT_THIS_SERVICE',
};

const STATUS_WORDS: Readonly<Record<number, string>> = {
  304: ' (not modified): something between here and the service answers from a cache. This request asked for none',
  511: ' (network authentication required): the network answers in place of the service, until somebody signs in',
};

/**
 * A network's sign-in page, as in trains, hotels and companies. Until somebody signs in, the network itself answers
 * every request.
 */
export const SIGN_IN = 'If this network has a sign-in page, open any web page in a browser and sign in';

const PROXY_ASKS =
  'The proxy asks for a user name and a password: enter them in the connection, under Network, or in HTTPS_PROXY.';

const NEXT_STEPS: Partial<Record<ErrorCode, string>> = {
  UNAUTHORIZED: 'Enter a valid access token for this connection.',
  FORBIDDEN: 'Ask an administrator of the service for the permission, or use another token.',
  RATE_LIMITED: 'Wait; the request can be repeated later.',
  SERVICE_UNAVAILABLE: 'Try again later.',
  SERVICE_FAILED: 'Try again later. If it happens again, tell an administrator of the service.',
  REDIRECTED: `${SIGN_IN}, then try again. If the service has moved to the new address, use that as the base URL.`,
  PROXY_FAILED: PROXY_ASKS,
};

const STATUS_NEXT_STEPS: Readonly<Record<number, string>> = {
  304: 'Ask whoever runs the service, or the proxy or cache in front of it, to answer this request without its cache.',
  511: `${SIGN_IN}, then try again.`,
};

/** Redirect statuses. 304 means that nothing has changed; 300, 305 and 306 are not in use. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function codeOfStatus(status: number): ErrorCode {
  if (isRedirect(status)) return 'REDIRECTED';
  return STATUS_CODES[status] ?? (status >= 500 ? 'SERVICE_FAILED' : 'HTTP_ERROR');
}

/** The AppError for an unsuccessful answer. `operation`: method and path template. */
export function statusError(
  status: number,
  operation: string,
  issue: ServiceIssue | null,
  extra: ErrorDetails = {},
): AppError {
  const code = codeOfStatus(status);
  const said =
    issue === null || issue.message === ''
      ? ''
      : ` The service says: ${endSentence(isolated(issue.message))}`;
  const reason = issue?.issues[0]?.reason;
  const nextStep = STATUS_NEXT_STEPS[status] ?? NEXT_STEPS[code];
  const details: ErrorDetails = {
    status,
    operation,
    outcome: 'answered',
    ...(reason === undefined || reason === '' ? {} : { reason }),
    ...(issue === null || issue.issues.length === 0 ? {} : { issues: issue.issues }),
    ...(nextStep === undefined ? {} : { nextStep }),
    ...extra,
  };
  const means = STATUS_WORDS[status] ?? '';
  return new AppError(code, `${operation} was answered with status ${status}${means}.${said}`, details);
}

/**
 * The AppError for a redirect to `target`, an absolute address, or null if it cannot be read. The request and its token
 * were sent only to the original address. The message contains only scheme, host and port of the target, because the
 * rest may contain anything.
 */
export function redirectError(status: number, operation: string, target: URL | null): AppError {
  const details = { status, operation, outcome: 'answered' } as const;
  if (target !== null && !['http:', 'https:'].includes(target.protocol)) {
    const scheme = target.protocol.slice(0, MAX_SCHEME_CHARS);
    const message = `${operation} was redirected to a ${scheme} address, which is not the address of a service. It was not opened.`;
    const nextStep = 'Something in between changes the answers: ask whoever runs the service or the network.';
    return new AppError('REDIRECTED', message, { ...details, nextStep });
  }
  return new AppError(
    'REDIRECTED',
    `${operation} was redirected to ${target?.origin ?? 'another address'}. Redirects are not followed, so that the token stays with the base URL.`,
    { ...details, nextStep: NEXT_STEPS.REDIRECTED ?? '' },
  );
}

const MAX_SCHEME_CHARS = 20;

function endSentence(text: string): string {
  return /[.!?…]\u2069?$/.test(text) ? text : `${text}.`;
}

/** Maximum size of answer headers. Services send a tenth of it, including cookies and traces. */
export const MAX_HEADER_BYTES = 16_384;

export interface FailureContext {
  operation: string;
  /** Host and port of the service. */
  host: string;
  /** Host and port of the proxy, or null. */
  proxy: string | null;
  /** Whether the proxy itself is reached over TLS, so that a certificate may be its own. */
  isProxyEncrypted?: boolean;
  /** False if certainly no byte of the request was sent. */
  wasStarted: boolean;
}

function codeOf(problem: unknown): string {
  const hasCode = typeof problem === 'object' && problem !== null && 'code' in problem;
  return hasCode && typeof problem.code === 'string' ? problem.code : '';
}

/** The innermost error with a code. Several addresses lead to an AggregateError, and wrapped errors have a `cause`. */
function causeOf(problem: unknown, depth = 0): { code: string; message: string } {
  const message = problem instanceof Error ? problem.message : '';
  const own = { code: codeOf(problem), message };
  if (depth > 5) return own;
  if (problem instanceof AggregateError && problem.errors.length > 0) {
    const inner = causeOf(problem.errors[0], depth + 1);
    return inner.code === '' ? own : inner;
  }
  if (problem instanceof Error && problem.cause !== undefined) {
    const inner = causeOf(problem.cause, depth + 1);
    if (inner.code !== '') return inner;
  }
  return own;
}

const TLS_CODES =
  /^(CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO$|UND_ERR_PRX_TLS$)/;
const ALERT_CODES =
  /ALERT_(HANDSHAKE_FAILURE|CERTIFICATE_REQUIRED|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|ACCESS_DENIED)/;
/** Codes of TLS errors about versions, ciphers and protocols, whose messages do not mention a certificate. */
const HANDSHAKE_CODES = /^ERR_(SSL|OSSL|TLS)_(?!.*CERT)/;
const UNTRUSTED_CODES =
  /^(UNABLE_TO_(GET_ISSUER_CERT(_LOCALLY)?|VERIFY_LEAF_SIGNATURE)|SELF_SIGNED_CERT_IN_CHAIN|DEPTH_ZERO_SELF_SIGNED_CERT)$/;
const DNS_CODES = /^(ENOTFOUND|EAI_|ENODATA|ESERVFAIL)/;
const TIMEOUT_CODES = /^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;
const UNREACHABLE_CODES = /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL)$/;

/** Codes for a connection that the peer or an intermediary closed. */
const ENDED_CODES =
  /^(ECONN(RESET|ABORTED)|EPIPE|ENOTCONN|ERR_STREAM_(PREMATURE_CLOSE|DESTROYED)|ERR_SOCKET_CLOSED|UND_ERR_(SOCKET|CLOSED|DESTROYED|ABORTED|INFO|RES_CONTENT_LENGTH_MISMATCH|RESPONSE|PRX.*|BODY.*))$/;
const ENDED_NAMES = /^(SocketError|ClientDestroyedError|ClientClosedError|AbortError)$/;

const nameOf = (problem: unknown): string => (problem instanceof Error ? problem.name : '');

/** Whether a certificate was rejected only because its authority is unknown. */
export const isUntrusted = (problem: unknown): boolean => UNTRUSTED_CODES.test(causeOf(problem).code);

/** The AppError for a request without a complete answer. `details.outcome` is `unsent` only if that is certain. */
export function networkError(problem: unknown, context: FailureContext): AppError {
  const { host, proxy, isProxyEncrypted = false, wasStarted, operation } = context;
  const { code, message } = causeOf(problem);
  const outcome = wasStarted ? 'unknown' : 'unsent';
  const make = (kind: ErrorCode, text: string, nextStep: string) =>
    new AppError(kind, text, { operation, outcome, nextStep }, problem);
  const hint = code === '' ? '' : ` (${code})`;

  // The cause is in this process, neither in the network nor at the proxy.
  if (isOutOfFiles(problem)) return outOfFilesError(operation, { operation, outcome }, problem);
  // A request is only sent once the proxy has connected, so a later problem is that of the service.
  if (TLS_CODES.test(code)) {
    const mayBeProxy = proxy !== null && isProxyEncrypted && !wasStarted;
    return tlsError(make, mayBeProxy ? `${host} or the proxy ${proxy}` : host, code);
  }
  if (proxy !== null && !wasStarted && !TIMEOUT_CODES.test(code)) {
    const status = /Proxy response \((\d+)\)/.exec(message)?.[1];
    const reason =
      status === undefined ? `did not connect to ${host}${hint}` : `refused ${host} with status ${status}`;
    const nextStep =
      status === '407'
        ? PROXY_ASKS
        : 'Check the proxy: “Test connection” shows where its address comes from.';
    return make('PROXY_FAILED', `The proxy ${proxy} ${reason}.`, nextStep);
  }
  if (TIMEOUT_CODES.test(code)) {
    const what = wasStarted ? 'sent no answer in time' : 'did not accept a connection in time';
    return make(
      'TIMEOUT',
      `${proxy === null || wasStarted ? host : `The proxy ${proxy}`} ${what}.`,
      'Check the network, then try again.',
    );
  }
  if (DNS_CODES.test(code)) {
    return make(
      'DNS_FAILED',
      `The host name of ${host} was not found${hint}.`,
      'Check the spelling of the base URL and the network.',
    );
  }
  if (code === 'ECONNREFUSED') {
    return make(
      'CONNECTION_REFUSED',
      `Nothing accepts connections at ${host}.`,
      'Check the port of the base URL and that the service runs.',
    );
  }
  if (UNREACHABLE_CODES.test(code)) {
    return make(
      'CONNECTION_LOST',
      `${host} cannot be reached from this network${hint}.`,
      'Check the network or VPN.',
    );
  }
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    return make(
      'ANSWER_TOO_LARGE',
      `${operation}: the headers of the answer are larger than ${MAX_HEADER_BYTES / 1_024} KB.`,
      'Ask whoever runs the service, or the proxy or gateway in between, to send fewer or shorter headers.',
    );
  }
  // An assertion error occurs if the answer switches to a protocol that was not requested (status 101).
  const isNotHttp = code.startsWith('HPE_') || (wasStarted && code === 'ERR_ASSERTION');
  if (isNotHttp || (problem instanceof Error && problem.name === 'HTTPParserError')) {
    return make(
      'NOT_THIS_SERVICE',
      `What answers at ${host} does not speak HTTP${hint}.`,
      'Check scheme and port of the base URL.',
    );
  }
  // The HTTP client fails on any status 100 that it did not request. Reading such answers would need a second HTTP
  // client with its own proxies, certificates and limits, so only the error says so.
  if (wasStarted && code === 'UND_ERR_SOCKET' && message === 'bad response') {
    return make(
      'NOT_THIS_SERVICE',
      `${operation}: expected an answer, got “100 Continue” before it, which was not asked for${hint}.`,
      'Ask whoever runs the service, or the proxy or gateway in between, not to send it.',
    );
  }
  if (!ENDED_CODES.test(code) && !(wasStarted && ENDED_NAMES.test(nameOf(problem)))) {
    return make(
      'INTERNAL',
      `${operation} failed inside the application${hint}: ${message === '' ? 'no reason was given' : message}`,
      'The log has the cause.',
    );
  }
  const what = wasStarted ? 'ended before the answer was complete' : 'ended before the request was sent';
  return make('CONNECTION_LOST', `The connection to ${host} ${what}${hint}.`, 'Try again.');
}

function tlsError(
  make: (k: ErrorCode, t: string, n: string) => AppError,
  host: string,
  code: string,
): AppError {
  if (
    code === 'EPROTO' ||
    code === 'ERR_SSL_WRONG_VERSION_NUMBER' ||
    code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG'
  ) {
    return make(
      'TLS_FAILED',
      `${host} does not answer with TLS (${code}).`,
      'Check the port, or whether the base URL should begin with http://.',
    );
  }
  // A TLS alert from the peer. Its own certificate was not even checked.
  if (ALERT_CODES.test(code)) {
    return make(
      'TLS_FAILED',
      `${host} refused the TLS handshake (${code}). It may ask for a client certificate, or not accept the one it was shown.`,
      'Choose the file of the client certificate in the connection, under Network.',
    );
  }
  if (code.includes('ALERT_NO_APPLICATION_PROTOCOL')) {
    return make(
      'TLS_FAILED',
      `${host} does not speak HTTP/1.1 (${code}).`,
      'Ask whoever runs the service, or the proxy in front of it, to accept HTTP/1.1 besides HTTP/2.',
    );
  }
  if (HANDSHAKE_CODES.test(code) && CERTIFICATE_FAULTS[code] === undefined) {
    return make(
      'TLS_FAILED',
      `No encrypted connection to ${host} could be agreed on (${code}).`,
      'Ask whoever runs the service which versions of TLS it accepts: Spandeck needs 1.2 or 1.3.',
    );
  }
  const { reason, nextStep } = CERTIFICATE_FAULTS[code] ?? UNTRUSTED;
  return make('TLS_FAILED', `The certificate of ${host} ${reason} (${code}).`, nextStep);
}

/** Texts and advice for certificate errors, by the code of OpenSSL or Node. */
const CERTIFICATE_FAULTS: Readonly<Record<string, { reason: string; nextStep: string }>> = {
  CERT_HAS_EXPIRED: {
    reason: 'has expired',
    nextStep:
      'Check the date of this computer. If it is right, tell whoever runs the service: only they can renew the certificate.',
  },
  CERT_NOT_YET_VALID: {
    reason: 'is not valid yet',
    nextStep: 'The clock of this computer is probably behind: set date and time, then try again.',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    reason: 'is for another host name',
    nextStep: `${SIGN_IN}, then try again. Otherwise check the spelling of the base URL.`,
  },
  CERT_REVOKED: {
    reason: 'was revoked',
    nextStep: 'Do not go on. Tell whoever runs the service.',
  },
};

const UNTRUSTED = {
  reason: 'is not signed by an authority this computer trusts',
  nextStep: `${SIGN_IN}, then try again. If the service has its own certificate authority, choose its PEM file in the connection.`,
};

/** The error for a request that was cancelled. */
export function cancelledError(operation: string, wasStarted: boolean): AppError {
  return new AppError('CANCELLED', `${operation} was cancelled.`, {
    operation,
    outcome: wasStarted ? 'unknown' : 'unsent',
  });
}

/** The error for a request that exceeded the time limit for the whole exchange. */
export function timeoutError(operation: string, timeoutMs: number, wasStarted: boolean): AppError {
  return new AppError(
    'TIMEOUT',
    `${operation} was not answered within ${Math.round(timeoutMs / 100) / 10} seconds.`,
    { operation, outcome: wasStarted ? 'unknown' : 'unsent', nextStep: 'Check the network, then try again.' },
  );
}
